import { type Hex, toEventSelector } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import type { QuoteAnswer, RpcEndpoint } from '../../engine/index.ts';
import type { SandboxChain, SandboxPool } from '../../sandbox/index.ts';
import {
  factoryFaults,
  hookAddressOf,
  hookFaults,
  openHookedPool,
  type PoolFault,
  placeHostileFactory,
  placeHostilePool,
  poolsToReplace,
  quotedPoolFaults,
  usualVenues,
} from '../support/hostileContracts.ts';
import { shareOf } from '../support/proofSize.ts';
import { expectExecutable, quoteBounded } from '../support/quoteBounded.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { type EngineOnChain, engineOn, engineOver, tokenOf, withChainRestored } from './market.ts';
import { keyOf } from './openV4Pool.ts';

/** Uniswap v4's PoolManager on Base. */
const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b';

const opened = useOpenChain('base');
let chain: SandboxChain;
let engineOnBase: EngineOnChain;

beforeAll(async () => {
  chain = opened.chain;
  engineOnBase = engineOn(chain);
  await engineOnBase.engine.start();
});

const addressOf = (symbol: string) => tokenOf(chain, symbol).address;
const quoteBy = (tokenIn: string, tokenOut: string, size: string, on = engineOnBase) =>
  quoteBounded(on, addressOf(tokenIn), addressOf(tokenOut), size);

/**
 * The price is the same up to half a basis point: base fee and the market's last plan decide which small legs a split has,
 * and a plan that was executed already suffices if it pays nearly as much (`missingOf`).
 */
function expectUnchanged(answer: QuoteAnswer, expected: QuoteAnswer, about?: string): void {
  const difference = answer.amountOut - expected.amountOut;
  expect((difference < 0n ? -difference : difference) * 20_000n, about).toBeLessThanOrEqual(expected.amountOut);
  expect(answer.spotPrice, about).toBe(expected.spotPrice);
}
const rejectedBy = ({ flags }: QuoteAnswer): { pool: Hex; reason: string }[] =>
  flags.flatMap(({ code, facts }) => (code === 'POOL_REJECTED' ? (facts?.pools as never) : []));
const unreadBy = ({ flags }: QuoteAnswer): string[] =>
  flags.flatMap(({ code, facts }) => (code === 'VENUE_UNREAD' ? (facts?.venues as never) : []));

const orders = [
  ['WETH', 'USDC', '3'],
  ['USDC', 'WETH', '9000'],
] as const;

const quoteOrder = ([tokenIn, tokenOut, size]: (typeof orders)[number], on = engineOnBase) =>
  quoteBy(tokenIn, tokenOut, size, on);

const faultsWithPrice = new Set<string>(['LiesInState', 'ForgesData', 'Reenters', 'Baits']);

/** The least number of the two orders whose answer must report a pool with this fault. */
function minReports(fault: PoolFault): number {
  // The pool pays one unit, so the search never uses it.
  if (fault === 'ForgesResult') return 0;
  // The reported price is worse in one direction. In the other direction an execution contradicts it.
  return faultsWithPrice.has(fault) ? 1 : orders.length;
}

/** An engine without cached markets, because known pools are read without a look-up at their factories. */
async function newEngine(): Promise<EngineOnChain> {
  const on = engineOn(chain);
  await on.engine.start();
  return on;
}

/** The answers without a pool. An answer with a hostile pool at its address must be equal. */
function without(pool: Hex, known?: EngineOnChain): Promise<QuoteAnswer[]> {
  return withChainRestored(chain, async () => {
    await setCode(pool, '0x');
    const on = known ?? (await newEngine());
    const answers: QuoteAnswer[] = [];
    for (const order of orders) answers.push(await quoteOrder(order, on));
    return answers;
  });
}

async function setCode(address: Hex, code: Hex): Promise<void> {
  const [reply] = await engineOnBase.endpoint.send([{ method: 'anvil_setCode', params: [address, code] }], {
    signal: AbortSignal.timeout(10_000),
  });
  expect(reply).toHaveProperty('result');
}

const transferTopic = toEventSelector('Transfer(address,address,uint256)');

/** An engine at a node that overrides no storage and returns no transfers, so that no account can be funded. */
function engineWithoutFunding(): EngineOnChain {
  const endpoint = loopbackEndpoint(chain.rpcUrl, 'plain');
  const unfunded = (param: unknown, index: number) =>
    index === 2 ? JSON.parse(JSON.stringify(param), (key, value) => (key === 'stateDiff' ? {} : value)) : param;
  const isTransfers = (call: { method: string; params: readonly unknown[] } | undefined) =>
    call?.method === 'eth_getLogs' && JSON.stringify(call.params).includes(transferTopic);
  const send: RpcEndpoint['send'] = async (calls, options) => {
    const replies = await endpoint.send(
      calls.map(({ method, params }) => ({ method, params: params.map(unfunded) })),
      options,
    );
    return replies.map((reply, index) => (isTransfers(calls[index]) ? { result: [] } : reply));
  };
  return { endpoint, engine: engineOver(chain, { label: 'plain', send }) };
}

describe.each(quotedPoolFaults)('a pool that %s', (fault) => {
  test('behavior: does not change the quotes, and the answers report it', async () => {
    for (const victim of poolsToReplace(chain, usualVenues)) {
      const expected = await without(victim.pool);
      await withChainRestored(chain, async () => {
        await placeHostilePool(opened.builder, victim, fault);
        const named: string[][] = [];
        for (const [index, order] of orders.entries()) {
          const answer = await quoteOrder(order);
          expectUnchanged(answer, expected[index] as QuoteAnswer, `${victim.venue} ${order[0]}`);
          expect(answer.route.pools).not.toContain(victim.pool);
          const names = [...rejectedBy(answer).map(({ pool }) => pool), ...unreadBy(answer)];
          named.push(names.filter((name) => name === victim.pool || name === victim.venue));
          await expectExecutable(chain, answer, opened.trader);
        }
        const found = named.filter((names) => names.length > 0).length;
        expect(found, victim.venue).toBeGreaterThanOrEqual(minReports(fault));
      });
    }
  });
});

test('behavior: a hostile pool changes no quote if no account can be funded', async () => {
  const plain = engineWithoutFunding();
  await plain.engine.start();
  for (const victim of poolsToReplace(chain, usualVenues)) {
    const expected = await without(victim.pool, plain);
    for (const fault of ['ForgesData', 'ForgesResult', 'Reenters'] as const) {
      await withChainRestored(chain, async () => {
        await placeHostilePool(opened.builder, victim, fault);
        for (const [index, order] of orders.entries()) {
          const answer = await quoteOrder(order, plain);
          expectUnchanged(answer, expected[index] as QuoteAnswer, `${fault} ${victim.venue}`);
          expect(answer.route.pools).not.toContain(victim.pool);
        }
      });
    }
  }
});

test('behavior: an answer reports a pool without code and does not change otherwise', async () => {
  const [before] = await Promise.all([quoteBy('WETH', 'USDC', '3')]);
  const isUnused = ({ pool }: SandboxPool) => !before?.route.pools.includes(pool as Hex);
  const victim = poolsToReplace(chain, usualVenues).find(isUnused) as SandboxPool;
  const answer = (await without(victim.pool))[0] as QuoteAnswer;
  expectUnchanged(answer, before as QuoteAnswer);
  expect(rejectedBy(before as QuoteAnswer)).toEqual([]);
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

describe.each(Object.entries(factories))('the factory of %s', (venue, factory) => {
  test.each(shareOf(factoryFaults, 3, Object.keys(factories).indexOf(venue)))(
    'behavior: %s, and changes no quote of other pools',
    async (fault) => {
      const expected = await without(factory);
      await withChainRestored(chain, async () => {
        await placeHostileFactory(opened.builder, factory, fault, addressOf('OAK'));
        const on = await newEngine();
        for (const [index, order] of orders.entries()) {
          const answer = await quoteOrder(order, on);
          expectUnchanged(answer, expected[index] as QuoteAnswer);
          expect(unreadBy(answer).includes(venue) || rejectedBy(answer).length > 0).toBe(true);
          await expectExecutable(chain, answer, opened.trader);
        }
      });
    },
  );
});

describe.each(hookFaults)('a v4 hook that %s', (fault) => {
  test('behavior: does not change the quotes, and the answers report it', async () => {
    const expected = await Promise.all(orders.map((order) => quoteOrder(order)));
    await withChainRestored(chain, async () => {
      const shape = { fee: 3000, tickSpacing: 60, hooks: hookAddressOf(fault) };
      const key = keyOf(chain, chain.wrappedNative, shape.fee, shape.tickSpacing, shape.hooks);
      await openHookedPool(opened.builder, manager, key, fault);
      const on = engineOn(chain, [shape]);
      await on.engine.start();
      for (const [index, order] of orders.entries()) {
        const answer = await quoteOrder(order, on);
        expectUnchanged(answer, expected[index] as QuoteAnswer);
        expect(rejectedBy(answer).length + unreadBy(answer).length).toBeGreaterThan(0);
        await expectExecutable(chain, answer, opened.trader);
      }
    });
  });
});
