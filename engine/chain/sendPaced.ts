import { RpcTransportError } from '../errors.ts';
import { pause } from './pause.ts';
import type { Pace, RpcCall, RpcEndpoint, RpcReply } from './rpcEndpoint.ts';

interface PacedOptions {
  signal: AbortSignal;
  /**
   * `patient`: waits for the budget, and sends refused calls again until the signal aborts. `impatient`: throws if another
   * node may answer sooner. `settlement`: waits only after a refusal.
   */
  as: 'patient' | 'impatient' | 'settlement';
  /** Called with the units that were sent. */
  onSent?: (units: number) => void;
}

/** The longest wait at a node while others may answer, in milliseconds. */
const impatientMs = 100;
/** The longest pause that an endpoint can ask for before its calls fail instead, in milliseconds. */
const longestHoldMs = 6_000;
/** A settlement has no deadline here: its caller tries the next node after so many refusals. */
const mostRefusals = 8;
const limitText =
  /rate.?limit|request rate|too many requests|compute units|throughput|exceeded.{0,40}capacity|requests? limit (?:reached|exceeded)|(?:calls|requests|req) ?(?:per|\/) ?sec|\brps\b/i;

/** Whether the endpoint refused this call because there were too many. */
export const isLimited = (reply: RpcReply | undefined): boolean =>
  reply !== undefined && 'error' in reply && (reply.error.code === 429 || limitText.test(reply.error.message));

/**
 * Sends calls as fast as the endpoint's budget allows. Calls that it refuses because there were too many are sent again.
 * @throws {RpcTransportError}
 */
export async function sendPaced(
  endpoint: RpcEndpoint,
  calls: readonly RpcCall[],
  options: PacedOptions,
): Promise<RpcReply[]> {
  const { pace } = endpoint;
  if (!pace || calls.length === 0) return endpoint.send(calls, { signal: options.signal });
  const replies = new Map<RpcCall, RpcReply>();
  let open = [...calls];
  for (let refusals = 0; open.length > 0; ) {
    if (options.as === 'settlement' && (refusals > mostRefusals || pace.heldMs() > longestHoldMs))
      throw tooMany(endpoint, pace.heldMs());
    const part = options.as === 'settlement' ? open : open.slice(0, pace.fitting(open));
    const answered = await sendPart(endpoint, pace, part, options);
    const refused = part.filter((_, index) => isLimited(answered[index]));
    for (const [index, reply] of answered.entries()) {
      const call = part[index];
      if (call && !isLimited(reply)) replies.set(call, reply);
    }
    if (refused.length > 0) refusals += 1;
    open = [...refused, ...open.slice(part.length)];
  }
  return calls.flatMap((call) => replies.get(call) ?? []);
}

/** The endpoint, which paces its own requests. */
export const withPace = (endpoint: RpcEndpoint, as: PacedOptions['as']): RpcEndpoint => ({
  label: endpoint.label,
  send: (calls, { signal }) => sendPaced(endpoint, calls, { signal, as }),
});

/** Sends one request. Its replies may be refusals; if all of it was refused, each reply is one. */
async function sendPart(
  endpoint: RpcEndpoint,
  pace: Pace,
  part: readonly RpcCall[],
  { signal, as, onSent }: PacedOptions,
): Promise<RpcReply[]> {
  const units = pace.weigh(part);
  if (as === 'settlement') {
    while (pace.heldMs() > 0) await inTime(endpoint, pause(pace.heldMs(), signal));
    pace.spend(units);
  } else {
    const waitMs = pace.waitMs(units);
    if (as === 'impatient' && waitMs > impatientMs) throw tooMany(endpoint, waitMs);
    await inTime(endpoint, pace.turn(units, signal));
  }
  onSent?.(units);
  try {
    const replies = await endpoint.send(part, { signal });
    const refused = part.filter((_, index) => isLimited(replies[index]));
    pace.accepted(units - pace.weigh(refused));
    if (refused.length > 0) pace.limited(undefined);
    return replies;
  } catch (error) {
    if (!(error instanceof RpcTransportError && error.limited)) throw error;
    pace.limited(error.retryAfterMs);
    if (as === 'impatient' || (error.retryAfterMs ?? 0) > longestHoldMs) throw error;
    return part.map(() => ({ error: { code: 429, message: 'rate limit' } }));
  }
}

/** A wait that the signal ends is a failed request, as callers of an endpoint expect. */
const inTime = ({ label }: RpcEndpoint, wait: Promise<void>): Promise<void> =>
  wait.catch((cause: unknown) => {
    throw new RpcTransportError(`${label} did not accept the calls in time.`, { limited: true, cause });
  });

const tooMany = ({ label }: RpcEndpoint, waitMs: number) =>
  new RpcTransportError(`${label} has used its budget.`, { limited: true, retryAfterMs: waitMs });
