import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../../time/withTimeout.ts';
import { type LowerAddress, Memory, type RpcEndpoint, RpcTransportError } from '../ports.ts';
import type { LogIndexLimits } from '../vendorConfig.ts';
import { createLogRpc, type LogRpc, withPauses } from './logRpc.ts';
import { describeEnd, describeRun, describeWait, endOf, type ScanEnd, ScanEndedError } from './scanEnd.ts';
import { createScanPace, type ScanPace } from './scanPace.ts';

/** Failures of all nodes in a row, without a block read between them, after which a search ends. A rate limit is one too. */
const maxFailures = 5;
const dayMs = 86_400_000;
/** How long a token is not scanned again after `too-long`: only the node that replied may return so few blocks. */
const tooLongMs = 3_600_000;
/** Ends that are remembered for later answers. */
const maxEnds = 2_000;

export interface LogSearch {
  /** Continues the scan of a token that a check could not complete. @param pace that of the check's scan */
  start(token: LowerAddress, pace: ScanPace): void;
  /** Records how a scan ended; undefined: it is complete. */
  settle(token: LowerAddress, end: ScanEnd | undefined, pace: ScanPace): void;
  /** Whether a check may scan the token: not while a search does, and for an hour not if a scan needs too many requests. */
  mayScan(token: LowerAddress): boolean;
  /** A sentence for the answer; undefined if there is nothing to state. */
  describe(token: LowerAddress): string | undefined;
  /** From memory. */
  state(): LogSearchState;
  /** Waits for the running search after the signal has aborted. */
  ended(): Promise<void>;
}

/** Number of searches. */
export interface LogSearchState {
  running: number;
  waiting: number;
}

/** How a search ended: `complete`, or why it ended early. */
export type LogSearchEnd = ScanEnd | 'complete';

interface LogSearchOptions {
  /** Reads the logs of a token from its last stored block. @returns whether its holders are indexed */
  scan: (token: LowerAddress, rpc: LogRpc, pace: ScanPace) => Promise<boolean>;
  endpoints: readonly RpcEndpoint[];
  limits: LogIndexLimits;
  now: () => number;
  signal: AbortSignal;
  /** Called if progress could not be stored. */
  onFault: (error: unknown) => void;
  /** Called with the end of each search. */
  onEnd: (end: LogSearchEnd) => void;
}

/**
 * Completes, in the background, scans that need more requests than one check has. It reads one token at a time, with a pause
 * before each request, so that it does not delay paid calls. Only a paid check starts a search, which limits their number.
 * The limits bound the cost of each.
 */
export function createLogSearch(options: LogSearchOptions): LogSearch {
  const { scan, endpoints, limits, now, signal, onFault, onEnd } = options;
  const { pauseMs, retryMs, maxMs, maxRequests, maxWaiting, maxRequestsPerDay } = limits.search;
  /** In the order of their start, with the pace of the check's scan. */
  const waiting = new Map<LowerAddress, ScanPace>();
  const ends = new Memory<LowerAddress, { end: ScanEnd; percent: number | undefined; at: number }>({
    maxEntries: maxEnds,
  });
  let running: { token: LowerAddress; pace: ScanPace; earlier: ScanPace } | undefined;
  let worker: Promise<void> | undefined;
  const day = createDayBudget(maxRequestsPerDay, now);

  async function search(token: LowerAddress, earlier: ScanPace): Promise<void> {
    const pace = createScanPace(now);
    running = { token, pace, earlier };
    const spend = () => {
      day.assertLeft();
      if (pace.spend() > maxRequests) throw new ScanEndedError('limit');
      day.spend();
    };
    const end = await withTimeout(signal, maxMs, (time) => {
      const rpc = withPauses(createLogRpc(endpoints, time, spend), pauseMs, time);
      return retry(() => scan(token, rpc, pace), { pace, retryMs, signal: time, onFault });
    });
    settle(token, end, pace);
    onEnd(end ?? 'complete');
    running = undefined;
  }

  async function work(): Promise<void> {
    for (let [next] = waiting; next !== undefined && !signal.aborted; [next] = waiting) {
      waiting.delete(next[0]);
      await search(...next);
    }
    worker = undefined;
  }

  function settle(token: LowerAddress, end: ScanEnd | undefined, pace: ScanPace): void {
    if (end === undefined) ends.forget(token);
    else ends.set(token, { end, percent: pace.percent(), at: now() });
  }

  const isActive = (token: LowerAddress) => running?.token === token || waiting.has(token);
  const isTooLong = (token: LowerAddress) => {
    const ended = ends.get(token);
    return ended?.end === 'too-long' && now() - ended.at < tooLongMs;
  };

  return {
    start(token, pace) {
      if (signal.aborted || isActive(token)) return;
      if (maxRequestsPerDay === 0) return settle(token, 'off', pace);
      if ((pace.requestsLeft() ?? 0) > 2 * maxRequests) return settle(token, 'too-long', pace);
      if (waiting.size >= maxWaiting) return settle(token, 'queue', pace);
      ends.forget(token);
      waiting.set(token, pace);
      worker ??= work();
    },
    settle,
    mayScan: (token) => !isActive(token) && !isTooLong(token),
    describe(token) {
      if (running?.token === token) {
        const { pace, earlier } = running;
        return describeRun(pace.percent() ?? earlier.percent(), pace.secondsLeft(0) ?? earlier.secondsLeft(pauseMs));
      }
      const position = [...waiting.keys()].indexOf(token);
      if (position >= 0) return describeWait(position + (running ? 1 : 0));
      const ended = ends.get(token);
      if (!ended) return undefined;
      const { maxTransfers: transfers, maxHolders: holders } = limits;
      return describeEnd(ended.end, {
        percent: ended.percent,
        again: day.secondsLeft(),
        limits: { transfers, holders },
      });
    },
    state: () => ({ running: running ? 1 : 0, waiting: waiting.size }),
    ended: async () => worker,
  };
}

/** The requests of all searches in 24 hours. */
function createDayBudget(most: number, now: () => number) {
  let day = { since: now(), requests: 0 };
  return {
    /** @throws {ScanEndedError} the requests are used up */
    assertLeft(): void {
      if (now() - day.since >= dayMs) day = { since: now(), requests: 0 };
      if (day.requests >= most) throw new ScanEndedError('day');
    },
    spend(): void {
      day.requests += 1;
    },
    /** Seconds until the next day begins. */
    secondsLeft: () => Math.max(0, day.since + dayMs - now()) / 1000,
  };
}

interface Retries {
  pace: ScanPace;
  retryMs: number;
  signal: AbortSignal;
  onFault: (error: unknown) => void;
}

/** Scans until the end, also after failures of all nodes. @returns why it ended early */
async function retry(
  scan: () => Promise<boolean>,
  { pace, retryMs, signal, onFault }: Retries,
): Promise<ScanEnd | undefined> {
  let failures = 0;
  let scannedTo: number | undefined;
  for (;;) {
    try {
      return (await scan()) ? undefined : 'large';
    } catch (error) {
      if (signal.aborted) return 'limit';
      const end = endOf(error);
      if (end === 'store') onFault(error);
      failures = pace.scannedTo() === scannedTo ? failures + 1 : 1;
      scannedTo = pace.scannedTo();
      if ((end !== 'unreachable' && end !== 'limited') || failures >= maxFailures) return end;
      const askedMs = error instanceof RpcTransportError ? (error.retryAfterMs ?? 0) : 0;
      const pauseMs = Math.max(askedMs, retryMs * 2 ** (failures - 1));
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
