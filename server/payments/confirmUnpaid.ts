import type { SettleOutcome } from './facilitator.ts';
import type { PaymentVerifier } from './paymentVerifier.ts';

/** Whether a reason states that the payment was already settled or used. */
export const isUseReason = (reason: string): boolean => /already_used|duplicate_settlement/.test(reason);

/** Reasons of the token that depend on the block. A contract wallet may judge its signature differently in each call. */
const isTokenReason = (reason: string): boolean =>
  /^invalid_exact_evm_(payload_authorization_valid|insufficient_balance)/.test(reason);

/**
 * Compares the outcome of an unpaid payment with the chain. This service, a remote facilitator or a third party may have
 * broadcast a transaction for it. Every such outcome passes this function, so that no response states that a paid payment
 * was not charged.
 *
 * A refusal may come from a node that is ahead of, or behind, the one that returns the status. So a refusal by the token
 * must also hold at the block of the status.
 *
 * @param since a position at which the payment had not paid; undefined if this service never sent it
 * @param mustHoldAtBlock whether a refusal with this reason is repeated at the block of the status
 * @returns undefined if the refusal contradicts the status: the outcome is not known yet
 * @throws {ChainUnreachableError} @throws {JsonRpcError} the status cannot be read, or is older than one that was read
 */
export async function confirmUnpaid<Payment>(
  verifier: Pick<PaymentVerifier<Payment>, 'readStatus' | 'accepts'>,
  payment: Payment,
  outcome: SettleOutcome,
  since?: bigint,
  mustHoldAtBlock: (reason: string) => boolean = isTokenReason,
): Promise<SettleOutcome | undefined> {
  if (outcome.kind === 'settled' || outcome.kind === 'unknown') return outcome;
  const status = await verifier.readStatus(payment, since);
  if (status.kind !== 'unused') return status;
  if (outcome.kind !== 'refused') return outcome;
  const { reason } = outcome;
  if (isUseReason(reason)) return undefined;
  const isContradicted = mustHoldAtBlock(reason) && status.block && (await verifier.accepts?.(payment, status.block));
  return isContradicted ? undefined : outcome;
}
