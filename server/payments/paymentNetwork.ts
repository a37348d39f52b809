import { type AcceptedTerms, encodeStored, type PaymentEnvelope } from './decodePayment.ts';
import type {
  Facilitator,
  Funds,
  LateStatus,
  OpenPayment,
  PaidTransaction,
  PayloadOutcome,
  SettleOutcome,
  SettleTask,
  VerifyOutcome,
} from './facilitator.ts';
import type { JournaledTransaction } from './ledger/ledgerTypes.ts';
import type { QueueState } from './settlementQueue.ts';
import type { SettlementState } from './settlementState.ts';

/** Decodes the payments of one family of networks. */
export interface PaymentForm<Payment> {
  /** @throws {MalformedPaymentError} the payload does not have this form */
  read(payload: unknown): Payment;
  /** Identifies the payment: money moves at most once for each key. */
  keyOf(terms: AcceptedTerms, payment: Payment): string;
  /** The wallet whose money moves. */
  payerOf(payment: Payment): string;
  /** The payload without fields that the scheme does not define, for the ledger. */
  strip(payload: Record<string, unknown>): Record<string, unknown>;
  /** Unix time in seconds from which the payment cannot be used. Absent: it does not expire at a time. */
  expiresAt?(payment: Payment): bigint;
}

/** A decoded payment and its operations, independent of the network's payment format. */
export interface NetworkPayment {
  key: string;
  payer: string;
  /** The payment with these terms as JSON, sufficient to settle it without its client; a few hundred bytes. */
  encode(terms: AcceptedTerms): string;
  /** Expiry in milliseconds since the epoch; undefined if the payment does not expire at a time. */
  expiresAt: number | undefined;
  /** @see Facilitator.spendsOurGas */
  spendsOurGas: boolean;
  verifyPayload(terms: AcceptedTerms, nowSeconds: number): Promise<PayloadOutcome>;
  /** @see Facilitator.isSigned */
  isSigned(terms: AcceptedTerms, nowSeconds: number): Promise<boolean>;
  /** @see Facilitator.verify */
  verify(): Promise<VerifyOutcome>;
  /** @see Facilitator.readFunds */
  readFunds(open: readonly OpenPayment[]): Promise<Funds>;
  settle(
    task: Pick<SettleTask<unknown>, 'key' | 'sent' | 'wasRefused' | 'checkFunds' | 'journal' | 'terms'>,
  ): Promise<SettleOutcome>;
  /** @see Facilitator.watchPaid */
  watchPaid(paid: PaidTransaction): void;
  /** @see Facilitator.readLateStatus */
  readLateStatus(sent: readonly JournaledTransaction[]): Promise<LateStatus>;
}

/** One payment network: a payment format and a facilitator. */
export interface PaymentNetwork {
  readonly network: string;
  /** @throws {MalformedPaymentError} */
  read(envelope: PaymentEnvelope): NetworkPayment;
  start(): Promise<void>;
  /** @see Facilitator.offerExtra */
  offerExtra(): Promise<Record<string, unknown> | undefined>;
  /** @see Facilitator.account */
  readonly account: string | undefined;
  /** @see Facilitator.readSettlementState */
  readSettlementState(): Promise<SettlementState>;
  resend(transactions: readonly JournaledTransaction[]): Promise<void>;
  /** @see Facilitator.queue */
  queue?: (() => QueueState) | undefined;
  close(): void;
}

export function openPaymentNetwork<Payment>(
  form: PaymentForm<Payment>,
  facilitator: Facilitator<Payment>,
): PaymentNetwork {
  return {
    network: facilitator.network,
    read(envelope) {
      const payment = form.read(envelope.payload);
      const key = form.keyOf(envelope.accepted, payment);
      return {
        key,
        payer: form.payerOf(payment),
        encode: (terms) => encodeStored(terms, form.strip(envelope.payload)),
        expiresAt: form.expiresAt && Number(form.expiresAt(payment)) * 1_000,
        spendsOurGas: facilitator.spendsOurGas,
        verifyPayload: (terms, nowSeconds) => facilitator.verifyPayload(payment, terms, nowSeconds),
        isSigned: (terms, nowSeconds) => facilitator.isSigned(payment, terms, nowSeconds),
        verify: () => facilitator.verify({ payment, envelope, terms: envelope.accepted }),
        readFunds: (open) => facilitator.readFunds(payment, open),
        settle: (task) => facilitator.settle({ ...task, payment, envelope }),
        watchPaid: (paid) => facilitator.watchPaid({ key, payment, envelope, terms: envelope.accepted }, paid),
        readLateStatus: (sent) => facilitator.readLateStatus(payment, sent),
      };
    },
    start: () => facilitator.start(),
    offerExtra: () => facilitator.offerExtra(),
    account: facilitator.account,
    readSettlementState: () => facilitator.readSettlementState(),
    resend: (transactions) => facilitator.resend(transactions),
    queue: facilitator.queue,
    close: () => facilitator.close(),
  };
}

/**
 * A network that is no longer configured. Its payments can be decoded, so that credits in the ledger are honoured. It
 * accepts no new payments and cannot read the status of open ones.
 */
export function closedNetwork<Payment>(network: string, form: PaymentForm<Payment>): PaymentNetwork {
  return openPaymentNetwork(form, {
    network,
    spendsOurGas: false,
    start: async () => undefined,
    offerExtra: async () => undefined,
    verifyPayload: async () => ({ kind: 'unavailable' }),
    isSigned: async () => false,
    verify: async () => ({ kind: 'unavailable' }),
    // Never called: nothing is settled on a closed network.
    readFunds: async () => ({ balance: 0n, ended: new Set() }),
    settle: async () => ({ kind: 'unknown' }),
    readLateStatus: async () => ({ kind: 'open' }),
    // Never called, like `readFunds`: a closed network is not offered.
    readSettlementState: async () => ({ obstacle: 'node_unreachable', settlements: undefined, gasCost: undefined }),
    resend: async () => undefined,
    watchPaid: () => undefined,
    close: () => undefined,
  });
}
