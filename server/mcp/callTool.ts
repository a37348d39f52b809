import { type CallToolRequest, type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from 'pino';
import {
  catalogue,
  describeFailure,
  errorTable,
  findTool,
  type HealthBody,
  type RequestError,
  toErrorBody,
} from '../../router/index.ts';
import type { Reply } from '../surfaces/reply.ts';
import type { Sale } from '../surfaces/sell.ts';
import { assertShallow } from './assertShallow.ts';

/** Keys of x402's MCP transport (specs/transports-v2/mcp.md). */
const paymentKey = 'x402/payment';
const receiptKey = 'x402/payment-response';

interface CallDeps {
  sale: Sale;
  health: () => HealthBody;
  docsUrl: string;
  requestId: string;
  logger: Logger;
  /** Told how each call of a tool ended, by the status that it would have on REST. */
  onCalled?: OnToolCalled | undefined;
}

export type OnToolCalled = (tool: string, status: number) => void;

/**
 * One tool call. A paid tool is sold exactly as its REST path is: the same order, ledger and bytes, so that a payment
 * begun here may be finished there.
 *
 * @throws {McpError} no such tool
 */
export async function callTool(params: CallToolRequest['params'], deps: CallDeps): Promise<CallToolResult> {
  if (params.name === 'health') {
    deps.onCalled?.(params.name, 200);
    return answered(JSON.stringify(deps.health()));
  }
  const item = findTool(params.name, catalogue);
  if (!item)
    throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 80)}. List the tools.`);

  const payment = params._meta?.[paymentKey];
  try {
    assertShallow('arguments', params.arguments);
    assertShallow(paymentKey, payment);
    const reply = await deps.sale({
      item,
      surface: 'rest',
      route: `POST ${item.path}`,
      contentType: 'application/json',
      bytes: Buffer.from(JSON.stringify(params.arguments ?? {})),
      paymentHeader: payment === undefined ? undefined : toHeader(payment),
      requestId: deps.requestId,
    });
    deps.onCalled?.(params.name, 'answer' in reply ? 200 : errorTable[reply.refusal.code].status);
    return toResult(reply, deps);
  } catch (failure) {
    const error = describeFailure(failure);
    deps.onCalled?.(params.name, errorTable[error.code].status);
    if (error.code === 'INTERNAL') deps.logger.error({ requestId: deps.requestId, err: failure }, 'request failed');
    return refused(error, {}, deps);
  }
}

function toHeader(payment: unknown): string {
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

function toResult(reply: Reply, deps: CallDeps): CallToolResult {
  const receipt = decoded(reply.headers['PAYMENT-RESPONSE']);
  const _meta = receipt === undefined ? {} : { _meta: { [receiptKey]: receipt } };
  if ('answer' in reply) return { ...answered(reply.answer.body), ..._meta };
  const offer = decoded(reply.headers['PAYMENT-REQUIRED']);
  return { ...refused(reply.refusal, { ...reply.summary, ...offer }, deps), ..._meta };
}

function answered(body: string): CallToolResult {
  return { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body) };
}

/** The error of REST; of a 402 also the whole offer, where clients of x402's MCP transport look for it. */
function refused(
  error: RequestError,
  offer: Record<string, unknown>,
  { docsUrl, requestId }: CallDeps,
): CallToolResult {
  const retry = error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds };
  const body = { ...toErrorBody(error, { requestId, docsUrl }), ...retry, ...offer };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body };
}

function decoded(header: string | undefined): Record<string, unknown> | undefined {
  return header === undefined ? undefined : JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
}
