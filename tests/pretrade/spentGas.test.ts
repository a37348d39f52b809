import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RpcEndpoint } from '../../engine/index.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { addressIn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// go-ethereum allows the calls of one request 50 M of gas. A token whose sales burn it gets no simulation of all its trades.

let fixture: TestTokensOnBase;
beforeAll(async () => {
  fixture = await startTestTokens();
});
afterAll(() => fixture?.sandbox.close());

/** A node that refuses the simulations with this message while `refuses` is set, and counts the blocks of the others. */
function refusingNode(message: string) {
  const endpoint = loopbackEndpoint(fixture.base.rpcUrl);
  const node = { refuses: true, mostBlocks: 0 };
  const send: RpcEndpoint['send'] = async (calls, options) => {
    const replies = await endpoint.send(calls, options);
    return replies.map((reply, index) => {
      const call = calls[index];
      if (call?.method !== 'eth_simulateV1') return reply;
      if (node.refuses) return { error: { code: -38013, message } };
      const { blockStateCalls } = call.params[0] as { blockStateCalls: unknown[] };
      node.mostBlocks = Math.max(node.mostBlocks, blockStateCalls.length);
      return reply;
    });
  };
  return { node, checker: checkerOver(fixture.base, { ...endpoint, send }) };
}

test.each([
  ['that a token used up its gas', 'err: intrinsic gas too low: have 0, want 23096 (supplied gas 0)', true],
  ['of another kind', 'too many blocks in request', false],
])('after a refusal %s the next check simulates blocks between its trades: %s', async (_, message, hasBlocks) => {
  const { node, checker } = refusingNode(message);
  const check = (symbol: string) => checker.check({ chain: 'base', token: addressIn(fixture, symbol) });
  const first = await check('PLAIN');
  expect(first.confidence).toBe('low');
  expect(first.reasons.join('\n')).toContain('the node refused the simulation');
  node.refuses = false;
  await check('TAX5');
  expect(node.mostBlocks > 60).toBe(hasBlocks);
});
