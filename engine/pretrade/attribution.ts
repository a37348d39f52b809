import type { TransferFinding } from './axes/transferFinding.ts';
import type { VendorResult } from './fetchVendorFacts.ts';
import { ownIndexLabel, type PowerEffect } from './pretradePorts.ts';
import type { PretradeAnswer } from './pretradeTypes.ts';

/** Why a value is null: `not found`, `read failed` or `not requested`. */
export type Absence = { kind: 'none' | 'unread' | 'not-requested'; reason: string };

type MissingResult = Exclude<VendorResult<unknown>, { status: 'known' }>;

/** Facts that decide which reason applies. `undefined`: the vendor returned a value, so a null has another cause. */
export interface AbsenceFacts {
  holders: MissingResult | undefined;
  firstTransfer: MissingResult | undefined;
  creator: MissingResult | undefined;
  market: MissingResult | undefined;
  topHolderMove: MissingResult | undefined;
  hasCode: boolean;
  /** Why a B20 token has no admin address in the answer; undefined for other tokens. */
  b20AdminGap: Absence | undefined;
  /** All code of the token, delegated code included, could be analysed. */
  codeRead: boolean;
  /** Why a power may have been missed; null if every function was tried with a conclusive result. */
  blacklistGap: string | null;
  mintGap: string | null;
  /** `owner()` or `getOwner()` returned a value that is not an address. */
  isOwnerMalformed: boolean;
  /** The market for the quote was read. */
  marketRead: boolean;
  /** Why there is no quote; null: there is one. */
  quoteGap: string | null;
  /** Every caller of decimals() got the same value. */
  decimalsAgree: boolean;
  isStable: boolean;
  /** A price feed of the token is known. */
  hasFeed: boolean;
  /** The feed returned a price. */
  feedRead: boolean;
  /** Balances of the token holders were read. */
  balancesRead: boolean;
  creatorBalanceRead: boolean;
  /** Number of trade plans. 0: no pool can be traded in, so nothing was simulated. */
  plans: number;
  trade: Pick<TransferFinding, 'canBuy' | 'canSell' | 'gaps' | 'outcome'>;
}

/** Facts that determine the source of a field, besides its path. */
export interface SourceFacts {
  holderSource: string | null;
  ageSource: string | null;
  creatorSource: string | null;
  marketSource: string | null;
  holderCountSource: string | null;
  moveSource: string | null;
  /** Effects of powers that were found only in another token with the same code. */
  otherTokenEffects: ReadonlySet<PowerEffect>;
  /** The factory created the token, so roles and policies decide about powers. */
  isB20: boolean;
  /** Facts that explain why a value is null. */
  absences: AbsenceFacts;
}

/** An answer before its fields are attributed to sources. */
export type Unattributed = Omit<PretradeAnswer, 'sources'>;
/** Returns the source of a field's value. */
export type Attribution = (facts: SourceFacts, path: string, answer: Unattributed) => string;
/** Returns why a field is null. */
export type WhyNull = (facts: AbsenceFacts, answer: Unattributed) => Absence;

export const measured = () => 'measured';
/**
 * @param fields paths of the answer from which the value is derived
 * @param how what else determines it, after a semicolon
 */
export const derived = (fields: string, how?: string) => () => `derived: ${fields}${how ? `; ${how}` : ''}`;
export const vendor = (name: Exclude<keyof SourceFacts, 'absences'>) => (facts: SourceFacts) =>
  facts[name] === ownIndexLabel ? ownIndex : `vendor: ${facts[name] ?? 'unknown'}`;
/** Measured by simulated calls, unless only another token with the same code showed this power. */
export const measuredPower = (effect: PowerEffect) => (facts: SourceFacts) =>
  !facts.isB20 && facts.otherTokenEffects.has(effect)
    ? 'derived: token; calls simulated with another token of the same code'
    : measured();
/** Roles of a B20 token are read on this call; the owner of another token is a field. */
export const derivedUnlessB20 = (fields: string) => (facts: SourceFacts) =>
  facts.isB20 ? measured() : derived(fields)();
const ownIndex = 'derived: token; the service’s index of its Transfer logs';

export const none = (reason: string): Absence => ({ kind: 'none', reason });
export const unread = (reason: string): Absence => ({ kind: 'unread', reason });
export const notRequested = (reason: string): Absence => ({ kind: 'not-requested', reason });
export const absenceFrom = (result: MissingResult | undefined, otherwise: Absence): Absence =>
  result ? { kind: result.status, reason: result.reason } : otherwise;
export const noCode = none('there is no contract at this address');

export function whyNoHolders({ holders, balancesRead, hasCode }: AbsenceFacts): Absence {
  if (!hasCode) return noCode;
  return absenceFrom(
    holders,
    unread(balancesRead ? 'the chain contradicts the list of holders' : 'balances could not be read'),
  );
}

export function whyNoPower(gapOf: (facts: AbsenceFacts) => string | null): (facts: AbsenceFacts) => Absence {
  return (facts) => (facts.hasCode ? unread(gapOf(facts) ?? 'not every owner function was tried') : noCode);
}
