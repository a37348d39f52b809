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

test('prepares while a paying wallet settles; not for an invalid payment, and once for payments that fail', async () => {
  const { network, context } = opened;
  let prepared = 0;
  /** Decides on a new payment. Returns how often it prepared. */
  const decide = async (key: string) => {
    prepared = 0;
    const prepare = () => {
      prepared += 1;
    };
    await decidePayment(context, { ...attemptWith(key, undefined), prepare });
    return prepared;
  };
  const settle: typeof network.settle = async ({ checkFunds }) => {
    await checkFunds();
    // The settlement takes longer than the look-up of the wallet.
    await expect.poll(() => context.paidWallets.has('wallet')).toBeDefined();
    return { kind: 'settled', transaction: '0xpaid' };
  };
  network.settle = settle;
  expect(await decide('first of the wallet')).toBe(0);
  expect(await decide('second')).toBe(1);
  network.verifyPayload = async () => ({ kind: 'invalid', reason: 'expired', detail: 'Expired.' });
  expect(await decide('invalid')).toBe(0);
  network.verifyPayload = async () => ({ kind: 'valid' });
  network.settle = async (task) => {
    await settle(task);
    return { kind: 'refused', reason: 'nonce_used', detail: 'Used.' };
  };
  expect(await decide('fails')).toBe(1);
  expect(await decide('fails too')).toBe(0);
  network.settle = settle;
  expect(await decide('settles')).toBe(0);
  expect(await decide('settles again')).toBe(1);
});
