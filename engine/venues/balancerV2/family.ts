import { type Hex, padHex, sliceHex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../candidatePool.ts';
import { kinds, noHooks } from '../kinds.ts';
import type { PoolEntry } from '../poolEntry.ts';
import type { PoolRef } from '../poolTypes.ts';
import { ownContract, type VenueFamily } from '../venueFamily.ts';
import type { BalancerV2Row } from '../venueTypes.ts';
import type { WeightedState } from './weighted.ts';

/**
 * `CandidatePool.fee` of later releases: their pools multiply for the exponents 1, 2 and 4. Pools of the first release
 * have 0.
 */
const fastPowers = 1;

/** Weighted pools of Balancer v2. The vault holds their tokens; each pair of a pool's tokens is a pool of its own here. */
export const balancerV2: VenueFamily<BalancerV2Row, never> = {
  kinds: [kinds.weighted],
  /** `weightedList.ts` reads all pools of the factories instead. */
  toCandidatePools: () => [],
  /** The lens that measures bands does not search weighted pools. */
  bandMid: () => undefined,
  states: { weighted: toWeighted },
  /** The event of its factories does not contain the tokens. */
  events: {},
  feeByBlock: () => 'no',
  addresses: {
    ...ownContract,
    contractOf: poolOf,
    swapsAt: poolOf,
    hooksOf: endOfId,
    otherOf: endOfId,
    publicId: ({ id, weighted }) => weighted?.poolId ?? id,
  },
  poolKey: () => undefined,
};

/** Any pool of the factory. It is never part of a look-up by tokens. */
export const toWeightedCandidatePool = ({ family, venue, factory, release }: BalancerV2Row): CandidatePool => ({
  family,
  venue,
  kind: kinds.weighted,
  factory,
  fee: release === 'later' ? fastPowers : 0,
  tickSpacing: 0,
  hooks: noHooks,
});

/** The id of a pair is the pool's address, followed by both tokens. */
function poolOf({ id }: PoolRef): Hex {
  return id.slice(0, 42) as Hex;
}

/** The 12 bytes of the vault's id after the pool's address. */
function endOfId({ candidatePool, weighted }: PoolRef): LowerAddress {
  return weighted ? (padHex(sliceHex(weighted.poolId, 20), { size: 20 }) as LowerAddress) : candidatePool.hooks;
}

function toWeighted({ ref, first, second, third: swapFee }: PoolEntry): WeightedState | undefined {
  if (!ref.weighted || swapFee > 10n ** 18n) return undefined;
  const { poolId: _, ...facts } = ref.weighted;
  const pips = Number((swapFee + 10n ** 12n - 1n) / 10n ** 12n);
  const balances = { balance0: first, balance1: second };
  const hasFastPowers = ref.candidatePool.fee === fastPowers;
  return { kind: 'weighted', hasFastPowers, ...balances, ...facts, swapFee, feePips: [pips, pips] };
}
