import type { Progress } from '../pay/buy.ts';
import { tame } from './tame.ts';

/** As much of a stream as the line needs; stderr fits. */
export interface Lines {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows where a paid call stands: a line that changes in a terminal, a line a stage in a log. */
export class ProgressLine {
  #ticking: NodeJS.Timeout | undefined;

  constructor(readonly out: Lines) {}

  show(progress: Progress): void {
    this.clear();
    const words = tame(wordsOf(progress));
    if (!this.out.isTTY) {
      this.out.write(`${words}\n`);
      return;
    }
    const since = Date.now();
    const draw = () => this.out.write(`\r\u001b[K${words} ${Math.round((Date.now() - since) / 1000)} s`);
    draw();
    this.#ticking = setInterval(draw, 1_000).unref();
  }

  /** Leaves nothing behind in a terminal. */
  clear(): void {
    if (this.#ticking === undefined) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.out.write('\r\u001b[K');
  }
}

function wordsOf(progress: Progress): string {
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
