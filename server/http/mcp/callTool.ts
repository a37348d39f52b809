import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { HTTPAdapter } from '@x402/core/server';
import type { Logger } from 'pino';
import {
  appRouter,
  catalogue,
  describeFailure,
  errorTable,
  findTool,
  type HealthBody,
  type PaidItem,
  parseInput,
  type RequestError,
  toErrorBody,
} from '../../../router/index.ts';
import { attachCall, type JsonResponse, type PaidCall, type PaymentGate } from '../../payments/index.ts';
import { toErrorResponse } from '../errorResponse.ts';
import { type ProcedureDeps, toContext } from '../procedures.ts';
import { assertShallow } from './assertShallow.ts';

/** Keys of x402's MCP transport (specs/transports-v2/mcp.md). */
const paymentKey = 'x402/payment';
const receiptKey = 'x402/payment-response';

export interface CallDeps extends ProcedureDeps {
  gate: PaymentGate;
  health: () => HealthBody;
  requestId: string;
  /** The client's address. */
  client?: string | undefined;
  logger: Logger;
  /** Receives each call's tool name and the status that it would have on REST. */
  onCalled?: OnToolCalled | undefined;
}

type OnToolCalled = (tool: string, status: number) => void;

/**
 * One tool call. A paid tool uses the payment gate of its REST path with the same endpoint, input and bytes. A client
 * can therefore start a payment over MCP and retry it over REST.
 *
 * @throws {ProtocolError} unknown tool
 */
export async function callTool(params: CallToolRequest['params'], deps: CallDeps): Promise<CallToolResult> {
  if (params.name === 'health') {
    deps.onCalled?.(params.name, 200);
    return answered(JSON.stringify(deps.health()), {});
  }
  const item = findTool(params.name, catalogue);
  if (!item)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool ${params.name.slice(0, 80)}. Call tools/list for the names.`,
    );

  try {
    const payment = params._meta?.[paymentKey];
    assertShallow('arguments', params.arguments);
    assertShallow(paymentKey, payment);
    const { status, headers, body } = await buy(item, params.arguments ?? {}, payment, deps);
    deps.onCalled?.(params.name, status);
    return status === 200 ? answered(body, headers) : refused(JSON.parse(body), headers);
  } catch (failure) {
    const error = describeFailure(failure);
    deps.onCalled?.(params.name, errorTable[error.code].status);
    if (error.code === 'INTERNAL') deps.logger.error({ requestId: deps.requestId, err: failure }, 'request failed');
    return refused(toErrorBody(error, deps), retryAfter(error));
  }
}

/**
 * The HTTP pipeline from validation on: preconditions, payment, procedure, settlement.
 * @throws {RequestError} every rejection before the payment
 */
async function buy(item: PaidItem, args: unknown, payment: unknown, deps: CallDeps): Promise<JsonResponse> {
  const { gate, engine, requestId, client, docsUrl } = deps;
  const isProbe = payment === undefined && Object.keys(args as object).length === 0;
  const input = isProbe ? undefined : parseInput(item, args);
  if (input) item.beforeMoney(input, engine);
  const body = input ?? {};
  const facts = { route: undefined, target: item.path, requestId, docsUrl };
  const call: PaidCall = {
    item,
    endpoint: `POST ${item.path}`,
    path: item.path,
    requestId,
    client,
    input,
    toError: (error, summary = {}) => toErrorResponse(error, { ...facts, summary }),
  };
  attachCall(body, call);
  const request = { adapter: toAdapter(item.path, payment, body), path: item.path, method: 'POST' };

  const decision = await gate.processHTTPRequest(request);
  if (decision.type === 'payment-error') return toResponse(decision.response);
  if (decision.type !== 'payment-verified') throw new TypeError('The payment gate accepted a call without payment.');
  try {
    const caller = appRouter.createCaller(toContext(call, deps)) as Record<
      string,
      (input: unknown) => Promise<unknown>
    >;
    const responseBody = Buffer.from(JSON.stringify(await caller[item.name]?.(body)));
    const { paymentPayload, paymentRequirements } = decision;
    const settled = await gate.processSettlement(paymentPayload, paymentRequirements, undefined, {
      request,
      responseBody,
    });
    if (!settled.success) return toResponse(settled.response);
    return { status: 200, headers: settled.headers, body: responseBody.toString('utf8') };
  } catch (failure) {
    call.failure = failure;
    await decision.cancellationDispatcher.cancel({ reason: 'handler_threw', error: failure });
    const error = describeFailure(failure);
    const { acceptedPayment } = call;
    const response = call.toError(acceptedPayment?.explain(error) ?? error);
    return {
      ...response,
      headers: { ...response.headers, ...(acceptedPayment && { 'PAYMENT-RESPONSE': acceptedPayment.paymentResponse }) },
    };
  }
}

/** The request as the payment gate reads it: a tool call has no HTTP request of its own. */
function toAdapter(path: string, payment: unknown, body: object): HTTPAdapter {
  const signature = payment === undefined ? undefined : Buffer.from(JSON.stringify(payment)).toString('base64');
  return {
    getHeader: (name) => (name === 'payment-signature' ? signature : undefined),
    getMethod: () => 'POST',
    getPath: () => path,
    getUrl: () => path,
    getAcceptHeader: () => 'application/json',
    getUserAgent: () => '',
    getBody: () => body,
  };
}

function toResponse({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Record<string, string>;
  body?: unknown;
}): JsonResponse {
  return { status, headers, body: String(body) };
}

function answered(body: string, headers: Record<string, string>): CallToolResult {
  return { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body), ...receiptOf(headers) };
}

/** The REST error. A 402 also contains PAYMENT-REQUIRED, where clients of x402's MCP transport read it. */
function refused(error: object, headers: Record<string, string>): CallToolResult {
  const seconds = headers['Retry-After'];
  const body = {
    ...error,
    ...(seconds !== undefined && { retryAfterSeconds: Number(seconds) }),
    ...decoded(headers['PAYMENT-REQUIRED']),
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
  const receipt = decoded(headers['PAYMENT-RESPONSE']);
  return receipt === undefined ? {} : { _meta: { [receiptKey]: receipt } };
}

function decoded(header: string | undefined): Record<string, unknown> | undefined {
  return header === undefined ? undefined : JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
}
