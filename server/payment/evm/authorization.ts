import { type Address, concat, encodeAbiParameters, type Hex, keccak256, recoverAddress, stringToHex } from 'viem';

/** An EIP-3009 TransferWithAuthorization, signed. Amount in raw units, times in unix seconds. */
export interface SignedAuthorization {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
  signature: Hex;
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

/** The token's EIP-712 domain separator, as its `DOMAIN_SEPARATOR()` answers it. */
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

/** What the payer signed (EIP-712 digest). */
export function authorizationDigest(separator: Hex, authorization: SignedAuthorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const structHash = keccak256(
    encodeAbiParameters(
      [
        { type: 'bytes32' },
        { type: 'address' },
        { type: 'address' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'bytes32' },
      ],
      [transferTypeHash, from, to, value, validAfter, validBefore, nonce],
    ),
  );
  return keccak256(concat(['0x1901', separator, structHash]));
}

/** Half of secp256k1's order: USDC refuses an `s` above it (EIP-2), which plain recovery would accept. */
const highestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Who signed, by ECDSA alone; undefined when these bytes are nobody's signature in the form that USDC takes:
 * 65 bytes, low `s`, `v` of 27 or 28.
 */
export async function recoverSigner(digest: Hex, signature: Hex): Promise<Address | undefined> {
  if (signature.length !== 132) return undefined;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = Number.parseInt(signature.slice(130), 16);
  if (s > highestS || (v !== 27 && v !== 28)) return undefined;
  try {
    return await recoverAddress({ hash: digest, signature });
  } catch {
    // The curve library throws for an r or s that is no scalar or no point; there is no other work in the call.
    return undefined;
  }
}
