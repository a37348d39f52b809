import { getAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { FeedReading, SequencerState } from '../../pools/decodeStates.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { type Absence, type Axis, derived, measured, none, unread, type WhyNull } from '../attribution.ts';
import { ownFeedOf } from '../checkInputs.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { OracleSection, Signal } from '../pretradeTypes.ts';

/** Appended to the note: feeds may be stale while the sequencer is down or its state is unknown. */
const sequencerDoubts: Record<SequencerState, string> = {
  none: '',
  up: '',
  down: ' The sequencer feed reports an outage within the last hour.',
  unread: ' The sequencer feed could not be read.',
};

/** The oracle axis: deviation of the deepest pool's mid from the token's own Chainlink feed, in basis points. */
export function weighOracle(
  token: LowerAddress,
  reading: ExitReading,
  own: FeedReading | undefined,
  { feeds }: Deployment,
  midUsd: number | null,
): { section: OracleSection; signal: Signal } {
  const base = { unit: 'bps', cachedAgeSec: null } as const;
  const withoutValue = (note: string, part: Partial<OracleSection> = {}, severity: 'unknown' | 'none' = 'unknown') => ({
    section: { source: null, deviationBps: null, stalenessSec: null, note, ...part },
    signal: { ...base, severity, value: null, reason: note },
  });
  const feed = feeds[token];
  // Without a known feed there is nothing to compare, so the axis is complete.
  if (!feed) return withoutValue('No price feed is known for this token.', {}, 'none');
  const source = `chainlink ${getAddress(feed.address)}`;
  if (!own?.read || own.answer === 0n) return withoutValue('The feed could not be read, or has no price.', { source });
  const stalenessSec = Math.max(0, Number(reading.timestamp - own.updatedAt));
  const stale = stalenessSec > feed.heartbeatSeconds;
  const doubt = sequencerDoubts[reading.sequencer];
  if (midUsd === null)
    return withoutValue('No pool has a price that the feed could be compared with.', { source, stalenessSec });
  const price = Number(own.answer) / 10 ** own.decimals;
  const deviationBps = (midUsd / price - 1) * 10_000;
  const deviation = `${(Math.abs(deviationBps) / 100).toFixed(2)} % ${deviationBps < 0 ? 'below' : 'above'}`;
  const note = `The mid of the deepest pool is ${deviation} the price of the feed, which is ${stalenessSec} s old${stale ? ', older than its heartbeat' : ''}.${doubt}`;
  if (stale || doubt) return withoutValue(note, { source, deviationBps, stalenessSec });
  const size = Math.abs(deviationBps);
  const severity = size > 1000 ? 'high' : size > 300 ? 'medium' : size > 100 ? 'low' : 'none';
  return {
    section: { source, deviationBps, stalenessSec, note },
    signal: { ...base, severity, value: deviationBps, reason: note },
  };
}

/** @param otherwise the reason if the feed was read and a pool has a price */
const whyNoDeviation =
  (otherwise: (answer: Parameters<WhyNull>[1]) => Absence): WhyNull =>
  ({ inputs }, answer) => {
    const { feeds } = inputs.environment.data.deployment;
    if (!feeds[inputs.token]) return none('no price feed is known for this token');
    const own = ownFeedOf(inputs);
    if (!own?.read || own.answer === 0n) return unread('the feed could not be read, or has no price');
    return answer.risk_profile.oracle.deviationBps === null
      ? none('no pool has a price to compare with the feed')
      : otherwise(answer);
  };
const whyNull = whyNoDeviation(() => unread('the feed has no price'));

export const oracleAxis: Axis<'oracle'> = {
  signal: derived('risk_profile.oracle'),
  whyNoValue: whyNoDeviation(({ flags }) => unread(flags['O-SANITY'].reason)),
  fields: {
    source: {
      source: derived('token', 'the service’s list of price feeds'),
      whyNull: () => none('no price feed is known for this token'),
    },
    deviationBps: {
      source: derived('risk_profile.oracle.source', 'its price and the mid price of the deepest pool'),
      whyNull,
    },
    stalenessSec: { source: measured, whyNull },
  },
};
