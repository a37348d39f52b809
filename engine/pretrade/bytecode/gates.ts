import type { TransferFinding } from '../axes/transferFinding.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { GateState } from '../verdict.ts';
import type { CodeFacts } from './codeMemory.ts';
import { type Getter, getters } from './signatures.ts';

export interface GateFinding {
  state: GateState;
  /** A sentence for each getter: its value, and what follows from it. */
  reasons: string[];
  /** Names of the `pause` and `lock` getters that return true. */
  pauses: string[];
}

/**
 * State of the token's own trading gate. A `gate` getter that returns false closes it. An `ambiguous` getter that returns false
 * also needs a refused trade, and a `pause` getter that returns true a refused purchase. A `lock` getter never closes it.
 * A getter counts only if its selector is in the bytecode, because a fallback may return a value for every call. If the
 * bytecode could not be analysed, it counts unless the token returns a value for an unknown selector.
 */
export function weighGates(reading: ExitReading, code: CodeFacts | undefined, trade: TransferFinding): GateFinding {
  const selectors = code?.functions && new Set(code.functions.map(({ selector }) => selector));
  const read = getters
    .map((getter, index) => ({ ...getter, result: reading.getters[index] }))
    .filter(({ selector, result }) => {
      if (!result?.ok || result.word > 1n) return false;
      return selectors ? selectors.has(selector) : !reading.answersEverything;
    })
    .map((getter) => ({ ...getter, on: getter.result?.word === 1n }));
  const refused = trade.canBuy === false || (trade.canBuy === true && trade.canSell === false);
  const shown = describeTrade(trade);

  const openGate = read.find(({ meaning, on }) => meaning === 'gate' && on);
  const closed: string[] = [];
  const open: string[] = [];
  for (const { name, meaning, on } of read) {
    if (meaning === 'lock') continue;
    if (meaning === 'pause') {
      // A pause stops purchases too: if only sales fail, another rule refuses them.
      if (on && trade.canBuy === false) closed.push(`${name}() returns true and ${shown}.`);
    } else if (on) open.push(name);
    else if (meaning === 'gate') closed.push(`${name}() returns false; ${shown}.`);
    // A `gate` getter that returns true takes precedence over ambiguous ones.
    else if (refused && !openGate) closed.push(`${name}() returns false and ${shown}.`);
  }
  const pauses = read.filter(({ meaning, on }) => isPause(meaning) && on).map(({ name }) => name);
  if (closed.length > 0) return { state: 'closed', reasons: closed, pauses };
  const idle = read.filter(({ meaning, on }) => meaning === 'ambiguous' && !on).map(({ name }) => name);
  const caveat = openGate ? `${openGate.name}() returns true` : 'its name may mean something else';
  const reasons = idle.map((name) => `${name}() returns false, but ${caveat} and ${shown}.`);
  if (read.some(({ meaning }) => meaning === 'gate')) return { state: 'open', reasons, pauses };
  if (selectors === undefined) return { state: 'unknown', reasons, pauses };
  return { state: open.length > 0 ? 'open' : 'none', reasons, pauses };
}

const isPause = (meaning: Getter['meaning']) => meaning === 'pause' || meaning === 'lock';

/** Whether trading is enabled: decided by the gate if it is closed, otherwise by simulated trades. null: unknown. */
export function tradingEnabledBy(gate: GateFinding, trade: TransferFinding): boolean | null {
  if (gate.state === 'closed') return false;
  // A pause or lock may not concern trading, so the simulated purchase decides.
  if (gate.pauses.length > 0 && trade.canBuy !== true) return trade.canBuy;
  if (trade.canBuy === true && trade.canSell === true) return true;
  // A getter that returns true proves nothing while trades are refused.
  if (trade.canBuy === false || trade.canSell === false) return null;
  return gate.state === 'open' ? true : null;
}

/** The result of an ordinary wallet's simulated trades, as a clause. */
export function describeTrade({ canBuy, canSell }: TransferFinding): string {
  if (canBuy === null) return 'no trade could be simulated';
  if (!canBuy) return 'a simulated purchase by an ordinary wallet is refused';
  if (canSell === false) return 'a simulated sale by an ordinary wallet is refused';
  return 'a simulated purchase and sale by an ordinary wallet work';
}
