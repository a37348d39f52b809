import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import {
  makerAddress,
  type OpenChain,
  reopenChain,
  type SandboxChain,
  type SandboxWallet,
} from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { createWeighted, fillWeighted, findWeighted, type WeightedFactory } from '../../sandbox/venues/balancerV2.ts';
import { ledgerToken } from './ledgerToken.ts';
import { tokenOf } from './market.ts';

/** The published factories that the sandbox has. */
export const weightedFactories = {
  polygon: { address: '0x8E9aa87E45e92bad84D5F8DD1bff34Fb92637dE9', release: 1 },
  arbitrum: { address: '0xf1665E19bc105BE4EDD3739F88315cC699cc5b65', release: 3 },
} as const satisfies Record<string, WeightedFactory>;

interface WeightedPlan {
  symbols: readonly string[];
  /** Percent, in the order of the symbols. */
  weights: readonly number[];
  usd: number;
  /** USD of one token. */
  prices: Record<string, number>;
  /** Rate provider of all tokens; not supported by the first release. */
  rateProvider?: Address;
  /** Default 0.25 %. */
  feePips?: number;
  /** Replaces the sandbox's factory. */
  factory?: WeightedFactory;
}

/** Creates and fills a weighted pool of a factory. Returns it, and the chain with the pool in its list. */
export async function openWeighted(
  builder: OpenChain,
  chain: SandboxChain,
  { symbols, weights, usd, prices, rateProvider, feePips = 2500, factory: other }: WeightedPlan,
): Promise<{ pool: Address; id: Hex; chain: SandboxChain }> {
  const factory = other ?? weightedFactories[chain.name as keyof typeof weightedFactories];
  const parts = symbols
    .map((symbol, at) => ({ ...tokenOf(chain, symbol), weight: weights[at] ?? 0, price: prices[symbol] ?? 1 }))
    .sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
  const tokens = parts.map(({ address }) => getAddress(address));
  const shape = { tokens, weights: parts.map(({ weight }) => weight), feePips };
  await builder.perform([createWeighted(factory, { ...shape, ...(rateProvider && { rateProvider }) })]);
  const pool = getAddress(`0x${(await call(chain, findWeighted(factory, tokens))).slice(-40)}`);
  const amounts = parts.map(
    ({ weight, price, decimals }) =>
      (BigInt(Math.floor((usd * weight * 1e6) / price)) * 10n ** BigInt(decimals)) / 10n ** 8n,
  );
  await builder.perform(fillWeighted(pool, tokens, amounts, makerAddress));
  const [token0, token1] = tokens as [Address, Address];
  const pools = [...chain.pools, { chain: chain.name, venue: 'balancer-v2', pool, token0, token1 }];
  return { pool, id: await poolIdAt(chain, pool), chain: { ...chain, pools } };
}

const poolAbi = parseAbi(['function getPoolId() view returns (bytes32)']);

/** The vault's id of the pool. */
const poolIdAt = (chain: SandboxChain, pool: Address): Promise<Hex> =>
  call(chain, { to: pool, data: encodeFunctionData({ abi: poolAbi, functionName: 'getPoolId' }) });

const call = ({ rpcUrl }: SandboxChain, request: { to: Address; data?: Hex }) =>
  createNodeClient(rpcUrl).call<Hex>('eth_call', [request, 'latest']);

/** Tokens with weighted pools of two and three tokens, and a pool of another family to split orders with. */
export async function listWeightedTokens(
  chain: SandboxChain,
  wallets: readonly SandboxWallet[],
): Promise<SandboxChain> {
  if (chain.name === 'base') return chain;
  const builder = await reopenChain(chain, wallets);
  const tokens = ['WEIGHED', 'WEIGHED2'].map((symbol) => ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]));
  const listed = await builder.list({
    tokens,
    pools: [
      { venue: 'balancer-v2', pair: ['WEIGHED', 'WETH'], usd: 400_000, weights: [80, 20], tier: 3000 },
      { venue: 'balancer-v2', pair: ['WEIGHED2', 'USDC'], usd: 250_000, weights: [37, 63], tier: 10_000 },
      { venue: 'balancer-v2', pair: ['WEIGHED', 'WEIGHED2'], usd: 150_000, weights: [50, 50], tier: 500 },
      { venue: 'uniswap-v3', pair: ['WEIGHED', 'USDC'], usd: 300_000, tier: 3000 },
    ],
  });
  const prices = { WEIGHED: 2, WEIGHED2: 2, USDC: 1, WETH: 3000 };
  const trio = { symbols: ['WEIGHED2', 'USDC', 'WETH'], weights: [50, 25, 25], usd: 900_000, prices };
  return (await openWeighted(builder, listed, trio)).chain;
}
