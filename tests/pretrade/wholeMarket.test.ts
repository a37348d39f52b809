import { type Address, getAddress, keccak256, numberToHex, toHex, zeroAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { inertHookArtifact } from '../../contracts/artifacts/testTokens/InertHook.ts';
import { deployments, type PretradeAnswer } from '../../engine/index.ts';
import { makerAddress, type OpenChain, reopenChain, type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { creationCode } from '../../sandbox/placement/creationCode.ts';
import { derivedAddress } from '../../sandbox/placement/derivedAddress.ts';
import { placed } from '../engine/ledgerToken.ts';
import { checkerOn } from './checkOn.ts';
import {
  baseOf,
  type CustomPool,
  openDustLadder,
  openPair,
  openV4Pools,
  pairVenue,
  sellThrough,
} from './customMarket.ts';

// A sale may be paid in an asset whose only market is outside our lists, or several pools further on. A real sale by an
// ordinary wallet decides whether an exit exists.

const unit = 10n ** 18n;
/** USD per ether on the sandbox's Base. */
const etherUsd = 3000;
/** Permissions of a v4 hook are the low 14 bits of its address. Bit 7 is beforeSwap. */
const inertHook = getAddress(
  numberToHex(((BigInt(keccak256(toHex('truefill test: inert hook'))) >> 110n) << 14n) | (1n << 7n), { size: 20 }),
);

/** Six shapes of v4 pools without hooks that are looked up for each pair. */
const hooklessShapes = deployments.base.venues
  .flatMap((row) => (row.family === 'uniswap-v4' ? row.shapes.filter(({ hooks }) => !hooks) : []))
  .slice(0, 6);

let sandbox: Sandbox;
let builder: OpenChain;
let weth: Address;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  builder = await reopenChain(baseOf(sandbox), sandbox.wallets);
  weth = baseOf(sandbox).wrappedNative;
  await builder.place([{ address: inertHook, creation: creationCode(inertHookArtifact, []) }]);
});
afterAll(() => sandbox?.close());

let round = 0;
beforeEach(() => {
  round += 1;
});

/** A plain token; the market maker holds its supply. */
async function token(name: string): Promise<Address> {
  const { address, creation } = placed(`${name}${round}`, honestTokenArtifact, [
    name,
    name,
    18,
    makerAddress,
    1_000_000_000n * unit,
  ]);
  await builder.place([{ address, creation }]);
  return address;
}

const market = () => ({ sandbox, builder });
const pair = (a: readonly [Address, bigint], b: readonly [Address, bigint], factory?: Address) =>
  openPair(market(), a, b, factory);
async function v4(
  a: readonly [Address, bigint],
  b: readonly [Address, bigint],
  fee: number,
  tickSpacing: number,
  hooks: Address = zeroAddress,
): Promise<CustomPool> {
  const [pool] = await openV4Pools(market(), [{ a, b, shape: { fee, tickSpacing, hooks } }]);
  if (!pool) throw new TypeError('No pool was opened.');
  return pool;
}
const check = (address: Address): Promise<PretradeAnswer> =>
  checkerOn(baseOf(sandbox)).checker.check({ chain: 'base', token: address });

/** USD that a real sale pays in ether. */
const usdOf = (wei: bigint) => (Number(wei) / 1e18) * etherUsd;

interface Exit {
  pools: CustomPool[];
  path: Address[];
}

const amount = 1_000_000n * unit;

describe('an asset whose market is outside the lists', () => {
  const markets: [string, () => Promise<Exit>][] = [
    [
      'T/X, X/Y and Y/WETH, all on Uniswap v2',
      async () => {
        const [t, x, y] = [await token('T'), await token('X'), await token('Y')];
        const pools = [
          await pair([t, amount], [x, amount]),
          await pair([x, amount], [y, amount]),
          await pair([y, amount], [weth, 20n * unit]),
        ];
        return { pools, path: [t, x, y, weth] };
      },
    ],
    [
      'T/X on v2, X/ETH on v4 without a hook, fee 2500, spacing 50',
      async () => {
        const [t, x] = [await token('T'), await token('X')];
        const pools = [
          await pair([t, amount], [x, amount]),
          await v4([x, amount], [zeroAddress, 20n * unit], 2500, 50),
        ];
        return { pools, path: [t, x, weth] };
      },
    ],
    [
      'T/X on v2, X/WETH on v4 with a hook that does nothing',
      async () => {
        const [t, x] = [await token('T'), await token('X')];
        const pools = [
          await pair([t, amount], [x, amount]),
          await v4([x, amount], [weth, 20n * unit], 3000, 60, inertHook),
        ];
        return { pools, path: [t, x, weth] };
      },
    ],
    [
      'T/X on v2, X/WETH on v4, fee 3000, spacing 60',
      async () => {
        const [t, x] = [await token('T'), await token('X')];
        const pools = [await pair([t, amount], [x, amount]), await v4([x, amount], [weth, 20n * unit], 3000, 60)];
        return { pools, path: [t, x, weth] };
      },
    ],
    [
      'a content coin over a creator coin over a platform token, in v4 pools with a hook',
      async () => {
        const [content, creator, platform] = [await token('CONTENT'), await token('CREATOR'), await token('PLATFORM')];
        const pools = [
          await v4([content, amount], [creator, amount], 10_000, 200, inertHook),
          await v4([creator, amount], [platform, amount], 10_000, 200, inertHook),
          await pair([platform, amount], [weth, 20n * unit]),
        ];
        return { pools, path: [content, creator, platform, weth] };
      },
    ],
    [
      'a token over a wrapper of ether whose pool has a hook',
      async () => {
        const [t, fleth] = [await token('T'), await token('FLETH')];
        const pools = [
          await v4([t, amount], [fleth, 20n * unit], 0, 60, inertHook),
          await v4([fleth, 20n * unit], [zeroAddress, 20n * unit], 100, 1, inertHook),
        ];
        return { pools, path: [t, fleth, weth] };
      },
    ],
  ];
  test.each(markets)('%s: the answer is not avoid, because a real sale pays', async (_name, open) => {
    const { pools, path } = await open();
    const [sold] = path as [Address];
    const answer = await check(sold);
    const paid = usdOf(await sellThrough(market(), pools, path, amount / 10n));
    expect(paid).toBeGreaterThan(50);
    expect(answer).toMatchObject({ verdict: 'clear', triggers: [] });
    const { exitLiquidityUsd } = answer.risk_profile.liquidity;
    // Reported as a lower bound: at least the threshold, and no more than the ether in the market.
    expect(exitLiquidityUsd).toBeGreaterThan(50);
    expect(exitLiquidityUsd).toBeLessThan(20 * etherUsd);
    expect(answer.liquidityCoverage.conclusive).toBe(true);
  });
});

test('pools that hold nothing and burn gas hide no market of a counter-asset', async () => {
  const { usdc } = baseOf(sandbox);
  const [t, x] = [await token('T'), await token('X')];
  const path = [t, x, usdc];
  const pools = [await pair([t, amount], [x, amount]), await pair([x, amount], [usdc, 60_000_000_000n])];
  await pair([x, amount / 1_000n], [weth, (20n * unit) / 1_000n]);
  const before = await check(t);
  for (const shape of hooklessShapes)
    await openDustLadder(
      market(),
      [
        [x, amount],
        [weth, 20n * unit],
      ],
      shape,
      100,
    );
  const after = await check(t);
  expect(Number(await sellThrough(market(), pools, path, amount / 10n)) / 1e6).toBeGreaterThan(1_000);
  expect(before.risk_profile.liquidity.exitLiquidityUsd).toBeGreaterThan(10_000);
  expect(after.risk_profile.liquidity.exitLiquidityUsd).toBe(before.risk_profile.liquidity.exitLiquidityUsd);
  expect(after.verdict).toBe('clear');
});

describe('a pair outside the covered factories', () => {
  const fork = derivedAddress('uncovered fork');
  beforeAll(() => builder.place(pairVenue(sandbox, fork).placements));

  test('a token that trades only on an uncovered v2 fork is not avoid, and the pair is named', async () => {
    const t = await token('FORKED');
    const pool = await pair([t, amount], [weth, 20n * unit], fork);
    const answer = await check(t);
    expect(usdOf(await sellThrough(market(), [pool], [t, weth], amount / 10n))).toBeGreaterThan(50);
    expect(answer).toMatchObject({ verdict: 'clear', triggers: [] });
    expect(answer.liquidityCoverage.conclusive).toBe(false);
    expect(answer.reasons.join('\n')).toContain(getAddress(pool.pool));
  });
});
