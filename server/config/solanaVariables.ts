import { createPrivateKey, createPublicKey } from 'node:crypto';
import { getBase58Encoder, isAddress } from '@solana/kit';
import { z } from 'zod';
import { urlList } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

/** The PKCS #8 prefix of a 32-byte Ed25519 seed (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicKeyBytes = 32;

function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return new Uint8Array(getBase58Encoder().encode(text));
  } catch {
    // The codec throws only for characters outside base58.
    return undefined;
  }
}

/** Compares the public key in a secret key with the one derived from its seed, which detects typing errors. */
function isPrivateKey(text: unknown): text is string {
  const bytes = typeof text === 'string' && text.length < 100 ? decodeBase58(text) : undefined;
  if (bytes?.length !== 2 * publicKeyBytes) return false;
  const seed = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, bytes.subarray(0, publicKeyBytes)]),
    format: 'der',
    type: 'pkcs8',
  });
  const derived = createPublicKey(seed).export({ format: 'der', type: 'spki' }).subarray(-publicKeyBytes);
  return derived.equals(bytes.subarray(publicKeyBytes));
}

const wallet = z.custom<string>((text) => typeof text === 'string' && isAddress(text), 'must be a Solana address');
const secretKey = z.custom<string>(
  isPrivateKey,
  'must be a Solana secret key: base58 of 64 bytes, seed and public key',
);

/** Variables of payments on Solana: all or none. A remote facilitator replaces FACILITATOR_KEY_SVM. */
export const solanaVariables = z.object({
  RPC_URL_SOLANA: urlList.optional().register(variableFacts, {
    section: 'Payments',
    description: 'RPC URLs of Solana for payments, separated by commas, best first.',
    isPrivate: true,
  }),
  PAY_TO_SVM: wallet.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Solana wallet that receives payments. Its token account for USDC must exist.',
    isPrivate: true,
  }),
  FACILITATOR_KEY_SVM: secretKey.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Solana secret key that submits settlements and pays their fees: base58 of 64 bytes.',
    isPrivate: true,
  }),
});

/**
 * Returns a fault for each missing variable if payments on Solana are configured incompletely.
 * @param env the raw environment, valid or not
 */
export function solanaFaults(env: Record<string, string | undefined>): string[] {
  if (Object.keys(solanaVariables.shape).every((name) => env[name] === undefined)) return [];
  return ['RPC_URL_SOLANA', 'PAY_TO_SVM']
    .filter((name) => env[name] === undefined)
    .map((name) => `${name} is missing: payments on Solana need RPC_URL_SOLANA and PAY_TO_SVM`);
}

/** The Solana configuration; undefined if payments on Solana are not configured. */
export function toSolanaConfig(env: z.output<typeof solanaVariables>) {
  const { RPC_URL_SOLANA: rpcUrls, PAY_TO_SVM: payTo, FACILITATOR_KEY_SVM: facilitatorKey } = env;
  return rpcUrls && payTo ? { rpcUrls, payTo, ...(facilitatorKey && { facilitatorKey }) } : undefined;
}
