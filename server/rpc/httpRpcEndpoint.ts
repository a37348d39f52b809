import { type RpcCall, type RpcEndpoint, RpcTransportError } from '../../engine/index.ts';
import { decodeLoosely } from '../secrets/secretsOfUrl.ts';
import { withinTime } from '../time/withinTime.ts';
import { readBounded } from './readBounded.ts';
import { toReplies } from './toReplies.ts';

const defaultMaxBytes = 8 * 1024 * 1024;

/**
 * One RPC URL for the engine: a list of calls is one HTTP request. The URL may carry a key, so errors
 * and logs know the endpoint by its label only.
 *
 * @param timeoutMs bounds one request, whatever the caller's own signal says
 * @example createHttpRpcEndpoint({ url, label: 'base-1', timeoutMs: 8000 })
 */
export function createHttpRpcEndpoint(options: {
  url: string;
  label: string;
  timeoutMs: number;
  maxBytes?: number;
}): RpcEndpoint {
  const { label, timeoutMs, maxBytes = defaultMaxBytes } = options;
  const target = toTarget(options.url);
  return {
    label,
    async send(calls, { signal }) {
      if (calls.length === 0) return [];
      return withinTime(signal, timeoutMs, async (bounded) => {
        const response = await post(target, toEnvelope(calls), bounded, label);
        return toReplies(await parse(response, maxBytes, label), calls.length, label);
      });
    },
  };
}

/** A lone call goes out bare: some nodes price or refuse batches. */
function toEnvelope(calls: readonly RpcCall[]): string {
  const envelopes = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  return JSON.stringify(envelopes.length === 1 ? envelopes[0] : envelopes);
}

interface Target {
  url: string;
  headers: Record<string, string>;
}

/** fetch takes no URL with a user name in it: that goes where HTTP has it. */
function toTarget(text: string): Target {
  const url = new URL(text);
  const headers = { 'content-type': 'application/json' };
  if (!url.username && !url.password) return { url: text, headers };
  const user = Buffer.from(`${decodeLoosely(url.username)}:${decodeLoosely(url.password)}`);
  url.username = '';
  url.password = '';
  return { url: url.href, headers: { ...headers, authorization: `Basic ${user.toString('base64')}` } };
}

async function post({ url, headers }: Target, body: string, signal: AbortSignal, label: string): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal,
      redirect: 'error',
    });
  } catch (cause) {
    // fetch rejects for nothing but the transport: refused, reset, redirected, aborted, timed out.
    throw new RpcTransportError(`${label} could not be reached.`, { cause });
  }
}

async function parse(response: Response, maxBytes: number, label: string): Promise<unknown> {
  if (!response.ok) {
    await response.body?.cancel();
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
    const limited = response.status === 429 || response.status === 503;
    throw new RpcTransportError(`${label} answered HTTP ${response.status}.`, {
      answered: !limited,
      ...(limited && retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
  const text = await readBounded(response, maxBytes, label);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RpcTransportError(`${label} answered something that is not JSON.`, { cause, answered: true });
  }
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3), in milliseconds from now. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
