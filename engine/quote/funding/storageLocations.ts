import { type Address, concatHex, type Hex, hexToBigInt, numberToHex, padHex } from 'viem';
import { keccak256 } from '../../keccak256.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';

/** Keys of a mapping: the account for balances, owner and spender for allowances. */
export type Keys = readonly Address[];

/** Computes the storage slot of a mapping's value. */
export type SlotOf = (keys: Keys) => Hex;

/**
 * Where a token stores balances or allowances: by a formula, which needs no request for each account, or by position in
 * the access list that a node returns for a read (`toNamedSlots`).
 */
export type StorageLocation = { contract: LowerAddress; slotOf: SlotOf } | { contract: LowerAddress; position: number };

export const word = (value: bigint | Hex): Hex =>
  padHex(typeof value === 'bigint' ? numberToHex(value) : value, { size: 32 });

const solidity =
  (index: bigint): SlotOf =>
  (keys) =>
    keys.reduce<Hex>((slot, key) => keccak256(concatHex([word(key), slot])), word(index));
const vyper =
  (index: bigint): SlotOf =>
  (keys) =>
    keys.reduce<Hex>((slot, key) => keccak256(concatHex([slot, word(key)])), word(index));
/** Solady's ERC20: the owner, eight zero bytes and a seed; for allowances the spender after them. */
const solady: SlotOf = ([owner = '0x', spender]) =>
  keccak256(
    concatHex(spender ? [owner, '0x00000000000000007f5e9f20', spender] : [owner, '0x000000000000000087a211a2']),
  );
/** ERC-7201 namespace `openzeppelin.storage.ERC20`: balances are its first field, allowances its second. */
const openZeppelin5 = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => BigInt(first + index));

/**
 * Most frequent first. Those from 51, 101, 151 and 201 follow from the gaps of upgradeable contracts; 52 is also Aave's.
 * The allowance slot usually follows the balance slot.
 */
const solidityIndices = [...from(0, 21), ...from(51, 4), 101n, 102n, 151n, 152n, 201n, 202n];

/** Formulas tried for every token. */
export const usualFormulas: readonly SlotOf[] = [
  ...solidityIndices.map(solidity),
  solidity(openZeppelin5),
  solidity(openZeppelin5 + 1n),
  solady,
  ...from(0, 10).map(vyper),
];

/** Highest index to try for a slot of an access list: thousands of hashes, once for an unusual token. */
const furthestIndex = 1_000;

/** The known formula that computes this slot for these keys, if any. */
export function recogniseSlot(slot: Hex, keys: Keys): SlotOf | undefined {
  const isSlotOf = (formula: SlotOf) => formula(keys) === slot;
  const usual = usualFormulas.find(isSlotOf);
  if (usual) return usual;
  for (let index = 0; index < furthestIndex; index++) {
    const formula = [solidity(BigInt(index)), vyper(BigInt(index))].find(isSlotOf);
    if (formula) return formula;
  }
  return undefined;
}

/** Proxy slots, which never store a balance: ERC-1967's three and the older one of ZeppelinOS. */
const pointers = new Set([
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103',
  '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
]);
const maxNamed = 3;

/**
 * The slots that a read accesses, as eth_createAccessList returns them, without low slot numbers and proxy slots, which
 * are not mapping entries. Empty if the result is not an access list.
 */
export function toNamedSlots(result: unknown): { contract: LowerAddress; slot: Hex }[] {
  const list = (result as { accessList?: unknown } | null)?.accessList;
  if (!Array.isArray(list)) return [];
  const named = list.flatMap((entry: { address?: unknown; storageKeys?: unknown } | null) => {
    const { address, storageKeys } = entry ?? {};
    if (!isHex(address, 20) || !Array.isArray(storageKeys)) return [];
    return storageKeys
      .filter((key): key is Hex => isHex(key, 32) && hexToBigInt(key) >> 64n > 0n)
      .map((key) => ({ contract: toLowerAddress(address), slot: key.toLowerCase() as Hex }))
      .filter(({ slot }) => !pointers.has(slot));
  });
  return named.slice(0, maxNamed);
}

function isHex(value: unknown, bytes: number): value is Hex {
  return typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-f]+$/i.test(value);
}
