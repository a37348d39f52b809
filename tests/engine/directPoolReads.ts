import { type Address, createPublicClient, type Hex, http, type PublicClient, parseAbi } from 'viem';
import { createLensCaller } from '../../engine/chain/lensCall.ts';
import { type Node, newNodeMemory } from '../../engine/chain/node.ts';
import { deployments } from '../../engine/index.ts';
import { createStateSource, type StateSource } from '../../engine/pools/readPools.ts';
import { toCandidatePools } from '../../engine/venues/families.ts';
import { kinds } from '../../engine/venues/kinds.ts';
import type { Pool, PoolState } from '../../engine/venues/poolTypes.ts';
import type { ConcentratedState, Tick } from '../../engine/venues/uniswapV3/concentrated.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { sandboxVenues } from '../../server/sandboxMode.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';
import { hookedShapes } from './market.ts';

/** The inputs of a state read over one counted endpoint. */
interface StateReader {
  source: StateSource;
  node: Node;
  endpoint: CountingEndpoint;
}

export function stateReaderOn(chain: SandboxChain): StateReader {
  const deployment = deployments[chain.name];
  const candidatePools = toCandidatePools(
    [...deployment.venues, ...(sandboxVenues[chain.name] ?? [])],
    hookedShapes(chain),
  );
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const node: Node = {
    chain: chain.name,
    label: 'sandbox',
    memory: newNodeMemory(),
    hashes: { proven: false },
    block: undefined,
    send: (calls) => endpoint.send(calls, { signal: AbortSignal.timeout(30_000) }),
  };
  return { source: createStateSource(deployment, candidatePools, createLensCaller()), node, endpoint };
}

const stateViews = {
  base: '0xA3c0c9b65baD0b08107Aa264b0f3dB444b867A71',
  polygon: '0x5eA1Bd7974c8A611cBAB0BDcAFcB1D9cC9b3Ba5a',
  arbitrum: '0x76Fd297e2D437cd7f76d50F01AfE6160f86e9990',
} as const;

const abi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function metadata() view returns (uint256, uint256, uint256, uint256, bool, address, address)',
  'function getFee(address, bool) view returns (uint256)',
  'function slot0() view returns (uint160, int24)',
  'function liquidity() view returns (uint128)',
  'function tickSpacing() view returns (int24)',
  'function fee() view returns (uint24)',
  'function tickBitmap(int16) view returns (uint256)',
  'function tickTable(int16) view returns (uint256)',
  'function ticks(int24) view returns (uint256, int128)',
  'function globalState() view returns (uint160, int24, uint16)',
]);
const viewAbi = parseAbi([
  'function getSlot0(bytes32) view returns (uint160, int24, uint24, uint24)',
  'function getLiquidity(bytes32) view returns (uint128)',
  'function getTickBitmap(bytes32, int16) view returns (uint256)',
  'function getTickLiquidity(bytes32, int24) view returns (uint128, int128)',
]);

export const clientOf = (chain: SandboxChain): PublicClient =>
  createPublicClient({ transport: http(chain.rpcUrl, { batch: true }) });

/**
 * The state from the pool's own getters, over the range of ticks that `state` covers. Opaque and weighted states are
 * returned unchanged.
 */
export async function readDirectly(
  chain: SandboxChain,
  client: PublicClient,
  { ref, state }: Pool,
): Promise<PoolState> {
  if (state.kind === 'opaque' || state.kind === 'weighted') return state;
  if (state.kind === 'concentrated') return readConcentrated(chain, client, ref.id, ref.candidatePool.kind, state);
  const address = ref.id;
  if (state.rule === 'uniswap-v2') {
    const [reserve0, reserve1] = await client.readContract({ address, abi, functionName: 'getReserves' });
    return { ...state, reserve0, reserve1, feePips: [ref.candidatePool.fee, ref.candidatePool.fee] };
  }
  const [unit0, unit1, reserve0, reserve1, stable] = await client.readContract({
    address,
    abi,
    functionName: 'metadata',
  });
  const bps = await client.readContract({
    address: ref.candidatePool.factory,
    abi,
    functionName: 'getFee',
    args: [address, stable],
  });
  const pips = Number(bps) * 100;
  const reserves = { reserve0, reserve1, feePips: [pips, pips] as const };
  return stable
    ? { kind: 'stable', rule: 'solidly', ...reserves, unit0, unit1 }
    : { kind: 'pair', rule: 'solidly', ...reserves };
}

async function readConcentrated(
  chain: SandboxChain,
  client: PublicClient,
  address: Hex,
  kind: number,
  state: ConcentratedState,
): Promise<ConcentratedState> {
  const { knownFrom, knownTo } = state;
  const read = (functionName: 'liquidity' | 'fee' | 'tickSpacing') =>
    client.readContract({ address, abi, functionName });
  if (kind >= kinds.v4) {
    const view = { address: stateViews[chain.name].toLowerCase() as Address, abi: viewAbi };
    const [sqrtPriceX96, tick, protocolFee, fee] = await client.readContract({
      ...view,
      functionName: 'getSlot0',
      args: [address],
    });
    if (protocolFee !== 0) throw new Error('The sandbox charges no protocol fee.');
    const liquidity = await client.readContract({ ...view, functionName: 'getLiquidity', args: [address] });
    const ticks = await readTicks(state, state.tickSpacing, {
      word: (index) => client.readContract({ ...view, functionName: 'getTickBitmap', args: [address, index] }),
      net: async (tick) =>
        (await client.readContract({ ...view, functionName: 'getTickLiquidity', args: [address, tick] }))[1],
    });
    return { ...state, sqrtPriceX96, tick, liquidity, feePips: [fee, fee], ticks, knownFrom, knownTo };
  }
  const isAlgebra = kind === kinds.algebra;
  const isV1 = state.rule === 'algebra-v1';
  const functionName = isAlgebra ? 'globalState' : 'slot0';
  const [sqrtPriceX96, tick, lastFee] = (await client.readContract({ address, abi, functionName })) as readonly [
    bigint,
    number,
    number?,
  ];
  const fee = isV1 ? (lastFee ?? 0) : Number(await read('fee'));
  const tickSpacing = isV1 ? 60 : Number(await read('tickSpacing'));
  const ticks = await readTicks(state, isAlgebra && !isV1 ? 1 : tickSpacing, {
    word: (index) =>
      client.readContract({ address, abi, functionName: isAlgebra ? 'tickTable' : 'tickBitmap', args: [index] }),
    net: async (index) => (await client.readContract({ address, abi, functionName: 'ticks', args: [index] }))[1],
  });
  const liquidity = (await read('liquidity')) as bigint;
  return { ...state, sqrtPriceX96, tick, liquidity, tickSpacing, feePips: [fee, fee], ticks, knownFrom, knownTo };
}

interface TickReads {
  word: (index: number) => Promise<bigint>;
  net: (tick: number) => Promise<bigint>;
}

const maxTick = 887_271;

async function readTicks({ knownFrom, knownTo }: ConcentratedState, step: number, reads: TickReads): Promise<Tick[]> {
  const [from, to] = [Math.max(knownFrom, -maxTick), Math.min(knownTo, maxTick)];
  const [first, last] = [Math.floor(from / step) >> 8, Math.floor(to / step) >> 8];
  const words = await Promise.all(
    Array.from({ length: last - first + 1 }, async (_, at) => ({ at: first + at, word: await reads.word(first + at) })),
  );
  const indices = words.flatMap(({ at, word }) =>
    Array.from({ length: 256 }, (_, bit) => bit)
      .filter((bit) => (word >> BigInt(bit)) & 1n)
      .map((bit) => (at * 256 + bit) * step),
  );
  const known = indices.filter((index) => index >= from && index <= to);
  return Promise.all(known.map(async (index) => ({ index, liquidityNet: await reads.net(index) })));
}
