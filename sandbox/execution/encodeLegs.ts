import { type Address, encodeFunctionData, type Hex } from 'viem';
import { routeExecutorArtifact } from '../../contracts/artifacts/sandbox/RouteExecutor.ts';
import type { SwapKind } from '../chainPlan.ts';
import { nativeCurrency } from '../market/seedPools.ts';
import type { SandboxPool } from '../sandboxPool.ts';
import type { ExecutableLeg, SandboxChain } from '../sandboxTypes.ts';

/** The sandbox did not create the leg's pool, so the executor cannot swap in it. */
export class UnknownPoolError extends Error {
  override readonly name = 'UnknownPoolError';
}

const kindCodes: Record<SwapKind['kind'], number> = {
  v2: 0,
  solidly: 1,
  concentrated: 2,
  v4: 3,
  'balancer-v2': 4,
};

interface ExecutorLeg {
  kind: number;
  pool: Address;
  tokenIn: Address;
  tokenOut: Address;
  feePips: bigint;
  key: NonNullable<SandboxPool['key']>;
}

const noKey: ExecutorLeg['key'] = {
  currency0: nativeCurrency,
  currency1: nativeCurrency,
  fee: 0,
  tickSpacing: 0,
  hooks: nativeCurrency,
};

/**
 * Converts the service's legs (venue, pool, tokens) to the executor's. The other fields come from the chain's pool list.
 * @throws {UnknownPoolError}
 */
export function encodeLegs(
  chain: SandboxChain,
  kinds: ReadonlyMap<string, SwapKind>,
  legs: readonly ExecutableLeg[],
): ExecutorLeg[] {
  return legs.map(({ venue, pool, tokenIn, tokenOut }) => {
    // A pool id of Balancer's vault begins with the pool's address.
    const found = chain.pools.find(
      (candidate) => candidate.venue === venue && pool.toLowerCase().startsWith(candidate.pool.toLowerCase()),
    );
    const swap = kinds.get(venue);
    if (!found || !swap) throw new UnknownPoolError(`${chain.name} has no pool ${pool} of ${venue}.`);
    return {
      kind: kindCodes[swap.kind],
      pool: swap.kind === 'v4' ? swap.manager : found.pool,
      tokenIn,
      tokenOut,
      feePips: swap.kind === 'v2' ? BigInt(swap.feePips) : 0n,
      key: found.key ?? noKey,
    };
  });
}

/**
 * Encodes the executor's call. Legs with `amountIn` sell these amounts in order. Legs with `shareBps` sell their shares of
 * the plan's amounts. Legs with neither form a path that sells the total `amountIn`.
 * @throws {UnknownPoolError}
 */
export function encodeExecution(
  chain: SandboxChain,
  kinds: ReadonlyMap<string, SwapKind>,
  { legs, amountIn }: { legs: readonly ExecutableLeg[]; amountIn: bigint },
  receiver: Address,
): Hex {
  const { abi } = routeExecutorArtifact;
  const encoded = encodeLegs(chain, kinds, legs);
  const amounts = legs.flatMap((leg) => leg.amountIn ?? []);
  const shares = legs.flatMap(({ shareBps }) => (shareBps === undefined ? [] : BigInt(shareBps)));
  if (amounts.length === 0 && shares.length > 0) {
    if (shares.length !== legs.length) throw new TypeError('Some legs of a split plan have no shareBps.');
    return encodeFunctionData({ abi, functionName: 'executeShares', args: [encoded, amountIn, shares, receiver] });
  }
  if (amounts.length === 0)
    return encodeFunctionData({ abi, functionName: 'execute', args: [encoded, amountIn, receiver] });
  if (amounts.length !== legs.length) throw new TypeError('Some legs of a split plan have no amountIn.');
  return encodeFunctionData({ abi, functionName: 'executePlan', args: [encoded, amounts, receiver] });
}
