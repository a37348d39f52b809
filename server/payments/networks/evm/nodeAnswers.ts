import type { Hex } from 'viem';
import { z } from 'zod';
import { ChainUnreachableError } from '../../chainCall.ts';

// What nodes of EVM networks answer, as far as payments ask: shapes, so that anything else is known for no answer.

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
/** As the node writes it: what is hashed or compared, not counted with. */
export const rawQuantity = hex(/^0x[0-9a-f]{1,64}$/i);

/** The part of a block's header that payments look at. */
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

/** A reply that belongs to another transaction is no reply: taken for a failed transfer, it would make the payer sign again. */
export function assertReceiptOf({ transactionHash }: { transactionHash: Hex }, hash: Hex): void {
  if (transactionHash.toLowerCase() === hash.toLowerCase()) return;
  throw new ChainUnreachableError('The node answered with the receipt of another transaction.');
}
