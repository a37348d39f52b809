import { setTimeout as sleep } from 'node:timers/promises';
import type { RpcEndpoint } from '../engine/index.ts';

/** A greater difference refuses valid payments: a signature is valid for minutes, with a margin of seconds. */
const toleratedMs = 30_000;
/** A chain with users produces a block in this time. */
const advanceMs = 5_000;
const intervalMs = 60_000;
const timeoutMs = 5_000;

/** The times of service and chain at one moment, if they differ by more than `toleratedMs`. */
export interface ClockSkew {
  serviceTime: string;
  /** Time of the newest block. */
  chainTime: string;
}

interface Head {
  number: bigint;
  timeMs: number;
}

interface ClockWatchOptions {
  /** Endpoints of each chain, best first. */
  chains: readonly (readonly RpcEndpoint[])[];
  now: () => number;
  onChange: (skew: ClockSkew | undefined) => void;
  pause?: (ms: number) => Promise<void>;
}

async function readHead(endpoints: readonly RpcEndpoint[]): Promise<Head | undefined> {
  for (const endpoint of endpoints) {
    const calls = [{ method: 'eth_getBlockByNumber', params: ['latest', false] }];
    const replies = await endpoint.send(calls, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => []);
    const [reply] = replies;
    const head = reply && 'result' in reply ? toHead(reply.result) : undefined;
    if (head) return head;
  }
  return undefined;
}

function toHead(block: unknown): Head | undefined {
  const { number, timestamp } = (block ?? {}) as { number?: unknown; timestamp?: unknown };
  const isQuantity = (value: unknown): value is string =>
    typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value);
  if (!isQuantity(number) || !isQuantity(timestamp)) return undefined;
  return { number: BigInt(number), timeMs: Number(BigInt(timestamp)) * 1_000 };
}

/**
 * Compares the service's clock with the newest blocks, at start and every minute. If one chain agrees with the
 * clock, the clock counts as right. A chain that does not advance is ignored: it may be stalled, or mine on demand.
 */
export function watchClock({
  chains,
  now,
  onChange,
  pause = (ms) => sleep(ms, undefined, { ref: false }),
}: ClockWatchOptions) {
  let skew: ClockSkew | undefined;
  let isClosed = false;

  const differs = ({ timeMs }: Head): boolean => Math.abs(now() - timeMs) > toleratedMs;

  /** The skew; `unknown` if no chain advanced. */
  async function compare(): Promise<ClockSkew | undefined | 'unknown'> {
    const first = await Promise.all(chains.map(readHead));
    if (first.some((head) => head && !differs(head))) return undefined;
    if (first.every((head) => head === undefined)) return 'unknown';
    await pause(advanceMs);
    const later = await Promise.all(chains.map(readHead));
    const advanced = later.filter((head, index): head is Head => {
      const before = first[index];
      return head !== undefined && before !== undefined && head.number > before.number;
    });
    if (advanced.some((head) => !differs(head))) return undefined;
    const newest = advanced.toSorted((left, right) => right.timeMs - left.timeMs)[0];
    if (!newest) return 'unknown';
    return { serviceTime: new Date(now()).toISOString(), chainTime: new Date(newest.timeMs).toISOString() };
  }

  async function update(): Promise<void> {
    const found = await compare();
    if (isClosed || found === 'unknown') return;
    const isNews = (found === undefined) !== (skew === undefined);
    skew = found;
    if (isNews) onChange(found);
  }

  let running: Promise<void> | undefined;
  function check(): Promise<void> {
    running ??= update().finally(() => {
      running = undefined;
    });
    return running;
  }

  void check();
  const timer = setInterval(() => void check(), intervalMs).unref();
  return {
    /** From memory. */
    skew: (): ClockSkew | undefined => skew,
    check,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
