import type { QuoteOutput } from '../../router/index.ts';

// The transactions that this browser asked a wallet to send for an answer. Each is stored before the wallet is asked, so
// that neither a reload nor another tab sends a swap twice. Each answer has its own key: tabs do not overwrite records.

export interface SwapRecord {
  step: 'approval' | 'swap';
  /** The account that sends. */
  account: string;
  /** When the wallet was asked, epoch milliseconds. */
  requestedAt: number;
  /** Until when the transaction may be mined, epoch milliseconds. */
  until: number;
  /** How many transactions of the account were mined before; absent if the wallet could not read it. */
  nonce?: number;
  /** Another transaction of the account may have replaced it, under a hash that the page does not know. */
  isReplaced?: true;
  /** Absent while the wallet has not returned it. */
  hash?: string;
  /** The account's balance of tokenOut before the swap, in base units. */
  balanceBefore?: string;
  /** Present once it is mined. */
  result?: { succeeded: boolean; block: string; received?: string };
}

const prefix = 'truefill.swap.';

const keyOf = ({ chain, tokenIn, tokenOut, amountIn, amountOut, blockNumber, ts }: QuoteOutput) =>
  prefix + [chain, blockNumber, ts, tokenIn, tokenOut, amountIn, amountOut].join('.');

export function readSwap(quote: QuoteOutput): SwapRecord | undefined {
  const text = localStorage.getItem(keyOf(quote));
  return text === null ? undefined : (JSON.parse(text) as SwapRecord);
}

/** @throws {DOMException} the browser stores nothing; the transaction must not be sent then */
export function keepSwap(quote: QuoteOutput, record: SwapRecord): void {
  localStorage.setItem(keyOf(quote), JSON.stringify(record));
  prune();
}

const dayMs = 86_400_000;
/** No transaction of a swap is valid for as long. */
const keptMs = 90 * dayMs;
/** More than the answers that a browser keeps: only the swap of a kept answer can be sent. */
const maxFinished = 200;

/** Removes old records, and finished ones beyond a number. A record without a result blocks a second sending. */
function prune(): void {
  const records = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .flatMap(parse)
    .sort((a, b) => b.requestedAt - a.requestedAt);
  let finished = 0;
  for (const { key, requestedAt, result } of records) {
    if (result) finished += 1;
    if (Date.now() - requestedAt > keptMs || (result && finished > maxFinished)) localStorage.removeItem(key);
  }
}

/** Empty for text that another program changed: it must not block a sending. */
function parse(key: string): (SwapRecord & { key: string })[] {
  try {
    return [{ ...(JSON.parse(localStorage.getItem(key) ?? '') as SwapRecord), key }];
  } catch {
    return [];
  }
}

export function dropSwap(quote: QuoteOutput): void {
  localStorage.removeItem(keyOf(quote));
}

/** Runs one call for an answer at a time, in all tabs. Pages over plain http have no locks. @throws {Error} one is running */
export async function alone<T>(quote: QuoteOutput, run: () => Promise<T>): Promise<T> {
  if (!navigator.locks) return run();
  return navigator.locks.request(keyOf(quote), { ifAvailable: true }, (lock) => {
    if (!lock) throw new Error('Another tab is sending this swap. Nothing was sent from here.');
    return run();
  });
}
