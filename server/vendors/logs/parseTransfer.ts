import { type Address, getAddress, type Hex } from 'viem';
import { z } from 'zod';
import { address, hash, hexCount } from '../transport/wire.ts';

/** One movement of a token, as its log says. `parties` is absent when the log has a form that says nothing certain. */
export interface Transfer {
  block: number;
  blockHash: Hex;
  transaction: Hex;
  parties: { from: Address; to: Address; value: bigint } | undefined;
}

export const rawLog = z.object({
  address,
  topics: z.array(hash).min(1).max(4),
  data: z.templateLiteral(['0x', z.string().regex(/^(?:[0-9a-fA-F]{2})*$/)]),
  blockNumber: hexCount,
  blockHash: hash,
  transactionHash: hash,
  removed: z.boolean().optional(),
});

export type RawLog = z.infer<typeof rawLog>;

/**
 * Reads a Transfer log (EIP-20, both parties indexed), and its two relatives in the wild: none indexed
 * (early contracts), and EIP-721 with the id as fourth topic, where a transfer moves one.
 */
export function parseTransfer({ topics, data, blockNumber, blockHash, transactionHash }: RawLog): Transfer {
  const word = (index: number) => data.slice(2 + 64 * index, 66 + 64 * index);
  const bytes = (data.length - 2) / 2;
  const [, second, third, fourth] = topics;
  let parties: Transfer['parties'];
  if (second && third && fourth) parties = { from: toAddress(second), to: toAddress(third), value: 1n };
  else if (second && third && bytes >= 32) {
    parties = { from: toAddress(second), to: toAddress(third), value: BigInt(`0x${word(0)}`) };
  } else if (!second && bytes >= 96) {
    parties = { from: toAddress(word(0)), to: toAddress(word(1)), value: BigInt(`0x${word(2)}`) };
  }
  return { block: blockNumber, blockHash, transaction: transactionHash, parties };
}

/** The low 20 bytes of a word. */
function toAddress(word: string): Address {
  return getAddress(`0x${word.slice(-40).toLowerCase()}`);
}
