import type { TransferFinding } from './axes/transferFinding.ts';
import type { B20Finding } from './b20/weighB20.ts';
import type { CheckInputs } from './checkInputs.ts';
import type { VendorResult } from './fetchVendorFacts.ts';
import { powerGap } from './powers/describePowers.ts';
import { effectsOfOtherToken, type FoundPower } from './powers/powerMemory.ts';
import { ownIndexLabel, type PowerEffect } from './pretradePorts.ts';
import type { PretradeAnswer, RiskProfile } from './pretradeTypes.ts';

/** Why a value is null: `not found`, `read failed` or `not requested`. */
export type Absence = { kind: 'none' | 'unread' | 'not-requested'; reason: string };

/** What an answer is composed from. It decides the source of each field, and why a field is null. */
export interface Composed {
  inputs: CheckInputs;
  trade: TransferFinding;
  /** What roles and policies of a B20 token allow; undefined for other tokens. */
  b20: B20Finding | undefined;
  powers: readonly FoundPower[];
  /** Why there is no quote; null: there is one. */
  quoteGap: string | null;
}

/** An answer before its fields are attributed to sources. */
export type Unattributed = Omit<PretradeAnswer, 'sources'>;
/** Returns the source of a field's value. */
export type Attribution = (composed: Composed, path: string, answer: Unattributed) => string;
/** Returns why a field is null. */
export type WhyNull = (composed: Composed, answer: Unattributed) => Absence;

/** The source of a field, and why it may be null; without `whyNull` it never is. */
export interface LeafRule {
  source: Attribution;
  whyNull?: WhyNull | undefined;
}

export const measured = () => 'measured';
/**
 * @param fields paths of the answer from which the value is derived
 * @param how what else determines it, after a semicolon
 */
export const derived = (fields: string, how?: string) => () => `derived: ${fields}${how ? `; ${how}` : ''}`;
/** @param labelOf returns the label of the source; null: unknown */
export const vendor =
  (labelOf: (composed: Composed, answer: Unattributed) => string | null): Attribution =>
  (composed, _path, answer) => {
    const label = labelOf(composed, answer);
    return label === ownIndexLabel ? ownIndex : `vendor: ${label ?? 'unknown'}`;
  };
export const labelOf = (result: VendorResult<{ source: string }>): string | null =>
  result.status === 'known' ? result.value.source : null;
/** Measured by simulated calls, unless only another token with the same code showed this power. */
export const measuredPower =
  (effect: PowerEffect): Attribution =>
  ({ b20, powers }) =>
    !b20 && effectsOfOtherToken(powers).has(effect)
      ? 'derived: token; calls simulated with another token of the same code'
      : measured();
const ownIndex = 'derived: token; the service’s index of its Transfer logs';

export const none = (reason: string): Absence => ({ kind: 'none', reason });
export const unread = (reason: string): Absence => ({ kind: 'unread', reason });
/** Why the source has no value; `otherwise` if it returned one, so that a null has another cause. */
export const absenceFrom = (result: VendorResult<unknown>, otherwise: Absence): Absence =>
  result.status === 'known' ? otherwise : { kind: result.status, reason: result.reason };
export const noCode = none('there is no contract at this address');

export function whyNoHolders({ inputs: { vendors, holderBalances, reading } }: Composed): Absence {
  if (!reading.exit.hasCode) return noCode;
  const balancesRead = (holderBalances?.balances.length ?? 0) > 0;
  return absenceFrom(
    vendors.holders,
    unread(balancesRead ? 'the chain contradicts the list of holders' : 'balances could not be read'),
  );
}

export const whyNoPower =
  (group: 'blacklist' | 'mint'): WhyNull =>
  ({ inputs: { reading }, b20 }) => {
    if (!reading.exit.hasCode) return noCode;
    const own = b20?.[group === 'mint' ? 'isMintable' : 'hasBlacklist'].why;
    return unread(own ?? powerGap(reading, group) ?? 'not every owner function was tried');
  };

type FieldRule<Value> = null extends Value ? { source: Attribution; whyNull: WhyNull } : { source: Attribution };

/** For each value of an axis: its source, and why it may be null. */
export interface Axis<Section extends keyof RiskProfile> {
  /** Source of the signal. */
  signal: Attribution;
  /** Why the signal may have no value. */
  whyNoValue: WhyNull;
  /** Every field of the section except its note. */
  fields: {
    [Field in Exclude<keyof RiskProfile[Section], 'note'>]-?: FieldRule<RiskProfile[Section][Field]>;
  };
}
