import { type Address, createKeyPairFromBytes, getAddressDecoder, getBase58Encoder } from '@solana/kit';

const bytesOf = (secretKey: string): Uint8Array => new Uint8Array(getBase58Encoder().encode(secretKey));

/** The address of a fee payer. @param secretKey base58 of 64 bytes: seed, then public key */
export function feePayerAddress(secretKey: string): Address {
  return getAddressDecoder().decode(bytesOf(secretKey).slice(32));
}

/** Imports a fee payer's key. @throws {SolanaError} the public key does not match the seed */
export function openFeePayerKey(secretKey: string): ReturnType<typeof createKeyPairFromBytes> {
  return createKeyPairFromBytes(bytesOf(secretKey));
}
