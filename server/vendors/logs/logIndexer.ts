import type { LogIndexProgress, LogIndexStore } from '../../storage/index.ts';
import {
  type FetchOptions,
  type LowerAddress,
  type RpcEndpoint,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';
import type { LogIndexLimits } from '../vendorConfig.ts';
import { advanceIndex, type IndexView } from './advanceIndex.ts';
import { createLogRpc, logsLabel } from './logRpc.ts';
import type { ArchiveProbe } from './readStartBlock.ts';

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
  /** Stops background scans; their progress is stored. */
  close(): Promise<void>;
}

/** Limit of concurrent scans, one per token. */
const maxJobs = 4;

interface Job {
  view: Promise<IndexView>;
  /** Resolves with the first transfer as soon as it is known, or when the job is done. */
  first: Promise<FirstLog | undefined>;
}

/**
 * Builds and serves the index over Transfer logs. A scan continues when its caller times out, and later callers share it.
 */
export function createLogIndexer(options: {
  endpoints: readonly RpcEndpoint[];
  store: LogIndexStore;
  limits: LogIndexLimits;
  archiveProbe: ArchiveProbe;
}): LogIndexer {
  const { endpoints, store, limits, archiveProbe } = options;
  const jobs = new Map<LowerAddress, Job>();
  const closing = new AbortController();

  async function run(token: LowerAddress, onFirst: (first: FirstLog) => void): Promise<IndexView> {
    let requests = 0;
    const rpc = createLogRpc(endpoints, closing.signal, () => {
      requests += 1;
      if (requests > limits.maxRequests) throw new VendorUnavailableError(logsLabel, 'not-indexed');
    });
    try {
      return await advanceIndex(token, { rpc, store, limits, archiveProbe, onFirst });
    } catch (error) {
      if (error instanceof RpcTransportError) throw new VendorUnavailableError(logsLabel, 'unreachable');
      throw error;
    } finally {
      jobs.delete(token);
    }
  }

  function findOrStart(token: LowerAddress): Job {
    const running = jobs.get(token);
    if (running) return running;
    if (closing.signal.aborted || jobs.size >= maxJobs) throw new VendorUnavailableError(logsLabel, 'not-indexed');
    let resolveFirst: (first: FirstLog) => void = () => undefined;
    const found = new Promise<FirstLog>((resolve) => {
      resolveFirst = resolve;
    });
    const view = run(token, resolveFirst);
    const first = Promise.race([found, view.then((done) => done.first)]);
    // Prevents an unhandled rejection when all callers have timed out.
    for (const promise of [view, first]) promise.catch(() => undefined);
    const job = { view, first };
    jobs.set(token, job);
    return job;
  }

  return {
    readIndex: async (token, { signal }) => untilAborted(findOrStart(token).view, signal),
    async readFirst(token, { signal }) {
      return (await store.load(token))?.first ?? untilAborted(findOrStart(token).first, signal);
    },
    async close() {
      closing.abort();
      await Promise.allSettled([...jobs.values()].map(({ view }) => view));
    },
  };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new VendorUnavailableError(logsLabel, 'not-indexed'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
