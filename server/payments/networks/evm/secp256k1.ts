import { createRequire } from 'node:module';

/**
 * The ECDSA operations on secp256k1 that payments use. Signatures are compact: r and s, 32 bytes each. Digests and
 * private keys have 32 bytes, public keys 65 (uncompressed).
 */
export interface Secp256k1 {
  /** Recovers the public key of a signature; undefined if the bytes are not a valid signature. */
  recover(digest: Uint8Array, signature: Uint8Array, recovery: 0 | 1): Uint8Array | undefined;
  /** Signs with a low s and the deterministic nonce of RFC 6979. */
  sign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recovery: number };
  publicKey(key: Uint8Array): Uint8Array;
}

export type RecoverKey = Secp256k1['recover'];

/** The functions of the package's bindings that are used; the package has no types for them. */
interface NativeSecp256k1 {
  ecdsaRecover(signature: Uint8Array, recovery: number, digest: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
}

/** Both libraries throw if r or s is not a valid scalar or point. */
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
    // Not the package's main entry, which would fall back to a slow JavaScript implementation.
    native = require('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    // No binary for this platform, or one that cannot be loaded.
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

/** The same in WebAssembly, for every platform; takes about four times as long. */
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
      if (!point) throw new RangeError('The bytes are not a valid private key.');
      return point;
    },
  };
}

/** The fastest implementation for this platform. */
export const secp256k1: Secp256k1 = openNative() ?? (await openWasm());
