import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { tokenProgram } from './findTransfer.ts';

const associatedTokenProgram = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

/** A wallet's associated token account for one mint. */
export async function tokenAccountOf(owner: Address, mint: Address): Promise<Address> {
  const encode = getAddressEncoder().encode;
  const [at] = await getProgramDerivedAddress({
    programAddress: associatedTokenProgram,
    seeds: [encode(owner), encode(tokenProgram), encode(mint)],
  });
  return at;
}
