import {
  type Address,
  getPublicKeyFromAddress,
  type ReadonlyUint8Array,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import type { PayloadOutcome } from '../../facilitator.ts';
import type { SvmTransaction } from './svmTransaction.ts';

const invalid: PayloadOutcome = {
  kind: 'invalid',
  reason: 'invalid_exact_svm_payload_signature_invalid',
  detail:
    'A required signature is missing or invalid. Every signer except the fee payer must sign the transaction: sign a new one.',
};

async function hasSigned(signer: Address, signature: SignatureBytes, message: ReadonlyUint8Array): Promise<boolean> {
  // An address that is not a curve point fails in the import or in the verification, depending on the platform. Both
  // count as not signed.
  const verified = getPublicKeyFromAddress(signer).then((key) => verifySignature(key, signature, message));
  return verified.catch(() => false);
}

/** Whether all signers except the fee payer, which signs last, have signed (Ed25519). Needs no RPC. */
export async function checkSigners({ transaction, message }: SvmTransaction): Promise<PayloadOutcome> {
  const signers = message.staticAccounts.slice(1, message.header.numSignerAccounts);
  const signed = await Promise.all(
    signers.map((signer) => {
      const signature = transaction.signatures[signer];
      return signature ? hasSigned(signer, signature, transaction.messageBytes) : false;
    }),
  );
  return signers.length > 0 && signed.every(Boolean) ? { kind: 'valid' } : invalid;
}
