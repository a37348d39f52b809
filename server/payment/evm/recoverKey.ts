import { createRequire } from 'node:module';

/**
 * The uncompressed public key (65 bytes) behind an ECDSA signature over a digest; undefined when these bytes are
 * nobody's signature.
 *
 * @param compact r and s, 32 bytes each
 */
export type RecoverKey = (digest: Uint8Array, compact: Uint8Array, recovery: 0 | 1) => Uint8Array | undefined;

/** The part of the package's interface that is used; its bindings come without types. */
interface NativeSecp256k1 {
  ecdsaRecover(signature: Uint8Array, recovery: number, digest: Uint8Array, compressed: boolean): Uint8Array;
}

/** Both libraries throw for an r or s that is no scalar or no point; there is no other work in the call. */
function orNobody(recover: () => Uint8Array | null): Uint8Array | undefined {
  try {
    return recover() ?? undefined;
  } catch {
    return undefined;
  }
}

const require = createRequire(import.meta.url);

/** libsecp256k1 as a native addon; undefined where the package has none for this platform. */
export function openNative(): RecoverKey | undefined {
  let native: NativeSecp256k1;
  try {
    // Not the package's front door: behind it stands a slow implementation in JavaScript.
    native = require('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    // No binary for this platform, or one that does not load: the caller has another implementation.
    return undefined;
  }
  return (digest, compact, recovery) => orNobody(() => native.ecdsaRecover(compact, recovery, digest, false));
}

/** The same as WebAssembly, for every platform; about a fourth as fast. */
export async function openWasm(): Promise<RecoverKey> {
  const { recover } = await import('tiny-secp256k1');
  return (digest, compact, recovery) => orNobody(() => recover(digest, compact, recovery, false));
}

/** The fastest implementation that this platform has. */
export const recoverKey: RecoverKey = openNative() ?? (await openWasm());
