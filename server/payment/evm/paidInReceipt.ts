import { type Address, type Hex, isAddressEqual, pad, toEventSelector } from 'viem';
import type { SignedAuthorization } from './authorization.ts';

export interface ReceiptLog {
  address: Address;
  topics: readonly Hex[];
  data: Hex;
  logIndex: Hex;
}

export interface TransactionReceipt {
  status: Hex;
  transactionHash: Hex;
  blockNumber: Hex;
  gasUsed?: bigint | null | undefined;
  effectiveGasPrice?: bigint | null | undefined;
  /** On OP Stack chains, beside the gas. */
  l1Fee?: bigint | null | undefined;
  logs: readonly ReceiptLog[];
}

export const authorizationUsedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
export const authorizationCanceledTopic = toEventSelector('AuthorizationCanceled(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');

/** What the transaction cost its sender, in wei; undefined when the receipt does not contain it. */
export function feeOf({ gasUsed, effectiveGasPrice, l1Fee }: TransactionReceipt): bigint | undefined {
  if (typeof gasUsed !== 'bigint' || typeof effectiveGasPrice !== 'bigint') return undefined;
  return gasUsed * effectiveGasPrice + (l1Fee ?? 0n);
}

const sameHex = (left: Hex | undefined, right: Hex): boolean => left?.toLowerCase() === right.toLowerCase();

/**
 * Whether this receipt shows the authorization moving exactly its value from its payer to its payee.
 *
 * FiatTokenV2_2 emits `Transfer` right behind `AuthorizationUsed`, in the same call. Only that neighbour
 * counts: another transfer in the same bundle paid for something else.
 */
export function paidInReceipt(receipt: TransactionReceipt, asset: Address, payment: SignedAuthorization): boolean {
  if (receipt.status !== '0x1') return false;
  const ours = receipt.logs.filter(({ address }) => isAddressEqual(address, asset));
  const used = ours.find(
    ({ topics }) =>
      topics[0] === authorizationUsedTopic &&
      sameHex(topics[1], pad(payment.from)) &&
      sameHex(topics[2], payment.nonce),
  );
  if (!used) return false;
  const next = ours.find(({ logIndex }) => BigInt(logIndex) === BigInt(used.logIndex) + 1n);
  return (
    next !== undefined &&
    next.topics[0] === transferTopic &&
    sameHex(next.topics[1], pad(payment.from)) &&
    sameHex(next.topics[2], pad(payment.to)) &&
    next.data !== '0x' &&
    BigInt(next.data) === payment.value
  );
}
