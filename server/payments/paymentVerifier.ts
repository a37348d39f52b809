import type { AcceptedTerms } from './decodePayment.ts';
import type { Funds, OpenPayment, PayloadOutcome, SettleOutcome } from './facilitator.ts';

/** On-chain status of a payment, whichever account sent it; `unused` has not moved money and still can. */
type PaymentStatus = Extract<SettleOutcome, { kind: 'settled' | 'refused' }> | { kind: 'unused' };

/** Reads one network without a key: examines payments and reads whether they were settled. */
export interface PaymentVerifier<Payment> {
  /**
   * Once per process; an outage leaves it to the next call.
   * @throws {PaymentNetworkMismatchError} the RPC leads elsewhere, or the asset is another token.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  check(): Promise<void>;
  examine(payment: Payment, terms: AcceptedTerms, nowSeconds: number): Promise<PayloadOutcome>;
  /** @see Facilitator.readFunds */
  readFunds(payment: Payment, open: readonly OpenPayment[]): Promise<Funds>;
  /** Where a search for what happens from now on begins. @throws {ChainUnreachableError} @throws {JsonRpcError} */
  readPosition(): Promise<bigint>;
  /**
   * @param since a position at which it was known not to have paid; undefined if this service never sent it. Then a
   * bounded number of the latest blocks is searched.
   * @throws {ChainUnreachableError} @throws {JsonRpcError} the status cannot be read.
   */
  readStatus(payment: Payment, since?: bigint): Promise<PaymentStatus>;
  /**
   * Whether no block can include it any more, even if the latest ones are replaced.
   * @throws {ChainUnreachableError} @throws {JsonRpcError} the status cannot be read.
   */
  hasExpired(payment: Payment, since: bigint): Promise<boolean>;
}
