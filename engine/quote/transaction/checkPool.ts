import type { Address, Hex } from 'viem';
import { type LowerAddress, lowerAddresses, toLowerAddress } from '../../lowerAddress.ts';
import type { ChainName } from '../../venues/deployments/deployments.ts';
import { derivations } from '../../venues/deployments/derivations.ts';
import { type Derivation, derivePool } from '../../venues/derivePool.ts';
import { nativeCurrency } from '../../venues/kinds.ts';
import { poolIdOf, type V4PoolKey } from '../../venues/uniswapV4/poolKey.ts';
import type { VenueRow } from '../../venues/venueTypes.ts';
import type { Leg } from '../quoteTypes.ts';

/** The parts of a leg that identify its pool. */
export type PoolClaim = Pick<Leg, 'dex' | 'venue' | 'pool' | 'tokenIn' | 'tokenOut' | 'feePips' | 'poolKey'>;

/** The venues of a chain, for claims about their pools. */
export interface VenueFacts {
  chain: ChainName;
  venues: readonly VenueRow[];
  wrappedNative: LowerAddress;
  /** Factories whose pools have other code than on the real chain, so that no formula gives their addresses. */
  standIns: ReadonlySet<string>;
}

/**
 * Whether a leg's pool is the pool of its venue for its tokens, by the factory's CREATE2 formula or the pool id, without
 * the chain. `unknown venue`: the chain has none of this name and family. `no formula`: the family has none, or it is not
 * known for this factory.
 */
export function checkPool(
  claim: PoolClaim,
  { chain, venues, wrappedNative, standIns }: VenueFacts,
): 'confirmed' | 'not of the venue' | 'no formula' | 'unknown venue' {
  const rows = venues.filter(({ family, venue }) => family === claim.dex && venue === claim.venue);
  if (rows.length === 0) return 'unknown venue';
  if (claim.dex === 'balancer-v2') return 'no formula';
  if (claim.dex === 'uniswap-v4') return isKeyOf(claim, wrappedNative) ? 'confirmed' : 'not of the venue';
  const factories = rows.flatMap((row) => ('factory' in row ? [{ row, derivation: formulaOf(row.factory) }] : []));
  const pool = toLowerAddress(claim.pool as Address);
  const isOwn = factories.some(
    ({ row, derivation }) =>
      derivation &&
      variantsOf(row, claim.feePips).some(
        (variant) => derivePool(derivation, claim.tokenIn, claim.tokenOut, variant) === pool,
      ),
  );
  if (isOwn) return 'confirmed';
  return factories.every(({ derivation }) => derivation) ? 'not of the venue' : 'no formula';

  function formulaOf(factory: LowerAddress): Derivation | undefined {
    return standIns.has(factory) ? undefined : derivations[chain].get(factory);
  }
}

/** Fee tiers, tick spacings or curves of a pair. The fee of a claim is one of its factory's tiers, or the pool differs. */
function variantsOf(row: VenueRow, feePips: number): readonly number[] {
  if ('tickSpacings' in row) return row.tickSpacings;
  if ('fees' in row) return [feePips];
  return row.family === 'solidly' ? [0, 1] : [0];
}

/** Whether the pool id is that of the key, and the key's currencies are the leg's tokens. */
function isKeyOf({ pool, poolKey, tokenIn, tokenOut }: PoolClaim, wrappedNative: LowerAddress): boolean {
  if (!poolKey) return false;
  const key = lowerAddresses<V4PoolKey<LowerAddress>>(poolKey);
  const tokens = [toLowerAddress(tokenIn), toLowerAddress(tokenOut)].map((token) =>
    key.currency0 === nativeCurrency && token === wrappedNative ? nativeCurrency : token,
  );
  const [currency0, currency1] = tokens.sort();
  return currency0 === key.currency0 && currency1 === key.currency1 && poolIdOf(key) === (pool.toLowerCase() as Hex);
}
