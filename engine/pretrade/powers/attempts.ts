import type { Hex } from 'viem';
import { toWord } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { ContractFunction } from '../bytecode/readFunctions.ts';
import { groupOfFunction } from '../bytecode/signatures.ts';

/** A call that is tried as a privileged caller. */
export interface Attempt {
  selector: Hex;
  args: string;
  data: Hex;
  /** May take tokens from a holder, so a call without a funded holder would revert and prove nothing. */
  needsHolder: boolean;
  isErc20: boolean;
}

export interface AttemptSubjects {
  /** The funded wallet that the call is aimed at. */
  holder: LowerAddress;
  caller: LowerAddress;
  /** The pool of the simulated trades: blocking it blocks all sales. */
  pool: LowerAddress;
  /** Approximate balance of the holder, in base units. */
  held: bigint;
  totalSupply: bigint;
}

/**
 * ERC-20's functions may have further effects if a privileged account calls them. Tried last, with one set of
 * arguments.
 */
const erc20Selectors = new Set<Hex>([
  '0xa9059cbb', // transfer
  '0x23b872dd', // transferFrom
  '0x095ea7b3', // approve
  '0x39509351', // increaseAllowance
  '0xa457c2d7', // decreaseAllowance
]);

/**
 * Functions that are not tried. Ownership and role functions only transfer powers. Upgrade functions can change
 * anything; the answer reports the kind of proxy instead. The standard functions that take a signature reject all others.
 */
const notTried = new Set<Hex>([
  '0xd505accf', // permit
  '0x9fd5a6cf', // permit with the signature as bytes
  '0xc3cda520', // delegateBySig of ERC20Votes
  '0xe3ee160e', // transferWithAuthorization of EIP-3009
  '0xcf092995', // the same, with the signature as bytes
  '0xef55bec6', // receiveWithAuthorization
  '0x88b7ab63', // the same, with the signature as bytes
  '0x5a049a70', // cancelAuthorization
  '0xb7b72899', // the same, with the signature as bytes
  '0x715018a6', // renounceOwnership
  '0xf2fde38b', // transferOwnership
  '0x79ba5097', // acceptOwnership
  '0x3659cfe6', // upgradeTo
  '0x4f1ef286', // upgradeToAndCall
  '0x8f283970', // changeAdmin
  '0x2f2ff15d', // grantRole
  '0xd547741f', // revokeRole
  '0x36568abe', // renounceRole
]);

const maxFunctions = 60;
/**
 * Maximum number of types, tuples and lists. evmole reports thousands of arguments for code that reads calldata in a
 * loop.
 */
const maxArguments = 32;
/** Number of argument sets for a function; two more if an account is among the arguments, which may get a status. */
const setsPerFunction = 6;
/** Indices of the argument sets that contain the pool instead of the holder. */
const poolSets: readonly number[] = [4, 5];

/** Functions that may be an owner power. */
const candidatesOf = (functions: readonly ContractFunction[]) =>
  functions.filter(({ selector, writes }) => writes && !notTried.has(selector) && !erc20Selectors.has(selector));

/** Public functions of ordinary tokens whose arguments look like those of an owner power. */
const usuallyPublic = new Set<Hex>([
  '0x42966c68', // burn(uint256)
  '0x79cc6790', // burnFrom(address,uint256)
  '0x2e1a7d4d', // withdraw(uint256)
]);

/**
 * Types that can contain a holder's address: as a number, as bytes, or inside a tuple or list. A plain uint256 is excluded,
 * because it is nearly always an amount or a limit.
 */
const holderTypes = /address|bytes|uint160|uint256\[|\(/;
const amountTypes = /uint|bytes|\(/;

/** Whether the arguments of a function allow it to block a single holder, or to mint an amount. */
export function couldBePower(functions: readonly ContractFunction[], group: 'blacklist' | 'mint'): boolean {
  const wanted = group === 'blacklist' ? holderTypes : amountTypes;
  return candidatesOf(functions).some(({ selector, args }) => wanted.test(args) && !usuallyPublic.has(selector));
}

/** The calls to try, functions with known names first. `truncated`: not every function can be tried. */
export function toAttempts(
  functions: readonly ContractFunction[],
  subjects: AttemptSubjects,
): { attempts: Attempt[]; functionsTried: number; truncated: boolean } {
  const candidates = candidatesOf(functions);
  const rank = ({ selector }: ContractFunction) => (groupOfFunction(selector) ? 0 : 1);
  const chosen = [...candidates].sort((a, b) => rank(a) - rank(b)).slice(0, maxFunctions);
  const toAttempt = ({ selector, args }: ContractFunction, words: string, isErc20: boolean): Attempt => ({
    selector,
    args,
    data: `${selector}${words}`,
    needsHolder: /address/.test(args) && /uint/.test(args),
    isErc20,
  });
  const attempts = chosen.flatMap((each) =>
    toArgumentSets(each.args, subjects).map((words) => toAttempt(each, words, false)),
  );
  const tried = new Set(attempts.map(({ selector }) => selector));
  const erc20Attempts = functions
    .filter(({ selector }) => erc20Selectors.has(selector))
    .flatMap((each) => toErc20Arguments(each.args, subjects).map((words) => toAttempt(each, words, true)));
  return {
    attempts: [...attempts, ...erc20Attempts],
    functionsTried: tried.size,
    truncated: candidates.length > tried.size,
  };
}

function toErc20Arguments(args: string, { holder, caller, held }: AttemptSubjects): string[] {
  if (args === 'address,uint256') return [[holder, 1n].map(toWord).join('')];
  return args === 'address,address,uint256' ? [[holder, caller, held / 2n].map(toWord).join('')] : [];
}

/** Encoded argument sets for a list of types; empty for too many types or an unsupported type. */
export function toArgumentSets(args: string, subjects: AttemptSubjects): string[] {
  const types = splitTypes(args);
  const { holder, caller, pool, held, totalSupply } = subjects;
  if (types.length === 0) return [''];
  if (args.split(/[,([]/).length > maxArguments) return [];
  if (args === 'address,uint256') {
    return [
      [caller, totalSupply / 10n + 1n],
      [caller, 2n * totalSupply + 1n],
      [holder, held / 2n],
      [holder, 1n],
      [holder, 2n],
      [holder, 3n],
      [pool, 1n],
    ].map((words) => words.map(toWord).join(''));
  }
  if (args === 'address,address,uint256') return [[holder, caller, held / 2n].map(toWord).join('')];
  const sets = new Set<string>();
  const hasAccount = args.includes('address');
  for (let index = 0; index < setsPerFunction + (hasAccount ? 2 : 0); index += 1) {
    const values = fillAll(types, (type) => valueFor(type, index, subjects, !hasAccount));
    if (!values) return [];
    sets.add(encode(values));
  }
  return [...sets];
}

/** Splits at the commas outside parentheses. */
function splitTypes(args: string): string[] {
  const types: string[] = [];
  let [depth, open] = [0, ''];
  for (const part of args === '' ? [] : args.split(',')) {
    open = open === '' ? part : `${open},${part}`;
    depth += part.split('(').length - part.split(')').length;
    if (depth > 0) continue;
    types.push(open);
    open = '';
  }
  return types;
}

/** ABI encoding of one value. `tail`: of variable length, so the head contains its offset instead. */
type Value = { head: string } | { tail: string };

/**
 * Zeros after a tuple. evmole omits members that the code does not read, and decoders reject a tuple that is too short.
 */
const unseenMembers = toWord(0n).repeat(8);

/** A tuple as an element of a list. */
const toTuple = (members: readonly Value[]): Value =>
  members.every((member) => 'head' in member) ? { head: encode(members) } : { tail: encode(members) + unseenMembers };

/** The types in a tuple. evmole reports a tuple of fixed length as its members, except in a list. */
const membersOf = (type: string): string[] | undefined =>
  type.startsWith('(') && type.endsWith(')') ? splitTypes(type.slice(1, -1)) : undefined;

/** Undefined if one of the types is unsupported. */
function fillAll(types: readonly string[], fill: (type: string) => Value | undefined): Value[] | undefined {
  const values = types.map(fill).filter((value) => value !== undefined);
  return values.length === types.length ? values : undefined;
}

function valueFor(type: string, index: number, subjects: AttemptSubjects, mayBeHolder: boolean): Value | undefined {
  const fill = (each: string) => valueFor(each, index, subjects, mayBeHolder);
  if (type.endsWith('[]')) {
    // evmole reports some address[] as uint256[]; their encoding is the same.
    const element = type === 'uint256[]' ? 'address' : type.slice(0, -2);
    const types = membersOf(element);
    // Filled once for each list: filled twice, the time would double with each nested list.
    const members = types && fillAll(types, fill);
    const value = types ? members && toTuple(members) : fill(element);
    return value && { tail: toWord(1n) + encode([value]) };
  }
  const types = membersOf(type);
  if (types) {
    const members = fillAll(types, fill);
    return members && { tail: encode(members) + unseenMembers };
  }
  const account = poolSets.includes(index) ? subjects.pool : subjects.holder;
  if (type === 'string') return { tail: toWords('') };
  if (type === 'bytes') return { tail: toWords(index === 0 ? '' : toWord(account)) };
  const word = wordFor(type, index, subjects, mayBeHolder);
  return word === undefined ? undefined : { head: toWord(word) };
}

function wordFor(
  type: string,
  index: number,
  { holder, pool, totalSupply }: AttemptSubjects,
  mayBeHolder: boolean,
): bigint | string | undefined {
  const account = poolSets.includes(index) ? pool : holder;
  if (type === 'address') return account;
  if (type === 'bool') return index % 2 === 1 ? 0n : 1n;
  // The holder's address as a number.
  if (mayBeHolder && index === poolSets[0] && (type === 'uint256' || type === 'uint160')) return holder;
  // In this order: a limit that stops every trade, a tax in percent, a tax in basis points, an amount above the supply; for
  // the pool the limit again and an amount that functions with a lower and an upper bound accept; numbers of a status.
  if (/^u?int\d*$/.test(type))
    return fitInto(type, [1n, 25n, 2_500n, 2n * totalSupply + 1n, 1n, totalSupply / 1_000n, 2n, 3n][index] ?? 0n);
  if (type === 'bytes32') return index === 0 ? 0n : account;
  if (type === 'bytes20') return BigInt(account) << 96n;
  return /^bytes\d+$/.test(type) ? 0n : undefined;
}

/**
 * The value, or half of the largest one if it does not fit, because Solidity's decoder rejects it. Half is a time later than
 * any that matters, and can be added to the present time.
 */
function fitInto(type: string, value: bigint): bigint {
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? 256) - (type.startsWith('int') ? 1n : 0n);
  return value >> bits === 0n ? value : 1n << (bits - 1n);
}

/** Encodes values as arguments, as members of a tuple or as elements of a list. */
function encode(values: readonly Value[]): string {
  const heads = values.map((value) => ('head' in value ? value.head.length : 64));
  let end = heads.reduce((sum, length) => sum + length, 0) / 2;
  let tails = '';
  const head = values.map((value) => {
    if ('head' in value) return value.head;
    const offset = toWord(BigInt(end));
    tails += value.tail;
    end += value.tail.length / 2;
    return offset;
  });
  return head.join('') + tails;
}

/** ABI-encodes bytes whose length is a multiple of 32: the length, then the bytes. */
const toWords = (digits: string) => `${toWord(BigInt(digits.length / 2))}${digits}`;
