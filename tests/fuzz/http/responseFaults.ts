import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { Generated } from './generatedRequest.ts';
import type { Exchange, RawResponse } from './rawExchange.ts';

/** Whether a body has the fields that every published error has, with this status and request id; more are allowed. */
function isErrorBody(body: unknown, status: number, requestId: string | undefined): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const error = body as Record<string, unknown>;
  const { code, detail, docs } = error;
  return (
    [code, detail, docs].every((text) => typeof text === 'string' && text !== '') &&
    error.status === status &&
    error.requestId === requestId
  );
}

/** tRPC wraps the error as `data.reason`. Of a JSON-RPC error of MCP only code and message are checked. */
function isErrorOf(target: string, body: unknown, { status, headers }: RawResponse): boolean {
  const requestId = headers.get('x-request-id');
  if (isErrorBody(body, status, requestId)) return true;
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const error = body.error as { code?: unknown; message?: unknown; data?: { reason?: unknown } };
  if (target.startsWith('/mcp')) return typeof error.code === 'number' && typeof error.message === 'string';
  return target.startsWith('/trpc/') && isErrorBody(error.data?.reason, status, requestId);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports a body that is not JSON where JSON is required.
    return undefined;
  }
}

/** A successful result of a paid tool. */
function isPaidResult(message: unknown): boolean {
  const { result } = (message ?? {}) as { result?: { isError?: boolean; structuredContent?: object } };
  const content = result?.structuredContent;
  return content !== undefined && result?.isError !== true && ('amountOut' in content || 'verdict' in content);
}

function faultOf(request: Generated, response: RawResponse): string | undefined {
  const { status, headers, body } = response;
  const { target, method, accept } = request;
  if (status >= 500) return `returned ${status}`;
  if (headers.has('x-injected')) return 'returned an injected header';
  if (!headers.get('x-request-id')) return 'has no x-request-id header';
  if (headers.get('x-content-type-options') !== 'nosniff') return 'has no x-content-type-options: nosniff header';
  const json = parse(body);
  const messages = Array.isArray(json) ? json : [json];
  if (messages.some(isPaidResult)) return 'returned a paid answer for free';
  if (status === 200 && /^\/(v1|trpc)\//.test(target) && method === 'POST') return 'returned a paid answer for free';
  // Throws if the header is malformed.
  if (status === 402) decodePaymentRequiredHeader(headers.get('payment-required') ?? '');
  const isBare = method === 'HEAD' && body === '';
  if (status < 400 || isBare) return undefined;
  if ((status === 404 || status === 405) && headers.get('content-type')?.startsWith('text/html') && /html/.test(accept))
    return undefined;
  return isErrorOf(target, json, response) ? undefined : `undocumented ${status} error: ${body.slice(0, 200)}`;
}

/** Describes every fault of an exchange. @throws if the PAYMENT-REQUIRED header of a 402 is malformed */
export function exchangeFaults(request: Generated, exchange: Exchange, secrets: Record<string, string>): string[] {
  const received =
    exchange.responses.map((response) => [...response.headers].join('\n') + response.body).join('\n') + exchange.rest;
  return [
    ...(exchange.hung ? ['connection was not closed'] : []),
    ...exchange.responses.flatMap((response) => faultOf(request, response) ?? []),
    ...Object.entries(secrets).flatMap(([name, text]) => (received.includes(text) ? [`leaked ${name}`] : [])),
    ...(/node_modules|\.[cm]?[jt]s:\d+|^\s+at /m.test(received) ? ['leaked a stack trace'] : []),
  ];
}
