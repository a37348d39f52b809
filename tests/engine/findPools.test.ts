import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import type { RpcCall, RpcReply } from '../../engine/index.ts';
import { toLowerAddress } from '../../engine/lowerAddress.ts';
import {
  type FoundPools,
  fromFindPoolReplies,
  type PoolSearch,
  recallFoundPools,
} from '../../engine/pools/findPools.ts';
import { toPoolCreation } from '../../engine/pools/poolEvents.ts';
import { toPoolLogCalls } from '../../engine/pools/poolLogs.ts';
import { fromRankReplies, maxUnlistedPools, toRankCalls } from '../../engine/pools/rankPools.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { toCandidatePools } from '../../engine/venues/families.ts';
import { kinds } from '../../engine/venues/kinds.ts';
import { poolIdOf } from '../../engine/venues/uniswapV4/poolKey.ts';
import { makerAddress, type OpenChain, reopenChain, type SandboxChain, type TokenPlan } from '../../sandbox/index.ts';
import { startTestTokens, type TestTokensOnBase } from '../pretrade/checkOn.ts';
import { placed } from './ledgerToken.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';
import { hookedShapes } from './market.ts';

// Pools with unlisted keys and counter-assets, found in the logs of the factories.

const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b';
const managerAbi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function initialize(PoolKey key, uint160 price) returns (int24)',
]);
const honest = (symbol: string) => {
  const address = placed(symbol, honestTokenArtifact, []).address;
  const { creation } = placed(symbol, honestTokenArtifact, [symbol, symbol, 18, makerAddress, 10n ** 30n]);
  return { symbol, usd: 2, decimals: 18, about: symbol, address, placement: { address, creation } } satisfies TokenPlan;
};
/** The tests search the pools of FOUND; OTHER is not a routing asset. */
const [found, other] = [honest('FOUND'), honest('OTHER')];

let fixture: TestTokensOnBase;
let builder: OpenChain;
let chain: SandboxChain;
let endpoint: CountingEndpoint;
beforeAll(async () => {
  fixture = await startTestTokens();
  builder = await reopenChain(fixture.base, fixture.sandbox.wallets);
  endpoint = loopbackEndpoint(fixture.base.rpcUrl);
  chain = await builder.list({
    tokens: [found, other],
    pools: [
      { venue: 'uniswap-v2', pair: ['FOUND', 'USDC'], usd: 20_000 },
      { venue: 'uniswap-v2', pair: ['FOUND', 'OTHER'], usd: 20_000 },
      { venue: 'uniswap-v3', pair: ['FOUND', 'OTHER'], usd: 20_000, tier: 3000 },
      { venue: 'uniswap-v4', pair: ['FOUND', 'OTHER'], usd: 50_000, tier: 3000 },
      // 2 USD in one tick spacing, with the liquidity of 40,000 USD over the full range.
      { venue: 'uniswap-v4', pair: ['FOUND', 'OTHER'], usd: 100_000, tier: 100, range: [0.9999, 1.0001] },
    ],
  });
});
afterAll(() => fixture?.sandbox.close());

const send = (calls: readonly RpcCall[]): Promise<RpcReply[]> =>
  endpoint.send(calls, { signal: AbortSignal.timeout(20_000) });
const everything = { from: 0n, seenHead: undefined, longest: undefined };
const searchOf = (token: Address): PoolSearch => ({
  token: toLowerAddress(token),
  candidatePools: toCandidatePools(deployments.base.venues, hookedShapes(fixture.base)),
  deployment: deployments.base,
});
const toCalls = ({ token, candidatePools }: PoolSearch) => toPoolLogCalls([token], candidatePools, everything);
async function find(token: Address): Promise<FoundPools> {
  const search = searchOf(token);
  return fromFindPoolReplies(search, await send(toCalls(search)));
}
const lower = (text: string) => text.toLowerCase() as Hex;
const seeded = (venue: string, symbols: readonly [Address, Address], tier?: number): Hex[] =>
  chain.pools
    .filter((pool) => {
      const tokens = [pool.token0, pool.token1].map(lower).sort().join();
      return (
        pool.venue === venue &&
        (tier === undefined || pool.key?.fee === tier) &&
        tokens === symbols.map(lower).sort().join()
      );
    })
    .map(({ pool }) => lower(pool));

/** Initializes a v4 pool of any key at price 1, without liquidity. @returns its id */
async function initialize(a: Address, b: Address, fee: number, tickSpacing: number): Promise<Hex> {
  const [currency0, currency1] = [a, b].map(lower).sort() as [Address, Address];
  const key = { currency0, currency1, fee, tickSpacing, hooks: zeroAddress };
  await builder.perform([
    { to: manager, data: encodeFunctionData({ abi: managerAbi, functionName: 'initialize', args: [key, 1n << 96n] }) },
  ]);
  return poolIdOf(key);
}

describe('pools of a token outside the lists', () => {
  test('finds unlisted keys, native currency and other counter-assets, but no pools that enumeration finds', async () => {
    const unlisted = await initialize(found.address, chain.usdc, 2500, 50);
    const native = await initialize(found.address, zeroAddress, 777, 7);
    const result = await find(found.address);
    const pair = [found.address, other.address] as const;
    expect(result).toMatchObject({ status: 'read', truncated: false });
    const ids = result.refs.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([unlisted, native]));
    expect(ids).toEqual(
      expect.arrayContaining(['uniswap-v2', 'uniswap-v3', 'uniswap-v4'].flatMap((venue) => seeded(venue, pair))),
    );
    expect(ids).toHaveLength(6);
    expect(ids).not.toContain(seeded('uniswap-v2', [found.address, chain.usdc])[0]);
    expect(result.refs.find(({ id }) => id === unlisted)).toMatchObject({
      candidatePool: { kind: kinds.v4, fee: 2500, tickSpacing: 50, venue: 'uniswap-v4' },
    });
    expect(result.refs.find(({ id }) => id === native)).toMatchObject({
      candidatePool: { kind: kinds.v4Native, fee: 777, tickSpacing: 7 },
      ...sides(found.address, chain.wrappedNative, true),
    });
  });

  test('finds the pool of a custom Algebra deployer', async () => {
    const token = fixture.testTokens.tokens.find(({ symbol }) => symbol === 'ALGCUSTOM');
    if (!token) throw new TypeError('ALGCUSTOM is not a test token.');
    const { refs } = await find(token.address);
    expect(refs).toMatchObject([
      { id: lower(token.pools[0]?.pool ?? ''), candidatePool: { kind: kinds.algebra, isCustom: true } },
    ]);
  });
});

describe('a node that refuses the range', () => {
  const refused: RpcReply = { error: { code: -32602, message: 'range is limited to 10 blocks' } };

  test('returns a failed read with its reason, and the pools of the index', async () => {
    const search = searchOf(found.address);
    const all = await send(toCalls(search));
    const creations = all.flatMap((reply) =>
      'result' in reply
        ? (reply.result as Parameters<typeof toPoolCreation>[0][]).flatMap(
            (log) => toPoolCreation({ ...log, blockNumber: Number(log.blockNumber) }) ?? [],
          )
        : [],
    );
    const indexed = {
      creations,
      truncated: false,
      scannedTo: 90n,
      newest: { from: 0n, to: 90n },
      longestRange: 10,
      seenHead: 100n,
    };
    const index = { load: async () => indexed, wake: () => undefined };
    const { known, tail } = await recallFoundPools(search, index);
    expect(tail).toEqual({ from: 91n, seenHead: 100n, longest: 10 });
    const failed = fromFindPoolReplies(search, [refused], known);
    expect(failed).toMatchObject({ status: 'read failed', reason: 'range is limited to 10 blocks' });
    expect(failed.refs).toEqual(fromFindPoolReplies(search, all).refs);
  });

  test('an index without earlier blocks is a failed read, also if the blocks after it were read', async () => {
    const search = searchOf(found.address);
    const newest = { from: 80n, to: 90n };
    const indexed = { creations: [], truncated: false, scannedTo: -1n, newest, longestRange: 1, seenHead: 100n };
    const { known, tail } = await recallFoundPools(search, { load: async () => indexed });
    expect(tail.from).toBe(91n);
    const all = await send(toCalls(search));
    expect(fromFindPoolReplies(search, all, known)).toEqual({
      ...fromFindPoolReplies(search, all),
      status: 'read failed',
      reason: 'the pool index lacks earlier blocks',
    });
  });

  test('without an index returns no pools and the reason', async () => {
    const search = searchOf(found.address);
    expect(await recallFoundPools(search, undefined)).toEqual({ known: undefined, tail: everything });
    expect(fromFindPoolReplies(search, [refused])).toEqual({
      status: 'read failed',
      reason: 'range is limited to 10 blocks',
      refs: [],
      truncated: false,
      hooked: [],
    });
  });
});

test('keeps the pools with the largest balances of the token if there are more than the limit', async () => {
  for (let fee = 2_000; fee < 2_030; fee += 1) await initialize(found.address, other.address, fee, 10);
  const { refs } = await find(found.address);
  expect(refs.length).toBeGreaterThan(maxUnlistedPools);
  const token = toLowerAddress(found.address);
  const kept = fromRankReplies(refs, token, await send(toRankCalls(refs, token, 'latest')), []);
  expect(kept).toHaveLength(maxUnlistedPools);
  const pair = [found.address, other.address] as const;
  const funded = [...seeded('uniswap-v2', pair), ...seeded('uniswap-v3', pair), ...seeded('uniswap-v4', pair, 3000)];
  expect(
    kept
      .slice(0, 3)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(funded.sort());
});

function sides(a: Address, b: Address, nativeFirst: boolean): { token0: Hex; token1: Hex } {
  const [token0, token1] = (nativeFirst ? [b, a] : [a, b].sort()).map(lower) as [Hex, Hex];
  return { token0, token1 };
}
