import type { Hex } from 'viem';
import { z } from 'zod';
import { ChainUnreachableError } from '../../chainCall.ts';

// Schemas of the results that payments read from EVM nodes. A result of another form counts as a failure of the node.

const hex = (pattern: RegExp) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value), 'must be hex of the expected length');

/** A number of at most 256 bits. Leading zeros are accepted, because some nodes return them. */
export const quantity = hex(/^0x[0-9a-f]{1,64}$/i).transform(BigInt);
/** A quantity that a JavaScript number represents exactly. */
export const count = quantity.refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER)).transform(Number);
export const bytes = hex(/^0x(?:[0-9a-f]{2})*$/i);
const word = hex(/^0x[0-9a-f]{64}$/i);
/** A `bool` as `eth_call` returns it. */
export const bool = hex(/^0x0{63}[01]$/).transform((value) => value.endsWith('1'));
/** A quantity as the node returns it, for values that are hashed or compared. */
export const rawQuantity = hex(/^0x[0-9a-f]{1,64}$/i);

/**
 * The fields of a block header that payments use. `timestampMs`: from the node's field of that name, which some nodes of
 * Base return, if it agrees with the seconds; otherwise the start of the second.
 */
export const header = z
  .object({
    number: quantity,
    timestamp: quantity,
    timestampMs: quantity.nullish().catch(undefined),
    baseFeePerGas: quantity.nullish(),
  })
  .transform(({ timestampMs, ...block }) => ({
    ...block,
    timestampMs: timestampMs && timestampMs / 1_000n === block.timestamp ? timestampMs : block.timestamp * 1_000n,
  }));

/** 0 or 1, without the leading zeros of some nodes. */
const status = quantity.transform((value) => `0x${value.toString(16)}`).pipe(z.enum(['0x0', '0x1']));
const log = z.object({ address: hex(/^0x[0-9a-f]{40}$/i), topics: z.array(word), data: bytes, logIndex: rawQuantity });
export const loggedEvents = z.array(log.extend({ transactionHash: word }));
/** Null while the node has no receipt. */
export const receipt = z
  .object({
    status,
    transactionHash: word,
    blockNumber: rawQuantity,
    gasUsed: quantity.nullish(),
    effectiveGasPrice: quantity.nullish(),
    /** On OP Stack chains only. */
    l1Fee: quantity.nullish(),
    logs: z.array(log),
  })
  .nullable();

/**
 * Rejects a receipt of another transaction: as a failed transfer, it would make the payer sign again.
 * @throws {ChainUnreachableError}
 */
export function assertReceiptOf({ transactionHash }: { transactionHash: Hex }, hash: Hex): void {
  if (transactionHash.toLowerCase() === hash.toLowerCase()) return;
  throw new ChainUnreachableError('The node returned the receipt of another transaction.');
}
