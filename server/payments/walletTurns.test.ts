import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWalletTurns } from './walletTurns.ts';

const flushEventLoop = async () => {
  for (let n = 0; n < 5; n += 1) await nextTick();
};

/** Turns of a wallet with a limit of one open payment. `end(count)` ends that many. */
function open({ timeoutMs = 60_000, pollMs = 60_000 } = {}) {
  const turns = createWalletTurns({ timeoutMs, pollMs });
  let [available, attempts] = [1, 0];
  const granted: string[] = [];
  const reserve = (name: string, wallet = 'wallet') =>
    turns.reserve(wallet, async () => {
      attempts += 1;
      if (available === 0) return { kind: 'full' };
      available -= 1;
      granted.push(name);
      return { kind: 'reserved' };
    });
  return {
    turns,
    reserve,
    granted,
    attempts: () => attempts,
    end(count = 1) {
      available += count;
      turns.ended('wallet');
    },
  };
}

test("reserves a wallet's payments in order as earlier ones end", async () => {
  const { reserve, granted, end, attempts } = open();
  const waiting = ['a', 'b', 'c', 'd'].map((name) => reserve(name));
  await flushEventLoop();
  expect(granted).toEqual(['a']);
  end(2);
  await flushEventLoop();
  expect(granted).toEqual(['a', 'b', 'c']);
  // Only the first waiting payment retries its reservation.
  expect(attempts()).toBeLessThanOrEqual(8);
  end();
  expect(await Promise.all(waiting)).toEqual(Array(4).fill({ kind: 'reserved' }));
  expect(granted).toEqual(['a', 'b', 'c', 'd']);
});

test("keeps the order of one wallet's payments and does not delay another wallet", async () => {
  const { reserve, granted, end, turns } = open();
  await reserve('a');
  const waiting = [reserve('b')];
  await flushEventLoop();
  waiting.push(reserve('c'));
  expect(await turns.reserve('other', async () => ({ kind: 'reserved' }))).toEqual({ kind: 'reserved' });
  end();
  await flushEventLoop();
  expect(granted).toEqual(['a', 'b']);
  end();
  await Promise.all(waiting);
  expect(granted).toEqual(['a', 'b', 'c']);
});

test('a new payment does not overtake a waiting one when an earlier payment ends', async () => {
  const { reserve, granted, end } = open();
  await reserve('a');
  const waiting = [reserve('b'), reserve('c')];
  await flushEventLoop();
  end();
  await flushEventLoop();
  waiting.push(reserve('d'));
  await flushEventLoop();
  end();
  await flushEventLoop();
  expect(granted).toEqual(['a', 'b', 'c']);
  end();
  await Promise.all(waiting);
});

test('a new payment does not attempt a reservation while another payment of its wallet waits', async () => {
  const { turns } = open();
  const waits = turns.reserve('wallet', async () => ({ kind: 'full' }));
  await flushEventLoop();
  let attempts = 0;
  const next = turns.reserve('wallet', async () => {
    attempts += 1;
    return { kind: 'reserved' };
  });
  await flushEventLoop();
  expect(attempts).toBe(0);
  turns.close();
  expect(await Promise.all([waits, next])).toEqual([{ kind: 'full' }, { kind: 'reserved' }]);
});

test('retries when a payment ends during the reservation', async () => {
  const { turns } = open();
  let attempts = 0;
  const result = await turns.reserve('wallet', async () => {
    attempts += 1;
    await nextTick();
    // The first attempt returned full; the second one is made while the payment waits.
    if (attempts === 2) turns.ended('wallet');
    return { kind: attempts > 2 ? 'reserved' : 'full' };
  });
  expect(result).toEqual({ kind: 'reserved' });
});

test('retries at the next poll after a payment ended in another replica', async () => {
  const { reserve, granted, turns } = open({ pollMs: 5 });
  await reserve('a');
  let isFull = true;
  const waiting = turns.reserve('wallet', async () => ({ kind: isFull ? 'full' : 'reserved' }));
  await flushEventLoop();
  isFull = false;
  expect(await waiting).toEqual({ kind: 'reserved' });
  expect(granted).toEqual(['a']);
});

test('returns full after the timeout, and reserves the next payment', async () => {
  const { reserve, end } = open({ timeoutMs: 0 });
  await reserve('a');
  expect(await reserve('b')).toEqual({ kind: 'full' });
  end();
  expect(await reserve('c')).toEqual({ kind: 'reserved' });
});

test('returns full on close', async () => {
  const closing = open();
  await closing.reserve('a');
  const waiting = [closing.reserve('b'), closing.reserve('c')];
  await flushEventLoop();
  closing.turns.close();
  expect(await Promise.all(waiting)).toEqual([{ kind: 'full' }, { kind: 'full' }]);
});

test('rejects with the error of a reservation, and reserves the next payment', async () => {
  const failing = open();
  await failing.reserve('a');
  let attempts = 0;
  const rejected = failing.turns.reserve('wallet', async () => {
    attempts += 1;
    if (attempts > 1) throw new Error('no database');
    return { kind: 'full' };
  });
  const next = failing.reserve('b');
  await expect(rejected).rejects.toThrow('no database');
  failing.end();
  expect(await next).toEqual({ kind: 'reserved' });
});
