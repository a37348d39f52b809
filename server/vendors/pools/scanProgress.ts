import type { PoolIndexState } from '../ports.ts';

/** Measures the progress of a scan. */
export interface ScanProgress {
  /** A pass begins. @param missing number of blocks to read @param target the last settled block */
  begin(missing: number, target: number): void;
  /** @param blocks number of blocks that were read */
  advance(blocks: number): void;
  /** A pass ended. @param reason why it failed */
  end(reason?: string): void;
  state(): PoolIndexState;
}

/** Below this share of a pass, its pace is not a measure. */
const leastMeasuredMs = 2_000;

/** @param now milliseconds since the epoch */
export function createScanProgress(now: () => number): ScanProgress {
  let status: PoolIndexState['status'] = 'idle';
  let target: number | undefined;
  let blocksLeft: number | undefined;
  let reason: string | undefined;
  let begun = { at: 0, blocks: 0 };

  function secondsLeft(): number | undefined {
    if (status !== 'scanning' || blocksLeft === undefined) return undefined;
    const elapsedMs = now() - begun.at;
    const blocks = begun.blocks - blocksLeft;
    if (blocks <= 0 || elapsedMs < leastMeasuredMs) return undefined;
    return Math.ceil((blocksLeft * elapsedMs) / blocks / 1000);
  }

  function percent(): number {
    if (status === 'complete') return 100;
    if (target === undefined || blocksLeft === undefined || target < 0) return 0;
    return Math.max(0, Math.min(99, Math.floor((100 * (target + 1 - blocksLeft)) / (target + 1))));
  }

  return {
    begin(missing, last) {
      target = last;
      blocksLeft = missing;
      begun = { at: now(), blocks: missing };
      // A complete index reads the newest blocks every few seconds; that is no new scan.
      const isTopUp = status === 'complete' && reason === undefined;
      if (missing > 0 && !isTopUp) status = 'scanning';
    },
    advance(blocks) {
      if (blocksLeft !== undefined) blocksLeft -= blocks;
    },
    end(failure) {
      reason = failure;
      if (failure !== undefined) status = 'failing';
      else if (blocksLeft === 0) status = 'complete';
    },
    state: () => ({ status, blocksLeft, target, percent: percent(), secondsLeft: secondsLeft(), reason }),
  };
}
