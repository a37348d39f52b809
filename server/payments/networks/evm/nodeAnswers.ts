import type { Hex } from 'viem';
import { z } from 'zod';
import { ChainUnreachableError } from '../../chainCall.ts';

// Schemas of the results that payments read from EVM nodes. Anything else counts as a failure.

const hex = (pattern: RegExp) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value), 'no such hex');

/** A number of at most 256 bits; leading zeros are taken, as some nodes write them. */
export const quantity = hex(/^0x[0-9a-f]{1,64}$/i).transform(BigInt);
/** The same as a count that fits a JavaScript number exactly. */
export const count = quantity.refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER)).transform(Number);
export const bytes = hex(/^0x(?:[0-9a-f]{2})*$/i);
const word = hex(/^0x[0-9a-f]{64}$/i);
/** A `bool` as `eth_call` returns it. */
export const bool = hex(/^0x0{63}[01]$/).transform((value) => value.endsWith('1'));
/** As the node writes it, for values that are hashed or compared. */
export const rawQuantity = hex(/^0x[0-9a-f]{1,64}$/i);

/** The fields of a block header that payments use. */
export const header = z.object({ number: quantity, timestamp: quantity, baseFeePerGas: quantity.nullish() });

const log = z.object({ address: hex(/^0x[0-9a-f]{40}$/i), topics: z.array(word), data: bytes, logIndex: rawQuantity });
export const loggedEvents = z.array(log.extend({ transactionHash: word }));
/** Null while the node has none. */
export const receipt = z
  .object({
    status: z.enum(['0x0', '0x1']),
    transactionHash: word,
    blockNumber: rawQuantity,
    gasUsed: quantity.nullish(),
    effectiveGasPrice: quantity.nullish(),
    /** On OP Stack chains only. */
    l1Fee: quantity.nullish(),
    logs: z.array(log),
  })
  .nullable();

/** A receipt of another transaction, taken for a failed transfer, would make the payer sign again. */
export function assertReceiptOf({ transactionHash }: { transactionHash: Hex }, hash: Hex): void {
  if (transactionHash.toLowerCase() === hash.toLowerCase()) return;
  throw new ChainUnreachableError('The node answered with the receipt of another transaction.');
}
