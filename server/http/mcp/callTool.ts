import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import {
  catalogue,
  describeFailure,
  errorTable,
  type FreeItem,
  findTool,
  freeCalls,
  type HealthBody,
  type RequestError,
  toErrorBody,
} from '../../../router/index.ts';
import { callPaid, type PaidCallDeps } from '../callPaid.ts';
import { runFreeCall } from '../freeCall.ts';
import { assertShallow } from './assertShallow.ts';

/** Keys of x402's MCP transport (specs/transports-v2/mcp.md). */
const paymentKey = 'x402/payment';
const receiptKey = 'x402/payment-response';

export interface CallDeps extends PaidCallDeps {
  health: () => HealthBody;
  logger: Logger;
  /** Receives each call's tool name and the status that it would have on REST. */
  onCalled?: OnToolCalled | undefined;
}

type OnToolCalled = (tool: string, status: number) => void;

/**
 * Answers a tool call. A paid tool uses the payment gate of its REST path with the same endpoint, input and bytes. A client
 * can therefore start a payment over MCP and retry it over REST.
 *
 * @throws {ProtocolError} if the tool is unknown; every other error is a result
 */
export async function callTool(params: CallToolRequest['params'], deps: CallDeps): Promise<CallToolResult> {
  if (params.name === 'health') {
    deps.onCalled?.(params.name, 200);
    return toResult(JSON.stringify(deps.health()), {});
  }
  const paid = findTool(params.name, catalogue);
  const item = paid ?? findTool(params.name, freeCalls);
  if (!item)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool ${params.name.slice(0, 80)}. Call tools/list for the names.`,
    );

  const payment = params._meta?.[paymentKey];
  try {
    assertShallow('arguments', params.arguments);
    assertShallow(paymentKey, payment);
    if (!paid) return await callFree(item, params, deps);
    const signature = payment === undefined ? undefined : Buffer.from(JSON.stringify(payment)).toString('base64');
    const { status, headers, body } = await callPaid(paid, params.arguments ?? {}, signature, deps);
    deps.onCalled?.(params.name, status);
    return status === 200 ? toResult(body, headers) : toErrorResult(JSON.parse(body), headers);
  } catch (failure) {
    const error = describeFailure(failure);
    deps.onCalled?.(params.name, errorTable[error.code].status);
    if (error.code === 'INTERNAL') deps.logger.error({ requestId: deps.requestId, err: failure }, 'request failed');
    return toErrorResult(toErrorBody(error, { ...deps, hasPayment: payment !== undefined }), retryAfter(error));
  }
}

/** A free tool: the procedure of its REST path, without a payment. */
async function callFree(
  item: FreeItem,
  { name, arguments: args = {} }: CallToolRequest['params'],
  deps: CallDeps,
): Promise<CallToolResult> {
  const answer = JSON.stringify(await runFreeCall(item, args, deps));
  deps.onCalled?.(name, 200);
  return toResult(answer, {});
}

function toResult(body: string, headers: Record<string, string>): CallToolResult {
  return { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body), ...receiptOf(headers) };
}

/** The REST error body. A 402 also contains the fields of PAYMENT-REQUIRED, where x402's MCP clients read them. */
function toErrorResult(error: object, headers: Record<string, string>): CallToolResult {
  const seconds = headers['Retry-After'];
  const body = {
    ...error,
    ...(seconds !== undefined && { retryAfterSeconds: Number(seconds) }),
    ...decodeHeader(headers['PAYMENT-REQUIRED']),
  };
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(body) }],
    structuredContent: body,
    ...receiptOf(headers),
  };
}

const retryAfter = ({ retryAfterSeconds }: RequestError): Record<string, string> =>
  retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };

function receiptOf(headers: Record<string, string>): Pick<CallToolResult, '_meta'> {
  const receipt = decodeHeader(headers['PAYMENT-RESPONSE']);
  return receipt === undefined ? {} : { _meta: { [receiptKey]: receipt } };
}

function decodeHeader(header: string | undefined): Record<string, unknown> | undefined {
  return header === undefined ? undefined : JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
}
