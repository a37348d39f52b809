import { z } from 'zod';

// Schemas of the Solana RPC results that payments use. A result of another shape counts as no answer.

/** Slots, block heights, lamports. */
export const natural = z.number().int().nonnegative();
export const signature = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
/** Base58 of 32 bytes. */
export const genesisHash = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

/** The name of an error, or an object with one; null for success. New versions of the network add names. */
const transactionError = z.union([z.string(), z.record(z.string(), z.unknown())]).nullable();

/** Results with the slot at which they hold. */
const at = <T extends z.ZodType>(value: T) => z.object({ context: z.object({ slot: natural }), value });

export const account = at(z.object({ owner: z.string() }).nullable());
export const balance = at(natural);
export const validity = at(z.boolean());
export const simulation = at(z.object({ err: transactionError }));
/** Status of one requested signature. */
export const signatureStatus = z
  .object({
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
/** In base64; null while the node has none. */
export const includedTransaction = z.object({ transaction: z.tuple([z.string(), z.literal('base64')]) }).nullable();
