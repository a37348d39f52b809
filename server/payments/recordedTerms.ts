import type { AcceptedTerms } from './decodePayment.ts';
import type { RecordedTerms } from './ledger/ledgerTypes.ts';

/** The terms of a payment for reports. They never make a payment fail: another form of the amount is not recorded. */
export function toRecordedTerms({
  amount,
  asset,
  payTo,
}: Pick<AcceptedTerms, 'amount' | 'asset' | 'payTo'>): RecordedTerms {
  const units = /^\d{1,16}$/.test(amount) ? Number(amount) : Number.NaN;
  return { amount: Number.isSafeInteger(units) ? units : undefined, asset, payTo };
}
