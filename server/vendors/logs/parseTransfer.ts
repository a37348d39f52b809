import type { Hex } from 'viem';
import { z } from 'zod';
import { type LowerAddress, toLowerAddress } from '../ports.ts';
import { address, hash, hexCount } from '../transport/wire.ts';

/** A Transfer log. `parties` is undefined if the log has an unknown form. */
export interface Transfer {
  block: number;
  blockHash: Hex;
  transaction: Hex;
  parties: { from: LowerAddress; to: LowerAddress; value: bigint } | undefined;
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
 * Parses a Transfer log: ERC-20 with both parties indexed, early contracts with none indexed, and ERC-721 with the id as
 * fourth topic. An ERC-721 token counts as one unit.
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
function toAddress(word: string): LowerAddress {
  return toLowerAddress(`0x${word.slice(-40)}`);
}
