import { getBase64EncodedWireTransaction } from '@solana/kit';
import { beforeAll, expect, test } from 'vitest';
import { computeLimit, computePrice, memo } from '../../../../tests/payments/solanaInstructions.ts';
import { openSolanaParties, type SolanaParties, solanaPayment } from '../../../../tests/support/solanaPayments.ts';
import { MalformedPaymentError } from '../../malformedPaymentError.ts';
import { type SvmTransaction, svmForm } from './svmTransaction.ts';

let parties: SolanaParties;
let payment: SvmTransaction;
beforeAll(async () => {
  parties = await openSolanaParties();
  payment = await solanaPayment(parties);
});

test('default: reads a signed transaction and its payer, and omits other members', () => {
  const transaction = getBase64EncodedWireTransaction(payment.transaction);
  const read = svmForm.read({ transaction, more: 1 });
  expect(read).toEqual(payment);
  expect(svmForm.payerOf(read)).toBe(parties.payer.address);
  expect(svmForm.strip({ transaction, more: 1 } as never)).toEqual({ transaction });
});

test('default: a transaction without a transfer has no payer', async () => {
  const other = await solanaPayment(parties, [computeLimit(1), computePrice(1n), memo()]);
  expect(other.transfer).toBeUndefined();
  expect(svmForm.payerOf(other)).toBe('');
});

test('security: the key depends on the message, not on the signatures', () => {
  const key = (of: SvmTransaction) => svmForm.keyOf(parties.terms, of);
  const resigned = { ...payment, transaction: { ...payment.transaction, signatures: {} } };
  expect(key(payment)).toMatch(/^solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp\|[0-9a-f]{64}$/);
  expect(key(resigned)).toBe(key(payment));
});

test.each([
  ['no transaction', {}, 'payload.transaction: Invalid input'],
  ['no base64', { transaction: 'a-b' }, 'payload.transaction: must be base64.'],
  ['more than one packet', { transaction: 'A'.repeat(1_645) }, 'payload.transaction: Too big'],
  ['another payload', 'x', 'payload.: Invalid input'],
  ['bytes that are no transaction', { transaction: 'AQID' }, 'payload.transaction.'],
])('error: MalformedPaymentError for %s', (_case, payload, message) => {
  expect(() => svmForm.read(payload)).toThrow(MalformedPaymentError);
  expect(() => svmForm.read(payload)).toThrow(`PAYMENT-SIGNATURE contains no Solana transaction: ${message}`);
});

test('error: the reason why a transaction cannot be decoded is kept', () => {
  expect(() => svmForm.read({ transaction: 'AQID' })).toThrow(expect.objectContaining({ cause: expect.any(Error) }));
});
