import type { Address, Hex } from 'viem';
import type { ContractFunction } from '../bytecode/readFunctions.ts';
import { findNamedFunction } from '../bytecode/signatures.ts';
import { toWord } from '../simulation/words.ts';

/** One call that a privileged caller might make. */
export interface Attempt {
  selector: Hex;
  args: string;
  data: Hex;
  /** It takes something from a wallet that must hold the token: it cannot be tried without one. */
  needsHolder: boolean;
}

export interface AttemptSubjects {
  /** The holder that the caller turns against. */
  holder: Address;
  caller: Address;
  /** A list that refuses it as a receiver ends all sales. */
  pool: Address;
  /** Base units that the holder has, roughly. */
  held: bigint;
  totalSupply: bigint;
}

/**
 * Functions whose effect is no power of its own: ERC-20's, handing the ownership on, and changing a proxy's code, which
 * may do anything and shows as the kind of proxy.
 */
const ordinary = new Set<Hex>([
  '0xa9059cbb', // transfer
  '0x23b872dd', // transferFrom
  '0x095ea7b3', // approve
  '0x39509351', // increaseAllowance
  '0xa457c2d7', // decreaseAllowance
  '0xd505accf', // permit
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

const zero = '0x0000000000000000000000000000000000000000';
const mostFunctions = 60;
const setsPerFunction = 5;
/** The set with the pool in place of the holder. */
const poolSet = 4;

/** Functions that may give a power to the accounts that may call them. */
const candidatesOf = (functions: readonly ContractFunction[]) =>
  functions.filter(({ selector, writes }) => writes && !ordinary.has(selector));

/** Public functions of usual tokens that look like powers by their arguments. */
const usuallyPublic = new Set<Hex>([
  '0x42966c68', // burn(uint256)
  '0x79cc6790', // burnFrom(address,uint256)
  '0x2e1a7d4d', // withdraw(uint256)
]);

/** Whether a function could single out a holder, or create an amount, by its arguments. */
export function couldBePower(functions: readonly ContractFunction[], group: 'blacklist' | 'mint'): boolean {
  const wanted = group === 'blacklist' ? /address|uint256\[\]/ : /uint/;
  const subjects: AttemptSubjects = { holder: zero, caller: zero, pool: zero, held: 1n, totalSupply: 1n };
  return candidatesOf(functions).some(
    ({ selector, args }) =>
      wanted.test(args) && !usuallyPublic.has(selector) && toArgumentSets(args, subjects).length > 0,
  );
}

/** The calls to try, functions with telling names first. `truncated`: not every function can be tried. */
export function toAttempts(
  functions: readonly ContractFunction[],
  subjects: AttemptSubjects,
): { attempts: Attempt[]; functionsTried: number; truncated: boolean } {
  const candidates = candidatesOf(functions);
  const rank = ({ selector }: ContractFunction) => (findNamedFunction(selector) ? 0 : 1);
  const chosen = [...candidates].sort((a, b) => rank(a) - rank(b)).slice(0, mostFunctions);
  const attempts = chosen.flatMap(({ selector, args }) =>
    toArgumentSets(args, subjects).map((words) => ({
      selector,
      args,
      data: `${selector}${words}` as Hex,
      needsHolder: /address/.test(args) && /uint/.test(args),
    })),
  );
  const tried = new Set(attempts.map(({ selector }) => selector));
  return { attempts, functionsTried: tried.size, truncated: candidates.length > tried.size };
}

/** Encoded argument sets for a list of types; empty when a type is one that we do not know how to fill. */
export function toArgumentSets(args: string, subjects: AttemptSubjects): string[] {
  const types = args === '' ? [] : args.split(',');
  const { holder, caller, pool, held, totalSupply } = subjects;
  if (types.length === 0) return [''];
  if (args === 'address,uint256') {
    return [
      [caller, totalSupply / 10n + 1n],
      [caller, 2n * totalSupply + 1n],
      [holder, held / 2n],
      [holder, 1n],
      [pool, 1n],
    ].map((words) => words.map(toWord).join(''));
  }
  if (args === 'address,address,uint256') return [[holder, caller, held / 2n].map(toWord).join('')];
  const sets = new Set<string>();
  for (let index = 0; index < setsPerFunction; index += 1) {
    const values = types.map((type) => valueFor(type, index, subjects));
    if (values.some((value) => value === undefined)) return [];
    sets.add(encode(values.filter((value) => value !== undefined)));
  }
  return [...sets];
}

type Value = { word: bigint | string } | { list: (bigint | string)[] };

function valueFor(type: string, index: number, { holder, pool, totalSupply }: AttemptSubjects): Value | undefined {
  const account = index === poolSet ? pool : holder;
  if (type === 'address') return { word: account };
  if (type === 'bool') return { word: index % 2 === 1 ? 0n : 1n };
  // A limit that nothing passes, a tax in percent and in hundredths of one, an amount that no mere transfer explains.
  if (/^u?int\d*$/.test(type))
    return { word: largestIn(type, [1n, 25n, 2_500n, 2n * totalSupply + 1n][index % poolSet] ?? 0n) };
  // Empty.
  if (type === 'string' || type === 'bytes') return { list: [] };
  // The analyser takes some address[] for uint256[]; the words are the same.
  if (type === 'address[]' || type === 'uint256[]') return { list: [account] };
  if (type === 'bool[]') return { list: [1n] };
  if (/^bytes\d+$/.test(type)) return { word: 0n };
  return undefined;
}

/** Dirty upper bits would be refused whatever the function does. */
const largestIn = (type: string, value: bigint) =>
  BigInt.asUintN(Number(/\d+$/.exec(type)?.[0] ?? 256) - (type.startsWith('int') ? 1 : 0), value);

function encode(values: readonly Value[]): string {
  let tail = '';
  const head = values.map((value) => {
    if ('word' in value) return toWord(value.word);
    const offset = toWord(BigInt(values.length * 32 + tail.length / 2));
    tail += [BigInt(value.list.length), ...value.list].map(toWord).join('');
    return offset;
  });
  return head.join('') + tail;
}
