import { afterEach, beforeEach, expect, test } from 'vitest';
import { attemptWith, openScripted, type Scripted, terms } from '../../tests/support/scriptedNetwork.ts';
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
