import { type Address, address, type CompiledTransactionMessage, getU64Decoder } from '@solana/kit';

/** SPL Token; USDC is a token of this program, not of Token-2022. */
export const tokenProgram = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');

export interface TokenTransfer {
  source: Address;
  mint: Address;
  destination: Address;
  /** Whose tokens they are; one of the transaction's signers. */
  authority: Address;
  /** Raw units. */
  amount: bigint;
}

type Message = CompiledTransactionMessage & { staticAccounts: Address[] };

/** `TransferChecked` of the token program: discriminator, amount (u64), decimals. */
const transferChecked = 12;
const transferBytes = 10;

/** Scheme `exact` puts the transfer third, behind the two that set compute limit and price. */
const transferPosition = 2;

/**
 * The transfer of a payment, read from where the scheme wants it; undefined when it is not there, and when its
 * authority has not to sign: that is no payer, but a name that anybody could write there.
 */
export function findTransfer({ staticAccounts, instructions, header }: Message): TokenTransfer | undefined {
  const instruction = instructions[transferPosition];
  if (!instruction || staticAccounts[instruction.programAddressIndex] !== tokenProgram) return undefined;
  const { data, accountIndices = [] } = instruction;
  if (data?.length !== transferBytes || data[0] !== transferChecked || accountIndices.length !== 4) return undefined;
  const [source, mint, destination, authority] = accountIndices.map((index) => staticAccounts[index]);
  if ((accountIndices[3] ?? 0) >= header.numSignerAccounts) return undefined;
  if (!source || !mint || !destination || !authority) return undefined;
  return { source, mint, destination, authority, amount: getU64Decoder().decode(data, 1) };
}
