import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  hexToNumber,
  isAddressEqual,
  multicall3Abi,
  numberToHex,
  parseAbi,
  toEventSelector,
  zeroAddress,
} from 'viem';
import { multicall3 } from '../../engine/index.ts';
import type { PoolState } from '../../engine/venues/poolTypes.ts';
import type { Tick } from '../../engine/venues/uniswapV3/concentrated.ts';
import { swapKinds } from '../../sandbox/execution/swapKinds.ts';
import type { SandboxChain, SandboxPool } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { balancerVault } from '../../sandbox/venues/balancerV2.ts';
import { tradedTokens } from './market.ts';

const abi = parseAbi([
  'function slot0() view',
  'function globalState() view',
  'function liquidity() view',
  'function fee() view',
  'function tickSpacing() view',
  'function ticks(int24) view',
  'function getReserves() view',
  'function metadata() view',
  'function factory() view',
  'function getFee(address, bool) view',
  'function getSlot0(bytes32) view',
  'function getLiquidity(bytes32) view',
  'function getTickLiquidity(bytes32, int24) view',
  'function quoteExactInputSingle(address, address, uint256, uint160)',
]);
const balancerAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getNormalizedWeights() view returns (uint256[])',
  'function getSwapFeePercentage() view returns (uint256)',
  'function getPoolTokens(bytes32) view returns (address[], uint256[], uint256)',
]);
const stateViews = {
  base: '0xA3c0c9b65baD0b08107Aa264b0f3dB444b867A71',
  polygon: '0x5ea1bd7974c8a611cbab0bdcafcb1d9cc9b3ba5a',
  arbitrum: '0x76Fd297e2D437cd7f76d50F01AfE6160f86e9990',
} as const;
const algebraV1Quoters: Record<string, Address> = {
  'quickswap-v3': '0xa15F0D7377B2A0C0c10db057f641beD21028FC89',
  'camelot-v3': '0x0Fc73040b26E9bC8514fA028D998E73A254Fa76E',
};
/** Uniswap v3 and Algebra share the event; v4's contains the pool id. */
const minted = toEventSelector('Mint(address,address,int24,int24,uint128,uint256,uint256)');
const modified = toEventSelector('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)');

type Name = 'slot0' | 'globalState' | 'liquidity' | 'fee' | 'tickSpacing' | 'getReserves' | 'metadata' | 'factory';

/** States of a chain's pools without a hook, from their getters, with every tick at which a position begins or ends. */
export interface PoolStates {
  pools: readonly SandboxPool[];
  /** States by pool at the latest block; fees that depend on the time are those at `time`. */
  read(time: number): Promise<Map<Hex, PoolState>>;
}

export async function createPoolStates(chain: SandboxChain): Promise<PoolStates> {
  const pools = chain.pools.filter(({ key }) => !key || key.hooks === zeroAddress);
  const ticks = await readTicks(chain, pools);
  const kinds = await swapKinds(chain.name);
  const constants = new Map<Hex, bigint[]>();
  return {
    pools,
    async read(time) {
      const read = (calls: readonly Call[]) => aggregate(chain, calls, time);
      const entries = await Promise.all(
        pools.map(async (pool): Promise<[Hex, PoolState]> => {
          const kind = kinds.get(pool.venue);
          if (kind?.kind === 'v4') return [pool.pool, await readV4(chain, pool, ticks.get(pool.pool) ?? [], read)];
          if (kind?.kind === 'concentrated') {
            return [pool.pool, await readConcentrated(chain, pool, ticks.get(pool.pool) ?? [], read)];
          }
          if (kind?.kind === 'balancer-v2') return [pool.pool, await readWeighted(chain, pool, read)];
          const [reserves] = await read([plain(pool.pool, 'getReserves')]);
          const [reserve0 = 0n, reserve1 = 0n] = wordsOf(reserves);
          if (kind?.kind === 'v2') {
            const feePips = [kind.feePips, kind.feePips] as const;
            return [pool.pool, { kind: 'pair', rule: 'uniswap-v2', reserve0, reserve1, feePips }];
          }
          return [pool.pool, await readSolidly(pool, { reserve0, reserve1 }, constants, read)];
        }),
      );
      return new Map(entries);
    },
  };
}

type Read = (calls: readonly Call[]) => Promise<(Hex | undefined)[]>;

/** The state of a weighted pool from the getters of the pool and the vault. */
async function readWeighted(
  chain: SandboxChain,
  { pool, token0, token1 }: SandboxPool,
  read: Read,
): Promise<PoolState> {
  const [id, weights, fee] = await read(
    (['getPoolId', 'getNormalizedWeights', 'getSwapFeePercentage'] as const).map((name) => ({
      target: pool,
      callData: encodeFunctionData({ abi: balancerAbi, functionName: name }),
    })),
  );
  const [held] = await read([
    {
      target: balancerVault,
      callData: encodeFunctionData({ abi: balancerAbi, functionName: 'getPoolTokens', args: [id ?? '0x'] }),
    },
  ]);
  const [tokens, balances] = decodeFunctionResult({
    abi: balancerAbi,
    functionName: 'getPoolTokens',
    data: held ?? '0x',
  });
  const all = decodeFunctionResult({ abi: balancerAbi, functionName: 'getNormalizedWeights', data: weights ?? '0x' });
  const [at0, at1] = [token0, token1].map((token) => tokens.findIndex((other) => isAddressEqual(other, token))) as [
    number,
    number,
  ];
  const scaleOf = (token: Address) =>
    10n ** BigInt(18 - (chain.tokens.find(({ address }) => isAddressEqual(address, token))?.decimals ?? 18));
  const swapFee = hexToBigInt(fee ?? '0x');
  const pips = Number((swapFee + 10n ** 12n - 1n) / 10n ** 12n);
  return {
    kind: 'weighted',
    // Polygon's factory is of the first release.
    hasFastPowers: chain.name !== 'polygon',
    balance0: balances[at0] ?? 0n,
    balance1: balances[at1] ?? 0n,
    weight0: all[at0] ?? 0n,
    weight1: all[at1] ?? 0n,
    scale0: scaleOf(token0),
    scale1: scaleOf(token1),
    swapFee,
    feePips: [pips, pips],
  };
}

async function readSolidly(
  { pool }: SandboxPool,
  reserves: { reserve0: bigint; reserve1: bigint },
  constants: Map<Hex, bigint[]>,
  read: Read,
): Promise<PoolState> {
  let known = constants.get(pool);
  if (!known) {
    const [metadata, factory] = await read([plain(pool, 'metadata'), plain(pool, 'factory')]);
    known = [...wordsOf(metadata), ...wordsOf(factory)];
    constants.set(pool, known);
  }
  const [unit0 = 0n, unit1 = 0n, , , stable, , , factory = 0n] = known;
  const data = encodeFunctionData({ abi, functionName: 'getFee', args: [pool, stable === 1n] });
  const [fee] = await read([{ target: numberToHex(factory, { size: 20 }), callData: data }]);
  const pips = Number(wordsOf(fee)[0]) * 100;
  const feePips = [pips, pips] as const;
  if (stable === 1n) return { kind: 'stable', rule: 'solidly', ...reserves, unit0, unit1, feePips };
  return { kind: 'pair', rule: 'solidly', ...reserves, feePips };
}

async function readV4(chain: SandboxChain, pool: SandboxPool, ticks: Tick[], read: Read): Promise<PoolState> {
  const target = stateViews[chain.name];
  const [slot, liquidity] = await read([
    { target, callData: encodeFunctionData({ abi, functionName: 'getSlot0', args: [pool.pool] }) },
    { target, callData: encodeFunctionData({ abi, functionName: 'getLiquidity', args: [pool.pool] }) },
  ]);
  const [sqrtPriceX96 = 0n, tick = 0n, protocolFee = 0n, lpFee = 0n] = wordsOf(slot);
  const combined = (own: bigint) => Number(own + lpFee - (own * lpFee) / 1_000_000n);
  return {
    kind: 'concentrated',
    rule: 'uniswap-v4',
    sqrtPriceX96,
    tick: Number(BigInt.asIntN(24, tick)),
    liquidity: wordsOf(liquidity)[0] ?? 0n,
    tickSpacing: pool.key?.tickSpacing ?? 0,
    feePips: [combined(protocolFee & 0xfffn), combined(protocolFee >> 12n)],
    ...allKnown(ticks),
  };
}

async function readConcentrated(chain: SandboxChain, pool: SandboxPool, ticks: Tick[], read: Read): Promise<PoolState> {
  const quoter = algebraV1Quoters[pool.venue];
  const isAlgebra = quoter !== undefined || pool.venue === 'quickswap-v4';
  const [tokenIn, tokenOut] = tradedTokens(chain, pool);
  // Algebra v1 computes its fee at the first swap of a block: a quote of one unit returns it.
  const fee = quoter
    ? {
        target: quoter,
        callData: encodeFunctionData({
          abi,
          functionName: 'quoteExactInputSingle',
          args: [tokenIn, tokenOut, 1n, 0n],
        }),
      }
    : plain(pool.pool, 'fee');
  const [slot, liquidity, spacing, answer] = await read([
    plain(pool.pool, isAlgebra ? 'globalState' : 'slot0'),
    plain(pool.pool, 'liquidity'),
    plain(pool.pool, 'tickSpacing'),
    fee,
  ]);
  const [sqrtPriceX96 = 0n, tick = 0n] = wordsOf(slot);
  const pips = Number(wordsOf(answer).at(quoter ? 1 : 0));
  return {
    kind: 'concentrated',
    rule: quoter ? 'algebra-v1' : isAlgebra ? 'algebra-integral' : 'uniswap-v3',
    sqrtPriceX96,
    tick: Number(BigInt.asIntN(24, tick)),
    liquidity: wordsOf(liquidity)[0] ?? 0n,
    tickSpacing: Number(wordsOf(spacing)[0]),
    feePips: [pips, pips],
    ...allKnown(ticks),
  };
}

const allKnown = (ticks: readonly Tick[]) => ({ ticks, knownFrom: -887_272, knownTo: 887_272 });

async function readTicks(chain: SandboxChain, pools: readonly SandboxPool[]): Promise<Map<Hex, Tick[]>> {
  const logs = await createNodeClient(chain.rpcUrl).call<{ address: Hex; topics: Hex[]; data: Hex }[]>('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', topics: [[minted, modified]] },
  ]);
  const found = new Map<string, Set<number>>();
  for (const { address, topics, data } of logs) {
    const isV4 = topics[0] === modified;
    const edges = isV4 ? wordsOf(data).slice(0, 2) : topics.slice(2, 4).map((topic) => hexToBigInt(topic));
    const id = (isV4 ? topics[1] : address)?.toLowerCase() ?? '';
    const known = found.get(id) ?? new Set();
    found.set(id, known);
    for (const edge of edges) known.add(Number(BigInt.asIntN(24, edge)));
  }
  const candidates = pools.flatMap((pool) =>
    [...(found.get(pool.pool.toLowerCase()) ?? [])].sort((a, b) => a - b).map((index) => ({ pool, index })),
  );
  const answers = await aggregate(
    chain,
    candidates.map(({ pool, index }) =>
      pool.key
        ? {
            target: stateViews[chain.name],
            callData: encodeFunctionData({ abi, functionName: 'getTickLiquidity', args: [pool.pool, index] }),
          }
        : { target: pool.pool, callData: encodeFunctionData({ abi, functionName: 'ticks', args: [index] }) },
    ),
  );
  const ticks = new Map<Hex, Tick[]>();
  for (const [at, { pool, index }] of candidates.entries()) {
    const [gross, net = 0n] = wordsOf(answers[at]);
    const list = ticks.get(pool.pool) ?? [];
    ticks.set(pool.pool, list);
    if (gross !== 0n) list.push({ index, liquidityNet: BigInt.asIntN(128, net) });
  }
  return ticks;
}

interface Call {
  target: Hex;
  callData: Hex;
}

const plain = (target: Hex, name: Name): Call => ({
  target,
  callData: encodeFunctionData({ abi, functionName: name }),
});

/** Results of all calls, in one eth_call; undefined for a call that reverted. */
async function aggregate(chain: SandboxChain, calls: readonly Call[], time?: number): Promise<(Hex | undefined)[]> {
  const args = [calls.map((call) => ({ ...call, allowFailure: true }))] as const;
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args });
  const overrides = time === undefined ? [] : [{}, { time: numberToHex(time) }];
  const params = [{ to: multicall3, data }, 'latest', ...overrides];
  const answer = await createNodeClient(chain.rpcUrl).call<Hex>('eth_call', params);
  return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer }).map(
    ({ success, returnData }) => (success && returnData !== '0x' ? returnData : undefined),
  );
}

function wordsOf(data: Hex | undefined): bigint[] {
  if (data === undefined) throw new TypeError('A read of a pool reverted.');
  return (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

export async function readTime(chain: SandboxChain): Promise<number> {
  const block = await createNodeClient(chain.rpcUrl).call<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  return hexToNumber(block.timestamp);
}
