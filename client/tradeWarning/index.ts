import type { PretradeCheck } from '../toCheck.ts';

/** The fields of a check that show whether an ordinary wallet can trade the token. */
export interface TradedCheck {
  verdict: string;
  /** Absent only in an answer that does not match the schema: then it is not known whether the token can be sold. */
  risk_profile?: {
    transferability?: {
      outcome: string;
      buyTaxRaw: number | null;
      sellTaxRaw: number | null;
      /** Percent; null or absent: not simulated. */
      roundTripPct?: number | null;
    };
  };
}

/** A reason not to trade a token that no listed trap covers. */
export interface TradeWarning {
  /** A sentence for people. */
  message: string;
  /** `high`: a wallet cannot sell, or loses most of its money. `medium`: a restriction, or it is not known. */
  severity: 'high' | 'medium';
}

/** Above this share of the amount, a tax takes most of a trade. */
const maximumTax = 0.5;
/** Percent of a purchase that an immediate sale must return. */
const minimumRoundTripPct = 50;

const outcomeWarnings: Record<PretradeCheck['risk_profile']['transferability']['outcome'], TradeWarning | undefined> = {
  'purchase-blocked': { message: 'An ordinary wallet could not buy this token.', severity: 'high' },
  'sale-blocked': { message: 'An ordinary wallet could not sell this token.', severity: 'high' },
  'sale-blocked-for-a-time': {
    message: 'An ordinary wallet could not sell this token at first; later sales worked.',
    severity: 'medium',
  },
  'size-limited': { message: 'An ordinary wallet could not trade the whole size at once.', severity: 'medium' },
  'sale-blocked-same-block-only': {
    message: 'An ordinary wallet could not sell in the block of its purchase; the next block worked.',
    severity: 'medium',
  },
  'contract-wallets-only-blocked': {
    message: 'A contract wallet could not trade this token; an ordinary wallet could.',
    severity: 'medium',
  },
  tradable: undefined,
  unknown: { message: 'It is not known whether an ordinary wallet can sell this token.', severity: 'medium' },
};

/**
 * The most severe warning of a check about trades of an ordinary wallet; undefined if its simulated purchase and sale
 * worked and returned most of the money.
 *
 * The verdict has a closed list of traps: a sale tax of 100 % is `clear`. Read this before the verdict.
 */
export function tradeWarning({ risk_profile }: Omit<TradedCheck, 'verdict'>): TradeWarning | undefined {
  const trades = risk_profile?.transferability;
  if (!trades) return outcomeWarnings.unknown;
  const { outcome, buyTaxRaw, sellTaxRaw, roundTripPct = null } = trades;
  const blocked = isKnown(outcome)
    ? outcomeWarnings[outcome]
    : { message: `The outcome ${outcome} is not supported by this client version.`, severity: 'medium' as const };
  if (blocked?.severity === 'high') return blocked;
  const loss = describeLoss(buyTaxRaw, sellTaxRaw, roundTripPct);
  return loss === undefined ? blocked : { message: loss, severity: 'high' };
}

/** Whether the verdict is `clear` and no warning applies. Use it as the guard before a trade. */
export const isTradable = (check: TradedCheck): boolean =>
  check.verdict === 'clear' && tradeWarning(check) === undefined;

const isKnown = (outcome: string): outcome is keyof typeof outcomeWarnings => Object.hasOwn(outcomeWarnings, outcome);

function describeLoss(buyTax: number | null, sellTax: number | null, roundTripPct: number | null): string | undefined {
  if (sellTax !== null && sellTax > maximumTax) return `An ordinary wallet loses ${percent(sellTax * 100)} of a sale.`;
  if (buyTax !== null && buyTax > maximumTax) return `An ordinary wallet loses ${percent(buyTax * 100)} of a purchase.`;
  if (roundTripPct !== null && roundTripPct < minimumRoundTripPct)
    return `A purchase and its immediate sale return ${percent(roundTripPct)} of the money.`;
  return undefined;
}

/** Two decimals; rounded down, so that 99.999 % is not shown as a whole. */
const percent = (value: number): string => `${Math.floor(value * 100 + 1e-6) / 100} %`;
