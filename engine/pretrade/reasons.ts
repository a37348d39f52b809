import { describeCurve, newlyLaunched } from './axes/liquidityWords.ts';
import { describeBlockCount, describeLoss, describeRoundTrip, describeWorsePools } from './axes/tradeWords.ts';
import type { AxisFindings } from './axes/weighAxes.ts';
import { b20Sentences, describeLookAlike } from './b20/applyB20.ts';
import { groupsOf } from './bytecode/fingerprints.ts';
import { describeTrade } from './bytecode/gates.ts';
import type { CheckInputs } from './checkInputs.ts';
import { sentence } from './context/sentence.ts';
import { describePowers } from './powers/describePowers.ts';
import { signalNames, type Trigger, type Verdict } from './pretradeTypes.ts';
import { decimalsAgree } from './tokenReading.ts';
import { tradeGapOf } from './tradeGap.ts';
import { drainedShare } from './verdict.ts';

export interface ReasonInput extends AxisFindings {
  inputs: CheckInputs;
  decided: { verdict: Verdict; triggers: Trigger[] };
  /** Why there is no quote; null if there is one. */
  quoteGap: string | null;
  /** Age of a block that is too old; otherwise undefined. */
  ageSeconds: number | undefined;
}

/**
 * Sentences in the order in which they matter for a trade: triggers, refused or taxed trades, powers over holders, what
 * makes the answer unreliable, axes with severity high, exit liquidity, gaps.
 */
export function reasonsOf(input: ReasonInput): string[] {
  const { decided, liquidity, trade, gate, b20, flags, concentration, inputs, ageSeconds, quoteGap } = input;
  const { reading, vendors } = inputs;
  const { hasCode, decimals } = reading.exit;
  const unavailable = signalNames.filter((name) => flags[name].severity === 'unknown');
  const reasons = [
    ...decided.triggers.flatMap((trigger) => describeTrigger(trigger, input)),
    ...trade.observations,
    describeBlockCount(trade, reading.code),
    ...describeLoss('sale', trade.sellTax, trade.sellLoss),
    ...describeLoss('purchase', trade.buyTax, trade.buyLoss),
    describeRoundTrip(trade),
    ...describeWorsePools(trade),
    ...describePowers(reading),
    ...(b20 ? b20Sentences(b20) : []),
    describeLookAlike(reading),
    ...(gate.state === 'closed' ? [] : gate.reasons),
    gate.state !== 'closed' &&
      gate.pauses.length > 0 &&
      `${gate.pauses.join('() and ')}() returns true; ${describeTrade(trade)}.`,
    !hasCode && 'There is no contract at this address.',
    hasCode && decimals === undefined && 'decimals() cannot be read, so this may not be a token.',
    !decimalsAgree(reading) &&
      'decimals() returns different values to different callers, so amounts in whole tokens are unreliable.',
    ageSeconds !== undefined &&
      `The latest available block is ${ageSeconds} s old; everything in this answer may be stale.`,
    (concentration.section.top1SharePct ?? 0) > 100 &&
      'A balance exceeds totalSupply(), so shares of the supply are above 100 % and unreliable.',
    ...describeHigh(input),
    tradeGapOf(reading),
    ...liquidity.reasons,
    ...unavailable.map((name) => `${name} is unavailable. ${flags[name].reason}`),
    hasCode &&
      !b20 &&
      groupsOf(reading.code) === undefined &&
      'The bytecode could not be analysed completely, so functions may be hidden.',
    quoteGap !== null && `There is no executable quote from USDC. ${sentence(quoteGap)}`,
    vendors.storeFault !== undefined &&
      'Stored measurements could not be read or written, so holders and age may be missing.',
    decided.verdict === 'clear' &&
      'None of the listed traps is proven at this block. This is neither a rating nor a prediction.',
  ];
  return [...new Set(reasons.filter((reason) => typeof reason === 'string'))];
}

/** Reasons of flags with severity high. F-LIQ is omitted if an earlier sentence states why trades fail. */
function describeHigh({ decided, flags, trade }: ReasonInput): string[] {
  const isExitStated =
    decided.triggers.some((trigger) => trigger !== 'TRADING_DISABLED') ||
    trade.outcome === 'sale-blocked' ||
    trade.outcome === 'purchase-blocked';
  const names = (['F-LIQ', 'O-SANITY', 'F-CONC', 'F-AGE'] as const).filter((name) => name !== 'F-LIQ' || !isExitStated);
  return names.flatMap((name) => (flags[name].severity === 'high' ? [flags[name].reason] : []));
}

function describeTrigger(trigger: Trigger, { inputs, liquidity, gate, trade, concentration }: ReasonInput): string[] {
  const { coverage, atMostUsd, exits } = liquidity;
  if (trigger === 'NO_EXIT_VENUE') {
    return [
      `None of the ${coverage.factoriesChecked} covered factories has a pool of the token at block ${coverage.asOfBlock}.`,
      ...describeCurve(concentration),
    ];
  }
  if (trigger === 'EXIT_LIQUIDITY_DRAINED') {
    const share = drainedShare * 100;
    const isUnsold = trade.outcome === 'tradable' && exits.every(({ exit }) => exit.most === 0n);
    return [
      ...(isUnsold ? [newlyLaunched] : []),
      `Sales of any size can draw at most ${(atMostUsd ?? 0).toFixed(2)} USD from ${coverage.poolsFound} pool(s), less than ${share} % of ${inputs.sizeUsd} USD.`,
    ];
  }
  return gate.reasons;
}
