import type { TestToken } from '../../sandbox/index.ts';
import type { Answer } from './outageEnvironment.ts';

/** The part of an answer that must not depend on a vendor: the verdict, its inputs and values measured on chain. */
export function provenPart({ verdict, triggers, flags, liquidityCoverage, risk_profile, quote, identity }: Answer) {
  const { asOfBlockFirst: _first, asOfBlock: _last, ...coverage } = liquidityCoverage;
  const { liquidity, oracle, transferability } = risk_profile;
  const { note: _note, fingerprints: _fingerprints, roundTripPct, ...trading } = transferability;
  return {
    verdict,
    triggers,
    coverage,
    liquidity,
    deviationBps: oracle.deviationBps,
    trading,
    // In a repeat check the trades of other wallets move the price by hundredths of a percent.
    roundTripPct: roundTripPct === null ? null : Math.round(roundTripPct),
    quote,
    identity,
    flags: [flags['F-LIQ'], flags['F-FOT'], flags['O-SANITY'].severity],
  };
}

/** The verdict and its inputs, without values that change with time, as taxes and supply of some test tokens do. */
export function verdictPart({ verdict, triggers, liquidityCoverage, risk_profile }: Answer) {
  const { conclusive, poolsFound, venuesUnread, unmeasuredVenueNames } = liquidityCoverage;
  const { tradingEnabled, outcome } = risk_profile.transferability;
  return { verdict, triggers, conclusive, poolsFound, venuesUnread, unmeasuredVenueNames, tradingEnabled, outcome };
}

/**
 * Checks rules for every answer: the count of reporting axes, a reason for each unknown axis and the confidence.
 * @returns the broken rules
 */
export function faultsOf(answer: Answer): string[] {
  const { flags, coverage, confidence, verdict, reasons, liquidityCoverage, risk_profile, triggers } = answer;
  const faults: string[] = [];
  const entries = Object.entries(flags);
  const reporting = entries.filter(([, { severity }]) => severity !== 'unknown').length;
  if (coverage.axesReporting !== reporting)
    faults.push(`axesReporting is ${coverage.axesReporting} instead of ${reporting}`);
  for (const [name, { severity, value, reason }] of entries) {
    const cannotApply = severity === 'none' && reason === 'No price feed is known for this token.';
    if ((severity === 'unknown' || cannotApply) !== (value === null))
      faults.push(`${name} is ${severity} with ${value}`);
    const isReported = reasons.some((text) => text.includes(name));
    if (severity === 'unknown' && !(isReported && reason)) faults.push(`${name} is unknown without a reason`);
  }
  const expected =
    verdict === 'avoid' ? 'high' : risk_profile.concentration.stale === true || reporting < 4 ? 'low' : undefined;
  if (expected && confidence !== expected) faults.push(`confidence is ${confidence} instead of ${expected}`);
  if (verdict === 'clear' && confidence === 'high' && !(reporting === 5 && liquidityCoverage.conclusive)) {
    faults.push('confidence is high with gaps');
  }
  if ((verdict === 'avoid') !== triggers.length > 0) faults.push(`${verdict} with ${triggers.length} triggers`);
  return faults;
}

/** Symbols of a token for each trigger, and of tokens without one. */
export function sampleOf(testTokens: readonly TestToken[]): string[] {
  const of = (fits: (testToken: TestToken) => boolean, what: string) => {
    const found = testTokens.find(fits);
    if (!found) throw new Error(`No test token has ${what}.`);
    return found.symbol;
  };
  const only =
    (trigger: string) =>
    ({ truth }: TestToken) =>
      truth.triggers.join() === trigger;
  return [
    'cbBTC',
    of(({ truth }) => truth.outcomes[0] === 'tradable' && truth.verdict === 'clear', 'a clear verdict'),
    of(only('NO_EXIT_VENUE'), 'no exit'),
    of(only('EXIT_LIQUIDITY_DRAINED'), 'a drained pool'),
    of(only('TRADING_DISABLED'), 'a closed gate'),
    of(({ truth }) => truth.outcomes[0] === 'sale-blocked', 'a blocked sale'),
    of(({ truth }) => truth.unmeasuredVenue !== undefined, 'a venue that cannot be measured'),
  ];
}
