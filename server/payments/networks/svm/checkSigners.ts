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
  detail: 'The transaction is not signed by the wallet that it takes the money from.',
};

async function hasSigned(signer: Address, signature: SignatureBytes, message: ReadonlyUint8Array): Promise<boolean> {
  // A key that is no point of the curve is refused here or there, as the platform likes.
  const verified = getPublicKeyFromAddress(signer).then((key) => verifySignature(key, signature, message));
  return verified.catch(() => false);
}

/** Whether all signers but the fee payer, which signs last, have signed (Ed25519). Local: no RPC. */
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
