import { z } from 'zod';

// Schemas of the Solana RPC results that payments use. A result of another form counts as a failure of the node.

/** Slots, block heights, lamports. */
export const natural = z.number().int().nonnegative();
export const signature = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
/** Base58 of 32 bytes. */
export const genesisHash = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

/** The name of an error, or an object with one; null for success. Any name, because network upgrades add names. */
const transactionError = z.union([z.string(), z.record(z.string(), z.unknown())]).nullable();

/** A result with the slot at which it was read. */
const at = <T extends z.ZodType>(value: T) => z.object({ context: z.object({ slot: natural }), value });

export const account = at(z.object({ owner: z.string() }).nullable());
/** In base64. */
export const accountData = at(
  z.object({ owner: z.string(), data: z.tuple([z.string(), z.literal('base64')]) }).nullable(),
);
export const balance = at(natural);
export const validity = at(z.boolean());
export const simulation = at(z.object({ err: transactionError }));
/** Status of one requested signature. */
export const signatureStatus = z
  .object({
    slot: natural,
    err: transactionError,
    confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
  })
  .nullable();
/** One status for each requested signature, in the same order. */
export const signatureStatuses = (requested: number) => at(z.array(signatureStatus).length(requested));
export const tokenBalance = at(
  z.object({
    amount: z
      .string()
      .regex(/^\d{1,20}$/)
      .transform(BigInt),
  }),
);
export const listedSignatures = z.array(z.object({ signature, slot: natural, err: transactionError }));
/** In base64; null while the node does not have the transaction. */
export const includedTransaction = z.object({ transaction: z.tuple([z.string(), z.literal('base64')]) }).nullable();
