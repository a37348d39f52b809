import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer, RpcEndpoint } from '../../engine/index.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { variantTokens } from '../../sandbox/testTokens/variantTokens.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { checkerOver, type TestTokensOnBase } from './checkOn.ts';

// The code lens reads the code behind a proxy. If a node's limit refuses its calls, the second request repeats them.

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

/** An endpoint that refuses the first two calls of the code lens. */
function refusingOnce(): RpcEndpoint {
  const endpoint = loopbackEndpoint(fixture.base.rpcUrl);
  const left = new Set(lensSelectors);
  return {
    label: 'refuses the code lens once',
    send: async (calls, options) => {
      const replies = await endpoint.send(calls, options);
      return replies.map((reply, index) => {
        const refused = [...left].find((selector) => JSON.stringify(calls[index]).includes(selector));
        return refused && left.delete(refused) ? { error: { code: -32000, message: 'refused' } } : reply;
      });
    },
  };
}

const proxyWordsOf = ({ risk_profile }: PretradeAnswer) =>
  risk_profile.transferability.fingerprints.split(', ').filter((word) => word.startsWith('proxy-'));

test.each(Object.entries(kinds))(
  '%s is reported as %s, also if the code lens is refused once',
  async (symbol, kind) => {
    const token = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol)?.address;
    if (!token) throw new TypeError(`There is no ${symbol}.`);
    for (const endpoint of [loopbackEndpoint(fixture.base.rpcUrl), refusingOnce()]) {
      const answer = await checkerOver(fixture.base, endpoint).check({ chain: 'base', token });
      expect([endpoint.label, proxyWordsOf(answer)]).toEqual([endpoint.label, [kind]]);
    }
  },
);
