import { type Address, encodeAbiParameters, type Hex, stringToHex } from 'viem';
import { keccak256 } from '../../keccak256.ts';
import { type RecoverKey, secp256k1 } from './secp256k1.ts';

/** A signed EIP-3009 TransferWithAuthorization. `value` in raw units, times in unix seconds. */
export interface SignedAuthorization {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
  signature: Hex;
  /** The payload contained an ERC-6492 signature; `signature` is the inner one. */
  wasWrapped?: boolean;
}

const domainTypeHash = keccak256(
  stringToHex('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
);

/** EIP-3009, `TRANSFER_WITH_AUTHORIZATION_TYPEHASH`. */
const transferTypeHash = keccak256(
  stringToHex(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
);

/** The token's EIP-712 domain separator; equals its `DOMAIN_SEPARATOR()`. */
export function domainSeparator(domain: {
  name: string;
  version: string;
  chainId: number;
  verifyingContract: Address;
}): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes32' }, { type: 'uint256' }, { type: 'address' }],
      [
        domainTypeHash,
        keccak256(stringToHex(domain.name)),
        keccak256(stringToHex(domain.version)),
        BigInt(domain.chainId),
        domain.verifyingContract,
      ],
    ),
  );
}

const wordBytes = 32;

/**
 * The EIP-712 digest that the payer signs, as 32 bytes.
 *
 * Encoded by hand for speed, because each request needs it before its signature is known to be valid. Measured by
 * tools/bench/benchSignatures.ts.
 */
export function authorizationDigest(separator: Hex, authorization: SignedAuthorization): Uint8Array {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const words = Buffer.alloc(7 * wordBytes);
  const put = (index: number, hex: string): void => {
    words.write(hex, (index + 1) * wordBytes - hex.length / 2, 'hex');
  };
  const number = (amount: bigint): string => amount.toString(16).padStart(2 * wordBytes, '0');
  put(0, transferTypeHash.slice(2));
  put(1, from.slice(2));
  put(2, to.slice(2));
  put(3, number(value));
  put(4, number(validAfter));
  put(5, number(validBefore));
  put(6, nonce.slice(2));

  const signed = Buffer.alloc(2 + 2 * wordBytes);
  signed.write(`1901${separator.slice(2)}`, 'hex');
  signed.set(keccak256(words, 'bytes'), 2 + wordBytes);
  return keccak256(signed, 'bytes');
}

/** Half of secp256k1's order. USDC rejects a greater `s` (EIP-2), which plain recovery would accept. */
const highestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Recovers the signer's address, in lower case. Undefined if USDC would reject the bytes: it requires 65 bytes, a low `s`
 * and a `v` of 27 or 28.
 */
export function recoverSigner(
  digest: Uint8Array,
  signature: Hex,
  recover: RecoverKey = secp256k1.recover,
): Address | undefined {
  if (signature.length !== 132) return undefined;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = Number.parseInt(signature.slice(130), 16);
  if (s > highestS || (v !== 27 && v !== 28)) return undefined;
  const key = recover(digest, Buffer.from(signature.slice(2, 130), 'hex'), v === 27 ? 0 : 1);
  // An address is the last 20 bytes of keccak256(x ‖ y).
  return key && `0x${Buffer.from(keccak256(key.subarray(1), 'bytes').subarray(12)).toString('hex')}`;
}
