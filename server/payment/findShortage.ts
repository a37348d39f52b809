import { formatUnits } from 'viem';
import type { SettleOutcome } from './facilitator.ts';
import type { PaymentLedger, Reservation } from './ledger/ledgerTypes.ts';
import type { RailPayment } from './rail.ts';

/** USDC has six decimals on every network. */
const toUsdc = (units: bigint): string => formatUnits(units, 6);

const total = (reservations: readonly Reservation[]): bigint =>
  reservations.reduce((sum, { amount }) => sum + amount, 0n);

/**
 * Why a wallet cannot afford a payment beside those that it has open; undefined when it can. Without this, a wallet with
 * the price of one call could sign many: each simulates well, and all but one fail on chain at our cost.
 *
 * The reservations were read before the balance, so a payment that settles in between counts twice, never not at all.
 * Where that matters, both are read again: reservations that still stand, then balance and payments in one reading.
 *
 * @param before what was reserved before this payment
 * @throws {ChainUnreachableError} @throws {NodeRefusalError}
 */
export async function findShortage(
  ledger: Pick<PaymentLedger, 'loadReserved'>,
  payment: Pick<RailPayment, 'readFunds'>,
  { network, amount, before }: { network: string; amount: bigint; before: readonly Reservation[] },
): Promise<Extract<SettleOutcome, { kind: 'refused' }> | undefined> {
  if (before.length === 0) return undefined;
  const first = await payment.readFunds([]);
  if (first.balance >= amount + total(before)) return undefined;

  const open = await ledger.loadReserved(before.map(({ key }) => key));
  const { balance, ended } = await payment.readFunds(open.filter(({ hashes }) => hashes.length > 0));
  const reserved = total(open.filter(({ key }) => !ended.has(key)));
  // Then the balance alone decides, and the simulation reports it.
  if (reserved === 0n || balance >= amount + reserved) return undefined;
  return {
    kind: 'refused',
    reason: 'insufficient_funds',
    detail:
      `The paying wallet holds ${toUsdc(balance)} USDC on ${network}, and its payments in flight have reserved ` +
      `${toUsdc(reserved)} USDC; this call costs ${toUsdc(amount)} USDC. Fund the wallet, or send the same ` +
      'PAYMENT-SIGNATURE again when those payments have ended.',
  };
}
