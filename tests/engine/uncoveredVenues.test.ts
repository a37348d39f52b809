import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Flag } from '../../engine/index.ts';
import { type RpcEndpoint, RpcTransportError } from '../../engine/index.ts';
import { startTestTokens, type TestTokensOnBase } from '../pretrade/checkOn.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver } from './market.ts';

let fixture: TestTokensOnBase;
let endpoint: CountingEndpoint;
beforeAll(async () => {
  fixture = await startTestTokens();
  endpoint = loopbackEndpoint(fixture.base.rpcUrl);
});
afterAll(() => fixture?.sandbox.close());

const addressOf = (symbol: string): Address => {
  const token = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!token) throw new TypeError(`${symbol} is not a test token.`);
  return token.address;
};
async function noRouteOf(tokenIn: Address, tokenOut: Address, over: RpcEndpoint = endpoint): Promise<Flag | undefined> {
  const size = { tokenIn: '1' };
  const { flags, amountOut } = await engineOver(fixture.base, over).quote({ chain: 'base', tokenIn, tokenOut, size });
  expect(amountOut).toBe(0n);
  return flags.find(({ code }) => code === 'NO_ROUTE');
}

test.each([
  ['sold', true],
  ['bought', false],
])('NO_ROUTE reports the singleton that holds the token that is %s', async (_side, sold) => {
  const pair = [addressOf('VAULTED'), fixture.base.usdc] as const;
  const flag = await noRouteOf(...((sold ? pair : [...pair].reverse()) as [Address, Address]));
  expect(flag?.facts).toMatchObject({ notCovered: ['balancer-v2'], notCoveredUnread: [] });
  expect(flag?.facts?.venues).toContain('uniswap-v4');
  expect(flag?.message).toContain('This service cannot quote balancer-v2, which holds the token and may trade it.');
});

test('NO_ROUTE reports no venue for a token that no known venue holds', async () => {
  const flag = await noRouteOf(addressOf('NOPOOL'), fixture.base.usdc);
  expect(flag?.facts).toMatchObject({ notCovered: [], notCoveredUnread: [] });
});

test('venues that could not be read are listed as unread, and the quote is answered', async () => {
  let sent = 0;
  const failing: RpcEndpoint = {
    label: 'fails on balances of venues',
    async send(calls, options) {
      sent += 1;
      // 0xa87df06c: find_pool_for_coins(address,address)
      if (JSON.stringify(calls).includes('0xa87df06c')) throw new RpcTransportError('gone');
      return endpoint.send(calls, options);
    },
  };
  const flag = await noRouteOf(addressOf('VAULTED'), fixture.base.usdc, failing);
  expect(sent).toBeGreaterThan(1);
  expect(flag?.facts).toMatchObject({ notCovered: [] });
  expect(flag?.facts?.notCoveredUnread).toEqual(expect.arrayContaining(['balancer-v2', 'curve-stable']));
  expect(flag?.message).toContain('Could not read whether balancer-v2');
});
