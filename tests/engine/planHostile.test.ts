import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseUnits,
  toHex,
} from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { burningReadsTokenArtifact } from '../../contracts/artifacts/sandbox/BurningReadsToken.ts';
import { hostileHookArtifact } from '../../contracts/artifacts/sandbox/HostileHook.ts';
import { hostilePoolArtifact } from '../../contracts/artifacts/sandbox/HostilePool.ts';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import { trapTokenArtifact } from '../../contracts/artifacts/sandbox/TrapToken.ts';
import type { PlanProof } from '../../engine/quote/proof/proofTypes.ts';
import type { Plan } from '../../engine/quote/search/planTypes.ts';
import { poolIdOf } from '../../engine/venues/uniswapV4/poolKey.ts';
import {
  makerAddress,
  type OpenChain,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { executed } from './executed.ts';
import { ledgerToken, placed } from './ledgerToken.ts';
import { andPutBack, poolsOfPair, tokenOf } from './market.ts';
import { hop, type ProverOnChain, planOf, proverOn, toExecutable } from './planMarket.ts';

// Pools, hooks and tokens that fail, burn gas or forge results, in plans proven beside honest ones.

/** In the order of TrapToken's traps. */
const traps = [
  'RevertInTransfer',
  'BurnInTransfer',
  'HugeAnswerInTransfer',
  'FalseInTransfer',
  'NothingInTransfer',
  'ReenterInTransfer',
  'RevertInBalance',
  'BurnInBalance',
  'HugeAnswerInBalance',
  'FallingBalance',
] as const;
const tokens = traps.map((trap, index) => ledgerToken(trap, 2, trapTokenArtifact, [index]));
const burner = ledgerToken('BURNER', 2, burningReadsTokenArtifact);
const usd = 200_000;
const pools = traps.flatMap((trap) => [
  { venue: 'uniswap-v2', pair: [trap, 'USDC'] as const, usd },
  { venue: 'uniswap-v3', pair: [trap, 'WETH'] as const, usd, tier: 3000 },
  { venue: 'aerodrome', pair: [trap, 'WETH'] as const, usd },
  { venue: 'uniswap-v4', pair: [trap, 'USDC'] as const, usd, tier: 3000 },
]);
/** In the order of HostilePool's ways. */
const poolMisbehaviours = [
  'Reverts',
  'BurnsGas',
  'AnswersHuge',
  'RevertsHuge',
  'AnswersShort',
  'AnswersOnes',
  'LiesInState',
  'ForgesData',
  'ForgesResult',
  'Reenters',
  'Baits',
  'ForgesProof',
] as const;
const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b';
const amountIn = parseUnits('3', 18);

let sandbox: Sandbox;
let builder: OpenChain;
let chain: SandboxChain;
let prover: ProverOnChain;
let trader: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  chain = await builder.list({ tokens: [...tokens, burner], pools });
  const data = encodeFunctionData({ abi: trapTokenArtifact.abi, functionName: 'arm' });
  await builder.perform(tokens.map(({ address }) => ({ to: address, data })));
  prover = proverOn(chain);
}, 120_000);
afterAll(() => sandbox?.close());

const weth = () => chain.wrappedNative;
const market = () => poolsOfPair(chain, weth(), chain.usdc);
/** One pool of each kind. */
const victims = () =>
  ['uniswap-v2', 'uniswap-v3', 'aerodrome', 'aerodrome-slipstream', 'pancakeswap-v3'].flatMap(
    (venue) => market().find((pool) => pool.venue === venue && !pool.key) ?? [],
  );

const sell = (parts: readonly (readonly [SandboxPool, number])[]): Plan =>
  planOf(amountIn, hop(chain, weth(), chain.usdc, parts));

/** What a plan pays, gas aside: storage that another plan read first costs less. */
const paid = ({ run, again }: PlanProof) =>
  [run, again].map((one) => one && [one.status, one.received, one.legs.map((leg) => leg.amountOut)]);

/** Each filled plan has to be executable for what was proven. */
async function expectTrue({ plan, run }: PlanProof): Promise<void> {
  if (run.status !== 'filled') return;
  const truth = await executed(chain, toExecutable(plan, run.legs), plan.amountIn, trader);
  expect(truth?.received).toBe(run.received);
}

/** Proves the honest plans alone, then behind and before the hostile ones. */
async function proveBeside(honest: readonly Plan[], hostile: readonly Plan[], arm: () => Promise<void>) {
  const alone = await prover.prove(honest.map((plan) => ({ plan, again: true })));
  return andPutBack(chain, async () => {
    await arm();
    const plans = [...hostile, ...honest, ...hostile];
    const reading = await prover.prove(plans.map((plan) => ({ plan, again: true })));
    const found = reading.proofs.slice(hostile.length, hostile.length + honest.length);
    expect(found.map(paid)).toEqual(alone.proofs.map(paid));
    expect(found.map(({ run }) => run.status)).toEqual(honest.map(() => 'filled'));
    const rest = reading.proofs.slice(0, hostile.length);
    for (const proof of rest) await expectTrue(proof);
    return rest;
  });
}

describe.each(poolMisbehaviours)('a pool that %s', (way) => {
  test('changes no other plan, and its own result is not believed', async () => {
    for (const victim of victims()) {
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
      const rest = await proveBeside(honest, hostile, async () => {
        const { creation } = placed('hostile pool', hostilePoolArtifact, [
          poolMisbehaviours.indexOf(way),
          victim.token0,
          victim.token1,
        ]);
        await builder.place([{ address: victim.pool as Address, creation }]);
      });
      if (way === 'ForgesProof')
        expect(
          rest.map(({ run }) => run.status),
          victim.venue,
        ).toEqual(['reverted', 'reverted']);
      if (way === 'BurnsGas') expect(rest[0]?.run.failedLeg).toBe(0);
    }
  }, 60_000);
});

describe.each(['Reverts', 'BurnsGas', 'AnswersHuge', 'Reenters', 'GivesTheMoon', 'AddsToTheOrder'])(
  'a v4 hook that %s',
  (way) => {
    const ways = ['Reverts', 'BurnsGas', 'AnswersHuge', 'Reenters', 'GivesTheMoon', 'AddsToTheOrder'];
    // beforeSwap, afterSwap and both of their deltas.
    const rights = (1n << 7n) | (1n << 6n) | (1n << 3n) | (1n << 2n);
    const random = BigInt(keccak256(toHex(`hook ${way}`))) & ((1n << 160n) - 1n);
    const hooks = getAddress(numberToHex(((random >> 14n) << 14n) | rights, { size: 20 }));

    test('changes no other plan, and is filled only for what a mined swap pays', async () => {
      const [currency0, currency1] = [weth(), chain.usdc].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)) as [
        Address,
        Address,
      ];
      const key = { currency0, currency1, fee: 3000, tickSpacing: 60, hooks };
      const hooked: SandboxPool = {
        chain: 'base',
        venue: 'uniswap-v4',
        pool: poolIdOf(key),
        token0: currency0,
        token1: currency1,
        key,
      };
      chain.pools.push(hooked);
      const [first] = market().filter(({ key }) => !key) as [SandboxPool];
      const small = (pool: SandboxPool) => planOf(10n ** 13n, hop(chain, weth(), chain.usdc, [[pool, 10_000]]));
      const rest = await proveBeside(
        [sell([[first, 10_000]]), small(first)],
        [
          small(hooked),
          sell([
            [first, 9_999],
            [hooked, 1],
          ]),
        ],
        async () => {
          const { creation } = placed(way, hostileHookArtifact, [ways.indexOf(way)]);
          await builder.place([{ address: hooks, creation }]);
          await openHookedPool(key);
        },
      );
      expect(rest.map(({ run }) => run.status)).not.toContain('filled');
    });
  },
);

async function openHookedPool(key: NonNullable<SandboxPool['key']>): Promise<void> {
  const abi = parseAbi([
    'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
    'function initialize(PoolKey key, uint160 price) returns (int24)',
  ]);
  // About 3000 USDC for one WETH, as in the other pools.
  const price = 4_339_505_179_874_779_489_431_521n;
  const params = {
    tickLower: -887_220,
    tickUpper: 887_220,
    liquidityDelta: parseUnits('0.05', 18),
    salt: numberToHex(0, { size: 32 }) as Hex,
  };
  const add = { abi: marketMakerArtifact.abi, functionName: 'addV4Liquidity' } as const;
  await builder.perform([
    { to: manager, data: encodeFunctionData({ abi, functionName: 'initialize', args: [key, price] }) },
    { to: makerAddress, data: encodeFunctionData({ ...add, args: [manager, key, params] }) },
  ]);
}

describe.each(traps)('a token with %s', (trap) => {
  test('changes no other plan, bought, sold on or sold', async () => {
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
    const { proofs } = await prover.prove(sales.map((plan) => ({ plan })));
    for (const proof of proofs) await expectTrue(proof);
  });
});

test('a plan that burns all of its gas leaves an equal share to each of the others', async () => {
  const [first, victim] = victims() as [SandboxPool, SandboxPool];
  const honest = [sell([[first, 10_000]])];
  const hostile = Array.from({ length: 8 }, () => sell([[victim, 10_000]]));
  const rest = await proveBeside(honest, hostile, async () => {
    const { creation } = placed('hostile pool', hostilePoolArtifact, [1, victim.token0, victim.token1]);
    await builder.place([{ address: victim.pool as Address, creation }]);
  });
  expect(rest.map(({ run }) => run.status)).toEqual(hostile.map(() => 'out-of-gas'));
  expect(rest.every(({ run }) => run.failedLeg === 0)).toBe(true);
});

test('a token whose reads and transfers use up their gas leaves enough to write the answer', async () => {
  const [pool] = market().filter(({ key }) => !key) as [SandboxPool];
  const sale = planOf(parseUnits('2', 18), hop(chain, burner.address, chain.usdc, [[pool, 10_000]]));
  const plans = Array.from({ length: 8 }, () => ({ plan: sale, again: true }));
  // Until it is armed, its storage layout can be found.
  await prover.prove(plans);
  await andPutBack(chain, async () => {
    const data = encodeFunctionData({ abi: burningReadsTokenArtifact.abi, functionName: 'arm' });
    await builder.perform([{ to: burner.address, data }]);
    const { proofs } = await prover.prove(plans);
    expect(proofs.map(({ run }) => run.status)).toEqual(plans.map(() => 'out-of-gas'));
  });
});
