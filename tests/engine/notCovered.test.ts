import { encodeFunctionData, erc20Abi } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { deployments, type QuoteAnswer } from '../../engine/index.ts';
import { type OpenChain, reopenChain, type SandboxChain } from '../../sandbox/index.ts';
import { startTestTokens, type TestTokensOnBase } from '../pretrade/checkOn.ts';
import { ledgerToken } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver } from './market.ts';
import { keyOf, openV4 } from './openV4Pool.ts';

// Each token has a v2 pool with 30,000 USD of it, and a hooked pool or a deposit at an uncovered venue.

const [large, small, dust, vaulted, traces] = ['LARGEHOOK', 'SMALLHOOK', 'DUSTHOOK', 'VAULT', 'TRACES'].map((symbol) =>
  ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]),
) as [Token, Token, Token, Token, Token];
type Token = ReturnType<typeof ledgerToken>;

const hook = '0x0000000000000000000000000000000000004080';
const fluid = deployments.base.uncovered.find(({ name }) => name === 'fluid')?.address ?? '0x';

let fixture: TestTokensOnBase;
let builder: OpenChain;
let chain: SandboxChain;
beforeAll(async () => {
  fixture = await startTestTokens();
  builder = await reopenChain(fixture.base, fixture.sandbox.wallets);
  const tokens = [large, small, dust, vaulted, traces];
  const pools = tokens.map(({ symbol }) => ({
    venue: 'uniswap-v2' as const,
    pair: [symbol, 'USDC'] as [string, string],
    usd: 60_000,
  }));
  chain = await builder.list({ tokens, pools });
  await openV4(builder, large.address, keyOf(chain, large.address, 2500, 50, hook), 1_000_000);
  await openV4(builder, small.address, keyOf(chain, small.address, 2500, 50, hook), 2_000);
  await openV4(builder, dust.address, keyOf(chain, dust.address, 2500, 50, hook), 50);
  await builder.perform([deposit(vaulted, 2_000), deposit(traces, 100)]);
});
afterAll(() => fixture?.sandbox.close());

const deposit = (token: Token, amount: number) => ({
  to: token.address,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [fluid, BigInt(amount) * 10n ** 18n] }),
});
const quoteOf = (token: Token, size = '100'): Promise<QuoteAnswer> =>
  engineOver(chain, loopbackEndpoint(chain.rpcUrl)).quote({
    chain: 'base',
    tokenIn: token.address,
    tokenOut: chain.usdc,
    size: { tokenIn: size },
  });
const factsOf = ({ flags }: QuoteAnswer, flagCode: string) => flags.find(({ code }) => code === flagCode)?.facts;

test('a deep pool with an unlisted hook is named with what it holds, and lowers the confidence', async () => {
  const answer = await quoteOf(large);
  expect(answer.route.dex).toBe('uniswap-v2');
  expect(factsOf(answer, 'NOT_COVERED')).toMatchObject({
    count: 1,
    pools: [{ venue: 'uniswap-v4', hooks: hook, holds: expect.stringMatching(/^\d+(\.\d+)?$/) }],
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

test('an uncovered venue is named from a hundredth of what the pools of the plan hold', async () => {
  expect(factsOf(await quoteOf(vaulted), 'NOT_COVERED')).toMatchObject({
    count: 1,
    pools: [{ venue: 'fluid', token: vaulted.address, holds: '2000' }],
  });
  expect(factsOf(await quoteOf(traces), 'NOT_COVERED')).toBeUndefined();
});
