import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  factsOf,
  openScripted,
  refuseScripted,
  type Scripted,
  sendScripted,
} from '../../tests/support/scriptedNetwork.ts';
import { reconcileLoop } from './reconcileLoop.ts';

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
});
afterEach(async () => {
  vi.useRealTimers();
  await opened.close();
});

const levels = () => opened.lines.map(({ level }) => level);

const send = (key: string, changes = {}) => sendScripted(opened, key, changes);

const refuseSent = (key: string, changes = {}) => refuseScripted(opened, key, changes);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  opened.context.timings = { ...opened.context.timings, reconcileMs: 1_000, closeGraceMs: 20 };
});

test('recovers, releases and rechecks at each interval', async () => {
  await send('sent');
  await refuseSent('expired');
  await opened.ledger.claim(factsOf('credit'));
  await opened.ledger.settled('credit', 'RESPONSE');
  opened.network.readLateStatus = async () => ({ kind: 'expired' });
  const loop = reconcileLoop(opened.context);
  vi.advanceTimersByTime(999);
  expect(opened.network.calls).toEqual([]);
  vi.advanceTimersByTime(1);
  await vi.waitFor(async () => {
    expect(opened.network.calls.toSorted()).toEqual(['readLateStatus', 'settle']);
    expect(await opened.ledger.loadHeldCredits()).toEqual([]);
  });
  await loop.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('a job that hangs runs once at a time, and does not delay the others or the close for long', async () => {
  let rounds = 0;
  opened.context.ledger.takeOverUnfinished = () => {
    rounds += 1;
    return new Promise(() => undefined);
  };
  let rechecks = 0;
  opened.context.ledger.takeRefused = async () => {
    rechecks += 1;
    return [];
  };
  const loop = reconcileLoop(opened.context);
  vi.advanceTimersByTime(1_000);
  await new Promise(setImmediate);
  vi.advanceTimersByTime(1_000);
  await new Promise(setImmediate);
  expect([rounds, rechecks]).toEqual([1, 2]);
  await loop.close();
});

test('a failed round is logged, and the next one runs', async () => {
  let fails = true;
  opened.context.ledger.takeRefused = async () => {
    if (fails) throw new Error('PostgreSQL does not answer.');
    return [];
  };
  const loop = reconcileLoop(opened.context);
  vi.advanceTimersByTime(1_000);
  await vi.waitFor(() => expect(opened.lines).toMatchObject([{ message: 'Refused payments could not be rechecked' }]));
  fails = false;
  vi.advanceTimersByTime(1_000);
  await loop.close();
  expect(levels()).toEqual(['error']);
});

test('closing waits for a running round', async () => {
  opened.context.timings = { ...opened.context.timings, closeGraceMs: 10_000 };
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let isDone = false;
  opened.context.ledger.takeRefused = async () => {
    await ended;
    isDone = true;
    return [];
  };
  const loop = reconcileLoop(opened.context);
  vi.advanceTimersByTime(1_000);
  let isClosed = false;
  const closing = loop.close().then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  expect([isDone, isClosed]).toEqual([false, false]);
  end();
  await closing;
  expect(isDone).toBe(true);
});
