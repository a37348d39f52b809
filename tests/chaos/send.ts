import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { noteAsk, type Payment, type Receipt, readReceipt, type Told } from './payments.ts';

export interface Patience {
  tries: number;
  /** Hangs up after so long. */
  attemptMs: number;
}

/** One try to send a payment to a replica, or through the balancer; undefined when nothing came back. */
export type Way = (url: string, payment: Payment, attemptMs: number, body?: string) => Promise<number | undefined>;

/** What REST would have said: tRPC wraps it. */
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
 * @param asked when; and whether for something else than it was made for
 */
export async function readTold(
  response: Response,
  path: string,
  asked: Pick<Told, 'askedAt' | 'conflicting'>,
): Promise<Told> {
  const body = unwrap(path, await response.text());
  const receipt = response.headers.get('payment-response');
  return {
    ...asked,
    toldAt: performance.now(),
    status: response.status,
    body,
    ...readReceipt(receipt === null ? undefined : decodePaymentResponseHeader(receipt)),
    replayed: response.headers.get('idempotent-replayed') === 'true',
  };
}

/** By HTTP: to the REST path or the tRPC procedure that it was made for. Writes down what came. */
export const sendOnce: Way = async (url, payment, attemptMs, body = payment.body) => {
  const asked = noteAsk(payment, body);
  try {
    const response = await fetch(url + payment.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': payment.header },
      body,
      signal: AbortSignal.timeout(attemptMs),
    });
    payment.told.push(await readTold(response, payment.path, asked));
    return response.status;
  } catch {
    // Refused, reset, cut off in the middle, or we hung up: whatever it was, nothing was told.
    return undefined;
  }
};

/** The tool that stands for a REST path. */
export const toolOf = (path: string): string => (path.endsWith('quote') ? 'quote' : 'pretrade_check');

/** Says that nothing was told; throws for what a client of a tool that exists must never meet. */
function meansNothingTold(error: unknown): undefined {
  if (error instanceof StreamableHTTPError && error.code === 500) throw error;
  if (error instanceof McpError && error.code !== ErrorCode.RequestTimeout && error.code !== ErrorCode.ConnectionClosed)
    throw error;
  return undefined;
}

/** A session of the SDK's own client for one call; undefined when the server, or the patience, was gone. */
export async function callOverMcp(
  url: string,
  call: { name: string; arguments: Record<string, unknown>; _meta?: Record<string, unknown> },
  attemptMs: number,
): Promise<CallToolResult | undefined> {
  const client = new Client({ name: 'a guest', version: '1' });
  const leaving = AbortSignal.timeout(attemptMs);
  try {
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), {
        fetch: (input, init) => fetch(input, { ...init, signal: leaving }),
      }) as Transport,
      { timeout: attemptMs },
    );
    return (await client.callTool(call, undefined, { timeout: attemptMs })) as CallToolResult;
  } catch (error) {
    return meansNothingTold(error);
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** Over MCP: a payment for a REST path is one for its tool. Writes down what came. */
export const sendOverMcp: Way = async (url, payment, attemptMs, body = payment.body) => {
  const asked = noteAsk(payment, body);
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
  payment.told.push({
    ...asked,
    toldAt: performance.now(),
    status,
    body: text,
    ...readReceipt(result._meta?.['x402/payment-response'] as Receipt | undefined),
    // MCP does not say.
    replayed: false,
  });
  return status;
};

/** The same signature until it is answered or refused, as the service asks for. */
export async function sendUntilTold(
  url: string,
  payment: Payment,
  { tries, attemptMs }: Patience,
  way: Way = sendOnce,
): Promise<number | undefined> {
  let status: number | undefined;
  for (let turn = 0; turn < tries; turn += 1) {
    status = await way(url, payment, attemptMs);
    if (status !== undefined && status !== 503 && status !== 500 && status !== 429) return status;
    await sleep(500);
  }
  return status;
}
