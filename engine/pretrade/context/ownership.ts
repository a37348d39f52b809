import { getAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { ratio } from '../../quote/answer/ratio.ts';
import type { B20Finding } from '../b20/weighB20.ts';
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
  /** What roles of a B20 token allow; undefined for other tokens. */
  b20: B20Finding | undefined;
  /** Why a mint may have been missed; null if every function was tried with a conclusive result. */
  gap: string | null;
  creator: VendorResult<Creator>;
  /** The creator's balance at the block; undefined: not read. */
  creatorBalance: bigint | undefined;
}

export function describeOwnership(input: OwnershipInput): OwnershipBlock {
  const { reading, powers, gap, creator, creatorBalance, b20 } = input;
  const owner = b20 ? b20.admins?.[0] : ownerOf(reading);
  const [proven] = powers.filter(({ effect }) => effect === 'mint');
  const isMintable = b20 ? b20.isMintable.value : proven ? true : gap === null ? false : null;
  const { decimals, totalSupply } = reading;
  const known = creator.status === 'known' ? creator.value : undefined;
  const notes = [
    ...(b20 ? describeB20Ownership(b20) : describeOwner(owner)),
    b20
      ? undefined
      : proven
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
    ownerRenounced: b20 ? isAdminless(b20) : owner ? isBurnAddress(owner) : null,
    isMintable,
    creatorAddress: known ? getAddress(known.address) : null,
    creatorBalance:
      creatorBalance === undefined || decimals === undefined ? null : ratio(creatorBalance, 10n ** BigInt(decimals)),
    creatorSharePct:
      creatorBalance === undefined || !totalSupply ? null : Number((creatorBalance * 100_000_000n) / totalSupply) / 1e6,
    note: notes.filter((note) => note !== undefined).join(' '),
  };
}

const describeOwner = (owner: LowerAddress | undefined) =>
  owner ? [] : ['Neither owner() nor getOwner() returns an address, which does not mean that ownership was renounced.'];

/** Whether no account can set policies, caps and roles any more; null: not known. */
const isAdminless = ({ admins }: B20Finding): boolean | null => (admins ? admins.length === 0 : null);

function describeB20Ownership({ admins, isMintable }: B20Finding): string[] {
  const mint = isMintable.value === null ? 'isMintable is unavailable' : `isMintable is ${isMintable.value}`;
  const all = admins?.map((admin) => getAddress(admin)).join(', ');
  return [
    all === undefined
      ? 'The holders of DEFAULT_ADMIN_ROLE are not known.'
      : all === ''
        ? 'The B20 token has no admin and can never get one.'
        : `Holders of DEFAULT_ADMIN_ROLE: ${all}.`,
    `${mint}: ${isMintable.why}.`,
  ];
}

/** Undefined for a word that is larger than an address. */
function toAddress({ ok, word }: WordReading): LowerAddress | undefined {
  if (!ok || word >> 160n !== 0n) return undefined;
  return `0x${word.toString(16).padStart(40, '0')}` as LowerAddress;
}
