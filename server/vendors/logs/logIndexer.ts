import type { LogIndexProgress, LogIndexStore } from '../../storage/index.ts';
import {
  type FetchOptions,
  type LowerAddress,
  type RpcEndpoint,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';
import { untilAborted } from '../transport/untilAborted.ts';
import type { LogIndexLimits } from '../vendorConfig.ts';
import { advanceIndex, type IndexView } from './advanceIndex.ts';
import { createLogRpc, type LogRpc, logsLabel } from './logRpc.ts';
import { createLogSearch, type LogSearchEnd, type LogSearchState } from './logSearch.ts';
import { createLongestRange } from './longestRange.ts';
import type { CodeProbe } from './readStartBlock.ts';
import { describeRun, endOf, ScanEndedError } from './scanEnd.ts';
import { createScanPace, type ScanPace } from './scanPace.ts';

type FirstLog = NonNullable<LogIndexProgress['first']>;

export interface LogIndexer {
  /**
   * The index at the latest block.
   * @throws {VendorUnavailableError} not-indexed: the scan is incomplete, or too many tokens are scanned; unreachable,
   * timeout, refused, malformed or wrong-token: the node's fault
   */
  readIndex(token: LowerAddress, options: FetchOptions): Promise<IndexView>;
  /** Undefined if the chain contains no transfer. @throws {VendorUnavailableError} as `readIndex` */
  readFirst(token: LowerAddress, options: FetchOptions): Promise<FirstLog | undefined>;
  /** A sentence about the scan of a token, for an answer that lacks its values; undefined if there is nothing to state. */
  describe(token: LowerAddress): string | undefined;
  /** The searches in the background. From memory. */
  searches(): LogSearchState;
  /** Stops background scans; their progress is stored. */
  close(): Promise<void>;
}

/** Limit of concurrent scans of checks, one per token. */
const maxJobs = 4;

const notIndexed = () => new VendorUnavailableError(logsLabel, 'not-indexed');

interface Job {
  view: Promise<IndexView>;
  /** Resolves with the first transfer as soon as it is known, or when the job is done. */
  first: Promise<FirstLog | undefined>;
  pace: ScanPace;
  /** Whether all callers so far were free calls. */
  isFree: boolean;
}

/**
 * Builds and serves the index over Transfer logs. A scan continues when its caller times out, and later callers share it.
 * After `limits.maxRequests` it continues as a search (`logSearch.ts`), unless all its callers are free calls. Callers
 * do not wait for a search.
 *
 * @param options.onFault called if a search cannot store its progress
 * @param options.onSearchEnd called with the end of each search
 */
export function createLogIndexer(options: {
  endpoints: readonly RpcEndpoint[];
  store: LogIndexStore;
  limits: LogIndexLimits;
  codeProbe: CodeProbe;
  now: () => number;
  onFault: (error: unknown) => void;
  onSearchEnd: (end: LogSearchEnd) => void;
}): LogIndexer {
  const { endpoints, store, limits, codeProbe, now, onFault, onSearchEnd } = options;
  const jobs = new Map<LowerAddress, Job>();
  const closing = new AbortController();

  const longest = createLongestRange();
  const advance = (token: LowerAddress, rpc: LogRpc, pace: ScanPace, onFirst: (first: FirstLog) => void) =>
    advanceIndex(token, { rpc, store, limits, codeProbe, longest, pace, onFirst });
  const search = createLogSearch({
    scan: async (token, rpc, pace) => (await advance(token, rpc, pace, () => undefined)).holders !== undefined,
    endpoints,
    limits,
    now,
    signal: closing.signal,
    onFault,
    onEnd: onSearchEnd,
  });

  async function run(token: LowerAddress, pace: ScanPace, onFirst: (first: FirstLog) => void): Promise<IndexView> {
    const rpc = createLogRpc(endpoints, closing.signal, () => {
      if (pace.spend() > limits.maxRequests) throw new ScanEndedError('limit');
    });
    try {
      const view = await advance(token, rpc, pace, onFirst);
      search.settle(token, view.holders ? undefined : 'large', pace);
      return view;
    } catch (error) {
      const end = endOf(error);
      if ((end === 'limit' || end === 'limited') && jobs.get(token)?.isFree !== true) search.start(token, pace);
      else search.settle(token, end, pace);
      throw error instanceof RpcTransportError ? toUnavailable(error) : error;
    } finally {
      jobs.delete(token);
    }
  }

  function findOrStart(token: LowerAddress, isFree = false): Job {
    const running = jobs.get(token);
    if (running) {
      running.isFree &&= isFree;
      return running;
    }
    if (closing.signal.aborted || !search.mayScan(token)) throw notIndexed();
    const pace = createScanPace(now);
    if (jobs.size >= maxJobs) {
      if (isFree) search.settle(token, 'queue', pace);
      else search.start(token, pace);
      throw notIndexed();
    }
    const job = { ...startScan((onFirst) => run(token, pace, onFirst)), pace, isFree };
    jobs.set(token, job);
    return job;
  }

  return {
    readIndex: async (token, { signal, isFree }) => untilAborted(findOrStart(token, isFree).view, signal, notIndexed),
    async readFirst(token, { signal, isFree }) {
      return (await store.load(token))?.first ?? untilAborted(findOrStart(token, isFree).first, signal, notIndexed);
    },
    describe(token) {
      const pace = jobs.get(token)?.pace;
      // The remaining requests have pauses, unless the scan ends first.
      return pace ? describeRun(pace.percent(), pace.secondsLeft(limits.search.pauseMs)) : search.describe(token);
    },
    searches: search.state,
    async close() {
      closing.abort();
      await Promise.allSettled([...jobs.values()].map(({ view }) => view));
      await search.ended();
    },
  };
}

const toUnavailable = ({ limited }: RpcTransportError) =>
  new VendorUnavailableError(logsLabel, limited ? 'rate-limited' : 'unreachable');

/** Starts a scan whose first transfer is known before its end. */
function startScan(run: (onFirst: (first: FirstLog) => void) => Promise<IndexView>): Pick<Job, 'view' | 'first'> {
  let resolveFirst: (first: FirstLog) => void = () => undefined;
  const found = new Promise<FirstLog>((resolve) => {
    resolveFirst = resolve;
  });
  const view = run(resolveFirst);
  const first = Promise.race([found, view.then((done) => done.first)]);
  // Prevents an unhandled rejection when all callers have timed out.
  for (const promise of [view, first]) promise.catch(() => undefined);
  return { view, first };
}
