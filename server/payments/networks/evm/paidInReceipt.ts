import { type Address, getAddress, type Hex, pad, slice, toEventSelector } from 'viem';
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
  /** On OP Stack chains, charged in addition to gas. */
  l1Fee?: bigint | null | undefined;
  logs: readonly ReceiptLog[];
}

export const authorizationUsedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
export const authorizationCanceledTopic = toEventSelector('AuthorizationCanceled(address,bytes32)');
export const transferTopic = toEventSelector('Transfer(address,address,uint256)');

/** The fee that the transaction's sender paid, in wei; undefined if the receipt does not contain it. */
export function feeOf({ gasUsed, effectiveGasPrice, l1Fee }: TransactionReceipt): bigint | undefined {
  if (typeof gasUsed !== 'bigint' || typeof effectiveGasPrice !== 'bigint') return undefined;
  return gasUsed * effectiveGasPrice + (l1Fee ?? 0n);
}

const sameHex = (left: Hex | undefined, right: Hex): boolean => left?.toLowerCase() === right.toLowerCase();

/** Cached by receipt, because all payments of a group read the same logs. */
const tokenLogs = new WeakMap<TransactionReceipt, TokenLogs>();

interface TokenLogs {
  token: string;
  /** `AuthorizationUsed` and `AuthorizationCanceled` by nonce, in lower case. */
  byNonce: ReadonlyMap<string, readonly ReceiptLog[]>;
  byIndex: ReadonlyMap<bigint, ReceiptLog>;
  used: number;
}

/** The token's logs. Compares lower-case strings, because a group's receipt has up to 128 logs. */
function logsOf(receipt: TransactionReceipt, asset: Address): TokenLogs {
  const token = asset.toLowerCase();
  const known = tokenLogs.get(receipt);
  if (known?.token === token) return known;
  const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === token);
  const byNonce = new Map<string, ReceiptLog[]>();
  for (const log of logs) {
    const [topic, , nonce = ''] = log.topics;
    if (topic !== authorizationUsedTopic && topic !== authorizationCanceledTopic) continue;
    byNonce.set(nonce.toLowerCase(), [...(byNonce.get(nonce.toLowerCase()) ?? []), log]);
  }
  const read = {
    token,
    byNonce,
    byIndex: new Map(logs.map((log) => [BigInt(log.logIndex), log])),
    used: logs.filter(({ topics }) => topics[0] === authorizationUsedTopic).length,
  };
  tokenLogs.set(receipt, read);
  return read;
}

/** How a transaction used an authorization. */
export type AuthorizationUse =
  | { kind: 'paid' }
  | { kind: 'cancelled' }
  /** Transferred another amount or to another recipient: the payer signed twice with one nonce. */
  | { kind: 'moved'; to: Address; value: bigint }
  /** Used, but the next log is not the payer's `Transfer`. */
  | { kind: 'unclear' };

/**
 * How the receipt's transaction used the authorization; undefined if it did not.
 *
 * FiatTokenV2_2 emits `Transfer` directly after `AuthorizationUsed`, in the same call. Only that log counts: another
 * transfer in the same bundle may pay for another call.
 */
export function findAuthorizationUse(
  receipt: TransactionReceipt,
  asset: Address,
  payment: SignedAuthorization,
): AuthorizationUse | undefined {
  if (receipt.status !== '0x1') return undefined;
  const { byNonce, byIndex } = logsOf(receipt, asset);
  const ours = byNonce.get(payment.nonce.toLowerCase()) ?? [];
  const payer = pad(payment.from);
  const isOf = ({ topics }: ReceiptLog, topic: Hex): boolean => topics[0] === topic && sameHex(topics[1], payer);
  const used = ours.find((log) => isOf(log, authorizationUsedTopic));
  if (!used) return ours.some((log) => isOf(log, authorizationCanceledTopic)) ? { kind: 'cancelled' } : undefined;
  const next = byIndex.get(BigInt(used.logIndex) + 1n);
  const isTransfer = next?.topics[0] === transferTopic && sameHex(next.topics[1], payer);
  const [, , to] = next?.topics ?? [];
  if (!isTransfer || to === undefined || next?.data.length !== 66) return { kind: 'unclear' };
  const value = BigInt(next.data);
  if (sameHex(to, pad(payment.to)) && value === payment.value) return { kind: 'paid' };
  return { kind: 'moved', to: getAddress(slice(to, 12)), value };
}

/** The number of authorizations that the transaction used. At least 1, because callers divide the fee by it. */
export const countPaid = (receipt: TransactionReceipt, asset: Address): number =>
  Math.max(1, logsOf(receipt, asset).used);

/** Whether the receipt contains the authorization's transfer of exactly its value from payer to payee. */
export function paidInReceipt(receipt: TransactionReceipt, asset: Address, payment: SignedAuthorization): boolean {
  return findAuthorizationUse(receipt, asset, payment)?.kind === 'paid';
}
