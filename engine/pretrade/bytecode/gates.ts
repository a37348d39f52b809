import type { TransferFinding } from '../axes/transferFinding.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { GateState } from '../verdict.ts';
import type { CodeFacts } from './codeFacts.ts';
import { type Getter, getters } from './signatures.ts';

export interface GateFinding {
  state: GateState;
  /** What each gate read and what that means here; the decisive one first. */
  reasons: string[];
  /** Getters that read true, and whose names say that transfers stand still. */
  pauses: string[];
}

/**
 * The token's own trading gate. A getter whose name can only mean a gate closes it by reading false. Any other getter,
 * and a pause that reads true, needs a refused simulated trade as well. A getter counts only if its selector is in the
 * bytecode, because a fallback may answer every call.
 */
export function weighGates(reading: ExitReading, code: CodeFacts | undefined, trade: TransferFinding): GateFinding {
  const selectors = code?.functions && new Set(code.functions.map(({ selector }) => selector));
  const read = getters
    .map((getter, index) => ({ ...getter, reading: reading.getters[index] }))
    .filter(({ selector, reading: word }) => {
      if (!word?.ok || word.word > 1n) return false;
      return selectors ? selectors.has(selector) : !reading.answersEverything;
    })
    .map((getter) => ({ ...getter, on: getter.reading?.word === 1n }));
  const refused = trade.canBuy === false || (trade.canBuy === true && trade.canSell === false);
  const shown = describeTrade(trade);

  const openGate = read.find(({ meaning, on }) => meaning === 'gate' && on);
  const closed: string[] = [];
  const open: string[] = [];
  for (const { name, meaning, on } of read) {
    if (meaning === 'lock') continue;
    if (meaning === 'pause') {
      // A pause stops purchases too: if only sales fail, another rule refuses them.
      if (on && trade.canBuy === false) closed.push(`${name}() reads true and ${shown}.`);
    } else if (on) open.push(name);
    else if (meaning === 'gate') closed.push(`${name}() reads false; ${shown}.`);
    // An unambiguous gate that reads open takes precedence over every ambiguous name.
    else if (refused && !openGate) closed.push(`${name}() reads false and ${shown}.`);
  }
  const pauses = read.filter(({ meaning, on }) => isPause(meaning) && on).map(({ name }) => name);
  if (closed.length > 0) return { state: 'closed', reasons: closed, pauses };
  const idle = read.filter(({ meaning, on }) => meaning === 'ambiguous' && !on).map(({ name }) => name);
  const but = openGate ? `${openGate.name}() reads true` : 'its name may mean something else';
  const reasons = idle.map((name) => `${name}() reads false, but ${but} and ${shown}.`);
  if (read.some(({ meaning }) => meaning === 'gate')) return { state: 'open', reasons, pauses };
  if (selectors === undefined) return { state: 'unknown', reasons, pauses };
  return { state: open.length > 0 ? 'open' : 'none', reasons, pauses };
}

const isPause = (meaning: Getter['meaning']) => meaning === 'pause' || meaning === 'lock';

/** The gate's own word first; without one, what simulated trades showed. */
export function tradingEnabledBy(gate: GateFinding, trade: TransferFinding): boolean | null {
  if (gate.state === 'closed') return false;
  // A lock may be one of something else: only a trade that is refused as well shows that trading stands still.
  if (gate.pauses.length > 0 && trade.canBuy !== true) return trade.canBuy;
  if (trade.canBuy === true && trade.canSell === true) return true;
  // A getter that reads open proves nothing while trades are refused.
  if (trade.canBuy === false || trade.canSell === false) return null;
  return gate.state === 'open' ? true : null;
}

/** What simulated trades of an ordinary wallet came to. */
export function describeTrade({ canBuy, canSell }: TransferFinding): string {
  if (canBuy === null) return 'no trade could be simulated';
  if (!canBuy) return 'a simulated purchase by an ordinary wallet is refused';
  if (canSell === false) return 'a simulated sale by an ordinary wallet is refused';
  return 'a simulated purchase and sale by an ordinary wallet work';
}
