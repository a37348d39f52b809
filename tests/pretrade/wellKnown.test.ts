import { zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byChain, createEngine, deployments, type PretradeChecker } from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, type SandboxPool, startSandbox } from '../../sandbox/index.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';

let sandbox: Sandbox;
let base: SandboxChain;
let engine: PretradeChecker;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'], testTokens: true });
  if (!sandbox.chains.base) throw new Error('The sandbox has no Base.');
  base = sandbox.chains.base;
  engine = createEngine({
    rpc: { base: [loopbackEndpoint(base.rpcUrl)] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
  });
});
afterAll(() => sandbox?.close());

test('a token with more pools than one call can measure is conclusive if its largest pools exceed the threshold', async () => {
  const weth = await engine.check({ chain: 'base', token: base.wrappedNative });
  expect(weth.verdict).toBe('clear');
  expect(weth.risk_profile.liquidity.exitLiquidityUsd).toBeGreaterThan(1_000_000);
  expect(weth.liquidityCoverage).toMatchObject({ venuesUnread: 0, conclusive: true });
  expect(weth.reasons.join(' ')).toMatch(/Measured \d+ of (at least )?\d+ pools, the largest first/);
  const covered = new Set(deployments.base.venues.map(({ venue }) => venue));
  const isHooked = (pool: SandboxPool) =>
    'key' in pool && pool.key?.hooks !== undefined && pool.key.hooks !== zeroAddress;
  // Pools with hooks of the sandbox are not found, because no list contains these hooks.
  const counted = base.pools.filter(
    (pool) =>
      covered.has(pool.venue) &&
      !isHooked(pool) &&
      [pool.token0, pool.token1].some((token) =>
        [base.wrappedNative.toLowerCase(), zeroAddress].includes(token.toLowerCase()),
      ),
  );
  expect(weth.liquidityCoverage.poolsFound).toBeGreaterThanOrEqual(counted.length);
});

test('default: reports no per-call limit for a token whose pools were all measured', async () => {
  const usdc = await engine.check({ chain: 'base', token: base.usdc });
  expect(usdc.risk_profile.liquidity.exitLiquidityUsd).toBeGreaterThan(1_000_000);
  expect(usdc.reasons.join(' ')).not.toContain('per-call limit');
});
