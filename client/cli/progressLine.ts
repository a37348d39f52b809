import type { Progress } from '../pay/paymentSession.ts';
import { sanitize } from './sanitize.ts';

/** The members of an output stream that are used. */
export interface Lines {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows the progress of a paid call: in a terminal one line that is updated, otherwise one line for each stage. */
export class ProgressLine {
  #ticking: NodeJS.Timeout | undefined;

  constructor(readonly out: Lines) {}

  show(progress: Progress): void {
    this.clear();
    const text = sanitize(describe(progress));
    // A switch changes what the user pays, so its line stays.
    if (!this.out.isTTY || progress.stage === 'switching') {
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
      const free = progress.firstCallFree ? ' (not charged if this wallet has not used its free call)' : '';
      return `signing a payment of ${progress.priceUsd} USD on ${progress.network}${free}`;
    }
    case 'settling':
      return `payment sent on ${progress.network}, waiting for the answer`;
    case 'waiting':
      return `${progress.reason}; retrying the same request in ${Math.ceil(progress.waitMs / 1000)} s`;
    case 'switching':
      return `${progress.from} cannot settle the payment now and charged nothing; paying on ${progress.network} instead`;
  }
}
