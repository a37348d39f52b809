import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { type PoolHintSource, poolEventsOf, type QuoteAnswer } from '../../engine/index.ts';
import { toPoolCreation } from '../../engine/pools/poolEvents.ts';
import type { PoolCreation, PoolIndex, WeightedIndex } from '../../engine/pools/poolIndex.ts';
import { type Action, createNodeClient, makerAddress, type SandboxChain, type TokenPlan } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { limitedEndpoint, mintPositionIn, placePositionManager, sourceOf } from './hintMarket.ts';
import { placed } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver } from './market.ts';
import { keyOf, openV4, v4Abi } from './openV4Pool.ts';

// Anyone can create pools of a token for a fraction of a cent. Hundreds of them, older and newer than the real one, must not
// hide it.

const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b';
const plain = (symbol: string) => {
  const { address, creation } = placed(symbol, honestTokenArtifact, [symbol, symbol, 18, makerAddress, 10n ** 30n]);
  return { symbol, usd: 2, decimals: 18, about: symbol, address, placement: { address, creation } } satisfies TokenPlan;
};
/** Each has one real pool, whose v4 key no list contains; CROWD 200 junk pools before and after it, MOB 260, CALM none. */
const [calm, crowd, mob] = [plain('CALM'), plain('CROWD'), plain('MOB')];

const opened = useOpenChain('base');
let chain: SandboxChain;
const realPool = new Map<string, Hex>();

const junkOf = (token: Address, firstFee: number, count: number): Action[] =>
  Array.from({ length: count }, (_, at) => ({
    to: manager,
    data: encodeFunctionData({
      abi: v4Abi,
      functionName: 'initialize',
      args: [{ ...keyOf(chain, token, firstFee + at, 10, zeroAddress) }, 1n << 96n],
    }),
  }));

async function open(token: TokenPlan & { address: Address }, junk: number): Promise<void> {
  const key = keyOf(chain, token.address, 2500, 50);
  await opened.builder.perform(junkOf(token.address, 20_001, junk));
  const pool = await openV4(opened.builder, token.address, key, 100_000);
  await mintPositionIn(opened.builder, key);
  await opened.builder.perform(junkOf(token.address, 40_001, junk));
  chain = { ...chain, pools: [...chain.pools, pool] };
  realPool.set(token.symbol, pool.pool);
}

beforeAll(async () => {
  chain = await opened.builder.list({ tokens: [calm, crowd, mob], pools: [] });
  await placePositionManager(opened.builder);
  await open(calm, 0);
  await open(crowd, 200);
  await open(mob, 260);
}, 120_000);

/** The index as it loads a token's pools: the oldest 200 and the newest 200. */
async function loadIndex(): Promise<PoolIndex & WeightedIndex> {
  const node = createNodeClient(chain.rpcUrl);
  const { filter } = poolEventsOf('base');
  const logs = await node.call<Parameters<typeof toPoolCreation>[0][]>('eth_getLogs', [
    { ...filter, fromBlock: '0x0', toBlock: 'latest' },
  ]);
  const all = logs.flatMap((log) => toPoolCreation({ ...log, blockNumber: Number(log.blockNumber) }) ?? []);
  const scannedTo = BigInt(await node.call<Hex>('eth_blockNumber'));
  const newest = { from: 0n, to: scannedTo };
  return {
    async load(token) {
      const own = all.filter(({ currency0, currency1 }: PoolCreation) => [currency0, currency1].includes(token));
      const creations = own.length > 400 ? [...own.slice(0, 200), ...own.slice(-200)] : own;
      return { creations, truncated: own.length > 400, scannedTo, newest, longestRange: 10, seenHead: scannedTo };
    },
    loadWeighted: async () => undefined,
    wake: () => undefined,
    state: () => ({
      status: 'complete',
      blocksLeft: 0,
      target: Number(scannedTo),
      percent: 100,
      secondsLeft: undefined,
      reason: undefined,
    }),
  };
}

async function firstQuote(
  token: TokenPlan & { address: Address },
  sources: readonly PoolHintSource[],
  index?: PoolIndex & WeightedIndex,
) {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  let sent = 0;
  const counting = {
    ...endpoint,
    async send(...args: Parameters<typeof endpoint.send>) {
      sent += JSON.stringify(args[0]).length;
      return endpoint.send(...args);
    },
  };
  const ports = { poolHints: { base: sources }, ...(index && { poolIndexes: { base: index } }) };
  const engine = engineOver(chain, limitedEndpoint(counting, { isLimited: index !== undefined }), [], ports);
  const query = { chain: 'base' as const, tokenIn: token.address, tokenOut: chain.usdc, size: { tokenIn: '100' } };
  const answer = await engine.quote(query);
  return { answer, requests: endpoint.requests, sent };
}

async function expectReal(token: TokenPlan, { route, amountIn, amountOut }: QuoteAnswer): Promise<void> {
  expect(route.pools).toEqual([realPool.get(token.symbol)]);
  expect((await executed(chain, route.legs, amountIn, opened.trader))?.received).toBe(amountOut);
}

describe('junk pools before and after the real one', () => {
  test('200 and 200: the first quote uses the real pool, to the wei, with two requests more', async () => {
    const usual = await firstQuote(calm, []);
    const crowded = await firstQuote(crowd, []);
    expect(crowded.answer.amountOut).toBe(usual.answer.amountOut);
    await expectReal(crowd, crowded.answer);
    expect(crowded.requests).toBeLessThanOrEqual(usual.requests + 2);
    // One call reads two storage slots of each pool.
    expect(crowded.sent).toBeLessThan(usual.sent + 150_000);
  });

  test('200 and 200: an index that returns both ends lacks the real pool, and a third party lists it', async () => {
    const index = await loadIndex();
    const without = await firstQuote(crowd, [], index);
    expect(without.answer.amountOut).toBe(0n);
    const listed = await firstQuote(crowd, [sourceOf([realPool.get('CROWD') as string])], index);
    await expectReal(crowd, listed.answer);
  });

  test('260 and 260: more than are ranked, so that NO_ROUTE states it, and a third party lists the real one', async () => {
    const { flags } = (await firstQuote(mob, [])).answer;
    expect(flags.find(({ code }) => code === 'NO_ROUTE')?.message).toContain('more pools than are searched');
    const listed = await firstQuote(mob, [sourceOf([realPool.get('MOB') as string])]);
    await expectReal(mob, listed.answer);
    expect(listed.requests).toBeLessThan(16);
  });

  test('19 junk pools that their factory confirms do not displace the real one from the hints', async () => {
    const { address } = calm;
    const others = Array.from({ length: 19 }, (_, at): Address => `0x${(at + 0xabc).toString(16).padStart(40, '1')}`);
    const junk = await createPairs(address, others);
    const real = realPool.get('CALM') as string;
    const limited: PoolIndex & WeightedIndex = { ...(await loadIndex()), load: async () => undefined };
    const { answer } = await firstQuote(calm, [sourceOf([...junk, real])], limited);
    await expectReal(calm, answer);
  });
});

const factory = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6';
const factoryAbi = parseAbi([
  'function createPair(address,address) returns (address)',
  'function getPair(address,address) view returns (address)',
]);

/** Creates Uniswap v2 pairs of the token with addresses that have no code. */
async function createPairs(token: Address, others: readonly Address[]): Promise<Address[]> {
  const encode = (functionName: 'createPair' | 'getPair', other: Address) =>
    encodeFunctionData({ abi: factoryAbi, functionName, args: [token, other] });
  await opened.builder.perform(others.map((other) => ({ to: factory, data: encode('createPair', other) })));
  const node = createNodeClient(chain.rpcUrl);
  const words = await Promise.all(
    others.map((other) => node.call<Hex>('eth_call', [{ to: factory, data: encode('getPair', other) }, 'latest'])),
  );
  return words.map((word): Address => `0x${word.slice(-40)}`);
}
