import type { AcceptedTerms } from './decodePayment.ts';
import type { Funds, OpenPayment, SettleOutcome, Verdict } from './facilitator.ts';

/** What the chain says became of a payment, whoever sent it; `unused` has not moved money and still can. */
type Fate = Extract<SettleOutcome, { kind: 'settled' | 'refused' }> | { kind: 'unused' };

/** Looks at one network without a key: enough to examine payments, and to tell whether one has been settled. */
export interface PaymentWitness<Payment> {
  /**
   * Once per process; an outage leaves it to the next call.
   * @throws {PaymentNetworkMismatchError} the RPC leads elsewhere, or the asset is another token.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  check(): Promise<void>;
  examine(payment: Payment, terms: AcceptedTerms, nowSeconds: number): Promise<Verdict>;
  /** @see Facilitator.readFunds */
  readFunds(payment: Payment, open: readonly OpenPayment[]): Promise<Funds>;
  /** Where a search for what happens from now on begins. @throws {ChainUnreachableError} @throws {NodeRefusalError} */
  readPosition(): Promise<bigint>;
  /**
   * @param since a position at which it was known not to have paid; undefined if this service never sent it. Then a
   * bounded number of the latest blocks is searched.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} it cannot be told now.
   */
  readFate(payment: Payment, since?: bigint): Promise<Fate>;
  /**
   * Whether no block can take it any more, not even one in place of the latest ones.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} it cannot be told now.
   */
  isOver(payment: Payment, since: bigint): Promise<boolean>;
}
