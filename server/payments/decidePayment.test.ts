import { afterEach, beforeEach, expect, test } from 'vitest';
import { attemptWith, openScripted, type Scripted, terms } from '../../tests/support/scriptedNetwork.ts';
import { forgetOld } from '../storage/index.ts';
import { decidePayment } from './decidePayment.ts';

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
  opened.offer.find = () => terms as never;
});
afterEach(() => opened.close());

test('a payment on a withdrawn network is refused, uncharged, if its nodes do not respond within the deadline', async () => {
  const { offers } = opened.context;
  offers.obstacleOf = () => 'node_unreachable';
  offers.recheck = () => new Promise(() => {});
  const decision = await decidePayment(opened.context, attemptWith('new', undefined));
  expect(decision).toMatchObject({
    kind: 'refuse',
    status: 503,
    charged: false,
    detail: expect.stringContaining('Its nodes do not respond.'),
  });
  expect(opened.network.calls).toEqual(['verifyPayload']);
});

test('a credit has no end: after a year, deletions and a changed price it is served without a settlement', async () => {
  const first = await decidePayment(opened.context, attemptWith('owed', undefined));
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  await first.fail('UPSTREAM_UNAVAILABLE');
  opened.clock.time += 366 * 86_400_000;
  await forgetOld(opened.stores.database, opened.clock.time, { answersMs: 1, refusedMs: 1 });
  opened.offer.find = () => undefined;
  opened.network.verifyPayload = async () => ({ kind: 'invalid', reason: 'expired', detail: 'Expired.' });
  opened.network.calls.length = 0;
  expect(await decidePayment(opened.context, attemptWith('owed', undefined))).toMatchObject({ kind: 'serve' });
  expect(opened.network.calls).toEqual([]);
});
