import type { LiquidityFinding } from './axes/liquidity.ts';
import type { TransferFinding } from './axes/transferability.ts';
import type { GateFinding } from './bytecode/gates.ts';
import type { Gathered } from './compose.ts';
import { type Signal, type SignalName, signalNames, type Trigger, type Verdict } from './pretradeTypes.ts';
import { decimalsAgree } from './toAbsences.ts';
import { drainedShare } from './verdict.ts';

export interface ReasonInput {
  gathered: Pick<Gathered, 'sizeUsd' | 'reading' | 'vendors'>;
  decided: { verdict: Verdict; triggers: Trigger[] };
  liquidity: LiquidityFinding;
  trade: TransferFinding;
  gate: GateFinding;
  flags: Record<SignalName, Signal>;
  /** Why there is no quote; null: there is one. */
  quoteGap: string | null;
  /** Of the block, where it is too old to speak of now. */
  ageSeconds: number | undefined;
}

/** Plain sentences, gravest first: the triggers, what simulations prove beside them, then what could not be seen. */
export function reasonsOf(input: ReasonInput): string[] {
  const { decided, liquidity, trade, gate, flags, gathered } = input;
  const reasons: string[] = [];
  for (const trigger of decided.triggers) reasons.push(...sayTrigger(trigger, input));
  // Proven by simulation, though not on the closed list: first after the triggers.
  reasons.push(...trade.observations);
  if ((trade.sellTax ?? 0) > 0.15)
    reasons.push(`A sale loses ${((trade.sellTax ?? 0) * 100).toFixed(1)} % to the token's tax.`);
  if ((trade.buyTax ?? 0) > 0.15)
    reasons.push(`A purchase loses ${((trade.buyTax ?? 0) * 100).toFixed(1)} % to the token's tax.`);
  if (gate.state !== 'closed') reasons.push(...gate.reasons);
  if (gate.pauses.length > 0) reasons.push(`${gate.pauses.join('() and ')}() reads true: the token may be paused.`);
  if (!gathered.reading.exit.hasCode) reasons.push('There is no contract at this address.');
  else if (gathered.reading.exit.decimals === undefined)
    reasons.push('decimals() cannot be read: this may be no token.');
  if (input.ageSeconds !== undefined) {
    reasons.push(
      `The newest block that was to be had is ${input.ageSeconds} s old: all of this may be otherwise by now.`,
    );
  }
  if (!decimalsAgree(gathered.reading))
    reasons.push('decimals() answers one reader otherwise than the next: amounts of whole tokens mean nothing.');
  reasons.push(...liquidity.reasons);
  for (const name of signalNames) {
    if (flags[name].severity === 'unknown') reasons.push(`${name} could not be checked. ${flags[name].reason}`);
  }
  if (gathered.reading.code?.functions === undefined)
    reasons.push('The bytecode could not be analysed completely, so functions may be hidden.');
  if (input.quoteGap !== null) reasons.push(`No executable quote from USDC: ${input.quoteGap.replace(/\.$/, '')}.`);
  if (gathered.vendors.storeFault) reasons.push('The memory of earlier measurements could not be used.');
  if (decided.verdict === 'clear') {
    reasons.push('None of the listed traps is proven at this block. That is neither a rating nor a prediction.');
  }
  return [...new Set(reasons)];
}

function sayTrigger(trigger: Trigger, { gathered, liquidity, gate }: ReasonInput): string[] {
  const { coverage, section } = liquidity;
  if (trigger === 'NO_EXIT_VENUE') {
    return [
      `No pool of the token exists on any of the ${coverage.factoriesChecked} factories that are covered, at block ${coverage.asOfBlock}.`,
    ];
  }
  if (trigger === 'EXIT_LIQUIDITY_DRAINED') {
    const share = drainedShare * 100;
    return [
      `All sales together can draw ${(section.exitLiquidityUsd ?? 0).toFixed(2)} USD from ${coverage.poolsFound} pool(s): less than ${share} % of ${gathered.sizeUsd} USD.`,
    ];
  }
  return gate.reasons;
}
