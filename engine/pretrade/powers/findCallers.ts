import { type Address, type Hex, numberToHex } from 'viem';
import type { Node } from '../../chain/nodes.ts';
import { createBatch, resultOf } from '../batch.ts';
import { isNobody } from '../context/ownership.ts';

/** Where simple contracts keep their owners, named or not. */
const slotsRead = 24;
const mostHidden = 3;

/**
 * Who may hold powers over the token: its owner, and accounts without code whose address stands in its first storage
 * slots, which is how an owner stays after renouncing.
 * @throws {RpcTransportError}
 */
export async function findCallers(
  token: Address,
  owner: Address | undefined,
  block: Hex,
  node: Node,
): Promise<{ role: string; address: Address }[]> {
  const slots = createBatch();
  const words = slots.add(
    ...Array.from({ length: slotsRead }, (_, slot) => ({
      method: 'eth_getStorageAt',
      params: [token, numberToHex(slot, { size: 32 }), block],
    })),
  );
  await slots.send(node);
  const callers = owner && !isNobody(owner) ? [{ role: 'owner', address: owner }] : [];
  const named = owner?.toLowerCase();
  const hidden = [...new Set(words().map((reply) => toAddress(resultOf(reply))))].filter(
    (address): address is Address => address !== undefined && address !== named && !isNobody(address),
  );
  if (hidden.length === 0) return callers;
  const codes = createBatch();
  const replies = codes.add(...hidden.map((address) => ({ method: 'eth_getCode', params: [address, block] })));
  await codes.send(node);
  const accounts = hidden.filter((_, index) => resultOf(replies()[index]) === '0x').slice(0, mostHidden);
  return [...callers, ...accounts.map((address) => ({ role: 'account in storage', address }))];
}

/** An address alone in its slot, or packed with up to twelve bytes of flags above it. */
function toAddress(word: unknown): Address | undefined {
  if (typeof word !== 'string') return undefined;
  const text = word.slice(2).padStart(64, '0');
  const address = text.slice(24).toLowerCase();
  // Amounts and counters leave the upper bytes of the address empty, or fill the whole word.
  if (/^0{16}/.test(address) || !/^0{18,24}/.test(text)) return undefined;
  return `0x${address}`;
}
