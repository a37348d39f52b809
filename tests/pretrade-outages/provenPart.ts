import type { TestToken } from '../../sandbox/index.ts';
import type { Answer } from './outageEnvironment.ts';

/** What of an answer must not depend on any vendor: the verdict, all it follows from, and what was measured on chain. */
export function provenPart({ verdict, triggers, flags, liquidityCoverage, risk_profile, quote, identity }: Answer) {
  const { asOfBlockFirst: _first, asOfBlock: _last, ...coverage } = liquidityCoverage;
  const { liquidity, oracle, transferability } = risk_profile;
  const { note: _note, fingerprints: _fingerprints, ...trading } = transferability;
  return {
    verdict,
    triggers,
    coverage,
    liquidity,
    deviationBps: oracle.deviationBps,
    trading,
    quote,
    identity,
    flags: [flags['F-LIQ'], flags['F-FOT'], flags['O-SANITY'].severity],
  };
}

/** The verdict and what it follows from: what stays of the oddest token, whose taxes and supply move with the clock. */
export function verdictPart({ verdict, triggers, liquidityCoverage, risk_profile }: Answer) {
  const { conclusive, poolsFound, venuesUnread, unmeasuredVenueNames } = liquidityCoverage;
  const { tradingEnabled, outcome } = risk_profile.transferability;
  return { verdict, triggers, conclusive, poolsFound, venuesUnread, unmeasuredVenueNames, tradingEnabled, outcome };
}

/** Holds what every answer owes its reader: counted axes, a reason for each gap, and the confidence that follows. */
export function faultsOf(answer: Answer): string[] {
  const { flags, coverage, confidence, verdict, reasons, liquidityCoverage, risk_profile, triggers } = answer;
  const faults: string[] = [];
  const entries = Object.entries(flags);
  const reporting = entries.filter(([, { severity }]) => severity !== 'unknown').length;
  if (coverage.axesReporting !== reporting) faults.push(`${coverage.axesReporting} axes are said to report`);
  for (const [name, { severity, value, reason }] of entries) {
    const cannotApply = severity === 'none' && reason === 'No price feed is known for this token.';
    if ((severity === 'unknown' || cannotApply) !== (value === null))
      faults.push(`${name} is ${severity} with ${value}`);
    const said = reasons.some((text) => text.includes(name));
    if (severity === 'unknown' && !(said && reason)) faults.push(`${name} is unknown without a reason`);
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

/** One token for each trigger, and honest ones: what an outage must not turn into each other. */
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
    of(({ truth }) => truth.outcomes[0] === 'tradable' && truth.verdict === 'clear', 'nothing wrong'),
    of(only('NO_EXIT_VENUE'), 'no exit'),
    of(only('EXIT_LIQUIDITY_DRAINED'), 'a drained pool'),
    of(only('TRADING_DISABLED'), 'a closed gate'),
    of(({ truth }) => truth.outcomes[0] === 'sale-blocked', 'a blocked sale'),
    of(({ truth }) => truth.unmeasuredVenue !== undefined, 'a venue that cannot be measured'),
  ];
}
