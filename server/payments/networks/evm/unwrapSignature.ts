import { BaseError, decodeAbiParameters, type Hex } from 'viem';
import { MalformedPaymentError } from '../../malformedPaymentError.ts';

/** The last 32 bytes of an ERC-6492 signature, for wallets that may not be deployed yet. */
const suffix = '6492649264926492649264926492649264926492649264926492649264926492';

/**
 * The inner signature of an ERC-6492 signature, `(factory, calldata, signature)`; any other signature unchanged.
 *
 * The deployment data is ignored, because the payer chooses the factory. A deployed wallet verifies the inner signature.
 *
 * @throws {MalformedPaymentError} the bytes before the suffix cannot be decoded
 */
export function unwrapSignature(signature: Hex): { signature: Hex; wasWrapped: boolean } {
  if (!signature.endsWith(suffix)) return { signature, wasWrapped: false };
  try {
    const envelope = signature.slice(0, -suffix.length) as Hex;
    const [, , inner] = decodeAbiParameters([{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }], envelope);
    return { signature: inner, wasWrapped: true };
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause;
    throw new MalformedPaymentError('PAYMENT-SIGNATURE: payload.signature is not a valid ERC-6492 signature.', {
      cause,
    });
  }
}
