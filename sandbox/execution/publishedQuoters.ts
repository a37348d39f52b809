import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem';
import { multicall3 } from '../fixtures/multicall3.ts';
import { createNodeClient } from '../rpc/nodeClient.ts';
import type { SandboxChainName, SandboxPool } from '../sandboxPool.ts';
import type { SandboxChain } from '../sandboxTypes.ts';
import { quoterStandIn } from '../venues/algebraIntegral.ts';
import { balancerVault } from '../venues/balancerV2.ts';

const poolAbi = parseAbi([
  'function fee() view returns (uint24)',
  'function tickSpacing() view returns (int24)',
  'function factory() view returns (address)',
  'function stable() view returns (bool)',
  'function getPoolId() view returns (bytes32)',
]);
const v2Abi = parseAbi(['function getAmountsOut(uint256, address[]) view returns (uint256[])']);
const v3Abi = parseAbi([
  'struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 limit; }',
  'function quoteExactInputSingle(Params) returns (uint256, uint160, uint32, uint256)',
]);
const slipstreamAbi = parseAbi([
  'struct Params { address tokenIn; address tokenOut; uint256 amountIn; int24 tickSpacing; uint160 limit; }',
  'function quoteExactInputSingle(Params) returns (uint256, uint160, uint32, uint256)',
]);
const v4Abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Params { PoolKey key; bool zeroForOne; uint128 amount; bytes hookData; }',
  'function quoteExactInputSingle(Params) returns (uint256, uint256)',
]);
const algebraAbi = parseAbi([
  'function quoteExactInputSingle(address, address, uint256, uint160) returns (uint256, uint16)',
]);
const integralAbi = parseAbi([
  'struct Params { address tokenIn; address tokenOut; address deployer; uint256 amountIn; uint160 limit; }',
  'function quoteExactInputSingle(Params) returns (uint256, uint256, uint160, uint32, uint256, uint16)',
]);
const aerodromeAbi = parseAbi([
  'struct Route { address from; address to; bool stable; address factory; }',
  'function getAmountsOut(uint256, Route[]) view returns (uint256[])',
]);

const balancerAbi = parseAbi([
  'struct Step { bytes32 poolId; uint256 assetIn; uint256 assetOut; uint256 amount; bytes userData; }',
  'struct Funds { address sender; bool fromInternal; address recipient; bool toInternal; }',
  'function queryBatchSwap(uint8 kind, Step[] steps, address[] assets, Funds funds) returns (int256[])',
]);

/** For all quoters of one call. One quoter uses up to 30 million gas for a pool with narrow tick spacing. */
const gas = numberToHex(20_000_000_000);
const pancakeQuoter = '0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997';

/** Addresses of published quoters and routers, by venue and chain. */
const quoters: Record<string, Partial<Record<SandboxChainName, Address>>> = {
  'uniswap-v2': {
    base: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    polygon: '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
    arbitrum: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
  },
  'sushiswap-v2': {
    base: '0x6BDED42c6DA8FBf0d2bA55B2fa120C5e0c8D7891',
    polygon: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
    arbitrum: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
  },
  'quickswap-v2': { polygon: '0xa5E0829CaCEd8fFDD4De3c43696c57F7D7A678ff' },
  'uniswap-v3': {
    base: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
    polygon: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
    arbitrum: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
  },
  'sushiswap-v3': {
    base: '0xb1E835Dc2785b52265711e17fCCb0fd018226a6e',
    polygon: '0xb1E835Dc2785b52265711e17fCCb0fd018226a6e',
    arbitrum: '0x0524E833cCD057e4d7A296e3aaAb9f7675964Ce1',
  },
  'pancakeswap-v3': { base: pancakeQuoter, arbitrum: pancakeQuoter },
  'uniswap-v4': {
    base: '0x0d5e0F971ED27FBfF6c2837bf31316121532048D',
    polygon: '0xb3d5c3Dfc3a7aEbFF71895A7191796BFFc2c81b9',
    arbitrum: '0x3972C00f7ed4885e145823eb7C655375d275A1C5',
  },
  'quickswap-v3': { polygon: '0xa15F0D7377B2A0C0c10db057f641beD21028FC89' },
  'quickswap-v4': { base: '0xA8a1dA1279ea63535c7B3BE8D20241483BC61009', polygon: quoterStandIn },
  'camelot-v3': { arbitrum: '0x0Fc73040b26E9bC8514fA028D998E73A254Fa76E' },
  aerodrome: { base: '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43' },
};

/** Slipstream's quoters, by factory. */
const slipstreamQuoters: Record<Address, Address> = {
  '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A': '0x254cF9E1E6e233aa1AC962CB9B05b2cfeAaE15b0',
  '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a': '0x3d4C22254F86f64B7eC90ab8F7aeC1FBFD271c6C',
  '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef': '0x514c8B5f54112481E28028F1166Bd78501089259',
};

/** A pool and the amount sold to it. The wrapped token represents native currency. */
export interface QuoterQuery {
  pool: SandboxPool;
  tokenIn: Address;
  tokenOut: Address;
  /** Base units. */
  amountIn: bigint;
}

/** `no-quoter`: no package contains one for the venue. `refused`: the quoter reverted. */
export type QuoterAnswer = bigint | 'no-quoter' | 'refused';

/** A chain's published quoters and routers. */
export interface PublishedQuoters {
  /**
   * Reads the output of each pool in base units from its venue's quoter, in one call. Quoters of Uniswap v3 and Algebra v1
   * also return an output if the pool fills the size only in part. `time` (seconds) replaces the block's timestamp, because
   * some fees depend on it.
   */
  quote(queries: readonly QuoterQuery[], time?: number): Promise<QuoterAnswer[]>;
}

interface QuoterCall {
  to: Address;
  abi: Abi;
  name: 'quoteExactInputSingle' | 'getAmountsOut' | 'queryBatchSwap';
  args: readonly unknown[];
}

/** Pool parameters that a quoter needs besides the tokens. */
interface PoolFacts {
  fee?: number;
  tickSpacing?: number;
  factory?: Address;
  stable?: boolean;
  getPoolId?: Hex;
}

/** Creates the quoters of a chain. They read and cache fees and tick spacings of its pools. */
export async function createPublishedQuoters(chain: SandboxChain): Promise<PublishedQuoters> {
  const facts = new Map<string, PoolFacts>();
  const toCall = ({ pool, tokenIn, tokenOut, amountIn }: QuoterQuery): QuoterCall | undefined =>
    quoterCall(chain, pool, facts.get(pool.pool) ?? {}, [tokenIn, tokenOut], amountIn);
  return {
    async quote(queries, time) {
      const unknown = queries.map(({ pool }) => pool).filter(({ pool }) => !facts.has(pool));
      for (const [pool, read] of await readFacts(chain, unknown)) facts.set(pool, read);
      const calls = queries.map(toCall);
      const results = await callQuoters(
        chain,
        calls.filter((call) => call !== undefined),
        time,
      );
      return calls.map((call) => (call === undefined ? 'no-quoter' : (results.shift() ?? 'refused')));
    },
  };
}

async function readFacts(chain: SandboxChain, pools: readonly SandboxPool[]): Promise<Map<string, PoolFacts>> {
  const distinct = [...new Set(pools.map(({ pool }) => pool))].filter((pool) => pool.length === 42) as Address[];
  const names = ['fee', 'tickSpacing', 'factory', 'stable', 'getPoolId'] as const;
  const calls = distinct.flatMap((target) =>
    names.map((name) => ({ target, callData: encodeFunctionData({ abi: poolAbi, functionName: name }) })),
  );
  const results = await aggregate(chain, calls);
  return new Map(
    distinct.map((pool, index) => {
      const entries = names.flatMap((name, offset) => {
        const { success, returnData } = results[index * names.length + offset] ?? { success: false, returnData: '0x' };
        if (!success || returnData === '0x') return [];
        return [[name, decodeFunctionResult({ abi: poolAbi, functionName: name, data: returnData })]];
      });
      return [pool, Object.fromEntries(entries) as PoolFacts];
    }),
  );
}

async function callQuoters(chain: SandboxChain, calls: readonly QuoterCall[], time?: number): Promise<QuoterAnswer[]> {
  const encoded = calls.map(({ to, abi, name, args }) => ({
    target: to,
    callData: encodeFunctionData({ abi, functionName: name, args }),
  }));
  return (await aggregate(chain, encoded, time)).map(({ success, returnData }, index) => {
    const call = calls[index];
    if (!call || !success) return 'refused';
    const result = decodeFunctionResult({ abi: call.abi, functionName: call.name, data: returnData });
    // The vault returns its balance changes: negative for the token that it pays.
    if (call.name === 'queryBatchSwap') return -((result as readonly bigint[])[1] ?? 0n);
    if (call.name === 'getAmountsOut') return (result as readonly bigint[]).at(-1) ?? 'refused';
    return (result as readonly bigint[])[0] ?? 'refused';
  });
}

async function aggregate(
  chain: SandboxChain,
  calls: readonly { target: Address; callData: Hex }[],
  time?: number,
): Promise<readonly { success: boolean; returnData: Hex }[]> {
  if (calls.length === 0) return [];
  const args = [calls.map((call) => ({ ...call, allowFailure: true }))] as const;
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args });
  const overrides = time === undefined ? [] : [{}, { time: numberToHex(time) }];
  const params = [{ to: multicall3, data, gas }, 'latest', ...overrides];
  const answer = await createNodeClient(chain.rpcUrl).call<Hex>('eth_call', params);
  return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
}

function quoterCall(
  chain: SandboxChain,
  pool: SandboxPool,
  { fee, tickSpacing, factory, stable, getPoolId: poolId }: PoolFacts,
  [tokenIn, tokenOut]: readonly [Address, Address],
  amountIn: bigint,
): QuoterCall | undefined {
  const single = (to: Address, abi: Abi, args: readonly unknown[]): QuoterCall => ({
    to,
    abi,
    name: 'quoteExactInputSingle',
    args,
  });
  if (pool.venue === 'aerodrome-slipstream') {
    const to = slipstreamQuoters[factory ?? zeroAddress];
    if (!to) throw new TypeError(`The factory of ${pool.pool} is unknown.`);
    return single(to, slipstreamAbi, [{ tokenIn, tokenOut, amountIn, tickSpacing, limit: 0n }]);
  }
  if (pool.venue === 'balancer-v2') {
    const steps = [{ poolId, assetIn: 0n, assetOut: 1n, amount: amountIn, userData: '0x' }];
    const funds = { sender: zeroAddress, fromInternal: false, recipient: zeroAddress, toInternal: false };
    return {
      to: balancerVault,
      abi: balancerAbi,
      name: 'queryBatchSwap',
      args: [0, steps, [tokenIn, tokenOut], funds],
    };
  }
  const to = quoters[pool.venue]?.[chain.name];
  if (!to) return undefined;
  switch (pool.venue) {
    case 'uniswap-v3':
    case 'sushiswap-v3':
    case 'pancakeswap-v3':
      return single(to, v3Abi, [{ tokenIn, tokenOut, amountIn, fee, limit: 0n }]);
    case 'uniswap-v4': {
      const isNative = tokenIn === chain.wrappedNative && pool.key?.currency0 === zeroAddress;
      const zeroForOne = (isNative ? zeroAddress : tokenIn) === pool.key?.currency0;
      return single(to, v4Abi, [{ key: pool.key, zeroForOne, amount: amountIn, hookData: '0x' }]);
    }
    case 'quickswap-v3':
    case 'camelot-v3':
      return single(to, algebraAbi, [tokenIn, tokenOut, amountIn, 0n]);
    case 'quickswap-v4':
      return single(to, integralAbi, [{ tokenIn, tokenOut, deployer: zeroAddress, amountIn, limit: 0n }]);
    case 'aerodrome': {
      const route = { from: tokenIn, to: tokenOut, stable, factory: zeroAddress };
      return { to, abi: aerodromeAbi, name: 'getAmountsOut', args: [amountIn, [route]] };
    }
    default:
      return { to, abi: v2Abi, name: 'getAmountsOut', args: [amountIn, [tokenIn, tokenOut]] };
  }
}
