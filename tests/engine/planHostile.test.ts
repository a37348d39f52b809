import { type Address, encodeFunctionData, parseUnits } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { burningReadsTokenArtifact } from '../../contracts/artifacts/sandbox/BurningReadsToken.ts';
import type { PlanExecution } from '../../engine/quote/plan/executionTypes.ts';
import type { Plan } from '../../engine/quote/search/planTypes.ts';
import { poolIdOf } from '../../engine/venues/uniswapV4/poolKey.ts';
import type { SandboxChain, SandboxPool } from '../../sandbox/index.ts';
import {
  armTraps,
  hookAddressOf,
  hookFaults,
  openHookedPool,
  placeHostilePool,
  poolFaults,
  poolsToReplace,
  trapMarket,
  traps,
  usualVenues,
} from '../support/hostileContracts.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { poolsOfPair, tokenOf, withChainRestored } from './market.ts';
import { keyOf } from './openV4Pool.ts';
import { hop, type PlanExecutor, planExecutorOn, planOf, toExecutable } from './planMarket.ts';

// Pools, hooks and tokens that fail, burn gas or forge results, in plans that are executed together with honest plans.

const burner = ledgerToken('BURNER', 2, burningReadsTokenArtifact);
const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b';
const amountIn = parseUnits('3', 18);

const opened = useOpenChain('base');
let chain: SandboxChain;
let executor: PlanExecutor;

beforeAll(async () => {
  chain = await opened.builder.list({ ...trapMarket, tokens: [...trapMarket.tokens, burner] });
  await armTraps(opened.builder);
  executor = planExecutorOn(chain);
}, 120_000);

const weth = () => chain.wrappedNative;
const market = () => poolsOfPair(chain, weth(), chain.usdc);
const replaceable = () => poolsToReplace(chain, usualVenues);

const sell = (parts: readonly (readonly [SandboxPool, number])[]): Plan =>
  planOf(amountIn, hop(chain, weth(), chain.usdc, parts));

/** A plan's result without its gas, because storage that another plan read first costs less. */
const paid = ({ run, again }: PlanExecution) =>
  [run, again].map((one) => one && [one.status, one.received, one.legs.map((leg) => leg.amountOut)]);

/** Expects that a mined transaction of a filled plan pays the proven amount. */
async function expectExecutable({ plan, run }: PlanExecution): Promise<void> {
  if (run.status !== 'filled') return;
  const truth = await executed(chain, toExecutable(plan, run.legs), plan.amountIn, opened.trader);
  expect(truth?.received).toBe(run.received);
}

/** Proves the honest plans alone, then between the hostile ones, and expects the same results. */
async function proveBeside(honest: readonly Plan[], hostile: readonly Plan[], arm: () => Promise<void>) {
  const alone = await executor.execute(honest.map((plan) => ({ plan, again: true })));
  return withChainRestored(chain, async () => {
    await arm();
    const plans = [...hostile, ...honest, ...hostile];
    const reading = await executor.execute(plans.map((plan) => ({ plan, again: true })));
    const found = reading.executions.slice(hostile.length, hostile.length + honest.length);
    expect(found.map(paid)).toEqual(alone.executions.map(paid));
    expect(found.map(({ run }) => run.status)).toEqual(honest.map(() => 'filled'));
    const attacks = reading.executions.slice(0, hostile.length);
    for (const execution of attacks) await expectExecutable(execution);
    return attacks;
  });
}

describe.each(poolFaults)('a pool that %s', (fault) => {
  test('changes no other plan, and its own result is executable', async () => {
    for (const victim of replaceable()) {
      const [first, second] = market().filter(({ pool, key }) => pool !== victim.pool && !key) as SandboxPool[];
      if (!first || !second) throw new TypeError('Too few pools.');
      const honest = [
        sell([[first, 10_000]]),
        sell([
          [first, 4_000],
          [second, 6_000],
        ]),
      ];
      const hostile = [
        sell([[victim, 10_000]]),
        sell([
          [victim, 3_000],
          [first, 7_000],
        ]),
      ];
      const attacks = await proveBeside(honest, hostile, async () => {
        await placeHostilePool(opened.builder, victim, fault);
      });
      if (fault === 'ForgesProof')
        expect(
          attacks.map(({ run }) => run.status),
          victim.venue,
        ).toEqual(['reverted', 'reverted']);
      if (fault === 'BurnsGas') expect(attacks[0]?.run.failedLeg).toBe(0);
    }
  }, 60_000);
});

describe.each(hookFaults)('a v4 hook that %s', (fault) => {
  test('changes no other plan, and its own plans are not filled', async () => {
    const key = keyOf(chain, weth(), 3000, 60, hookAddressOf(fault));
    const hooked: SandboxPool = {
      chain: 'base',
      venue: 'uniswap-v4',
      pool: poolIdOf(key),
      token0: key.currency0,
      token1: key.currency1,
      key,
    };
    chain.pools.push(hooked);
    const [first] = market().filter(({ key }) => !key) as [SandboxPool];
    const small = (pool: SandboxPool) => planOf(10n ** 13n, hop(chain, weth(), chain.usdc, [[pool, 10_000]]));
    const attacks = await proveBeside(
      [sell([[first, 10_000]]), small(first)],
      [
        small(hooked),
        sell([
          [first, 9_999],
          [hooked, 1],
        ]),
      ],
      () => openHookedPool(opened.builder, manager, key, fault),
    );
    expect(attacks.map(({ run }) => run.status)).not.toContain('filled');
  });
});

describe.each(traps)('a token with %s', (trap) => {
  test('changes no other plan if it is bought, resold or sold', async () => {
    const { address } = tokenOf(chain, trap);
    const between = (venue: string, other: Address) =>
      poolsOfPair(chain, address, other).find((pool) => pool.venue === venue) as SandboxPool;
    const [first] = market().filter(({ key }) => !key) as [SandboxPool];
    const bought = planOf(amountIn, hop(chain, weth(), address, [[between('aerodrome', weth()), 10_000]]));
    const soldOn = planOf(amountIn, [
      ...hop(chain, weth(), chain.usdc, [[first, 5_000]]),
      ...hop(chain, weth(), address, [[between('uniswap-v3', weth()), 5_000]]),
      ...hop(chain, address, chain.usdc, [
        [between('uniswap-v2', chain.usdc), 5_000],
        [between('uniswap-v4', chain.usdc), 5_000],
      ]),
    ]);
    await proveBeside([sell([[first, 10_000]])], [bought, soldOn], async () => {});

    const sales = [between('uniswap-v2', chain.usdc), between('uniswap-v4', chain.usdc)].map((pool) =>
      planOf(parseUnits('2', 18), hop(chain, address, chain.usdc, [[pool, 10_000]])),
    );
    const { executions } = await executor.execute(sales.map((plan) => ({ plan })));
    for (const execution of executions) await expectExecutable(execution);
  });
});

test('a plan that burns all of its gas leaves an equal share to each of the others', async () => {
  const [first, victim] = replaceable() as [SandboxPool, SandboxPool];
  const honest = [sell([[first, 10_000]])];
  const hostile = Array.from({ length: 8 }, () => sell([[victim, 10_000]]));
  const attacks = await proveBeside(honest, hostile, async () => {
    await placeHostilePool(opened.builder, victim, 'BurnsGas');
  });
  expect(attacks.map(({ run }) => run.status)).toEqual(hostile.map(() => 'out-of-gas'));
  expect(attacks.every(({ run }) => run.failedLeg === 0)).toBe(true);
});

test('a token whose reads and transfers use up their gas leaves enough to return the answer', async () => {
  const [pool] = market().filter(({ key }) => !key) as [SandboxPool];
  const sale = planOf(parseUnits('2', 18), hop(chain, burner.address, chain.usdc, [[pool, 10_000]]));
  const plans = Array.from({ length: 8 }, () => ({ plan: sale, again: true }));
  // Until it is armed, its storage layout can be found.
  await executor.execute(plans);
  await withChainRestored(chain, async () => {
    const data = encodeFunctionData({ abi: burningReadsTokenArtifact.abi, functionName: 'arm' });
    await opened.builder.perform([{ to: burner.address, data }]);
    const { executions } = await executor.execute(plans);
    expect(executions.map(({ run }) => run.status)).toEqual(plans.map(() => 'out-of-gas'));
  });
});
