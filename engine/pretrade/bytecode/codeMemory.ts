import { createHash } from 'node:crypto';
import { type Hex, keccak256 } from 'viem';
import type { CodeFacts } from './codeFacts.ts';
import { mostConstants, readConstants } from './readConstants.ts';
import { type ContractFunction, readFunctions } from './readFunctions.ts';

type AnalysedCode = Omit<CodeFacts, 'proxy'>;

/** Analyses by code, whatever token it belongs to. */
export interface CodeMemory {
  /**
   * @param code the token's own
   * @param behind what it delegates to; undefined: not readable
   */
  analyse(code: Hex, behind: readonly Hex[] | undefined, hidden: boolean): Promise<AnalysedCode>;
}

/** Bounded; the longest unused code leaves first. The code itself is not kept: a native hash of it is the key. */
export function createCodeMemory(limit = 1_000): CodeMemory {
  const known = new Map<string, AnalysedCode>();
  return {
    async analyse(code, behind, hidden) {
      const key = createHash('sha256')
        .update(JSON.stringify([code, behind, hidden]))
        .digest('base64');
      const found = known.get(key) ?? (await analyse(code, behind, hidden));
      known.delete(key);
      known.set(key, found);
      for (const oldest of known.keys()) {
        if (known.size <= limit) break;
        known.delete(oldest);
      }
      return found;
    },
  };
}

async function analyse(code: Hex, behind: readonly Hex[] | undefined, hidden: boolean): Promise<AnalysedCode> {
  const parts = behind && [code, ...behind];
  const analysed = parts && (await Promise.all(parts.map(readFunctions)));
  const complete = analysed !== undefined && !hidden && analysed.every((list): list is ContractFunction[] => !!list);
  const constants = (parts ?? [code]).map(readConstants);
  return {
    codeHash: keccak256(code),
    functions: complete ? analysed.flat() : undefined,
    analysedHash: keccak256(`0x${(parts ?? [code]).map((part) => part.slice(2)).join('')}`),
    constants: [...new Set(constants.flat())],
    areConstantsCut: constants.some(({ length }) => length === mostConstants),
  };
}
