import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { type Payment, type Receipt, type ReceivedResponse, recordSend, toReceiptFields } from './payments.ts';

export interface RetryPolicy {
  /** Maximum number of attempts. */
  tries: number;
  /** Timeout of one attempt in milliseconds. */
  attemptMs: number;
}

/** Sends a payment once. Returns the status; undefined without a response. */
export type SendMethod = (
  url: string,
  payment: Payment,
  attemptMs: number,
  body?: string,
) => Promise<number | undefined>;

/** Returns the REST body inside a tRPC response. */
function unwrap(path: string, text: string): string {
  if (!path.startsWith('/trpc/') || text === '') return text;
  const { result, error } = JSON.parse(text) as {
    result?: { data: unknown };
    error?: { data: { reason: unknown } };
  };
  return JSON.stringify(result ? result.data : error?.data.reason);
}

/**
 * Reads a response to its end.
 *
 * @param request when it was sent, and whether it differed from the paid request
 */
export async function readResponse(
  response: Response,
  path: string,
  request: Pick<ReceivedResponse, 'sentAt' | 'conflicting'>,
): Promise<ReceivedResponse> {
  const body = unwrap(path, await response.text());
  const receipt = response.headers.get('payment-response');
  return {
    ...request,
    receivedAt: performance.now(),
    status: response.status,
    body,
    ...toReceiptFields(receipt === null ? undefined : decodePaymentResponseHeader(receipt)),
    replayed: response.headers.get('idempotent-replayed') === 'true',
  };
}

/** Sends over HTTP to the payment's REST path or tRPC procedure, and records the response. */
export const sendOnce: SendMethod = async (url, payment, attemptMs, body = payment.body) => {
  const request = recordSend(payment, body);
  try {
    const response = await fetch(url + payment.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': payment.header },
      body,
      signal: AbortSignal.timeout(attemptMs),
    });
    payment.responses.push(await readResponse(response, payment.path, request));
    return response.status;
  } catch {
    // The connection was refused or reset, the response truncated, or the attempt timed out.
    return undefined;
  }
};

/** MCP tool of a REST path. */
export const toolOf = (path: string): string => (path.endsWith('quote') ? 'quote' : 'pretrade_check');

/** Maps connection errors and timeouts to undefined. Rethrows other errors, which no fault may cause. */
function toMissingResponse(error: unknown): undefined {
  if (error instanceof StreamableHTTPError && error.code === 500) throw error;
  if (error instanceof McpError && error.code !== ErrorCode.RequestTimeout && error.code !== ErrorCode.ConnectionClosed)
    throw error;
  return undefined;
}

/** Calls a tool with the SDK's client; undefined when the connection failed or timed out. */
export async function callOverMcp(
  url: string,
  call: { name: string; arguments: Record<string, unknown>; _meta?: Record<string, unknown> },
  attemptMs: number,
): Promise<CallToolResult | undefined> {
  const client = new Client({ name: 'chaos', version: '1' });
  const timeout = AbortSignal.timeout(attemptMs);
  try {
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), {
        fetch: (input, init) => fetch(input, { ...init, signal: timeout }),
      }) as Transport,
      { timeout: attemptMs },
    );
    return (await client.callTool(call, undefined, { timeout: attemptMs })) as CallToolResult;
  } catch (error) {
    return toMissingResponse(error);
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** Sends over MCP to the tool of the payment's REST path, and records the response. */
export const sendOverMcp: SendMethod = async (url, payment, attemptMs, body = payment.body) => {
  const request = recordSend(payment, body);
  const result = await callOverMcp(
    url,
    {
      name: toolOf(payment.path),
      arguments: JSON.parse(body) as Record<string, unknown>,
      _meta: { 'x402/payment': JSON.parse(Buffer.from(payment.header, 'base64').toString()) },
    },
    attemptMs,
  );
  if (!result) return undefined;
  const [content] = result.content;
  const text = content?.type === 'text' ? content.text : '';
  const status = result.isError ? (JSON.parse(text) as { status: number }).status : 200;
  payment.responses.push({
    ...request,
    receivedAt: performance.now(),
    status,
    body: text,
    ...toReceiptFields(result._meta?.['x402/payment-response'] as Receipt | undefined),
    // MCP results do not mark replays.
    replayed: false,
  });
  return status;
};

/** Sends the same payment until it is answered or refused. */
export async function sendWithRetries(
  url: string,
  payment: Payment,
  { tries, attemptMs }: RetryPolicy,
  send: SendMethod = sendOnce,
): Promise<number | undefined> {
  let status: number | undefined;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    status = await send(url, payment, attemptMs);
    if (status !== undefined && status !== 503 && status !== 500 && status !== 429) return status;
    await sleep(500);
  }
  return status;
}
