import { type Address, encodeFunctionData, erc20Abi, getAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { balanceSelector } from '../../engine/chain/readBalances.ts';
import { deployments, type QuoteAnswer, type RpcEndpoint } from '../../engine/index.ts';
import { type OpenChain, reopenChain, type SandboxChain } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { startTestTokens, type TestTokensOnBase } from '../pretrade/checkOn.ts';
import { ledgerToken } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver } from './market.ts';
import { keyOf, openV4 } from './openV4Pool.ts';

// Each token has a v2 pool with 30,000 USD of it, and a hooked pool or a deposit at an uncovered venue.

type Token = ReturnType<typeof ledgerToken>;
const symbols = ['LARGEHOOK', 'SMALLHOOK', 'DUSTHOOK', 'CHEAPHOOK', 'VAULT', 'TRACES', 'STABLESWAP'];
const tokens = symbols.map((symbol) => ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]));
const [large, small, dust, cheap, vaulted, traces, swapped] = tokens as [
  Token,
  Token,
  Token,
  Token,
  Token,
  Token,
  Token,
];

const hook = '0x0000000000000000000000000000000000004080';
const venueOf = (venue: string) => deployments.base.uncovered.find(({ name }) => name === venue)?.address ?? '0x';
const [fluid, curve] = [venueOf('fluid'), venueOf('curve-stable')];
/** A pool that the factory of Curve returns. */
const curvePool = getAddress('0x00000000000000000000000000000000c0ffee01');
const wholeUnits = (amount: number) => (BigInt(amount) * 10n ** 18n).toString();

let fixture: TestTokensOnBase;
let builder: OpenChain;
let chain: SandboxChain;
beforeAll(async () => {
  fixture = await startTestTokens();
  builder = await reopenChain(fixture.base, fixture.sandbox.wallets);
  const pools = tokens.map(({ symbol }) => ({
    venue: 'uniswap-v2' as const,
    pair: [symbol, 'USDC'] as [string, string],
    usd: 60_000,
  }));
  chain = await builder.list({ tokens, pools });
  await openV4(builder, large.address, keyOf(chain, large.address, 2500, 50, hook), 1_000_000);
  await openV4(builder, small.address, keyOf(chain, small.address, 2500, 50, hook), 2_000);
  await openV4(builder, dust.address, keyOf(chain, dust.address, 2500, 50, hook), 50);
  // Tokens for 2,000,000 USD at a hundredth of a percent of their price: the pool holds 210 USDC.
  await openV4(builder, cheap.address, keyOf(chain, cheap.address, 2500, 50, hook), 210, 0.00021);
  await builder.perform([deposit(vaulted, 2_000), deposit(swapped, 3_000, curvePool)]);
});
afterAll(() => fixture?.sandbox.close());

const deposit = (token: Token, amount: number, holder: Address = fluid) => ({
  to: token.address,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [holder, BigInt(wholeUnits(amount))] }),
});
const quoteOver = (endpoint: RpcEndpoint, tokenIn: Address, tokenOut: Address): Promise<QuoteAnswer> =>
  engineOver(chain, endpoint).quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: '100' } });
const quoteOf = ({ address }: Token) => quoteOver(loopbackEndpoint(chain.rpcUrl), address, chain.usdc);
const purchaseOf = ({ address }: Token) => quoteOver(loopbackEndpoint(chain.rpcUrl), chain.usdc, address);
const factsOf = ({ flags }: QuoteAnswer, flagCode: string) => flags.find(({ code }) => code === flagCode)?.facts;

test('a deep pool with an unlisted hook is named with what it holds, and lowers the confidence', async () => {
  const answer = await quoteOf(large);
  expect(answer.route.dex).toBe('uniswap-v2');
  expect(factsOf(answer, 'NOT_COVERED')).toMatchObject({
    count: 1,
    pools: [{ venue: 'uniswap-v4', hooks: hook, holds: expect.stringMatching(/^\d+$/) }],
  });
  expect(answer.confidence).toBe('medium');
  expect(factsOf(answer, 'CONFIDENCE')).toEqual({
    rule: "pools that cannot be quoted hold more than a tenth of what the plan's pools hold",
  });
});

test('a hooked pool below a tenth is named, and keeps the confidence', async () => {
  const answer = await quoteOf(small);
  expect(factsOf(answer, 'NOT_COVERED')).toMatchObject({ count: 1 });
  expect(answer.confidence).toBe('high');
});

test('a hooked pool below a hundredth is not named', async () => {
  const answer = await quoteOf(dust);
  expect(factsOf(answer, 'NOT_COVERED')).toBeUndefined();
  expect(answer.confidence).toBe('high');
});

test('an uncovered venue is named with what it holds', async () => {
  expect(factsOf(await quoteOf(vaulted), 'NOT_COVERED')).toMatchObject({
    count: 1,
    pools: [{ venue: 'fluid', token: vaulted.address, holds: wholeUnits(2_000) }],
  });
});

test('an uncovered venue is named from 1 % of what the pool of the plan holds, and lowers the confidence above 10 %', async () => {
  const afterDeposit = async (amount: number) => {
    await builder.perform([deposit(traces, amount)]);
    const answer = await quoteOf(traces);
    return [factsOf(answer, 'NOT_COVERED')?.count, answer.confidence];
  };
  // The pool holds 30,000, and the venue holds 299, 300, 3,000 and 3,001.
  expect(await afterDeposit(299)).toEqual([undefined, 'high']);
  expect(await afterDeposit(1)).toEqual([1, 'high']);
  expect(await afterDeposit(2_700)).toEqual([1, 'high']);
  expect(await afterDeposit(1)).toEqual([1, 'medium']);
});

test('a hooked pool with tokens at a hundredth of a percent of their price counts for a purchase, not for a sale', async () => {
  const sale = await quoteOf(cheap);
  expect(factsOf(sale, 'NOT_COVERED')).toBeUndefined();
  expect(sale.confidence).toBe('high');
  const purchase = await purchaseOf(cheap);
  expect(factsOf(purchase, 'NOT_COVERED')).toMatchObject({ count: 1, pools: [{ token: cheap.address }] });
  expect(purchase.confidence).toBe('medium');
});

test('a pool of an uncovered factory is named with its balance', async () => {
  const node = createNodeClient(chain.rpcUrl);
  // Returns the pool for every pair: PUSH20, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
  await node.call('anvil_setCode', [curve, `0x73${curvePool.slice(2).toLowerCase()}5f5260205ff3`]);
  const answer = await quoteOf(swapped);
  await node.call('anvil_setCode', [curve, '0x']);
  expect(factsOf(answer, 'NOT_COVERED')).toMatchObject({
    count: 1,
    pools: [{ venue: 'curve-stable', pool: curvePool, token: swapped.address, holds: wholeUnits(3_000) }],
  });
  expect(factsOf(await quoteOf(swapped), 'NOT_COVERED')).toBeUndefined();
});

test.each([
  ['balances of venues', balanceSelector, ['balancer-v2', 'balancer-v3', 'fluid', 'pancakeswap-infinity']],
  ['pools of factories', '0x82ad56cb', ['curve-stable', 'curve-twocrypto', 'curve-tricrypto', 'maverick-v2']],
  ['liquidity of hooked pools', '0xdbd035ff', ['uniswap-v4 pools with an unlisted hook']],
])('unread %s are named as unread, and the confidence is medium', async (_, selector, unread) => {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const failing: RpcEndpoint = {
    label: 'fails on one call',
    async send(calls, options) {
      const replies = await endpoint.send(calls, options);
      return replies.map((reply, index) => {
        const { data } = (calls[index]?.params[0] ?? {}) as { data?: string };
        return data?.startsWith(selector) ? { error: { code: -32_000, message: 'internal error' } } : reply;
      });
    },
  };
  const answer = await quoteOver(failing, small.address, chain.usdc);
  expect(factsOf(answer, 'NOT_COVERED')).toMatchObject({ unread });
  expect(answer.confidence).toBe('medium');
  expect(factsOf(answer, 'CONFIDENCE')).toEqual({
    rule: 'it could not be read how much pools hold that cannot be quoted',
  });
});
