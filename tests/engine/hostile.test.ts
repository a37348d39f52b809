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
import { hostileFactoryArtifact } from '../../contracts/artifacts/sandbox/HostileFactory.ts';
import { hostileHookArtifact } from '../../contracts/artifacts/sandbox/HostileHook.ts';
import { hostilePoolArtifact } from '../../contracts/artifacts/sandbox/HostilePool.ts';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import { oddDecimalsTokenArtifact } from '../../contracts/artifacts/sandbox/OddDecimalsToken.ts';
import { trapTokenArtifact } from '../../contracts/artifacts/sandbox/TrapToken.ts';
import type { QuoteAnswer, RpcEndpoint } from '../../engine/index.ts';
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
import { shareOf } from '../support/proofSize.ts';
import { executed } from './executed.ts';
import { ledgerToken, placed } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { andPutBack, type EngineOnChain, engineOn, engineOver, poolsOfPair, tokenOf } from './market.ts';

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
  'LieInBalance',
] as const;

const tokens = traps.map((trap, index) => ledgerToken(trap, 2, trapTokenArtifact, [index]));
const usd = 200_000;
const pools = traps.flatMap((trap) => [
  { venue: 'uniswap-v2', pair: [trap, 'USDC'] as const, usd },
  { venue: 'uniswap-v3', pair: [trap, 'WETH'] as const, usd, tier: 3000 },
  { venue: 'aerodrome', pair: [trap, 'WETH'] as const, usd },
  { venue: 'uniswap-v4', pair: [trap, 'USDC'] as const, usd, tier: 3000 },
]);

let sandbox: Sandbox;
let builder: OpenChain;
let chain: SandboxChain;
let asked: EngineOnChain;
let trader: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  chain = await builder.list({ tokens, pools });
  const data = encodeFunctionData({ abi: trapTokenArtifact.abi, functionName: 'arm' });
  await builder.perform(tokens.map(({ address }) => ({ to: address, data })));
  asked = engineOn(chain);
  await asked.engine.start();
});
afterAll(() => sandbox?.close());

async function quoteOf(tokenIn: Address, tokenOut: Address, size: string, on = asked): Promise<QuoteAnswer> {
  const answer = await on.engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: size } });
  // Nothing that answers a lens may make its own answer long; ticks are most of it. Gas has its limit in every call.
  expect(on.endpoint.lastBytes.received).toBeLessThan(120_000);
  return answer;
}

const symbolOf = (symbol: string) => tokenOf(chain, symbol).address;
const quoteBy = (tokenIn: string, tokenOut: string, size: string, on = asked) =>
  quoteOf(symbolOf(tokenIn), symbolOf(tokenOut), size, on);

/** What an answer says is to be had; the block and all that follows from it aside. */
const priced = ({ amountOut, route, spotPrice, executablePrice }: QuoteAnswer) => ({
  amountOut,
  route,
  spotPrice,
  executablePrice,
});
const codesOf = ({ flags }: QuoteAnswer) => flags.map(({ code }) => code);
const rejectedBy = ({ flags }: QuoteAnswer): { pool: Hex; reason: string }[] =>
  flags.flatMap(({ code, facts }) => (code === 'POOL_REJECTED' ? (facts?.pools as never) : []));
const unreadBy = ({ flags }: QuoteAnswer): string[] =>
  flags.flatMap(({ code, facts }) => (code === 'VENUE_UNREAD' ? (facts?.venues as never) : []));

async function expectTrue(answer: QuoteAnswer): Promise<void> {
  const truth = await executed(chain, answer.route.legs, answer.amountIn, trader);
  expect(truth?.received).toBe(answer.amountOut);
}

const orders = [
  ['WETH', 'USDC', '3'],
  ['USDC', 'WETH', '9000'],
] as const;

const quoteOrder = ([tokenIn, tokenOut, size]: (typeof orders)[number], on = asked) =>
  quoteBy(tokenIn, tokenOut, size, on);

const poolWays = [
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
] as const;

const namesAPrice = new Set<string>(['LiesInState', 'ForgesData', 'Reenters', 'Baits']);

/** Of two orders, how many have to name it. */
function leastNamed(way: (typeof poolWays)[number]): number {
  // Where it is paid no result passes through its hands: it is a pool that pays one unit, and is outbid.
  if (way === 'ForgesResult') return 0;
  // One that names a price of its own is outbid by it one way, and found out the other.
  return namesAPrice.has(way) ? 1 : orders.length;
}

/** One pool of each kind in WETH/USDC, among them the one that wins. */
function victims(): SandboxPool[] {
  const market = poolsOfPair(chain, chain.wrappedNative, chain.usdc).filter(({ key }) => !key);
  const first = (venue: string) => market.find((pool) => pool.venue === venue);
  return ['uniswap-v2', 'uniswap-v3', 'aerodrome', 'aerodrome-slipstream', 'pancakeswap-v3'].flatMap(
    (venue) => first(venue) ?? [],
  );
}

/** An engine that has read no market yet: known pools are read again without asking their factories. */
async function newEngine(): Promise<EngineOnChain> {
  const on = engineOn(chain);
  await on.engine.start();
  return on;
}

/** The market without a pool: what every answer beside a hostile one has to equal. */
function without(pool: Hex, known?: EngineOnChain): Promise<QuoteAnswer[]> {
  return andPutBack(chain, async () => {
    await setCode(pool, '0x');
    const on = known ?? (await newEngine());
    const answers: QuoteAnswer[] = [];
    for (const order of orders) answers.push(await quoteOrder(order, on));
    return answers;
  });
}

async function setCode(address: Hex, code: Hex): Promise<void> {
  const [reply] = await asked.endpoint.send([{ method: 'anvil_setCode', params: [address, code] }], {
    signal: AbortSignal.timeout(10_000),
  });
  expect(reply).toHaveProperty('result');
}

/** A node without state overrides: the lens is created in the call, and no account holds the sold token. */
/** At a node where no account can be funded: it takes code, and no storage, into a call. */
function engineWithoutFunding(): EngineOnChain {
  const endpoint = loopbackEndpoint(chain.rpcUrl, 'plain');
  const unfunded = (param: unknown, index: number) =>
    index === 2 ? JSON.parse(JSON.stringify(param), (key, value) => (key === 'stateDiff' ? {} : value)) : param;
  const send: RpcEndpoint['send'] = (calls, options) =>
    endpoint.send(
      calls.map(({ method, params }) => ({ method, params: params.map(unfunded) })),
      options,
    );
  return { endpoint, engine: engineOver(chain, { label: 'plain', send }) };
}

describe.each(poolWays)('a pool that %s', (way) => {
  test('behavior: the other pools are quoted as without it, and the answer names it', async () => {
    for (const victim of victims()) {
      const expected = await without(victim.pool);
      await andPutBack(chain, async () => {
        const args = [poolWays.indexOf(way), victim.token0, victim.token1];
        const { creation } = placed('hostile pool', hostilePoolArtifact, args);
        await builder.place([{ address: victim.pool as Address, creation }]);
        const said: string[][] = [];
        for (const [index, order] of orders.entries()) {
          const answer = await quoteOrder(order);
          expect(priced(answer), `${victim.venue} ${order[0]}`).toEqual(priced(expected[index] as QuoteAnswer));
          const names = [...rejectedBy(answer).map(({ pool }) => pool), ...unreadBy(answer)];
          said.push(names.filter((name) => name === victim.pool || name === victim.venue));
          await expectTrue(answer);
        }
        const found = said.filter((names) => names.length > 0).length;
        expect(found, victim.venue).toBeGreaterThanOrEqual(leastNamed(way));
      });
    }
  });
});

test('behavior: with nothing in hand to pay with, a pool cannot change the result that passes through it either', async () => {
  const plain = engineWithoutFunding();
  await plain.engine.start();
  for (const victim of victims()) {
    const expected = await without(victim.pool, plain);
    for (const way of ['ForgesData', 'ForgesResult', 'Reenters'] as const) {
      await andPutBack(chain, async () => {
        const args = [poolWays.indexOf(way), victim.token0, victim.token1];
        const { creation } = placed('hostile pool', hostilePoolArtifact, args);
        await builder.place([{ address: victim.pool as Address, creation }]);
        for (const [index, order] of orders.entries()) {
          const answer = await quoteOrder(order, plain);
          expect(priced(answer), `${way} ${victim.venue}`).toEqual(priced(expected[index] as QuoteAnswer));
        }
      });
    }
  }
});

test('behavior: an answer names a pool without code and does not change otherwise', async () => {
  const [before] = await Promise.all([quoteBy('WETH', 'USDC', '3')]);
  const victim = victims().find(({ pool }) => pool !== before?.route.pools[0]) as SandboxPool;
  const answer = (await without(victim.pool))[0] as QuoteAnswer;
  expect(priced(answer)).toEqual(priced(before as QuoteAnswer));
  expect(rejectedBy(answer)).toContainEqual(
    expect.objectContaining({ pool: victim.pool, reason: 'there is no code at its address' }),
  );
});

const factories = {
  'uniswap-v2': '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
  'uniswap-v3': '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
  aerodrome: '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
  'quickswap-v4': '0xC5396866754799B9720125B104AE01d935Ab9C7b',
} as const;

const factoryFaults = [
  'Reverts',
  'BurnsGas',
  'AnswersHuge',
  'AnswersShort',
  'AnswersOnes',
  'NamesEmptyAddress',
  'NamesToken',
];

describe.each(Object.entries(factories))('the factory of %s', (venue, factory) => {
  test.each(shareOf(factoryFaults, 3, Object.keys(factories).indexOf(venue)))(
    'behavior: %s, and costs the others nothing',
    async (fault) => {
      const expected = await without(factory);
      await andPutBack(chain, async () => {
        const { creation } = placed('factory', hostileFactoryArtifact, [factoryFaults.indexOf(fault), symbolOf('OAK')]);
        await builder.place([{ address: factory, creation }]);
        const on = await newEngine();
        for (const [index, order] of orders.entries()) {
          const answer = await quoteOrder(order, on);
          expect(priced(answer)).toEqual(priced(expected[index] as QuoteAnswer));
          expect(unreadBy(answer).includes(venue) || rejectedBy(answer).length > 0).toBe(true);
          await expectTrue(answer);
        }
      });
    },
  );
});

describe.each(['Reverts', 'BurnsGas', 'AnswersHuge', 'Reenters', 'GivesTheMoon', 'AddsToTheOrder'])(
  'a v4 hook that %s',
  (way) => {
    const ways = ['Reverts', 'BurnsGas', 'AnswersHuge', 'Reenters', 'GivesTheMoon', 'AddsToTheOrder'];
    // beforeSwap, afterSwap and both of their deltas.
    const rights = (1n << 7n) | (1n << 6n) | (1n << 3n) | (1n << 2n);
    const random = BigInt(keccak256(toHex(`hook ${way}`))) & ((1n << 160n) - 1n);
    const hooks = getAddress(numberToHex(((random >> 14n) << 14n) | rights, { size: 20 }));
    const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b';

    test('behavior: an output that it reports and does not pay is no price', async () => {
      const expected = await Promise.all(orders.map((order) => quoteOrder(order)));
      await andPutBack(chain, async () => {
        const { creation } = placed(way, hostileHookArtifact, [ways.indexOf(way)]);
        await builder.place([{ address: hooks, creation }]);
        await openHookedPool(manager, hooks);
        const shape = { fee: 3000, tickSpacing: 60, hooks };
        const on = engineOn(chain, [shape]);
        await on.engine.start();
        for (const [index, order] of orders.entries()) {
          const answer = await quoteOrder(order, on);
          expect(priced(answer)).toEqual(priced(expected[index] as QuoteAnswer));
          expect(rejectedBy(answer).length + unreadBy(answer).length).toBeGreaterThan(0);
          await expectTrue(answer);
        }
      });
    });
  },
);

async function openHookedPool(manager: Address, hooks: Address): Promise<void> {
  const [currency0, currency1] = [chain.wrappedNative, chain.usdc].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)) as [
    Address,
    Address,
  ];
  const key = { currency0, currency1, fee: 3000, tickSpacing: 60, hooks };
  const abi = parseAbi([
    'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
    'function initialize(PoolKey key, uint160 price) returns (int24)',
  ]);
  // 3000 USDC for one WETH, as the other pools have it, nearly.
  const price = 4_339_505_179_874_779_489_431_521n;
  const params = {
    tickLower: -887_220,
    tickUpper: 887_220,
    liquidityDelta: parseUnits('0.05', 18),
    salt: numberToHex(0, { size: 32 }),
  };
  await builder.perform([
    { to: manager, data: encodeFunctionData({ abi, functionName: 'initialize', args: [key, price] }) },
    {
      to: makerAddress,
      data: encodeFunctionData({
        abi: marketMakerArtifact.abi,
        functionName: 'addV4Liquidity',
        args: [manager, key, params],
      }),
    },
  ]);
}

describe.each(traps)('a token with %s', (trap) => {
  test('behavior: is quoted as it can be traded, or not at all', async () => {
    for (const other of ['USDC', 'WETH', 'OAK']) {
      for (const [tokenIn, tokenOut] of [
        [trap, other],
        [other, trap],
      ] as const) {
        const answer = await quoteBy(tokenIn, tokenOut, '2');
        if (answer.route.legs.length === 0) expect(codesOf(answer)).toContain('NO_ROUTE');
        else await expectTrue(answer);
      }
    }
  });
});

test.each(['NothingInTransfer', 'ReenterInTransfer'] as const)(
  'behavior: %s is no reason to refuse: it trades',
  async (trap) => {
    expect((await quoteBy(trap, 'USDC', '2')).amountOut).toBeGreaterThan(0n);
    expect((await quoteBy('USDC', trap, '2')).amountOut).toBeGreaterThan(0n);
  },
);

test.each([
  ['255', 255n, { in: 255 }],
  ['77', 77n, { in: 77 }],
  ['more than a byte', 1n << 200n, { in: 0 }],
  ['100 kB', 0n, { in: 0 }],
])('behavior: a token whose decimals() says %s gets an answer', async (_name, word, decimals) => {
  await andPutBack(chain, async () => {
    const token = placed('odd decimals', oddDecimalsTokenArtifact, [makerAddress, word]);
    await builder.place([token]);
    const answer = await quoteOf(token.address, chain.usdc, '1.5');
    expect(answer).toMatchObject({ amountOut: 0n, decimals });
    expect(codesOf(answer)).toContain('NO_ROUTE');
    expect(codesOf(answer).includes('NOT_A_TOKEN')).toBe(decimals.in === 0);
  });
});
