import type { SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import {
  type createFacilitatorClient,
  type FacilitatorRequest,
  FacilitatorUnansweredError,
  type SettleAnswer,
} from './facilitatorClient.ts';

export type FacilitatorTask<Payment> = Pick<SettleTask<Payment>, 'payment' | 'envelope' | 'terms'>;
/** Result of one settle request. */
export type SettleResult =
  | Extract<SettleOutcome, { kind: 'settled' | 'refused' }>
  /** The facilitator may have settled, or may still settle. */
  | { kind: 'unknown' }
  | { kind: 'neverArrived' };

/** The facilitator's code if it has the form of one: it is copied into our response header. */
const toReason = (reason: string | null | undefined): string =>
  reason && reason.length <= 80 && /^[a-z]+(_[a-z0-9]+)+$/.test(reason) ? reason : 'facilitator_refused';

/** Reasons that contradict our own verification. Some facilitators return them when their node is down. */
const contradictsVerification = (reason: string): boolean =>
  /_signature(_invalid)?$|_address$|^unsupported_|invalid_network$|_network_mismatch$/.test(reason);

export type Refused = Extract<SettleOutcome, { kind: 'refused' }>;

const refused = (reason: string): Refused => ({
  kind: 'refused',
  reason,
  detail: `The facilitator refused this payment (${reason}). Sign a new one.`,
});

/** Sends requests for one network to a facilitator. Ignores responses that contradict our own verification. */
export function createFacilitatorRequests<Payment>({
  network,
  client,
  isPayer,
  transactionPattern,
  logger,
  signal,
}: {
  network: string;
  client: ReturnType<typeof createFacilitatorClient>;
  isPayer(payer: string | null | undefined, payment: Payment): boolean;
  /** Format of a transaction id. */
  transactionPattern: RegExp;
  logger: PaymentLogger;
  signal: AbortSignal;
}) {
  const toRequestBody = ({ envelope, terms }: FacilitatorTask<Payment>): FacilitatorRequest => ({
    x402Version: 2,
    paymentPayload: JSON.parse(envelope.canonicalPayload),
    paymentRequirements: terms,
  });

  async function requestVerify(task: FacilitatorTask<Payment>): Promise<Exclude<VerifyOutcome, { kind: 'used' }>> {
    try {
      const { isValid, invalidReason, payer } = await client.verify(toRequestBody(task), signal);
      const reason = toReason(invalidReason);
      if (isValid && (!payer || isPayer(payer, task.payment))) return { kind: 'valid' };
      if (!isValid && !contradictsVerification(reason)) return refused(reason);
      logger.error({ network, isValid, reason }, 'The facilitator contradicts our own verification of a payment');
    } catch (error) {
      if (!(error instanceof FacilitatorUnansweredError)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be verified');
    }
    return { kind: 'unavailable' };
  }

  function toSettleResult(answer: SettleAnswer, payment: Payment): SettleResult {
    const { success, transaction, payer } = answer;
    if (!success) return refused(toReason(answer.errorReason));
    const fits = isPayer(payer, payment) && answer.network === network && transactionPattern.test(transaction ?? '');
    if (fits && transaction) return { kind: 'settled', transaction };
    logger.error({ network }, 'The facilitator returned a settlement of another payment');
    return { kind: 'unknown' };
  }

  async function requestSettle(task: FacilitatorTask<Payment>, until: AbortSignal): Promise<SettleResult> {
    try {
      return toSettleResult(await client.settle(toRequestBody(task), until), task.payment);
    } catch (error) {
      if (!(error instanceof FacilitatorUnansweredError)) throw error;
      if (!until.aborted)
        logger.warn({ network, cause: error.message }, 'No result of a settle request; the chain is polled for it');
      return { kind: error.neverArrived ? 'neverArrived' : 'unknown' };
    }
  }

  /**
   * The facilitator's `extra` for this network.
   * @throws {PaymentNetworkMismatchError}
   * @throws {FacilitatorUnansweredError}
   */
  async function readSupport(): Promise<Record<string, unknown>> {
    const { kinds } = await client.supported(signal);
    const kind = kinds.find(
      (known) => known.x402Version === 2 && known.scheme === 'exact' && known.network === network,
    );
    if (!kind) {
      throw new PaymentNetworkMismatchError(
        `The facilitator for ${network} does not support scheme exact on it. Configure another facilitator, or a facilitator key.`,
      );
    }
    return kind.extra ?? {};
  }

  return { requestVerify, requestSettle, readSupport };
}

export type FacilitatorRequests<Payment> = ReturnType<typeof createFacilitatorRequests<Payment>>;
