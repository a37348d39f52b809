import type { Hex } from 'viem';
import { type EvmoleFunction, runEvmole } from './evmoleWorker.ts';
import { readConstants } from './readConstants.ts';

/** A public function as read from the bytecode. */
export interface ContractFunction {
  selector: Hex;
  /** Argument types, comma-separated: `address,bool`. */
  args: string;
  /** False for `view` and `pure`. */
  writes: boolean;
}

/** Whether the code is an EIP-7702 delegation. The account can change its target at any time. */
const isDelegation = (code: Hex): boolean => /^0xef0100.{40}$/i.test(code);

/** Larger code is not analysed. EIP-170 allows 24,576 bytes; some chains allow more. */
const maxBytes = 200_000;

/**
 * The code with zeros instead of constant addresses. evmole runs it as the zero address. If the owner is an immutable
 * variable, the code rejects that caller, and evmole misses arguments that are read after this comparison. The zeros may
 * also hide functions, because a token can contain its own instructions as a constant.
 */
const withoutConstants = (code: Hex): Hex =>
  readConstants(code).reduce<string>((rest, address) => rest.replaceAll(address.slice(2), '0'.repeat(40)), code) as Hex;

/** The functions of all lists. The arguments are those of the last list that has some. */
function merge(lists: readonly ContractFunction[][]): ContractFunction[] {
  const merged = new Map<Hex, ContractFunction>();
  for (const { selector, args, writes } of lists.flat()) {
    const other = merged.get(selector);
    merged.set(selector, { selector, args: args || other?.args || '', writes: writes || other?.writes === true });
  }
  return [...merged.values()];
}

/**
 * Public functions with argument types, from runtime bytecode. Empty for a contract without functions, undefined if the
 * code cannot be analysed.
 */
export async function readFunctions(code: Hex): Promise<ContractFunction[] | undefined> {
  if (code === '0x') return [];
  if (code.length / 2 > maxBytes || isDelegation(code)) return undefined;
  const lists = await runEvmole([...new Set([code, withoutConstants(code)])]);
  return lists && merge(lists.map(toFunctions));
}

const toFunctions = (list: readonly EvmoleFunction[]): ContractFunction[] =>
  list.map(({ selector, arguments: args, stateMutability }) => ({
    selector: `0x${selector}` as Hex,
    args: args ?? '',
    writes: stateMutability !== 'view' && stateMutability !== 'pure',
  }));
