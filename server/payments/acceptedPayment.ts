import type { Logger } from 'pino';
import { describeFailure, RequestError, type Ticket } from '../../router/index.ts';
import { chargeStates } from './chargeState.ts';
import type { PaymentDecision, StoredAnswer } from './paymentTypes.ts';

type Serve = Extract<PaymentDecision, { kind: 'serve' }>;

const defaultRetrySeconds = 5;

/** A settled payment, or a free call, whose answer is being computed. Exactly one of `complete` and `fail` ends it. */
export class AcceptedPayment {
  readonly ticket: Ticket;
  readonly paymentResponse: string;
  /** The wallet's free call: nothing was settled. */
  readonly isFree: boolean;
  /** Resolves when the answer is stored or the call has failed. */
  readonly ended: Promise<void>;
  readonly #serve: Serve;
  readonly #log: { requestId: string; paid: string; logger: Logger };
  #end: () => void = () => undefined;

  constructor(serve: Serve, log: { requestId: string; paid: string; logger: Logger }) {
    this.ticket = serve.ticket;
    this.paymentResponse = serve.paymentResponse;
    this.isFree = serve.free === true;
    this.#serve = serve;
    this.#log = log;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /**
   * Stores the answer. Resolves with the answer to send: the first one stored for this payment.
   * @throws {RequestError} UPSTREAM_UNAVAILABLE: an unstored answer is not sent, because a replay could differ
   */
  async complete(answer: StoredAnswer): Promise<StoredAnswer> {
    try {
      if (answer.body === '') {
        await this.#serve.fail('INTERNAL');
        throw new TypeError('The handler returned an empty body.');
      }
      return await this.#serve.complete(answer);
    } catch (cause) {
      this.#logFailure(cause);
      throw new RequestError('UPSTREAM_UNAVAILABLE', 'The answer could not be stored.', { cause });
    } finally {
      this.#end();
    }
  }

  /** Records that the procedure failed: a payment stays a credit, and a wallet keeps its free call. Never rejects. */
  async fail(failure: unknown): Promise<void> {
    this.#logFailure(failure);
    const { requestId, paid, logger } = this.#log;
    try {
      await this.#serve.fail(describeFailure(failure).code);
    } catch (err) {
      logger.error(
        { requestId, paid, err },
        'A failed call could not release its claim; the claim stays until the ledger is reachable',
      );
    } finally {
      this.#end();
    }
  }

  /** Adds to an error whether the payer was charged, and how to retry. */
  explain(error: RequestError): RequestError {
    const { code, detail, retryAfterSeconds = defaultRetrySeconds } = error;
    const { charged, sentence } = this.#serve.free ? chargeStates.keepsFreeCall : chargeStates.credit;
    const next = 'Do not sign a new payment: send the same PAYMENT-SIGNATURE again with the same body.';
    return new RequestError(code, `${detail} ${sentence} ${next}`, { charged, retryAfterSeconds, cause: error });
  }

  #logFailure(failure: unknown): void {
    const { requestId, paid, logger } = this.#log;
    logger.error({ requestId, paid, code: describeFailure(failure).code, err: failure }, 'A paid call failed');
  }
}
