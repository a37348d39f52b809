import { type AcceptedTerms, encodeStored, type PaymentEnvelope } from './decodePayment.ts';
import type {
  Facilitator,
  Funds,
  LateFate,
  OpenPayment,
  SettleOutcome,
  SettleTask,
  Verdict,
  VerifyOutcome,
} from './facilitator.ts';
import type { JournaledTransaction } from './ledger/ledgerTypes.ts';
import type { QueueState } from './settlementQueue.ts';

/** How the payments of one family of networks are read. */
export interface PaymentForm<Payment> {
  /** @throws {MalformedPaymentError} the payload is none of this form. */
  read(payload: unknown): Payment;
  /** What can move money once, whatever else is changed around it. */
  keyOf(terms: AcceptedTerms, payment: Payment): string;
  /** The wallet whose money moves. */
  payerOf(payment: Payment): string;
  /** The payload without what the form does not define: clients may send anything beside it, and the ledger keeps this. */
  strip(payload: Record<string, unknown>): Record<string, unknown>;
  /** Unix time from which it cannot be used; undefined where that is no time. */
  expiresAt?(payment: Payment): bigint;
}

/** A payment that has been read, with what can be asked of it; only its rail knows its form. */
export interface RailPayment {
  key: string;
  payer: string;
  /** All that is needed to settle it on these terms without its sender, as JSON; a few hundred bytes. */
  encode(terms: AcceptedTerms): string;
  /** When it expires, in milliseconds since the epoch; undefined where that is no time. */
  expiresAt: number | undefined;
  examine(terms: AcceptedTerms, nowSeconds: number): Promise<Verdict>;
  /** For a free call: would it settle now? Nothing is sent to find out. */
  verify(): Promise<VerifyOutcome>;
  /** @see Facilitator.readFunds */
  readFunds(open: readonly OpenPayment[]): Promise<Funds>;
  settle(
    task: Pick<
      SettleTask<unknown>,
      'key' | 'sent' | 'wasRefused' | 'hasOthersOpen' | 'checkFunds' | 'journal' | 'terms'
    >,
  ): Promise<SettleOutcome>;
  /** @see Facilitator.watchForeign */
  watchForeign(paid: { transaction: string; since: bigint }): void;
  /** @see Facilitator.readLateFate */
  readLateFate(sent: readonly JournaledTransaction[]): Promise<LateFate>;
}

/** One network that payments run on: a form of payment, and who settles it. */
export interface Rail {
  readonly network: string;
  /** @throws {MalformedPaymentError} */
  read(envelope: PaymentEnvelope): RailPayment;
  start(): Promise<void>;
  /** For `extra` in the offer; undefined: not to be offered now. */
  offerExtra(): Promise<Record<string, unknown> | undefined>;
  /** @see Facilitator.readGas */
  readGas(): Promise<bigint | undefined>;
  resend(transactions: readonly JournaledTransaction[]): Promise<void>;
  /** @see Facilitator.watch */
  watch(paid: readonly (JournaledTransaction & { key?: string })[]): void;
  /** @see Facilitator.queue */
  queue?: (() => QueueState) | undefined;
  close(): void;
}

export function openRail<Payment>(form: PaymentForm<Payment>, facilitator: Facilitator<Payment>): Rail {
  return {
    network: facilitator.network,
    read(envelope) {
      const payment = form.read(envelope.payload);
      return {
        key: form.keyOf(envelope.accepted, payment),
        payer: form.payerOf(payment),
        encode: (terms) => encodeStored(terms, form.strip(envelope.payload)),
        expiresAt: form.expiresAt && Number(form.expiresAt(payment)) * 1_000,
        examine: (terms, nowSeconds) => facilitator.examine(payment, terms, nowSeconds),
        verify: () => facilitator.verify({ payment, envelope, terms: envelope.accepted }),
        readFunds: (open) => facilitator.readFunds(payment, open),
        settle: (task) => facilitator.settle({ ...task, payment, envelope }),
        watchForeign: (paid) => facilitator.watchForeign({ payment, envelope, terms: envelope.accepted }, paid),
        readLateFate: (sent) => facilitator.readLateFate(payment, sent),
      };
    },
    start: () => facilitator.start(),
    offerExtra: () => facilitator.offerExtra(),
    readGas: () => facilitator.readGas(),
    resend: (transactions) => facilitator.resend(transactions),
    watch: (paid) => facilitator.watch(paid),
    queue: facilitator.queue,
    close: () => facilitator.close(),
  };
}

/**
 * A network that is no longer configured: its payments can still be told apart, so that what the ledger holds of
 * them is honoured, but nothing new is taken and nothing open can be found out.
 */
export function closedRail<Payment>(network: string, form: PaymentForm<Payment>): Rail {
  return openRail(form, {
    network,
    start: async () => undefined,
    offerExtra: async () => undefined,
    examine: async () => ({ kind: 'unavailable' }),
    verify: async () => ({ kind: 'unavailable' }),
    // Never called: nothing is settled on a closed network.
    readFunds: async () => ({ balance: 0n, ended: new Set() }),
    settle: async () => ({ kind: 'unknown' }),
    readLateFate: async () => ({ kind: 'open' }),
    readGas: async () => undefined,
    resend: async () => undefined,
    watch: () => undefined,
    watchForeign: () => undefined,
    close: () => undefined,
  });
}
