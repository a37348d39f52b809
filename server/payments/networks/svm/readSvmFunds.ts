import type { Address } from '@solana/kit';
import { type ChainCall, ChainUnreachableError } from '../../chainCall.ts';
import type { Funds, OpenPayment } from '../../facilitator.ts';
import { signatureStatuses, tokenBalance } from './nodeAnswers.ts';

/** The maximum number of signatures in one getSignatureStatuses. */
const mostSignatures = 256;

/**
 * The balance of the paying token account, and which open payments have landed. The statuses are read first, so that the
 * balance reflects every payment reported as landed.
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function readSvmFunds(
  callVerified: ChainCall,
  source: Address | undefined,
  open: readonly OpenPayment[],
): Promise<Funds> {
  if (!source) throw new ChainUnreachableError('The payment has no source token account.');
  const sent = open.flatMap(({ key, hashes }) => hashes.filter(Boolean).map((hash) => ({ key, hash })));
  const asked = sent.slice(0, mostSignatures);
  const ended = new Set<string>();
  if (asked.length > 0) {
    const signatures = asked.map(({ hash }) => hash);
    const { value } = await callVerified(
      'getSignatureStatuses',
      [signatures, { searchTransactionHistory: true }],
      signatureStatuses(signatures.length),
    );
    for (const [index, { key }] of asked.entries()) {
      const status = value[index]?.confirmationStatus;
      if (status === 'confirmed' || status === 'finalized') ended.add(key);
    }
  }
  const { value } = await callVerified('getTokenAccountBalance', [source, { commitment: 'confirmed' }], tokenBalance);
  return { balance: value.amount, ended };
}
