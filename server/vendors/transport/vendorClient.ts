import type { z } from 'zod';
import { withinTime } from '../../time/withinTime.ts';
import { type FetchOptions, type VendorFault, VendorUnavailableError } from '../ports.ts';
import { BodyTooLargeError, readBounded } from './readBounded.ts';
import { createVendorGate } from './vendorGate.ts';

/** One fault as the operator may see it: without URL, key or body. */
export interface VendorFaultNotice {
  vendor: string;
  fault: VendorFault;
  /** `HTTP 502`, `ECONNREFUSED`, `items.0.value: Invalid input`. */
  detail: string;
}

export interface VendorClientOptions {
  /** Stands in errors, answers and logs. */
  label: string;
  /** Without a trailing slash; may have a path. */
  baseUrl: string;
  /** Query parameters that hold keys; added to each request and never shown. */
  secrets?: Record<string, string>;
  headers?: Record<string, string>;
  timeoutMs: number;
  maxBytes: number;
  requestsPerMinute: number;
  now: () => number;
  onFault?: (notice: VendorFaultNotice) => void;
  /** Looks at each request that is sent; absent: nobody does. */
  watch?: VendorWatch;
}

/** Runs one request and notes how it ended; resolves and rejects as the request does. */
export type VendorWatch = <T>(vendor: string, work: () => Promise<T>, failed: (error: unknown) => string) => Promise<T>;

interface VendorRequest<T> {
  /** Begins with a slash. */
  path: string;
  query?: Record<string, string>;
  schema: z.ZodType<T>;
}

export interface VendorClient {
  readonly label: string;
  /** @throws {VendorUnavailableError} for every way in which no valid answer came. */
  fetchJson<T>(request: VendorRequest<T>, options: FetchOptions): Promise<T>;
  /** The same, but a 404 that is JSON means that the vendor does not know the thing: null. */
  fetchKnown<T>(request: VendorRequest<T>, options: FetchOptions): Promise<T | null>;
}

/** What is known about a failed request before it becomes an error. */
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
 * GETs JSON from one vendor: with a time limit, a size limit counted on the stream, a schema, and no
 * redirects, since a redirect could carry the key to another host.
 *
 * @example
 * const client = createVendorClient({ label: 'blockscout', baseUrl, timeoutMs: 1500, maxBytes: 1e6, requestsPerMinute: 300, now });
 * await client.fetchJson({ path: '/api/v2/stats', schema: z.object({ total_blocks: z.string() }) }, { signal });
 */
export function createVendorClient(options: VendorClientOptions): VendorClient {
  const { label, now, onFault, timeoutMs, maxBytes, watch = (_vendor, work) => work() } = options;
  const gate = createVendorGate({ label, requestsPerMinute: options.requestsPerMinute, now });

  async function answer<T>(request: VendorRequest<T>, mayBeUnknown: boolean, signal: AbortSignal): Promise<T | null> {
    const response = await send(buildUrl(options, request), options.headers, signal);
    const unknown = mayBeUnknown && response.status === 404;
    if (!unknown) assertServed(response, now());
    const body = parseJson(response, await readBody(response, maxBytes, signal));
    return unknown ? null : validate(request.schema, body);
  }

  async function ask<T>(request: VendorRequest<T>, signal: AbortSignal, mayBeUnknown: boolean): Promise<T | null> {
    gate.enter();
    try {
      const answered = await watch(
        label,
        () => withinTime(signal, timeoutMs, (bounded) => answer(request, mayBeUnknown, bounded)),
        (error) => (error instanceof Fault ? error.fault : 'failed'),
      );
      gate.answered();
      return answered;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { fault, detail, retryAfterSeconds } = error;
      // The caller's own deadline says nothing about the vendor's health.
      if (!signal.aborted) gate.failed(fault, retryAfterSeconds);
      onFault?.({ vendor: label, fault, detail });
      throw new VendorUnavailableError(label, fault, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    }
  }

  return {
    label,
    async fetchJson<T>(request: VendorRequest<T>, { signal }: FetchOptions): Promise<T> {
      return (await ask(request, signal, false)) as T;
    },
    fetchKnown: (request, { signal }) => ask(request, signal, true),
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

/** fetch rejects, and a body breaks off, for nothing but the transport. Its messages hold host names: only the code is kept. */
function toTransportFault(error: unknown, signal: AbortSignal): Fault {
  if (signal.aborted) return new Fault('timeout', 'no answer in time');
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

/** Seconds or an HTTP date (RFC 9110 §10.2.3); anything else is no advice. */
function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

function parseJson(response: Response, text: string): unknown {
  const type = response.headers.get('content-type') ?? 'no content type';
  if (!/\bjson\b/i.test(type)) throw new Fault('malformed', `answered ${type.slice(0, 60)} instead of JSON`);
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
