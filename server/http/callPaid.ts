import type { HTTPAdapter } from '@x402/core/server';
import { appRouter, describeFailure, type PaidItem, parseInput } from '../../router/index.ts';
import { attachCall, type JsonResponse, type PaidCall, type PaymentGate } from '../payments/index.ts';
import { toErrorResponse } from './errorResponse.ts';
import { type ProcedureDeps, toContext } from './procedures.ts';

/** Dependencies of a paid call over MCP or A2A. */
export interface PaidCallDeps extends ProcedureDeps {
  gate: PaymentGate;
  requestId: string;
  /** The client's address. */
  client?: string | undefined;
  countForWallet?: PaidCall['countForWallet'];
}

/**
 * Runs a paid call like the HTTP pipeline: validation, admissibility, payment, procedure, settlement.
 * @param signature the value of PAYMENT-SIGNATURE
 * @throws {RequestError} if the call is rejected before its payment is read
 */
export async function callPaid(
  item: PaidItem,
  args: unknown,
  signature: string | undefined,
  deps: PaidCallDeps,
): Promise<JsonResponse> {
  const { gate, engine, requestId, client, countForWallet, baseUrl } = deps;
  const isProbe = signature === undefined && Object.keys(args as object).length === 0;
  const input = isProbe ? undefined : parseInput(item, args);
  const query = input && item.toQuery(input);
  if (input) item.beforePayment(query, engine);
  const body = input ?? {};
  const hasPayment = signature !== undefined;
  const facts = { route: undefined, target: item.path, requestId, baseUrl, hasPayment };
  const call: PaidCall = {
    item,
    endpoint: `POST ${item.path}`,
    path: item.path,
    requestId,
    client,
    countForWallet,
    input,
    query,
    toError: (error, summary = {}) => toErrorResponse(error, { ...facts, summary }),
  };
  attachCall(body, call);
  const request = { adapter: toAdapter(item.path, signature, body), path: item.path, method: 'POST' };

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

/** The equivalent REST request, as the payment gate reads it. */
function toAdapter(path: string, signature: string | undefined, body: object): HTTPAdapter {
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
