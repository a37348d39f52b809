import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { tokenProgram } from './findTransfer.ts';

/** The Associated Token Account program. Source: @solana-program/token. */
const associatedTokenProgram = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

/** Derives a wallet's associated token account for a mint of the SPL Token program. */
export async function tokenAccountOf(owner: Address, mint: Address): Promise<Address> {
  const encode = getAddressEncoder().encode;
  const [at] = await getProgramDerivedAddress({
    programAddress: associatedTokenProgram,
    seeds: [encode(owner), encode(tokenProgram), encode(mint)],
  });
  return at;
}
