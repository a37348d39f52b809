import { type Address, getAddress, type Hex, isAddress } from 'viem';
import { z } from 'zod';
import { MalformedPaymentError } from '../../malformedPaymentError.ts';
import type { PaymentForm } from '../../paymentNetwork.ts';
import type { SignedAuthorization } from './authorization.ts';
import { unwrapSignature } from './unwrapSignature.ts';

/** A WebAuthn signature of a contract wallet has under 1 KiB. */
const signatureBytesLimit = 2_048;

/** Accepts any letter case, and fixes a wrong checksum, which viem would reject when it encodes the call. */
const address = z
  .custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false }), 'must be an address')
  .transform((value): Address => (isAddress(value as string) ? value : getAddress(value.toLowerCase())));
const uint256 = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'must be a decimal integer string')
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n, 'exceeds uint256');
const hex = (pattern: RegExp, message: string) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value), message);

const authorizationSchema = z.object({
  signature: hex(
    new RegExp(`^0x(?:[0-9a-fA-F]{2}){1,${signatureBytesLimit}}$`),
    `must be 1 to ${signatureBytesLimit} bytes in hex`,
  ),
  authorization: z.object({
    from: address,
    to: address,
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: hex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits'),
  }),
});

/**
 * A key's signature with a `v` of 0 or 1, as some wallets return it, with the 27 or 28 that USDC requires. Any other
 * signature unchanged: in 65 bytes of a contract wallet (Safe's approved hash) the first word is an address.
 */
function toTokenSignature(signature: Hex): Hex {
  const parity = /^0x(?!0{24})[0-9a-fA-F]{128}0([01])$/.exec(signature)?.[1];
  return parity === undefined ? signature : `${signature.slice(0, -2) as Hex}${parity === '0' ? '1b' : '1c'}`;
}

/** Scheme `exact` on EVM networks with EIP-3009. Key: `network|asset|from|nonce`, lower case. */
export const authorizationForm: PaymentForm<SignedAuthorization> = {
  read(payload) {
    const signed = authorizationSchema.safeParse(payload);
    if (!signed.success) {
      const issue = signed.error.issues[0];
      throw new MalformedPaymentError(
        `PAYMENT-SIGNATURE contains no EIP-3009 authorization: payload.${issue?.path.join('.')}: ${issue?.message}.`,
      );
    }
    const { signature, wasWrapped } = unwrapSignature(signed.data.signature);
    return { ...signed.data.authorization, signature: toTokenSignature(signature), ...(wasWrapped && { wasWrapped }) };
  },
  keyOf: ({ network, asset }, { from, nonce }) => [network, asset, from, nonce].join('|').toLowerCase(),
  payerOf: ({ from }) => from,
  expiresAt: ({ validBefore }) => validBefore,
  strip({ authorization, signature }) {
    const { from, to, value, validAfter, validBefore, nonce } = authorization as Record<string, unknown>;
    return { authorization: { from, to, value, validAfter, validBefore, nonce }, signature };
  },
};
