import type { HTTPProcessResult, HTTPRequestContext, HTTPResponseInstructions } from '@x402/core/server';
import {
  type PaymentPayload,
  type PaymentRequirements,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/express';
import type { Logger } from 'pino';
import { ChainUnavailableError, DeadlineExceededError, type Engine } from '../../engine/index.ts';
import {
  canonicalJson,
  describeFailure,
  type ErrorCode,
  errorTable,
  isErrorCode,
  type PaidItem,
  RequestError,
} from '../../router/index.ts';
import type { WorkInProgress } from '../workInProgress.ts';
import { AcceptedPayment } from './acceptedPayment.ts';
import { callOf, type JsonResponse, type PaidCall } from './paidCall.ts';
import type { ChargeBlocker, PaymentDecision, PaymentService, StoredAnswer } from './paymentTypes.ts';
import type { ReceiptIssuer } from './receipts.ts';

type ProcessSettlement = x402HTTPResourceServer['processSettlement'];
type Refusal = Extract<PaymentDecision, { kind: 'refuse' }>;

export interface GateDeps {
  paymentService: PaymentService;
  engine: Engine;
  logger: Logger;
  work: WorkInProgress;
  /** Absent: answers carry no signed receipt. */
  receipts?: ReceiptIssuer;
}

/** One in this many unpaid requests is logged, because they cost a client nothing. */
const unpaidPerLine = 100;

const errorCodeByStatus: Record<Refusal['status'], ErrorCode> = {
  400: 'INVALID_REQUEST',
  402: 'PAYMENT_REQUIRED',
  409: 'PAYMENT_REUSED',
  429: 'RATE_LIMITED',
  503: 'UPSTREAM_UNAVAILABLE',
};

/**
 * The payment gate: a resource server for the published x402 middleware. It settles durably before the handler (flow
 * `upfront`), replays stored answers, and responds with 400, 409, 429 and 503 in addition to 402.
 *
 * No method rejects because of a client, a node or the ledger. The middleware would print the error to the console and
 * send its own body; after the handler, it would respond with 402 for a payment that was charged.
 */
export class PaymentGate extends x402HTTPResourceServer {
  readonly #deps: GateDeps;
  #unpaid = 0;
  /** Cached 402 errors by detail; at most two for each item. */
  readonly #paymentRequired = new Map<string, RequestError>();

  constructor(deps: GateDeps) {
    // No routes: the payment service builds the offers, and rebuilds them while the service runs.
    super(new x402ResourceServer(noFacilitator), {});
    this.#deps = deps;
  }

  /** The middleware is mounted on paid routes only. */
  override requiresPayment(): boolean {
    return true;
  }

  override async processHTTPRequest({ adapter }: HTTPRequestContext): Promise<HTTPProcessResult> {
    const call = callOf(adapter.getBody?.());
    try {
      return await this.#deps.work.run(this.#decide(call, adapter));
    } catch (thrown) {
      const error = describeFailure(thrown);
      if (error.code === 'INTERNAL') {
        this.#deps.logger.error({ requestId: call.requestId, err: thrown }, 'request failed');
      }
      return respond(toInstructions(call.toError(error)));
    }
  }

  async #decide(call: PaidCall, adapter: HTTPRequestContext['adapter']): Promise<HTTPProcessResult> {
    const { paymentService, engine, work, logger } = this.#deps;
    const { item, input, query, requestId } = call;
    const paymentHeader = adapter.getHeader('payment-signature');
    if (!paymentHeader || !input) return respond(this.#challenge(call, Boolean(adapter.getHeader('x-payment'))));

    const decision = await paymentService.decide({
      paid: item.name,
      route: call.endpoint,
      canonicalInput: canonicalJson(input),
      queryKey: item.identify(query),
      identifyInput: (stored) => item.identify(item.toQuery(JSON.parse(stored))),
      requestId,
      ...(call.client !== undefined && { client: call.client }),
      countForWallet: call.countForWallet,
      paymentHeader,
      beforeCharge: () => findChargeBlocker(item, query, engine),
      prepare: () => item.prepare?.(query, engine),
    });
    if (decision.kind === 'refuse') return respond(this.#refusal(call, decision));
    if (decision.kind === 'replay') {
      const { answer, paymentResponse } = decision;
      return respond(toReplay(answer, { 'PAYMENT-RESPONSE': paymentResponse, 'Idempotent-Replayed': 'true' }));
    }

    const acceptedPayment = new AcceptedPayment(decision, { requestId, paid: item.name, logger });
    call.acceptedPayment = acceptedPayment;
    void work.run(acceptedPayment.ended);
    return {
      type: 'payment-verified',
      // The middleware only passes these on to `processSettlement`, which ignores them.
      paymentPayload: {} as PaymentPayload,
      paymentRequirements: {} as PaymentRequirements,
      cancellationDispatcher: { cancel: () => acceptedPayment.fail(call.failure) },
    };
  }

  /** Called after the handler: stores the answer before it is sent. */
  override async processSettlement(
    ...[, requirements, , transport]: Parameters<ProcessSettlement>
  ): ReturnType<ProcessSettlement> {
    const call = callOf(transport?.request.adapter.getBody?.());
    const { acceptedPayment } = call;
    if (!acceptedPayment) throw new TypeError('The handler ran without an accepted payment.');
    const headers = { 'PAYMENT-RESPONSE': acceptedPayment.paymentResponse, 'Cache-Control': 'private, no-store' };
    const result = { transaction: '', network: 'eip155:0', requirements, headers } as const;
    const body = transport?.responseBody?.toString('utf8') ?? '';
    try {
      const receipt = acceptedPayment.isFree ? undefined : await this.#sign(acceptedPayment.paymentResponse, call);
      const stored = await acceptedPayment.complete({
        status: 200,
        contentType: 'application/json',
        body,
        ...(receipt !== undefined && { paymentResponse: receipt }),
      });
      const sent = { ...headers, 'PAYMENT-RESPONSE': stored.paymentResponse ?? acceptedPayment.paymentResponse };
      if (stored.body === body) return { ...result, headers: sent, success: true };
      // Another replica stored its answer first: every client with this payment gets the same bytes.
      return { ...result, success: false, errorReason: 'answered_elsewhere', response: toReplay(stored, sent) };
    } catch (thrown) {
      const response = toInstructions(call.toError(acceptedPayment.explain(describeFailure(thrown))), headers);
      return { ...result, success: false, errorReason: 'answer_not_stored', response };
    }
  }

  /** Undefined if signing fails: a missing receipt must not withhold an answer that was paid for. */
  async #sign(paymentResponse: string, { path, requestId }: PaidCall): Promise<string | undefined> {
    const { receipts, logger } = this.#deps;
    try {
      return await receipts?.addReceipt(paymentResponse, path);
    } catch (err) {
      logger.error({ requestId, err }, 'A receipt could not be signed; the answer is sent without one');
      return undefined;
    }
  }

  #challenge(call: PaidCall, hasVersion1Header: boolean): HTTPResponseInstructions {
    this.#unpaid += 1;
    if (this.#unpaid % unpaidPerLine === 0) {
      const { requestId, item } = call;
      const facts = { requestId, paid: item.name, code: 'PAYMENT_REQUIRED', oneOf: unpaidPerLine };
      this.#deps.logger.info(facts, 'Payment requested');
    }
    const { header, summary } = this.#deps.paymentService.challenge(call.item.name, call.path);
    const detail =
      (hasVersion1Header ? 'The X-PAYMENT header (x402 v1) was ignored: this service supports x402 v2 only. ' : '') +
      `This call costs ${call.item.priceUsd} USD in USDC. Sign one of accepts[] in the PAYMENT-REQUIRED header (x402 v2) ` +
      'and send the identical POST with PAYMENT-SIGNATURE.';
    // Reused, because capturing a stack takes a tenth of the time of a 402.
    const error = this.#paymentRequired.get(detail) ?? new RequestError('PAYMENT_REQUIRED', detail, { charged: false });
    this.#paymentRequired.set(detail, error);
    return toInstructions(call.toError(error, summary), { 'PAYMENT-REQUIRED': header });
  }

  #refusal(call: PaidCall, { status, code, detail, charged, headers }: Refusal): HTTPResponseInstructions {
    const isPublished = isErrorCode(code) && errorTable[code].status === status;
    const { exampleRequest } = call.item;
    const error = new RequestError(isPublished ? code : errorCodeByStatus[status], detail, {
      charged,
      ...(status === 400 && { exampleRequest }),
    });
    const summary = status === 402 ? this.#deps.paymentService.challenge(call.item.name, call.path).summary : {};
    return toInstructions(call.toError(error, summary), headers);
  }
}

/** `x402ResourceServer` requires a facilitator. The gate never calls it. */
const noFacilitator = {
  getSupported: async () => ({ kinds: [], extensions: [], signers: {} }),
  verify: () => Promise.reject(new TypeError('The gate verifies payments itself.')),
  settle: () => Promise.reject(new TypeError('The gate settles payments itself.')),
};

const respond = (response: HTTPResponseInstructions): HTTPProcessResult => ({ type: 'payment-error', response });

/** `isHtml` makes the middleware send the body unchanged, with the given content type, instead of serialising it again. */
function toInstructions({ status, headers, body }: JsonResponse, more: Record<string, string> = {}) {
  return { status, headers: { ...headers, ...more }, body, isHtml: true } satisfies HTTPResponseInstructions;
}

/** `private`: one client paid for the answer, so shared caches must not store it. */
function toReplay({ status, contentType, body }: StoredAnswer, headers: Record<string, string>) {
  return toInstructions(
    { status, headers: { 'Content-Type': contentType, 'Cache-Control': 'private, no-store' }, body },
    headers,
  );
}

/** Why no answer is possible, read from the chain before the payment is settled; undefined if an answer is possible. */
async function findChargeBlocker(item: PaidItem, query: unknown, engine: Engine): Promise<ChargeBlocker | undefined> {
  try {
    await item.beforeCharge?.(query, engine);
    return undefined;
  } catch (error) {
    if (error instanceof RequestError && error.code === 'INVALID_REQUEST')
      return { kind: 'invalid', detail: error.detail };
    if (!(error instanceof ChainUnavailableError || error instanceof DeadlineExceededError)) throw error;
    const { code, detail, retryAfterSeconds = 5 } = describeFailure(error);
    return { kind: 'unavailable', code, detail, retryAfterSeconds };
  }
}
