import { type Address, getAddress, type Hex, hexToBytes, toRlp } from 'viem';
import { keccak256 } from '../../keccak256.ts';
import { type Secp256k1, secp256k1 } from './secp256k1.ts';

/** An EIP-1559 transaction of the facilitator. */
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
  /** The signed transaction as raw bytes, and its hash. */
  sign(transaction: FacilitatorTransaction): { raw: Hex; hash: Hex };
}

const word = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

const fromHex = (text: Hex): Uint8Array => Buffer.from(text.slice(2), 'hex');

/** RLP's form of an integer: big-endian without leading zeros; zero has no bytes. */
function integerBytes(value: bigint | number): Uint8Array {
  const digits = BigInt(value) === 0n ? '' : value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

/** The type byte of EIP-1559, which precedes the RLP. */
const transactionType = Buffer.of(2);

function toFields(transaction: FacilitatorTransaction): (Uint8Array | [])[] {
  const { chainId, nonce, to, data, gas, value, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const noAccessList: [] = [];
  return [
    ...[chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(integerBytes),
    fromHex(to ?? '0x'),
    integerBytes(value),
    fromHex(data),
    noAccessList,
  ];
}

/** Opens an account that signs the same bytes as viem's, with libsecp256k1 instead of JavaScript, which is faster. */
export function openKeyAccount(privateKey: Hex, curve: Secp256k1 = secp256k1): KeyAccount {
  const key = hexToBytes(privateKey);
  // An address is the last 20 bytes of keccak256(x ‖ y).
  const address = getAddress(word(keccak256(curve.publicKey(key).subarray(1), 'bytes').subarray(12)));
  return {
    address,
    sign(transaction) {
      const fields = toFields(transaction);
      const digest = keccak256(Buffer.concat([transactionType, toRlp(fields, 'bytes')]), 'bytes');
      const { signature, recovery } = curve.sign(digest, key);
      const halves = [signature.subarray(0, 32), signature.subarray(32)].map((half) =>
        integerBytes(BigInt(word(half))),
      );
      const signed = Buffer.concat([
        transactionType,
        toRlp([...fields, integerBytes(recovery & 1), ...halves], 'bytes'),
      ]);
      return { raw: word(signed), hash: keccak256(signed) };
    },
  };
}
