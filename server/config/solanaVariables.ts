import { createPrivateKey, createPublicKey } from 'node:crypto';
import { getBase58Encoder, isAddress } from '@solana/kit';
import { z } from 'zod';
import { urlList } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

/** What comes before the 32 bytes of a seed in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicKeyBytes = 32;

function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return new Uint8Array(getBase58Encoder().encode(text));
  } catch {
    // The codec throws for a letter that base58 has not; nothing else is done here.
    return undefined;
  }
}

/** A secret key is a seed and its public key; a slip of the pen shows in their not belonging together. */
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

/** Payments on Solana: all of these, or none; a facilitator elsewhere takes the place of the key. */
export const solanaVariables = z.object({
  RPC_URL_SOLANA: urlList.optional().register(variableFacts, {
    section: 'Payments',
    description: 'RPC URLs of Solana, separated by commas, for payments on Solana.',
    isPrivate: true,
  }),
  PAY_TO_SVM: wallet.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Solana wallet that receives payments. Its USDC account must exist.',
    isPrivate: true,
  }),
  FACILITATOR_KEY_SVM: secretKey.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Solana secret key that pays transaction fees: base58 of 64 bytes.',
    isPrivate: true,
  }),
});

/** @param env as it was set, whether or not it can be read */
export function solanaFaults(env: Record<string, string | undefined>): string[] {
  if (Object.keys(solanaVariables.shape).every((name) => env[name] === undefined)) return [];
  return ['RPC_URL_SOLANA', 'PAY_TO_SVM']
    .filter((name) => env[name] === undefined)
    .map((name) => `${name} is missing: payments on Solana need an RPC and a payee`);
}

/** Undefined without payments on Solana. */
export function toSolanaConfig(env: z.output<typeof solanaVariables>) {
  const { RPC_URL_SOLANA: rpcUrls, PAY_TO_SVM: payTo, FACILITATOR_KEY_SVM: facilitatorKey } = env;
  return rpcUrls && payTo ? { rpcUrls, payTo, ...(facilitatorKey && { facilitatorKey }) } : undefined;
}
