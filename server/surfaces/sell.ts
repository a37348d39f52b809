import type { Logger } from 'pino';
import { ChainUnavailableError, DeadlineExceededError, type Engine, type PretradeChecker } from '../../engine/index.ts';
import { describeFailure, type PaidItem } from '../../router/index.ts';
import { isProbe } from '../http/readBody.ts';
import type { Cashier, Hindrance } from '../payment/index.ts';
import type { createRunners, RunnerDeps } from './createRunners.ts';
import { createInputMemory } from './inputMemory.ts';
import { createChallenger } from './paymentRequired.ts';
import { refusedAdmission } from './refusedAdmission.ts';
import type { Reply } from './reply.ts';
import { serveTicket } from './serveTicket.ts';

export interface SellDeps extends RunnerDeps {
  engine: Engine;
  pretrade: PretradeChecker;
  cashier: Cashier;
  logger: Logger;
  docsUrl: string;
}

/** What somebody wants to buy, whatever surface it came in by. */
export interface Order {
  item: PaidItem;
  surface: 'rest' | 'trpc';
  /** `POST /v1/quote`: what a payment is bound to, beside the input. */
  route: string;
  contentType: string | undefined;
  bytes: Buffer;
  /** PAYMENT-SIGNATURE as it came. */
  paymentHeader: string | undefined;
  requestId: string;
}

/** Requests without a payment are free to send: one log line for so many. */
const unpaidPerLine = 100;

export type Sale = (order: Order) => Promise<Reply>;

/**
 * The sale, from the body on: schema, chain, price, payment, answer. Nothing before `admit` touches an
 * RPC or the ledger, nothing after it depends on whether the client is still there.
 * @throws {RequestError} every refusal before the payment
 */
export function sell({ engine, pretrade, cashier, logger, docsUrl, now, onRemembered }: SellDeps): Sale {
  const askForPayment = createChallenger(cashier);
  const readInput = createInputMemory();
  let known: ReturnType<typeof createRunners> | undefined;
  const loadRunners = async () => {
    const { createRunners } = await import('./createRunners.ts');
    known ??= createRunners({ now, onRemembered });
    return known;
  };

  let unpaid = 0;
  const challenge = (item: PaidItem, requestId: string): Reply => {
    unpaid += 1;
    if (unpaid % unpaidPerLine === 0) {
      logger.info({ requestId, paid: item.name, code: 'PAYMENT_REQUIRED', oneOf: unpaidPerLine }, 'Payment requested');
    }
    return askForPayment(item);
  };

  return async ({ item, surface, route, contentType, bytes, paymentHeader, requestId }) => {
    if (paymentHeader === undefined && isProbe(bytes)) return challenge(item, requestId);

    const { input, canonicalInput } = readInput(item, contentType, bytes);
    item.beforeMoney(input, engine);
    if (paymentHeader === undefined) return challenge(item, requestId);

    // With the first payment, and before it is taken: what cannot be loaded must not be charged for.
    const runners = known ?? (await loadRunners());
    const admission = await cashier.admit({
      paid: item.name,
      route,
      canonicalInput,
      paymentHeader,
      requestId,
      beforeCharge: () => findHindrance(item, input, engine),
    });
    switch (admission.kind) {
      case 'refuse': {
        const { headers, status } = admission;
        const summary = status === 402 ? cashier.challenge(item.name).summary : {};
        return { headers, refusal: refusedAdmission(admission), summary };
      }
      case 'replay':
        return {
          headers: { 'PAYMENT-RESPONSE': admission.paymentResponse, 'Idempotent-Replayed': 'true' },
          answer: admission.answer,
        };
      case 'serve': {
        const context = { engine, pretrade, ticket: admission.ticket, requestId, docsUrl };
        return serveTicket(admission, { item, logger, requestId, run: () => runners[surface](item, input, context) });
      }
    }
  };
}

/** Why the answer cannot come, before anybody pays for it. */
async function findHindrance(item: PaidItem, input: unknown, engine: Engine): Promise<Hindrance | undefined> {
  try {
    await item.beforeCharge?.(input, engine);
    return undefined;
  } catch (error) {
    if (!(error instanceof ChainUnavailableError || error instanceof DeadlineExceededError)) throw error;
    const { code, detail, retryAfterSeconds = 5 } = describeFailure(error);
    return { code, detail, retryAfterSeconds };
  }
}
