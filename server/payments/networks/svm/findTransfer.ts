import { type Address, address, type CompiledTransactionMessage, getU64Decoder } from '@solana/kit';

/** The SPL Token program. USDC is a token of this program, not of Token-2022. */
export const tokenProgram = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');

export interface TokenTransfer {
  source: Address;
  mint: Address;
  destination: Address;
  /** Owner of the source account; one of the transaction's signers. */
  authority: Address;
  /** Raw units. */
  amount: bigint;
}

type Message = CompiledTransactionMessage & { staticAccounts: Address[] };

/** `TransferChecked` of the token program: discriminator, amount (u64), decimals. */
const transferChecked = 12;
const transferBytes = 10;

/** In scheme `exact` the transfer is the third instruction, after compute unit limit and price. */
const transferPosition = 2;

/**
 * The transfer at the position that the scheme requires. Undefined if there is none, or its authority is not a signer:
 * then anyone could have written that address, so it is not the payer.
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
