import { type Abi, type Address, encodeFunctionData, parseEther, zeroAddress } from 'viem';
import { balancerPoolsArtifact } from '../../contracts/artifacts/sandbox/BalancerPools.ts';
import type { Action, Placement, VenuePlan } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { operatorAddress } from '../placement/operator.ts';
import { published } from '../published/published.ts';
import type { PublishedContract } from '../published/readPublished.ts';
import { transferOf } from '../tokens/erc20.ts';

/** Balancer's vault has the same address on every chain. */
export const balancerVault: Address = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';
/** Contract that creates and fills the pools, at a derived address. */
const balancerPools = derivedAddress('Balancer pools');
const feeProvider = derivedAddress('Balancer protocol fee provider');
/** Pause and buffer periods of Balancer's vault: 90 and 30 days. */
const pauseSeconds = 7_776_000n;
const bufferSeconds = 2_592_000n;

/** Release of the factory. The first one has no rate providers. */
type WeightedRelease = 1 | 2 | 3;

export interface WeightedFactory {
  address: Address;
  release: WeightedRelease;
}

/** The vault. Factories call it in their constructors, so it is placed before them. */
export function placeBalancerVault(wrappedNative: Address): Placement[] {
  const vault = creationCode(published.balancerVault(), [operatorAddress, wrappedNative, pauseSeconds, bufferSeconds]);
  return [{ address: balancerVault, creation: vault }];
}

/** Weighted pools of Balancer v2, with the factories' published code. A pool plan's `tier` is the fee in pips. */
export function balancerV2({ factory, maker }: { factory: WeightedFactory; maker: Address }): VenuePlan {
  const { address, release } = factory;
  const code = published.balancerWeightedFactory(release);
  const fees = creationCode(published.balancerFeeProvider(), [balancerVault, parseEther('0.5'), parseEther('0.5')]);
  return {
    venue: 'balancer-v2',
    swap: { kind: 'balancer-v2' },
    placements: [
      { address: feeProvider, creation: fees },
      { address, creation: creationCode(code, argumentsOf(release)) },
      { address: balancerPools, creation: creationCode(balancerPoolsArtifact, [balancerVault]) },
    ],
    open: ({ token0, token1, weights = [50, 50], tier = 3000 }) => [
      createWeighted(factory, { tokens: [token0, token1], weights, feePips: tier }),
    ],
    locate: ({ token0, token1 }) => findWeighted(factory, [token0, token1]),
    fill: ({ token0, token1, amount0, amount1, weights: [weight0, weight1] = [50, 50] }, pool) =>
      fillWeighted(pool as Address, [token0, token1], amountsFor([amount0, amount1], [weight0, weight1]), maker),
  };

  function argumentsOf(version: WeightedRelease): unknown[] {
    if (version === 1) return [balancerVault];
    return version === 2 ? [balancerVault, feeProvider] : [balancerVault, feeProvider, '3', '3'];
  }
}

/** Scales the seed's amounts, which are of equal value, by the weights. This keeps the price. */
function amountsFor([amount0, amount1]: readonly [bigint, bigint], [weight0, weight1]: readonly [number, number]) {
  const sum = BigInt(weight0 + weight1);
  return [(2n * amount0 * BigInt(weight0)) / sum, (2n * amount1 * BigInt(weight1)) / sum];
}

interface WeightedShape {
  /** In ascending order. */
  tokens: readonly Address[];
  /** Percent. */
  weights: readonly number[];
  feePips: number;
  /** Rate provider of all tokens; unused in release 1. */
  rateProvider?: Address;
}

/** Creates a pool of two or more tokens. */
export function createWeighted(
  { address, release }: WeightedFactory,
  { tokens, weights, feePips, rateProvider = zeroAddress }: WeightedShape,
): Action {
  const { abi } = published.balancerWeightedFactory(release) as PublishedContract & { abi: Abi };
  const head = ['Weighted pool', 'WP', tokens, weights.map((weight) => BigInt(weight) * 10n ** 16n)];
  const rest = [BigInt(feePips) * 10n ** 12n, operatorAddress];
  const args = release === 1 ? [...head, ...rest] : [...head, tokens.map(() => rateProvider), ...rest];
  const data = encodeFunctionData({ abi, functionName: 'create', args });
  return {
    to: balancerPools,
    data: encodeFunctionData({ abi: balancerPoolsArtifact.abi, functionName: 'create', args: [address, data, tokens] }),
  };
}

/** The call that returns a pool's address. */
export function findWeighted({ address }: WeightedFactory, tokens: readonly Address[]): Action {
  const { abi } = balancerPoolsArtifact;
  return { to: balancerPools, data: encodeFunctionData({ abi, functionName: 'find', args: [address, tokens] }) };
}

/** Calls that transfer the tokens and add the first liquidity. */
export function fillWeighted(
  pool: Address,
  tokens: readonly Address[],
  amounts: readonly bigint[],
  maker: Address,
): Action[] {
  const { abi } = balancerPoolsArtifact;
  return [
    ...tokens.map((token, index) => transferOf(token, balancerPools, amounts[index] ?? 0n)),
    {
      to: balancerPools,
      data: encodeFunctionData({ abi, functionName: 'fill', args: [pool, tokens, amounts, maker] }),
    },
  ];
}
