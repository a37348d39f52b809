import type { PoolIndexState } from '../ports.ts';

/** Measures the progress of a scan. */
export interface ScanProgress {
  /** A pass begins. @param from its first block @param target its last block */
  begin(from: number, target: number): void;
  advance(scannedTo: number): void;
  /** A pass ended. @param reason why it failed */
  end(reason?: string): void;
  /** Also before a pass. */
  restore(scannedTo: number | undefined): void;
  state(): PoolIndexState;
}

/** Below this share of a pass, its pace is not a measure. */
const leastMeasuredMs = 2_000;

/** @param now milliseconds since the epoch */
export function createScanProgress(now: () => number): ScanProgress {
  let status: PoolIndexState['status'] = 'idle';
  let first = 0;
  let scannedTo: number | undefined;
  let target: number | undefined;
  let reason: string | undefined;
  let begun = { at: 0, block: 0 };

  function secondsLeft(): number | undefined {
    const elapsedMs = now() - begun.at;
    const blocks = (scannedTo ?? 0) - begun.block;
    if (status !== 'scanning' || target === undefined || blocks <= 0 || elapsedMs < leastMeasuredMs) return undefined;
    return Math.ceil(((target - (scannedTo ?? 0)) * elapsedMs) / blocks / 1000);
  }

  return {
    begin(from, last) {
      // A later pass continues after the earlier one.
      first = target === undefined ? from : Math.min(first, from);
      target = last;
      begun = { at: now(), block: from - 1 };
      // A complete index reads the newest blocks every few seconds; that is no new scan.
      const isTopUp = status === 'complete' && reason === undefined;
      if (last >= from && !isTopUp) status = 'scanning';
    },
    advance(block) {
      scannedTo = block;
    },
    end(failure) {
      reason = failure;
      const isComplete = target !== undefined && (scannedTo ?? -1) >= target;
      if (failure !== undefined) status = 'failing';
      else if (isComplete || (target !== undefined && target < first)) status = 'complete';
    },
    restore(block) {
      scannedTo = block;
    },
    state() {
      const all = target === undefined ? 0 : target - first + 1;
      const done = (scannedTo ?? first - 1) - first + 1;
      const percent =
        status === 'complete' ? 100 : all > 0 ? Math.max(0, Math.min(99, Math.floor((100 * done) / all))) : 0;
      return { status, scannedTo, target, percent, secondsLeft: secondsLeft(), reason };
    },
  };
}
