import type { Progress } from '../pay/buy.ts';
import { sanitize } from './sanitize.ts';

/** The part of a stream that is used, e.g. stderr. */
export interface Lines {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows the progress of a paid call: one updated line in a terminal, one line per stage otherwise. */
export class ProgressLine {
  #ticking: NodeJS.Timeout | undefined;

  constructor(readonly out: Lines) {}

  show(progress: Progress): void {
    this.clear();
    const text = sanitize(describe(progress));
    if (!this.out.isTTY) {
      this.out.write(`${text}\n`);
      return;
    }
    const since = Date.now();
    const draw = () => this.out.write(`\r\u001b[K${text} ${Math.round((Date.now() - since) / 1000)} s`);
    draw();
    this.#ticking = setInterval(draw, 1_000).unref();
  }

  /** Removes the line from a terminal. */
  clear(): void {
    if (this.#ticking === undefined) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.out.write('\r\u001b[K');
  }
}

function describe(progress: Progress): string {
  switch (progress.stage) {
    case 'priced': {
      const free = progress.firstCallFree ? ' (a wallet’s first call is free)' : '';
      return `${progress.priceUsd} USD on ${progress.network}${free}, signing`;
    }
    case 'settling':
      return `paying on ${progress.network}, waiting for the answer`;
    case 'waiting':
      return `${progress.reason}; the same signature again in ${Math.ceil(progress.waitMs / 1000)} s`;
  }
}
