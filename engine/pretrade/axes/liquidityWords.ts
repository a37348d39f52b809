import { getAddress, type Hex } from 'viem';
import { sanitizeText, sentence } from '../context/sentence.ts';
import type { Reach } from '../reach/reachValue.ts';
import type { Enumerated, HintedReading } from '../tokenReading.ts';
import type { ConcentrationFinding } from './concentration.ts';
import type { LiquidityInput, OutsideFinding, PricedExit } from './liquidityTypes.ts';

/** Appended if no pool was found: venues whose pools a check cannot detect. */
const unseenVenues = 'Pools of Curve, Maverick and Ekubo are not covered.';

/** Names pricing assets, whose price source failed, and counts assets that have no price source. */
export function describeUnpriced(unpriced: readonly PricedExit[], { reading, deployment }: LiquidityInput): string[] {
  const symbolOf = ({ exit }: PricedExit) =>
    deployment.pricingAssets.find(({ address }) => address === exit.counter)?.symbol;
  const listed = [...new Set(unpriced.map(symbolOf).filter((symbol) => symbol !== undefined))];
  const others = unpriced.filter((entry) => symbolOf(entry) === undefined).length;
  const sequencer = reading.sequencer === 'down' || reading.sequencer === 'unread';
  const why = sequencer
    ? ` because the sequencer feed ${reading.sequencer === 'down' ? 'reports an outage' : 'could not be read'}`
    : '';
  return [
    ...listed.map((symbol) => `The USD price of ${symbol} is unavailable${why}; pools that pay in it are not counted.`),
    ...(others > 0 ? [`${others} pool(s) pay in an asset without a known USD price.`] : []),
  ];
}

/** Counts pools that are not in the sum, because a larger one pays in the same asset without a price. */
export function describeShared(shared: readonly PricedExit[]): string[] {
  const paying = shared.filter(({ drawnUsd }) => drawnUsd);
  if (paying.length === 0) return [];
  return [
    `${paying.length} pool(s) pay in the same asset without a price as a larger pool; exit liquidity counts only the larger one.`,
  ];
}

/** Why the market of counter-assets without a price is not fully known. */
export function describeReach(reach: Reach | undefined): string[] {
  const why = reach?.status === 'unread' ? reach.reason : reach?.gap;
  return why === undefined
    ? []
    : [sentence(`The sale value of assets without a USD price is not fully known: ${sanitizeText(why, 120)}`)];
}

/** Maximum number of contracts that are named. */
const maxNamed = 3;

/** Names contracts outside the covered factories that answer like pairs. */
export function describeOutside(outside: readonly OutsideFinding[]): string[] {
  return [...outside]
    .sort((a, b) => b.drawnUsd - a.drawnUsd)
    .slice(0, maxNamed)
    .map(({ pool, state, drawnUsd }) => {
      const start = `${getAddress(pool)}, outside the covered factories, has the interface of a pair of the token`;
      if (state === 'pays')
        return `${start}. A simulated sale draws up to ${drawnUsd.toFixed(2)} USD there, so another exit exists.`;
      if (state === 'unknown') return `${start}. No sale could be simulated there, so another exit may exist.`;
      return `${start}. Simulated sales draw less than 5 % of the size there, so it is not counted.`;
    });
}

/** Reason for an incomplete pool search, with the progress of the pool index that replaces it. */
export function describeUnlisted({ reason, index }: Extract<Enumerated, { ok: false }>, head: bigint): string {
  const unread = `Pools with unlisted counter-assets or hooks could not be searched for: the factories' logs could not be read in full (${sanitizeText(reason, 120)}).`;
  if (!index) return unread;
  if (index.status === 'unread') return `${unread} The pool index could not be read.`;
  if (index.status === 'empty') return `${unread} The pool index is empty so far.`;
  const { scannedTo, newest } = index;
  if (newest.to <= scannedTo) return `${unread} The pool index covers blocks up to ${scannedTo} of ${head}.`;
  return `${unread} The pool index covers blocks ${newest.from} to ${newest.to} of ${head}, and reads earlier ones.`;
}

/** Which third parties were asked for pools that the logs may lack. */
export function describeHinted(hinted: HintedReading | undefined): string[] {
  const { pools, answered, failed } = hinted ?? { pools: [], answered: [], failed: [] };
  if (answered.length === 0 && failed.length === 0) return [];
  const names = answered.join(' and ');
  const found = `Of the pools that ${names} ${answered.length > 1 ? 'list' : 'lists'}, ${pools.length} more ${pools.length === 1 ? 'was' : 'were'} confirmed on the chain.`;
  return [
    ...(answered.length > 0 ? [found] : []),
    ...(failed.length > 0 ? [`${failed.join(' and ')} could not be searched for further pools.`] : []),
  ];
}

export function noteOf(
  exits: readonly PricedExit[],
  { unpriced, complete, isUnknown }: { unpriced: number; complete: boolean; isUnknown: boolean },
): string {
  const [largest] = exits;
  if (!largest) {
    return complete
      ? `No pool of the token was found on the covered factories. ${unseenVenues}`
      : 'No pool of the token was found, but not every venue could be measured.';
  }
  const unknown =
    unpriced > 0 ? ` ${unpriced} pool(s) pay in assets without a known price and are not in the sum.` : '';
  const found = isUnknown
    ? 'It is unavailable: not every venue could be measured, and sales in the measured pools draw nothing.'
    : `Largest: ${largest.venue} ${toShown(largest.exit.id)}.`;
  return (
    `exitLiquidityUsd is what simulated sales draw from ${complete ? 'every pool' : 'the measured pools'} down to 1/100 of ` +
    `the price, before taxes of the token. ${found}${unknown}`
  );
}

/** An address with its checksum; the 32-byte id of a singleton's pool unchanged. */
const toShown = (id: Hex) => (id.length === 42 ? getAddress(id) : id);

/** An agent cannot tell such a pool from a drained one by the trigger. */
export const newlyLaunched =
  'The token is newly launched, or all its buyers have sold: purchases work, but the pools hold no asset that they could pay for a sale. Only your own purchase would fund the exit.';

/** Percent of the supply. A curve of a launchpad begins with nearly all of it. */
const curveSharePct = 20;

/** A launchpad's bonding curve holds the supply until the token gets a pool. */
export function describeCurve({ topHolder, section }: Pick<ConcentrationFinding, 'topHolder' | 'section'>): string[] {
  const share = section.top1SharePct ?? 0;
  if (topHolder === null || share < curveSharePct) return [];
  return [
    `${getAddress(topHolder)} holds ${share.toFixed(1)} % of the supply. If it is a launchpad’s bonding curve, which the check does not cover, sales there may work.`,
  ];
}
