import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { ChainUnavailableError, DeadlineExceededError, type Engine, type PretradeChecker } from '../../engine/index.ts';
import { canonicalJson, describeFailure, type PaidItem, parseInput } from '../../router/index.ts';
import { localsOf, paidPlaceOf } from '../http/locals.ts';
import { bytesOf, isProbe, parseJson } from '../http/readBody.ts';
import { sendRefusal } from '../http/sendRefusal.ts';
import type { Cashier, Hindrance } from '../payment/index.ts';
import { sendPaymentRequired } from './paymentRequired.ts';
import { refusedAdmission } from './refusedAdmission.ts';
import { createRestRunner } from './restRunner.ts';
import { sendAnswer } from './sendAnswer.ts';
import { serveTicket } from './serveTicket.ts';
import { createTrpcRunner } from './trpcRunner.ts';

export interface SellDeps {
  engine: Engine;
  pretrade: PretradeChecker;
  cashier: Cashier;
  logger: Logger;
  docsUrl: string;
}

/**
 * The sale, from the body on: schema, chain, price, payment, answer. Nothing before `admit` touches an
 * RPC or the ledger, nothing after it depends on whether the client is still there.
 * @throws {RequestError} every refusal before the payment
 */
export function sell({
  engine,
  pretrade,
  cashier,
  logger,
  docsUrl,
}: SellDeps): (req: Request, res: Response) => Promise<void> {
  const runners = { rest: createRestRunner(), trpc: createTrpcRunner() };

  return async (req, res) => {
    const { item, surface, route } = paidPlaceOf(res);
    const paymentHeader = req.get('payment-signature') || undefined;
    const bytes = bytesOf(req);
    if (paymentHeader === undefined && isProbe(bytes)) {
      sendPaymentRequired(res, { cashier, item, docsUrl });
      return;
    }

    const input = parseInput(item, parseJson(req.get('content-type'), bytes));
    item.beforeMoney(input, engine);
    if (paymentHeader === undefined) {
      sendPaymentRequired(res, { cashier, item, docsUrl });
      return;
    }

    const admission = await cashier.admit({
      paid: item.name,
      route,
      canonicalInput: canonicalJson(input),
      paymentHeader,
      beforeCharge: () => findHindrance(item, input, engine),
    });
    switch (admission.kind) {
      case 'refuse': {
        res.set(admission.headers);
        const summary = admission.status === 402 ? cashier.challenge(item.name).summary : {};
        sendRefusal(res, refusedAdmission(admission), { docsUrl, summary });
        return;
      }
      case 'replay':
        res.set({ 'PAYMENT-RESPONSE': admission.paymentResponse, 'Idempotent-Replayed': 'true' });
        sendAnswer(res, admission.answer);
        return;
      case 'serve': {
        const context = { engine, pretrade, ticket: admission.ticket, requestId: localsOf(res).requestId, docsUrl };
        await serveTicket(res, admission, { item, logger, docsUrl, run: () => runners[surface](item, input, context) });
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
