import type { HTTPProcessResult, HTTPRequestContext } from '@x402/core/server';
import pino from 'pino';
import type { Engine } from '../../engine/index.ts';
import { catalogue, type PaidItem } from '../../router/index.ts';
import { PaymentGate } from '../../server/payments/gate.ts';
import { attachCall, type PaidCall } from '../../server/payments/paidCall.ts';
import type {
  PaymentAttempt,
  PaymentDecision,
  PaymentService,
  StoredAnswer,
} from '../../server/payments/paymentTypes.ts';
import { createWorkInProgress } from '../../server/workInProgress.ts';

export const quote = catalogue.find(({ name }) => name === 'quote') as PaidItem;
export const answerText = '{"amountOut":"1"}';
export const settledResponse = 'SETTLED';

export interface GateSetup {
  decision?: PaymentDecision | (() => Promise<PaymentDecision>);
  headers?: Record<string, string>;
  item?: Partial<PaidItem>;
  call?: Partial<PaidCall>;
  addReceipt?: () => Promise<string>;
}

/** A gate in front of a payment service that decides as given. */
export function openGate({ decision, headers = {}, item, call: changes, addReceipt }: GateSetup = {}) {
  const attempts: PaymentAttempt[] = [];
  const challenged: unknown[] = [];
  const lines: { level: number; msg: string }[] = [];
  const paymentService = {
    challenge(paid: string, path?: string) {
      challenged.push([paid, path]);
      return { header: 'CHALLENGE', summary: { x402Version: 2 } };
    },
    async decide(attempt: PaymentAttempt) {
      attempts.push(attempt);
      return typeof decision === 'function' ? decision() : decision;
    },
  } as unknown as PaymentService;
  const work = createWorkInProgress();
  const gate = new PaymentGate({
    paymentService,
    engine: {} as Engine,
    logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    work,
    ...(addReceipt && {
      receipts: { addReceipt, keyId: '', jwks: { keys: [] }, didDocument: {} },
    }),
  });
  const call: PaidCall = {
    item: { ...quote, ...item },
    endpoint: 'POST /v1/quote',
    path: '/v1/quote-alias',
    requestId: 'r1',
    client: '192.0.2.1',
    input: { b: 1, a: 2 },
    query: {},
    toError: (error, summary) => ({
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: error.code, detail: error.detail, example: error.exampleRequest ?? null, summary }),
    }),
    ...changes,
  };
  const body = {};
  attachCall(body, call);
  const adapter = { getBody: () => body, getHeader: (name: string) => headers[name] };
  const context = { adapter } as unknown as HTTPRequestContext;
  const settle = (text: string | undefined = answerText) =>
    gate.processSettlement({} as never, { scheme: 'exact' } as never, undefined, {
      request: context,
      ...(text !== undefined && { responseBody: Buffer.from(text) }),
    } as never);
  return { gate, work, call, attempts, challenged, lines, run: () => gate.processHTTPRequest(context), settle };
}

export const signed = { 'payment-signature': 'SIGNED' };
export const responseOf = (result: HTTPProcessResult) => {
  if (result.type !== 'payment-error') throw new TypeError(`Expected a response, got ${result.type}.`);
  const { response } = result;
  return { ...response, body: JSON.parse(String(response.body)) };
};

/** An accepted payment that records its end. */
export function serving(changes: Partial<Extract<PaymentDecision, { kind: 'serve' }>> = {}) {
  const events: unknown[] = [];
  const decision = {
    kind: 'serve',
    ticket: { paid: 'quote', canonicalInput: '{}' },
    paymentResponse: settledResponse,
    complete: async (answer: StoredAnswer) => {
      events.push(answer);
      return answer;
    },
    fail: async (reason: string) => void events.push(reason),
    ...changes,
  } as PaymentDecision;
  return { events, decision };
}

/** A gate that accepts the payment. */
export const accepting = (setup: GateSetup & { serve?: ReturnType<typeof serving> } = {}) =>
  openGate({ headers: signed, decision: (setup.serve ?? serving()).decision, item: { identify: () => '' }, ...setup });
