import { BaseError, decodeAbiParameters, type Hex } from 'viem';
import { MalformedPaymentError } from '../../malformedPaymentError.ts';

/** ERC-6492: what a signature of a wallet that may not be deployed yet ends with. */
const suffix = '6492649264926492649264926492649264926492649264926492649264926492';

/**
 * The signature inside an ERC-6492 envelope, `(factory, calldata, signature)`; the signature itself when it has none.
 *
 * What the envelope says about deployment is not followed: it would mean calling a factory that the payer names. A
 * wallet that is deployed by now signs with what is inside.
 *
 * @throws {MalformedPaymentError}
 */
export function unwrapSignature(signature: Hex): { signature: Hex; wasWrapped: boolean } {
  if (!signature.toLowerCase().endsWith(suffix)) return { signature, wasWrapped: false };
  try {
    const envelope = signature.slice(0, -suffix.length) as Hex;
    const [, , inner] = decodeAbiParameters([{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }], envelope);
    return { signature: inner, wasWrapped: true };
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause;
    throw new MalformedPaymentError('PAYMENT-SIGNATURE holds a broken ERC-6492 signature: payload.signature.', {
      cause,
    });
  }
}
