import { type Address, getAddress, numberToHex } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { sampleHookArtifact } from '../../contracts/artifacts/sandbox/SampleHook.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import { createOrderRunner, type SandboxChain, type SandboxPool } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { ledgerToken, placed } from './ledgerToken.ts';
import { engineOn, withChainRestored } from './market.ts';
import { keyOf, openV4 } from './openV4Pool.ts';

// A pool whose hook tries to pay a price far above the market only to the swaps that sample it.

/** Lies of SampleHook, in the contract's order. */
const lies = ['PaysSizes', 'ChargesOtherSizes', 'SeesGas', 'ChargesPlans', 'BurnsGas'] as const;
type Lie = (typeof lies)[number];
const size = 8000;
const amountIn = BigInt(size) * 10n ** 18n;

/** COMPUTED has two pools with maths; SAMPLED also has an honest pool with a hook. */
const tokens = ['COMPUTED', 'SAMPLED'].map((symbol) => ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]));

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens,
    pools: [
      ...tokens.flatMap(({ symbol }) => [
        { venue: 'uniswap-v2', pair: [symbol, 'USDC'] as const, usd: 250_000 },
        { venue: 'uniswap-v3', pair: [symbol, 'USDC'] as const, usd: 250_000, tier: 3000 },
      ]),
      { venue: 'uniswap-v4', pair: ['SAMPLED', 'USDC'], usd: 300_000, tier: 3000, hook: 'dynamic-fee' },
    ],
  });
}, 60_000);

/** The first quote of a new market, and the next one. */
async function quoteTwice(token: Address, liars: readonly SandboxPool[] = []): Promise<QuoteAnswer[]> {
  const shapes = liars.flatMap(({ key }) => key ?? []);
  const { engine, endpoint } = engineOn(chain, shapes);
  const query = { chain: 'base', tokenIn: token, tokenOut: chain.usdc, size: { tokenIn: `${size}` } } as const;
  const first = await engine.quote(query);
  endpoint.requests = 0;
  const second = await engine.quote(query);
  // The first request also executes the plans that showed the lies. One more executes a plan over a pool with a hook in the
  // next block.
  expect(endpoint.requests).toBe(second.route.legs.some(({ venue }) => venue === 'uniswap-v4') ? 2 : 1);
  return [first, second];
}

async function openLiar(token: Address, lie: Lie, at: number): Promise<SandboxPool> {
  // The low bits of a hook's address are its permissions; bit 7 is beforeSwap.
  const hook = getAddress(numberToHex((BigInt(0x5a3b1e00 + at) << 100n) | (1n << 7n), { size: 20 }));
  const { creation } = placed(`${lie} ${at}`, sampleHookArtifact, [lies.indexOf(lie), amountIn]);
  await opened.builder.place([{ address: hook, creation }]);
  // The market's price is 2 USD.
  return openV4(opened.builder, token, keyOf(chain, token, 0x800000, 60, hook), 300_000, 2.4);
}

async function expectPaid(answers: readonly QuoteAnswer[], pools: readonly SandboxPool[]) {
  const runner = await createOrderRunner({ ...chain, pools: [...chain.pools, ...pools] }, opened.trader);
  for (const { route, amountOut } of answers) {
    const { movements } = await runner.tryOrders([{ legs: route.legs, amountIn }]);
    expect(movements.map(({ received }) => received)).toEqual([amountOut]);
  }
}

test.each(tokens.flatMap(({ address, symbol }) => lies.map((lie) => ({ address, symbol, lie }))))(
  'the answer over $symbol is the best honest plan, to the wei, beside a pool that $lie',
  async ({ address, lie }) => {
    const honest = await quoteTwice(address);
    await withChainRestored(chain, async () => {
      const liar = await openLiar(address, lie, 0);
      const answers = await quoteTwice(address, [liar]);
      const [first, second] = honest.map(({ amountOut }) => amountOut) as [bigint, bigint];
      const paid = answers.map(({ amountOut }) => amountOut);
      await expectPaid(answers, [liar]);
      // What a hook pays for one size, it also pays to a plan that sells this size.
      if (lie === 'PaysSizes' || lie === 'ChargesOtherSizes') {
        for (const each of paid) expect(each).toBeGreaterThanOrEqual(first);
      } else expect(paid).toEqual([first, second]);
    });
  },
  60_000,
);

test('finds the best honest plan, to the wei, beside three pools that lie to samples', async () => {
  const [, { address }] = tokens as [unknown, { address: Address }];
  const honest = await quoteTwice(address);
  await withChainRestored(chain, async () => {
    const liars: SandboxPool[] = [];
    for (let at = 0; at < 3; at++) liars.push(await openLiar(address, 'SeesGas', at));
    const answers = await quoteTwice(address, liars);
    await expectPaid(answers, liars);
    expect(answers.map(({ amountOut }) => amountOut)).toEqual(honest.map(({ amountOut }) => amountOut));
  });
}, 60_000);

test('finds the best honest plan, to the wei, beside seven pools that burn the gas of each sample', async () => {
  const [, { address }] = tokens as [unknown, { address: Address }];
  const honest = await quoteTwice(address);
  await withChainRestored(chain, async () => {
    const liars: SandboxPool[] = [];
    for (let at = 0; at < 7; at++) liars.push(await openLiar(address, 'BurnsGas', at));
    const answers = await quoteTwice(address, liars);
    expect(answers.map(({ amountOut }) => amountOut)).toEqual(honest.map(({ amountOut }) => amountOut));
  });
}, 60_000);
