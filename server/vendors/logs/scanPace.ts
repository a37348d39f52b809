/** Fewer requests than these do not show the pace of a scan. */
const leastMeasured = 10;

/** How far one scan has come, and how fast. */
export interface ScanPace {
  /** Counts a request. @returns the number of requests so far */
  spend(): number;
  /** @param scannedTo the last block that was read @param last the last block to read */
  reached(scannedTo: number, last: number): void;
  /** The last block that was read; undefined before the first one. */
  scannedTo(): number | undefined;
  /** Undefined before the first block. */
  percent(): number | undefined;
  /** Undefined until the pace is known. */
  requestsLeft(): number | undefined;
  /** @param pauseMs how much longer each remaining request takes than those so far, in milliseconds */
  secondsLeft(pauseMs: number): number | undefined;
}

/** @param now milliseconds since the epoch */
export function createScanPace(now: () => number): ScanPace {
  const begunAt = now();
  let requests = 0;
  let first = 0;
  let scanned: number | undefined;
  let end = 0;

  function requestsLeft(): number | undefined {
    if (scanned === undefined || scanned === first || requests < leastMeasured) return undefined;
    return Math.ceil(((end - scanned) * requests) / (scanned - first));
  }

  return {
    spend() {
      requests += 1;
      return requests;
    },
    reached(scannedTo, last) {
      if (scanned === undefined) first = scannedTo;
      scanned = scannedTo;
      end = last;
    },
    scannedTo: () => scanned,
    percent: () => (scanned === undefined ? undefined : Math.min(99, Math.floor((100 * (scanned + 1)) / (end + 1)))),
    requestsLeft,
    secondsLeft(pauseMs) {
      const left = requestsLeft();
      return left && Math.ceil((left * ((now() - begunAt) / requests + pauseMs)) / 1000);
    },
  };
}
