import type { Readable } from 'node:stream';
import { type Pace, type RpcCall, type RpcEndpoint, type RpcReply, RpcTransportError } from '../../engine/index.ts';
import { withTimeout } from '../time/withTimeout.ts';
import { createHttpPost, type HttpResponse } from './httpPost.ts';
import { readBounded } from './readBounded.ts';
import { toReplies } from './toReplies.ts';

const defaultMaxBytes = 8 * 1024 * 1024;

/**
 * Creates the engine's endpoint for one RPC URL. A list of calls is one HTTP request. The URL may contain a key, so errors
 * and logs contain only the endpoint's label. `send` throws RpcTransportError.
 *
 * @param timeoutMs bounds one request in addition to the caller's signal
 * @example createHttpRpcEndpoint({ url, label: 'base-1', timeoutMs: 8000 })
 */
export function createHttpRpcEndpoint(options: {
  url: string;
  label: string;
  timeoutMs: number;
  maxBytes?: number;
  /** Shared by all endpoints of this URL. */
  pace?: Pace | undefined;
}): RpcEndpoint {
  const { url, label, timeoutMs, maxBytes = defaultMaxBytes, pace } = options;
  const post = createHttpPost(url);
  return {
    label,
    ...(pace && { pace }),
    async send(calls, { signal }) {
      if (calls.length === 0) return [];
      return withTimeout(signal, timeoutMs, async (bounded) => {
        const answer = await post(toEnvelope(calls), bounded).catch((cause: unknown) => {
          // `post` rejects for transport failures only: refused, reset, aborted, timed out.
          throw new RpcTransportError(`${label} could not be reached.`, { cause });
        });
        return parse(answer, calls.length, { maxBytes, label });
      });
    },
  };
}

/** A single call is not sent as a batch: some nodes reject batches or charge more for them. */
function toEnvelope(calls: readonly RpcCall[]): string {
  const envelopes = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  return JSON.stringify(envelopes.length === 1 ? envelopes[0] : envelopes);
}

interface Limits {
  maxBytes: number;
  label: string;
}

async function parse(answer: HttpResponse, count: number, { maxBytes, label }: Limits): Promise<RpcReply[]> {
  const { status, body } = answer;
  if (status < 200 || status > 299) {
    // Some nodes send the JSON-RPC errors of calls with HTTP 400.
    const replies = status === 400 && body ? await repliesIn(body, count, { maxBytes, label }) : undefined;
    if (replies) return replies;
    answer.drop();
    const retryAfterMs = toRetryAfterMs(answer.retryAfter);
    const isTemporary = status === 429 || status === 503;
    throw new RpcTransportError(`${label} returned HTTP ${status}.`, {
      limited: status === 429,
      answered: !isTemporary,
      ...(isTemporary && retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
  if (!body) {
    answer.drop();
    throw new RpcTransportError(`${label} returned an unsupported content-encoding.`, { answered: true });
  }
  const text = await readBounded(body, maxBytes, label);
  return toReplies(parseJson(text, label), count, label);
}

function parseJson(text: string, label: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RpcTransportError(`${label} returned a body that is not JSON.`, { cause, answered: true });
  }
}

/** The replies in the body of an error response; undefined if it contains none. */
async function repliesIn(body: Readable, count: number, { maxBytes, label }: Limits): Promise<RpcReply[] | undefined> {
  try {
    return toReplies(parseJson(await readBounded(body, maxBytes, label), label), count, label);
  } catch (error) {
    if (error instanceof RpcTransportError) return undefined;
    throw error;
  }
}

/** Converts Retry-After, seconds or an HTTP date (RFC 9110, 10.2.3), to milliseconds from now. */
function toRetryAfterMs(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
