import { getAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { ratio } from '../../quote/ratio.ts';
import type { ExitReading, WordReading } from '../exit/exitTypes.ts';
import type { VendorResult } from '../fetchVendorFacts.ts';
import type { Creator, Power } from '../pretradePorts.ts';
import type { OwnershipBlock } from '../pretradeTypes.ts';
import { sentence } from './sentence.ts';

/** Addresses without a known key. */
export const burnAddresses: readonly LowerAddress[] = [
  '0x0000000000000000000000000000000000000000',
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dead',
];

/** The address that owner() or getOwner() returns; undefined if neither returns one. */
export function ownerOf({ owner, getOwner, answersEverything }: ExitReading): LowerAddress | undefined {
  if (answersEverything) return undefined;
  return [owner, getOwner].map(toAddress).find((address) => address !== undefined);
}

export function isBurnAddress(address: LowerAddress): boolean {
  return burnAddresses.includes(address);
}

export interface OwnershipInput {
  reading: ExitReading;
  /** `isOfOtherToken`: found in another token with the same code only. */
  powers: readonly (Pick<Power, 'effect'> & { isOfOtherToken: boolean })[];
  /** Why a mint may have been missed; null if every function was tried with a conclusive result. */
  gap: string | null;
  creator: VendorResult<Creator>;
  /** The creator's balance at the block; undefined: not read. */
  creatorBalance: bigint | undefined;
}

export function describeOwnership({ reading, powers, gap, creator, creatorBalance }: OwnershipInput): OwnershipBlock {
  const owner = ownerOf(reading);
  const [proven] = powers.filter(({ effect }) => effect === 'mint');
  const isMintable = proven ? true : gap === null ? false : null;
  const { decimals, totalSupply } = reading;
  const known = creator.status === 'known' ? creator.value : undefined;
  const notes = [
    owner
      ? undefined
      : 'Neither owner() nor getOwner() returns an address, which does not mean that ownership was renounced.',
    proven
      ? `A simulated call by a privileged account${proven.isOfOtherToken ? ' of another token with the same code' : ''} mints or raises a balance.`
      : isMintable === false
        ? 'isMintable is false because no simulated call by a privileged account minted or raised a balance.'
        : sentence(`isMintable is unavailable: ${gap}`),
    known
      ? `Creator: ${known.isSender ? 'sender of the first transfer' : 'deployer'} according to ${known.source}; not proven on chain.`
      : sentence(`Creator is unavailable: ${'reason' in creator ? creator.reason : ''}`),
  ];
  return {
    ownerAddress: owner ? getAddress(owner) : null,
    ownerRenounced: owner ? isBurnAddress(owner) : null,
    isMintable,
    creatorAddress: known ? getAddress(known.address) : null,
    creatorBalance:
      creatorBalance === undefined || decimals === undefined ? null : ratio(creatorBalance, 10n ** BigInt(decimals)),
    creatorSharePct:
      creatorBalance === undefined || !totalSupply ? null : Number((creatorBalance * 100_000_000n) / totalSupply) / 1e6,
    note: notes.filter((note) => note !== undefined).join(' '),
  };
}

/** Undefined for a word that is larger than an address. */
function toAddress({ ok, word }: WordReading): LowerAddress | undefined {
  if (!ok || word >> 160n !== 0n) return undefined;
  return `0x${word.toString(16).padStart(40, '0')}` as LowerAddress;
}
