import { type Address, concatHex, type Hex, hexToBigInt, keccak256, numberToHex, padHex, toHex } from 'viem';
import { lensAddress, type StateOverride } from '../chain/lensCall.ts';
import { runnerOf } from '../chain/placedLens.ts';

/**
 * To see what a sale really pays, the lens has to hold the token it sells. Balances lie in the token's storage, at a
 * slot that follows from the holder and from how the token was written. The first time a token is seen the usual slots
 * are all tried in one call: each is filled for an account of its own, so that nothing but its balance is changed for the
 * account whose slot is the right one (a slot of another mapping might mean "pays no tax" or "blacklisted"). The lens
 * finds the account that has a balance and trades as it: they all run the lens's code.
 */
export interface TokenFunding {
  accounts: StateOverride;
  /** How many accounts behind the lens to look at; 0 when the lens itself is funded. */
  payers: number;
}

/** Where a token keeps the lens's balance: a layout by number, a slot found otherwise, or nowhere that helps. */
export type BalancePlace = { layout: number } | { contract: Address; slot: Hex } | 'unknown';

interface Layout {
  slotOf: (holder: Address) => Hex;
  amount: bigint;
}

/** Fits what shares a word with flags, and every type from uint128 up; cut to uint96 or uint112 it is still large. */
const ample = 2n ** 128n - 1n;
/** For tokens that count shares of 2^256, as reflection tokens do; there 2^128 shares are less than one unit. */
const half = 2n ** 255n - 1n;

const word = (value: bigint | Hex) => padHex(typeof value === 'bigint' ? numberToHex(value) : value, { size: 32 });

const solidity = (index: bigint) => (holder: Address) => keccak256(concatHex([word(holder), word(index)]));
const vyper = (index: bigint) => (holder: Address) => keccak256(concatHex([word(index), word(holder)]));
/** Solady's ERC20: keccak256 of the holder, eight zero bytes and the seed 0x87a211a2. */
const solady = (holder: Address) => keccak256(concatHex([holder, '0x000000000000000087a211a2']));
/** ERC-7201 namespace `openzeppelin.storage.ERC20`; balances are its first field. */
const openZeppelin5 = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => BigInt(first + index));

/** Most frequent first. 51, 101, 151, 201 follow from the gaps of upgradeable contracts, 52 is Aave's. */
const layouts: readonly Layout[] = [
  ...[...from(0, 20), 51n, 52n, 53n, 101n, 151n, 201n, openZeppelin5].map((index) => ({
    slotOf: solidity(index),
    amount: ample,
  })),
  { slotOf: solady, amount: ample },
  ...from(0, 6).map((index) => ({ slotOf: vyper(index), amount: ample })),
  ...from(0, 10).map((index) => ({ slotOf: solidity(index), amount: half })),
];

/** How many accounts hold a token of which it is not known where it keeps balances. */
export const layoutCount = layouts.length;

const payerCode = runnerOf(lensAddress);
const payerOf = (index: number): Address => toHex(hexToBigInt(lensAddress) + 1n + BigInt(index), { size: 20 });

/** The same for every token; worked out for the first, because forty hashes are a tenth of a start. */
function everyLayout(): { payers: StateOverride; balances: Record<Hex, Hex> } {
  const balanceOf = ({ slotOf, amount }: Layout, index: number) => [slotOf(payerOf(index)), word(amount)];
  return {
    payers: Object.fromEntries(layouts.map((_, index) => [payerOf(index), { code: payerCode }])),
    balances: Object.fromEntries(layouts.map(balanceOf)),
  };
}
let known: ReturnType<typeof everyLayout> | undefined;

/** Every layout at once, for a token that was not seen before. */
export function tryLayouts(token: Address): TokenFunding {
  known ??= everyLayout();
  const { payers, balances } = known;
  return { accounts: { ...payers, [token]: { stateDiff: balances } }, payers: layouts.length };
}

/** The lens's own balance, where the place is known; nothing where it is not. */
export function fundLens(token: Address, place: BalancePlace): TokenFunding {
  if (place === 'unknown') return { accounts: {}, payers: 0 };
  if ('slot' in place) {
    return { accounts: { [place.contract]: { stateDiff: { [place.slot]: word(ample) } } }, payers: 0 };
  }
  const layout = layouts[place.layout];
  if (!layout) throw new RangeError(`There is no layout ${place.layout}.`);
  return { accounts: { [token]: { stateDiff: { [layout.slotOf(lensAddress)]: word(layout.amount) } } }, payers: 0 };
}

/** Pointers of proxies, which no balance lies in: ERC-1967's three and the older one of ZeppelinOS. */
const pointers = new Set([
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103',
  '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
]);
const mostPlaces = 3;

/**
 * The slots that `balanceOf(lens)` reads, as eth_createAccessList tells them, without those that can hold no balance:
 * numbered slots and pointers. Anything else than an access list gives no places.
 */
export function placesOf(result: unknown): BalancePlace[] {
  const list = (result as { accessList?: unknown } | null)?.accessList;
  if (!Array.isArray(list)) return [];
  const places = list.flatMap((entry: { address?: unknown; storageKeys?: unknown }) => {
    const { address, storageKeys } = entry ?? {};
    if (!isHex(address, 20) || !Array.isArray(storageKeys)) return [];
    return storageKeys
      .filter((key): key is Hex => isHex(key, 32) && hexToBigInt(key) >> 64n > 0n && !pointers.has(key.toLowerCase()))
      .map((slot) => ({ contract: address, slot }));
  });
  return places.slice(0, mostPlaces);
}

function isHex(value: unknown, bytes: number): value is Hex {
  return typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-f]+$/i.test(value);
}

/** Where tokens keep the lens's balance, by token; a bounded memory of what never changes. */
export interface FundingMemory {
  find(token: Address): BalancePlace | undefined;
  remember(token: Address, place: BalancePlace): void;
  forget(token: Address): void;
}

const mostTokens = 20_000;
/** That nothing helped may have been one node's word; another one is asked some time later. */
const unknownMs = 600_000;

export function createFundingMemory(now: () => number): FundingMemory {
  const places = new Map<string, { place: BalancePlace; until: number }>();
  return {
    find(token) {
      const kept = places.get(token.toLowerCase());
      return kept && now() < kept.until ? kept.place : undefined;
    },
    remember(token, place) {
      const oldest = places.keys().next();
      if (places.size >= mostTokens && !oldest.done) places.delete(oldest.value);
      const until = place === 'unknown' ? now() + unknownMs : Number.POSITIVE_INFINITY;
      places.set(token.toLowerCase(), { place, until });
    },
    forget: (token) => void places.delete(token.toLowerCase()),
  };
}
