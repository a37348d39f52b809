import type { z } from 'zod';
import { withTimeout } from '../../time/withTimeout.ts';
import { type FetchOptions, type VendorFault, VendorUnavailableError } from '../ports.ts';
import { BodyTooLargeError, readBounded } from './readBounded.ts';
import { createVendorGate } from './vendorGate.ts';

/** One fault for the operator's log, without URL, key or body. */
export interface VendorFaultNotice {
  vendor: string;
  fault: VendorFault;
  /** `HTTP 502`, `ECONNREFUSED`, `items.0.value: Invalid input`. */
  detail: string;
}

export interface VendorClientOptions {
  /** Appears in errors, responses and logs. */
  label: string;
  /** Without a trailing slash; may have a path. */
  baseUrl: string;
  /** Query parameters with keys; added to each request and never logged. */
  secrets?: Record<string, string>;
  headers?: Record<string, string>;
  timeoutMs: number;
  maxBytes: number;
  requestsPerMinute: number;
  now: () => number;
  onFault?: (notice: VendorFaultNotice) => void;
  /** Instruments each request. */
  instrument?: VendorInstrumentation;
}

/** Runs a request and records its outcome. Resolves and rejects like the request. */
export type VendorInstrumentation = <T>(
  vendor: string,
  work: () => Promise<T>,
  failed: (error: unknown) => string,
) => Promise<T>;

interface VendorRequest<T> {
  /** Begins with a slash. */
  path: string;
  query?: Record<string, string>;
  schema: z.ZodType<T>;
}

export interface VendorClient {
  readonly label: string;
  /** @throws {VendorUnavailableError} for every failure, including an invalid response. */
  fetchJson<T>(request: VendorRequest<T>, options: FetchOptions): Promise<T>;
  /** Like `fetchJson`, but returns null for a 404 with a JSON body: the vendor has no such item. */
  fetchKnown<T>(request: VendorRequest<T>, options: FetchOptions): Promise<T | null>;
}

/** A failed request before it becomes a VendorUnavailableError. */
class Fault extends Error {
  constructor(
    readonly fault: VendorFault,
    readonly detail: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(detail);
  }
}

/**
 * Fetches JSON from one vendor with a timeout, a size limit on the stream and a schema. Redirects are not followed,
 * because one could send the key to another host.
 *
 * @example
 * const client = createVendorClient({ label: 'blockscout', baseUrl, timeoutMs: 1500, maxBytes: 1e6, requestsPerMinute: 300, now });
 * await client.fetchJson({ path: '/api/v2/stats', schema: z.object({ total_blocks: z.string() }) }, { signal });
 */
export function createVendorClient(options: VendorClientOptions): VendorClient {
  const { label, now, onFault, timeoutMs, maxBytes, instrument = (_vendor, work) => work() } = options;
  const gate = createVendorGate({ label, requestsPerMinute: options.requestsPerMinute, now });

  async function fetchBody<T>(
    request: VendorRequest<T>,
    mayBeUnknown: boolean,
    signal: AbortSignal,
  ): Promise<T | null> {
    const response = await send(buildUrl(options, request), options.headers, signal);
    const unknown = mayBeUnknown && response.status === 404;
    if (!unknown) assertServed(response, now());
    const body = parseJson(response, await readBody(response, maxBytes, signal));
    return unknown ? null : validate(request.schema, body);
  }

  async function sendRequest<T>(
    request: VendorRequest<T>,
    signal: AbortSignal,
    mayBeUnknown: boolean,
  ): Promise<T | null> {
    gate.enter();
    try {
      const body = await instrument(
        label,
        () => withTimeout(signal, timeoutMs, (bounded) => fetchBody(request, mayBeUnknown, bounded)),
        (error) => (error instanceof Fault ? error.fault : 'failed'),
      );
      gate.answered();
      return body;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { fault, detail, retryAfterSeconds } = error;
      // A request that its caller aborted is no failure of the vendor.
      if (!signal.aborted) gate.failed(fault, retryAfterSeconds);
      onFault?.({ vendor: label, fault, detail });
      throw new VendorUnavailableError(label, fault, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    }
  }

  return {
    label,
    async fetchJson<T>(request: VendorRequest<T>, { signal }: FetchOptions): Promise<T> {
      return (await sendRequest(request, signal, false)) as T;
    },
    fetchKnown: (request, { signal }) => sendRequest(request, signal, true),
  };
}

function buildUrl({ baseUrl, secrets }: VendorClientOptions, { path, query }: VendorRequest<unknown>): URL {
  const url = new URL(baseUrl + path);
  for (const [name, value] of Object.entries({ ...query, ...secrets })) url.searchParams.set(name, value);
  return url;
}

async function send(url: URL, headers: Record<string, string> | undefined, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { headers: { accept: 'application/json', ...headers }, redirect: 'manual', signal });
  } catch (error) {
    throw toTransportFault(error, signal);
  }
}

async function readBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  try {
    return await readBounded(response, maxBytes, signal);
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw new Fault('too-large', error.message);
    throw toTransportFault(error, signal);
  }
}

/** `fetch` and body reads reject for transport failures only. Only the code is kept: messages contain host names. */
function toTransportFault(error: unknown, signal: AbortSignal): Fault {
  if (signal.aborted) return new Fault('timeout', 'timed out');
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'connection failed';
  return new Fault('unreachable', code);
}

function assertServed(response: Response, now: number): void {
  const { status } = response;
  if (status >= 200 && status < 300) return;
  void response.body?.cancel().catch(() => undefined);
  const detail = `HTTP ${status}`;
  if (status === 429)
    throw new Fault('rate-limited', detail, parseRetryAfter(response.headers.get('retry-after'), now));
  if (status >= 500) throw new Fault('server-error', detail);
  throw new Fault('refused', detail);
}

/** Converts seconds or an HTTP date (RFC 9110, 10.2.3) to seconds; undefined for any other value. */
function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

function parseJson(response: Response, text: string): unknown {
  const type = response.headers.get('content-type') ?? 'no content type';
  if (!/\bjson\b/i.test(type)) throw new Fault('malformed', `returned ${type.slice(0, 60)} instead of JSON`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('malformed', 'the body is not complete JSON');
  }
}

function validate<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Fault('malformed', `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'not as documented'}`);
}
