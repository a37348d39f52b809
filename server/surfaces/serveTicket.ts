import type { Logger } from 'pino';
import { describeFailure, type PaidItem, RequestError } from '../../router/index.ts';
import type { Admission, StoredAnswer } from '../payment/index.ts';
import type { Reply } from './reply.ts';
import type { Outcome } from './runner.ts';

type Serve = Extract<Admission, { kind: 'serve' }>;

const defaultRetrySeconds = 5;

/**
 * What a settled payment gets: the answer, stored before it is sent, or the promise that the same
 * signature is still good for it.
 */
export async function serveTicket(
  admission: Serve,
  { item, run, logger, requestId }: { item: PaidItem; run: () => Promise<Outcome>; logger: Logger; requestId: string },
): Promise<Reply> {
  const headers = { 'PAYMENT-RESPONSE': admission.paymentResponse };
  const outcome = await runAndStore(admission, run, logger);
  if (outcome.ok) return { headers, answer: outcome.answer };
  const failure = describeFailure(outcome.failure);
  logger.error({ requestId, paid: item.name, code: failure.code, err: outcome.failure }, 'paid but not answered');
  return { headers, refusal: admission.free ? givenBack(failure) : stillOwed(failure), summary: {} };
}

/** Whatever goes wrong here, the client has paid and must hear so: nothing may end as an ordinary error. */
async function runAndStore(admission: Serve, run: () => Promise<Outcome>, logger: Logger): Promise<Outcome> {
  try {
    const outcome = await run();
    if (outcome.ok) return { ok: true, answer: await store(admission, outcome.answer) };
    await giveUp(admission, outcome.failure, logger);
    return outcome;
  } catch (failure) {
    return { ok: false, failure };
  }
}

/** The client hears why there is no answer, also when that cannot be written down now. */
async function giveUp(admission: Serve, failure: unknown, logger: Logger): Promise<void> {
  try {
    await admission.fail(describeFailure(failure).code);
  } catch (err) {
    logger.error({ err }, 'A claim stays taken until the ledger is back');
  }
}

/** @throws {RequestError} what is not stored is not sent: a replay could not be the same. */
async function store(admission: Serve, answer: StoredAnswer): Promise<StoredAnswer> {
  try {
    return await admission.complete(answer);
  } catch (cause) {
    throw new RequestError('UPSTREAM_UNAVAILABLE', 'The answer could not be stored.', { cause });
  }
}

/** A free call that failed is the wallet's again. */
function givenBack(failure: RequestError): RequestError {
  const retryAfterSeconds = failure.retryAfterSeconds ?? defaultRetrySeconds;
  const detail = `${failure.detail} Nothing was charged and your free call is yours again: send the same PAYMENT-SIGNATURE again with the same body.`;
  return new RequestError(failure.code, detail, { retryAfterSeconds, cause: failure });
}

/** The payment has moved: whoever pays anew now pays twice. */
function stillOwed(failure: RequestError): RequestError {
  const retryAfterSeconds = failure.retryAfterSeconds ?? defaultRetrySeconds;
  const detail = `${failure.detail} Your payment is kept: send the same PAYMENT-SIGNATURE again with the same body, do not sign a new one. It is not charged twice.`;
  return new RequestError(failure.code, detail, { retryAfterSeconds, cause: failure });
}
