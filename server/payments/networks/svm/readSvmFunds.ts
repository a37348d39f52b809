import type { Address } from '@solana/kit';
import { type ChainCall, ChainUnreachableError } from '../../chainCall.ts';
import type { Funds, OpenPayment } from '../../facilitator.ts';
import { signatureStatuses, tokenBalance } from './nodeAnswers.ts';

/** Solana's limit for one getSignatureStatuses. Transactions beyond it count as open. */
const maxSignatures = 256;

/**
 * The balance of the paying token account, and the open payments that are confirmed. The statuses are read first, so that
 * the balance reflects each payment in `ended`.
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function readSvmFunds(
  callVerified: ChainCall,
  source: Address | undefined,
  open: readonly OpenPayment[],
): Promise<Funds> {
  if (!source) throw new ChainUnreachableError('The payment has no source token account.');
  // Entries for a remote facilitator have empty hashes.
  const sent = open.flatMap(({ key, hashes }) => hashes.filter(Boolean).map((hash) => ({ key, hash })));
  const read = sent.slice(0, maxSignatures);
  const ended = new Set<string>();
  if (read.length > 0) {
    const signatures = read.map(({ hash }) => hash);
    const { value } = await callVerified(
      'getSignatureStatuses',
      [signatures, { searchTransactionHistory: true }],
      signatureStatuses(signatures.length),
    );
    for (const [index, { key }] of read.entries()) {
      const status = value[index]?.confirmationStatus;
      if (status === 'confirmed' || status === 'finalized') ended.add(key);
    }
  }
  const { value } = await callVerified('getTokenAccountBalance', [source, { commitment: 'confirmed' }], tokenBalance);
  return { balance: value.amount, ended };
}
