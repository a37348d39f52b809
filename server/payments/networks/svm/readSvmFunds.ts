import type { Address } from '@solana/kit';
import { type ChainCall, ChainUnreachableError } from '../../chainCall.ts';
import type { Funds, OpenPayment } from '../../facilitator.ts';
import { signatureStatuses, tokenBalance } from './nodeAnswers.ts';

/** Solana's limit for one getSignatureStatuses. Transactions beyond it count as open. */
const maxSignatures = 256;

/**
 * The balance of the paying token account, and the open payments that it reflects: those that are confirmed, at the slot
 * of the balance or before.
 *
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
  const included: { key: string; slot: number }[] = [];
  if (read.length > 0) {
    const signatures = read.map(({ hash }) => hash);
    const { value } = await callVerified(
      'getSignatureStatuses',
      [signatures, { searchTransactionHistory: true }],
      signatureStatuses(signatures.length),
    );
    for (const [index, { key }] of read.entries()) {
      const status = value[index];
      if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') {
        included.push({ key, slot: status.slot });
      }
    }
  }
  const params = [source, { commitment: 'confirmed' }];
  const { context, value } = await callVerified('getTokenAccountBalance', params, tokenBalance);
  // The node of the balance may be behind the node of the statuses.
  const reflected = included.filter(({ slot }) => slot <= context.slot);
  return { balance: value.amount, ended: new Set(reflected.map(({ key }) => key)) };
}
