import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer, RpcEndpoint } from '../../engine/index.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { variantTokens } from '../../sandbox/testTokens/variantTokens.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { checkerOver, type TestTokensOnBase } from './checkOn.ts';

// The code behind a proxy is read by the code lens, or by single calls if the node does not run the lens.

const kinds = {
  PROXY: 'proxy-eip-1967',
  CLONE: 'proxy-minimal',
  BEACON: 'proxy-beacon',
  DIAMOND: 'proxy-diamond',
  PONEFACET: 'proxy-diamond',
  PEIP1822: 'proxy-eip-1822',
  PZEPPELIN: 'proxy-zeppelinos',
  PSHORT: 'proxy-minimal',
};

let fixture: TestTokensOnBase;
beforeAll(async () => {
  const testTokens = [...coreTokens, ...variantTokens].filter(({ symbol }) => symbol in kinds);
  const sandbox = await startSandbox({ chains: ['base'], testTokens });
  const { base } = sandbox.chains;
  if (!base || !sandbox.testTokens) throw new TypeError('Base did not start with its test tokens.');
  fixture = { sandbox, base, testTokens: sandbox.testTokens };
});
afterAll(() => fixture?.sandbox.close());

/** `readStorage()` and `readBehind(address)` of CodeLens.sol. */
const lensSelectors = ['0x31fadddf', '0xb499871a'];

/** An endpoint that refuses the calls of the code lens. */
function withoutLens(): RpcEndpoint {
  const endpoint = loopbackEndpoint(fixture.base.rpcUrl);
  return {
    label: 'without code lens',
    send: async (calls, options) => {
      const replies = await endpoint.send(calls, options);
      return replies.map((reply, index) =>
        lensSelectors.some((selector) => JSON.stringify(calls[index]).includes(selector))
          ? { error: { code: -32000, message: 'refused' } }
          : reply,
      );
    },
  };
}

const proxyWordsOf = ({ risk_profile }: PretradeAnswer) =>
  risk_profile.transferability.fingerprints.split(', ').filter((word) => word.startsWith('proxy-'));

test.each(Object.entries(kinds))('%s is reported as %s with and without the code lens', async (symbol, kind) => {
  const token = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol)?.address;
  if (!token) throw new TypeError(`There is no ${symbol}.`);
  for (const endpoint of [loopbackEndpoint(fixture.base.rpcUrl), withoutLens()]) {
    const answer = await checkerOver(fixture.base, endpoint).check({ chain: 'base', token });
    expect([endpoint.label, proxyWordsOf(answer)]).toEqual([endpoint.label, [kind]]);
  }
});
