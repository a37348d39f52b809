import type { TransferFinding } from '../axes/transferability.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { CodeFacts } from '../tokenMemory.ts';
import type { GateState } from '../verdict.ts';
import { getters } from './signatures.ts';

export interface GateFinding {
  state: GateState;
  /** What each gate read and what that means here; the decisive one first. */
  reasons: string[];
  /** Getters that read true, and whose names say that transfers stand still. */
  pauses: string[];
}

/**
 * The token's own trading gate (decisions §5). A name that can only mean a gate is believed; any other needs a
 * simulated trade that is refused as well. A getter counts only when its selector stands in the bytecode, because a
 * fallback may answer everything.
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
  const shown = told(trade);

  const openGate = read.find(({ meaning, on }) => meaning === 'gate' && on);
  const closed: string[] = [];
  const open: string[] = [];
  for (const { name, meaning, on } of read) {
    if (meaning === 'pause') continue;
    if (on) open.push(name);
    else if (meaning === 'gate') closed.push(`${name}() reads false; ${shown}.`);
    // An unambiguous gate that reads open takes precedence over every ambiguous name.
    else if (refused && !openGate) closed.push(`${name}() reads false and ${shown}.`);
  }
  const pauses = read.filter(({ meaning, on }) => meaning === 'pause' && on).map(({ name }) => name);
  if (closed.length > 0) return { state: 'closed', reasons: closed, pauses };
  const idle = read.filter(({ meaning, on }) => meaning === 'ambiguous' && !on).map(({ name }) => name);
  const but = openGate ? `${openGate.name}() reads true` : 'its name may mean something else';
  const reasons = idle.map((name) => `${name}() reads false, but ${but} and ${shown}.`);
  if (read.some(({ meaning }) => meaning === 'gate')) return { state: 'open', reasons, pauses };
  if (selectors === undefined) return { state: 'unknown', reasons, pauses };
  return { state: open.length > 0 ? 'open' : 'none', reasons, pauses };
}

/** The gate's own word first; without one, what simulated trades showed. */
export function tradingEnabledBy(gate: GateFinding, trade: TransferFinding): boolean | null {
  if (gate.state === 'closed') return false;
  // A lock may be one of something else: only a trade that is refused as well shows that trading stands still.
  if (gate.pauses.length > 0 && trade.canBuy !== true) return trade.canBuy;
  if (trade.canBuy === true && trade.canSell === true) return true;
  return gate.state === 'open' ? true : null;
}

function told({ canBuy, canSell }: TransferFinding): string {
  if (canBuy === null) return 'no trade could be simulated';
  if (!canBuy) return 'a simulated purchase by an ordinary wallet is refused';
  if (canSell === false) return 'a simulated sale by an ordinary wallet is refused';
  return 'a simulated purchase and sale by an ordinary wallet work';
}
