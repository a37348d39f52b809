import { createHash } from 'node:crypto';
import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit';
import { z } from 'zod';
import { MalformedPaymentError } from '../../malformedPaymentError.ts';
import type { PaymentForm } from '../../paymentNetwork.ts';
import { findTransfer, type TokenTransfer } from './findTransfer.ts';

/** A Solana payment: a transaction that its payer has signed, and that we sign later as fee payer. */
export interface SvmTransaction {
  transaction: Transaction;
  message: CompiledTransactionMessage & CompiledTransactionMessageWithLifetime & { staticAccounts: Address[] };
  /** The `TransferChecked` at the position that scheme `exact` requires; undefined if there is another instruction. */
  transfer: TokenTransfer | undefined;
}

/** Maximum size of a Solana transaction: one network packet. */
const transactionBytesLimit = 1_232;

const payloadSchema = z.object({
  transaction: z
    .string()
    .max(Math.ceil(transactionBytesLimit / 3) * 4)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64'),
});

function decode(base64: string): SvmTransaction {
  try {
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    return { transaction, message, transfer: findTransfer(message) };
  } catch (cause) {
    // Untrusted bytes: the codec throws various errors if it cannot decode them.
    throw new MalformedPaymentError('PAYMENT-SIGNATURE contains no Solana transaction: payload.transaction.', {
      cause,
    });
  }
}

/**
 * Scheme `exact` on Solana. Key: `network|sha256 of the message`, in hex. Signatures can be replaced without changing the
 * message, so they do not identify a payment.
 */
export const svmForm: PaymentForm<SvmTransaction> = {
  read(payload) {
    const parsed = payloadSchema.safeParse(payload);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new MalformedPaymentError(
        `PAYMENT-SIGNATURE contains no Solana transaction: payload.${issue?.path.join('.')}: ${issue?.message}.`,
      );
    }
    return decode(parsed.data.transaction);
  },
  keyOf: ({ network }, { transaction }) =>
    `${network}|${createHash('sha256').update(Uint8Array.from(transaction.messageBytes)).digest('hex')}`,
  payerOf: ({ transfer }) => transfer?.authority ?? '',
  strip: ({ transaction }) => ({ transaction }),
};
