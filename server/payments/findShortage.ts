import { formatUnits } from 'viem';
import type { SettleOutcome } from './facilitator.ts';
import type { PaymentLedger, Reservation } from './ledger/ledgerTypes.ts';
import type { NetworkPayment } from './paymentNetwork.ts';

/** USDC has six decimals on every network. */
const toUsdc = (units: bigint): string => formatUnits(units, 6);

const total = (reservations: readonly Reservation[]): bigint =>
  reservations.reduce((sum, { amount }) => sum + amount, 0n);

/**
 * Returns a refusal if a wallet cannot afford a payment in addition to its open ones. Without this check, a wallet with
 * funds for one call could sign many payments: each simulation would succeed, and all but one would fail on chain at our
 * cost.
 *
 * The reservations were read before the balance, so a payment that settles in between counts twice and is never missed.
 * If the balance seems too low, both are read again: current reservations, then balance and payments at one block.
 *
 * @param before reservations of the wallet's other payments, made before this one
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function findShortage(
  ledger: Pick<PaymentLedger, 'loadReserved'>,
  payment: Pick<NetworkPayment, 'readFunds'>,
  { key, network, amount, before }: { key: string; network: string; amount: bigint; before: readonly Reservation[] },
): Promise<Extract<SettleOutcome, { kind: 'refused' | 'unknown' }> | undefined> {
  if (before.length === 0) return undefined;
  const first = await payment.readFunds([]);
  if (first.balance >= amount + total(before)) return undefined;

  const open = await ledger.loadReserved(before.map(({ key }) => key));
  // With the payment itself: a third party's transaction with it may be the reason for the low balance.
  const sent = open.filter(({ hashes }) => hashes.length > 0);
  const { balance, ended } = await payment.readFunds([{ key, hashes: [] }, ...sent]);
  if (ended.has(key)) return { kind: 'unknown' };
  const reserved = total(open.filter(({ key }) => !ended.has(key)));
  // Without other reservations the simulation reports a low balance.
  if (reserved === 0n || balance >= amount + reserved) return undefined;
  return {
    kind: 'refused',
    reason: 'insufficient_funds',
    detail:
      `The paying wallet holds ${toUsdc(balance)} USDC on ${network}, and its unsettled payments have reserved ` +
      `${toUsdc(reserved)} USDC; this call costs ${toUsdc(amount)} USDC. Fund the wallet, or send the same ` +
      'PAYMENT-SIGNATURE again when those payments have settled.',
  };
}
