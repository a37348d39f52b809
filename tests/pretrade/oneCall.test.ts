import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RpcEndpoint } from '../../engine/index.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { addressIn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// Nodes without eth_simulateV1: a contract wallet buys and sells in one eth_call, through a stand-in for the kind of pool.

let fixture: TestTokensOnBase;
beforeAll(async () => {
  fixture = await startTestTokens();
});
afterAll(() => fixture?.sandbox.close());

/** A node that does not know eth_simulateV1. */
function withoutSimulations(url: string): RpcEndpoint {
  const inner = loopbackEndpoint(url);
  const error = { code: -32601, message: 'the method eth_simulateV1 does not exist' };
  return {
    label: inner.label,
    async send(calls, options) {
      const replies = await inner.send(calls, options);
      return calls.map(({ method }, index) =>
        method === 'eth_simulateV1' ? { error } : (replies[index] ?? { error }),
      );
    },
  };
}

test.each([
  ['a pair', 'PLAIN'],
  ['a concentrated pool', 'ALGEBRA'],
  ['a singleton, for the native coin', 'V4ONLY'],
])('without eth_simulateV1 one call trades an honest token in %s (%s)', async (_, symbol) => {
  const checker = checkerOver(fixture.base, withoutSimulations(fixture.base.rpcUrl), { powerDeadlineMs: 0 });
  const { risk_profile, reasons } = await checker.check({ chain: 'base', token: addressIn(fixture, symbol) });
  expect(risk_profile.transferability).toMatchObject({ outcome: 'tradable', sellTaxRaw: 0, buyTaxRaw: 0 });
  expect(reasons.join(' ')).toContain('one call bought and sold at once');
});
