import { isChainError } from './chainCall.ts';
import type { AcceptedTerms } from './decodePayment.ts';
import type { Funds, OpenPayment, PayloadOutcome, SettleOutcome } from './facilitator.ts';
import type { PaymentLogger } from './paymentConfig.ts';

/** The block at which a status was read. */
interface StatusBlock {
  number: bigint;
  timestamp: bigint;
}

/**
 * On-chain status of a payment, whichever account sent it. `unused`: it has not moved money and still can. `block` is
 * absent on Solana.
 */
type PaymentStatus = Extract<SettleOutcome, { kind: 'settled' | 'refused' }> | { kind: 'unused'; block?: StatusBlock };

/** Verifies payments of one network and reads their status, without a key. */
export interface PaymentVerifier<Payment> {
  /**
   * Verifies network and asset, once per process. After an outage the next call verifies them again.
   * @throws {PaymentNetworkMismatchError} the RPC serves another network, or the asset is another token
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  check(): Promise<void>;
  verifyPayload(payment: Payment, terms: AcceptedTerms, nowSeconds: number): Promise<PayloadOutcome>;
  /** @see Facilitator.isSigned */
  isSigned(payment: Payment, terms: AcceptedTerms, nowSeconds: number): Promise<boolean>;
  /** @see Facilitator.readFunds */
  readFunds(payment: Payment, open: readonly OpenPayment[]): Promise<Funds>;
  /**
   * The current block number or slot, at which a later search for the payment starts.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  readPosition(): Promise<bigint>;
  /**
   * The status at one block, which is not older than any block that this process has read within the last minute.
   *
   * @param since a position at which the payment had not paid. Undefined if this service never sent the payment: then
   * only a bounded number of the latest blocks is searched.
   * @throws {ChainUnreachableError} @throws {JsonRpcError} the status cannot be read.
   */
  readStatus(payment: Payment, since?: bigint): Promise<PaymentStatus>;
  /**
   * Whether the token would execute the payment at this block. Absent where only the facilitator can broadcast it.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  accepts?(payment: Payment, block: StatusBlock): Promise<boolean>;
  /**
   * Whether no block can include the payment any more, even if the latest blocks are replaced.
   * @throws {ChainUnreachableError} @throws {JsonRpcError} the status cannot be read.
   */
  hasExpired(payment: Payment, since: bigint): Promise<boolean>;
}

/**
 * Runs the checks of a network at start. If no node replies, the service starts without them, and the first payment runs
 * them again.
 *
 * @param isUnreachable whether an error of `check` means that nothing replied
 * @throws {PaymentNetworkMismatchError}
 */
export async function checkAtStart(
  { network, logger }: { network: string; logger: PaymentLogger },
  check: () => Promise<unknown>,
  isUnreachable: (error: unknown) => error is Error = isChainError,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
  }
}
