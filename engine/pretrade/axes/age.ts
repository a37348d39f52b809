import { type Axis, absenceFrom, derived, labelOf, unread, vendor, type WhyNull } from '../attribution.ts';
import { sentence } from '../context/sentence.ts';
import type { VendorResult } from '../fetchVendorFacts.ts';
import type { FirstTransfer } from '../pretradePorts.ts';
import type { AgeSection, Signal } from '../pretradeTypes.ts';

const secondsPerDay = 86_400;

/** The age axis: days between the first transfer and the block. */
export function weighAge(
  result: VendorResult<FirstTransfer>,
  blockTimestamp: bigint,
): { section: AgeSection; signal: Signal } {
  const base = { unit: 'days', cachedAgeSec: null } as const;
  if (result.status !== 'known') {
    const reason = sentence(`Age is unavailable: ${result.reason}`);
    return {
      section: { ageDays: null, genesisBlock: null, note: reason },
      signal: { ...base, severity: 'unknown', value: null, reason },
    };
  }
  const { timestamp, blockNumber, source } = result.value;
  const ageDays = Math.max(0, Number(blockTimestamp) - timestamp) / secondsPerDay;
  const severity = ageDays < 1 ? 'high' : ageDays < 7 ? 'medium' : ageDays < 30 ? 'low' : 'none';
  return {
    section: { ageDays, genesisBlock: Number(blockNumber), note: `Time since the first transfer, from ${source}.` },
    signal: {
      ...base,
      severity,
      value: ageDays,
      reason: `The first transfer was ${describeDays(ageDays)} before this block.`,
    },
  };
}

/** "less than 0.1 days", "3.2 days". */
const describeDays = (days: number) => (days < 0.1 ? 'less than 0.1 days' : `${days.toFixed(1)} days`);

const whyNull: WhyNull = ({ inputs }) =>
  absenceFrom(inputs.vendors.firstTransfer, unread('the source returned no time'));
const source = vendor(({ inputs }) => labelOf(inputs.vendors.firstTransfer));

export const ageAxis: Axis<'age'> = {
  signal: derived('risk_profile.age.ageDays'),
  whyNoValue: whyNull,
  fields: { ageDays: { source, whyNull }, genesisBlock: { source, whyNull } },
};
