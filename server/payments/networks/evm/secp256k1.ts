import { createRequire } from 'node:module';

/**
 * ECDSA on secp256k1 as far as payments need it. A signature is compact: r and s, 32 bytes each; digests and keys have
 * 32 bytes, public keys 65 (uncompressed).
 */
export interface Secp256k1 {
  /** The public key behind a signature over a digest; undefined when these bytes are not a signature. */
  recover(digest: Uint8Array, signature: Uint8Array, recovery: 0 | 1): Uint8Array | undefined;
  /** With a low s, and the nonce of RFC 6979: the same digest and key give the same bytes. */
  sign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recovery: number };
  publicKey(key: Uint8Array): Uint8Array;
}

export type RecoverKey = Secp256k1['recover'];

/** The part of the package's interface that is used; its bindings come without types. */
interface NativeSecp256k1 {
  ecdsaRecover(signature: Uint8Array, recovery: number, digest: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
}

/** Both libraries throw for an r or s that is no scalar or no point; there is no other work in the call. */
function orUndefined(recover: () => Uint8Array | null): Uint8Array | undefined {
  try {
    return recover() ?? undefined;
  } catch {
    return undefined;
  }
}

const require = createRequire(import.meta.url);

/** libsecp256k1 as a native addon; undefined where the package has none for this platform. */
export function openNative(): Secp256k1 | undefined {
  let native: NativeSecp256k1;
  try {
    // Not the package's main entry, which falls back to a slow implementation in JavaScript.
    native = require('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    // No binary for this platform, or one that does not load: the caller has another implementation.
    return undefined;
  }
  return {
    recover: (digest, compact, recovery) => orUndefined(() => native.ecdsaRecover(compact, recovery, digest, false)),
    sign(digest, key) {
      const { signature, recid } = native.ecdsaSign(digest, key);
      return { signature, recovery: recid };
    },
    publicKey: (key) => native.publicKeyCreate(key, false),
  };
}

/** The same as WebAssembly, for every platform; about a fourth as fast. */
export async function openWasm(): Promise<Secp256k1> {
  const { pointFromScalar, recover, signRecoverable } = await import('tiny-secp256k1');
  return {
    recover: (digest, compact, recovery) => orUndefined(() => recover(digest, compact, recovery, false)),
    sign(digest, key) {
      const { signature, recoveryId } = signRecoverable(digest, key);
      return { signature, recovery: recoveryId };
    },
    publicKey(key) {
      const point = pointFromScalar(key, false);
      if (!point) throw new RangeError('This is no private key.');
      return point;
    },
  };
}

/** The fastest implementation that this platform has. */
export const secp256k1: Secp256k1 = openNative() ?? (await openWasm());
