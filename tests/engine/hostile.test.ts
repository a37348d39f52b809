import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseUnits,
  toHex,
} from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileFactoryArtifact } from '../../contracts/artifacts/sandbox/HostileFactory.ts';
import { hostileHookArtifact } from '../../contracts/artifacts/sandbox/HostileHook.ts';
import { hostilePoolArtifact } from '../../contracts/artifacts/sandbox/HostilePool.ts';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
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
import { placed } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { andPutBack, type EngineOnChain, engineOn, engineOver, poolsOfPair, tokenOf } from './market.ts';
import { keyOf, v4Abi } from './openV4Pool.ts';

let sandbox: Sandbox;
let builder: OpenChain;
let chain: SandboxChain;
let asked: EngineOnChain;
let trader: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  chain = sandbox.chains.base as SandboxChain;
  builder = await reopenChain(chain, sandbox.wallets);
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
const _codesOf = ({ flags }: QuoteAnswer) => flags.map(({ code }) => code);
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
] as const;

const hasPrice = new Set<string>(['LiesInState', 'ForgesData', 'Reenters', 'Baits']);

/** Of two orders, how many have to name it. */
function leastNamed(way: (typeof poolMisbehaviours)[number]): number {
  // Where it is paid no result passes through its hands: it is a pool that pays one unit, and is outbid.
  if (way === 'ForgesResult') return 0;
  // One that names a price of its own is outbid by it one way, and found out the other.
  return hasPrice.has(way) ? 1 : orders.length;
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

describe.each(poolMisbehaviours)('a pool that %s', (way) => {
  test('behavior: the other pools are quoted as without it, and the answer names it', async () => {
    for (const victim of victims()) {
      const expected = await without(victim.pool);
      await andPutBack(chain, async () => {
        const args = [poolMisbehaviours.indexOf(way), victim.token0, victim.token1];
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
        const args = [poolMisbehaviours.indexOf(way), victim.token0, victim.token1];
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
  const key = keyOf(chain, chain.wrappedNative, 3000, 60, hooks);
  // 3000 USDC for one WETH, as the other pools have it, nearly.
  const price = 4_339_505_179_874_779_489_431_521n;
  const params = {
    tickLower: -887_220,
    tickUpper: 887_220,
    liquidityDelta: parseUnits('0.05', 18),
    salt: numberToHex(0, { size: 32 }),
  };
  await builder.perform([
    { to: manager, data: encodeFunctionData({ abi: v4Abi, functionName: 'initialize', args: [key, price] }) },
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
