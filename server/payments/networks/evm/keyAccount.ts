import { type Address, getAddress, type Hex, hexToBytes, keccak256, serializeTransaction } from 'viem';
import { type Secp256k1, secp256k1 } from './secp256k1.ts';

/** A transaction as the facilitator sends them (EIP-1559). */
export interface FacilitatorTransaction {
  type: 'eip1559';
  chainId: number;
  nonce: number;
  /** Absent: the transaction creates a contract. */
  to?: Address;
  data: Hex;
  gas: bigint;
  value: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Signs transactions with the facilitator's key. */
export interface KeyAccount {
  readonly address: Address;
  /** The signed bytes, ready to be sent. */
  sign(transaction: FacilitatorTransaction): Hex;
}

const word = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

/** The same bytes as viem's own account makes, by libsecp256k1 instead of JavaScript: a settlement signs one. */
export function openKeyAccount(privateKey: Hex, curve: Secp256k1 = secp256k1): KeyAccount {
  const key = hexToBytes(privateKey);
  // An address is the end of the hash of the public key's two coordinates.
  const address = getAddress(word(keccak256(curve.publicKey(key).subarray(1), 'bytes').subarray(12)));
  return {
    address,
    sign(transaction) {
      const digest = keccak256(serializeTransaction(transaction), 'bytes');
      const { signature, recovery } = curve.sign(digest, key);
      return serializeTransaction(transaction, {
        r: word(signature.subarray(0, 32)),
        s: word(signature.subarray(32)),
        yParity: recovery & 1,
      });
    },
  };
}
