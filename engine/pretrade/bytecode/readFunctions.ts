import type { Hex } from 'viem';

/** A public function as read from the bytecode. */
export interface ContractFunction {
  selector: Hex;
  /** Argument types, comma-separated: `address,bool`. */
  args: string;
  /** False for `view` and `pure`. */
  writes: boolean;
}

/** An account's code after EIP-7702 names the contract that it delegates to, and the account can change it at any time. */
const isDelegation = (code: Hex): boolean => /^0xef0100.{40}$/i.test(code);

/** More code than a contract may have is not analysed. */
const mostBytes = 200_000;

/**
 * Public functions with argument types, from runtime bytecode. Undefined when the code cannot be analysed, which is not
 * the same as a contract without functions. The analyser is eight mebibytes of a process: it is loaded with the first code.
 */
export async function readFunctions(code: Hex): Promise<ContractFunction[] | undefined> {
  if (code === '0x') return [];
  if (code.length / 2 > mostBytes || isDelegation(code)) return undefined;
  const { contractInfo } = await import('evmole');
  try {
    const info = contractInfo(code, { selectors: true, arguments: true, stateMutability: true });
    return (info.functions ?? []).map(({ selector, arguments: args, stateMutability }) => ({
      selector: `0x${selector}` as Hex,
      args: args ?? '',
      writes: stateMutability !== 'view' && stateMutability !== 'pure',
    }));
  } catch (error) {
    // Code that the analyser cannot follow ends in an error of its own or in a trap of its wasm.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
