import {
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  getU64Decoder,
  type Transaction,
} from '@solana/kit';

// Loaded only when a Solana wallet pays.

export const encodeTransaction = (transaction: unknown): Uint8Array =>
  new Uint8Array(getTransactionEncoder().encode(transaction as Transaction));

export const decodeTransaction = (bytes: Uint8Array): Transaction => getTransactionDecoder().decode(bytes);

/** `TransferChecked` of the SPL Token program: discriminator, amount (u64), decimals. */
const transferChecked = 12;
/** In scheme `exact` the transfer is the third instruction, after compute unit limit and price. */
const transferPosition = 2;

/** The transfer of a payment; undefined for a transaction of another form. */
export function readTransfer({
  messageBytes,
}: {
  messageBytes: Uint8Array;
}): { source: string; amount: bigint } | undefined {
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (!('instructions' in message)) return undefined;
  const { data, accountIndices } = message.instructions[transferPosition] ?? {};
  const source = message.staticAccounts[accountIndices?.[0] ?? -1];
  if (data?.[0] !== transferChecked || source === undefined) return undefined;
  return { source, amount: getU64Decoder().decode(data, 1) };
}
