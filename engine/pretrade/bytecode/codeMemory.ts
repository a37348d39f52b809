import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import { keccak256 } from '../../keccak256.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { Memory } from '../../memory.ts';
import type { ProxyReading } from './proxies.ts';
import { maxConstants, readConstants } from './readConstants.ts';
import { type ContractFunction, readFunctions } from './readFunctions.ts';
import { type CodeTrace, traceCode } from './traceCode.ts';

/** Results of analysing a token's code, shared by all tokens with that code. */
export interface CodeFacts extends CodeTrace {
  codeHash: Hex;
  proxy: ProxyReading;
  /** Functions of the token and of the code that it delegates to. Undefined if the code could not be analysed. */
  functions: ContractFunction[] | undefined;
  /** Hash of all analysed code: part of the cache key of scans of owner powers (powers/powerMemory.ts). */
  analysedHash: Hex;
  /** Addresses that the code contains as constants, including immutable variables. Lower case. */
  constants: readonly LowerAddress[];
  /** The code contains more constants than `constants` lists. */
  areConstantsTruncated: boolean;
}

type AnalysedCode = Omit<CodeFacts, 'proxy'>;

/** Analyses of code, shared by all tokens with the same code. */
export interface CodeMemory {
  /**
   * @param code the token's own code
   * @param behind code that it delegates to; undefined if it could not be read
   * @param hidden the token is a proxy, and no code behind it is known
   */
  analyse(code: Hex, behind: readonly Hex[] | undefined, hidden: boolean): Promise<AnalysedCode>;
}

const maxAnalyses = 1_000;
/** Milliseconds until code is analysed again whose functions stayed unknown: the machine may have been busy. */
const unknownKeptMs = 60_000;
const maxBytes = 32 * 2 ** 20;
/** Estimate: anyone can deploy code with thousands of functions. */
const bytesOf = ({ functions, constants }: AnalysedCode) =>
  1_000 + (functions?.length ?? 0) * 600 + constants.length * 100;

/**
 * Keeps the most recently used analyses. The key is a native hash, because the code itself is too large to keep.
 * @param read reads the functions of one code
 */
export function createCodeMemory(now: () => number = Date.now, read = readFunctions): CodeMemory {
  const known = new Memory<string, AnalysedCode>({
    maxEntries: maxAnalyses,
    maxBytes,
    bytesOf,
    keptMs: ({ functions }) => (functions === undefined ? unknownKeptMs : Number.POSITIVE_INFINITY),
    now,
  });
  return {
    async analyse(code, behind, hidden) {
      const key = createHash('sha256')
        .update(JSON.stringify([code, behind, hidden]))
        .digest('base64');
      const kept = known.get(key);
      if (kept) return kept;
      const found = await analyse(code, behind, hidden, read);
      known.set(key, found);
      return found;
    },
  };
}

async function analyse(
  code: Hex,
  behind: readonly Hex[] | undefined,
  hidden: boolean,
  read: typeof readFunctions,
): Promise<AnalysedCode> {
  const parts = behind && [code, ...behind];
  const analysed = parts && (await Promise.all(parts.map(read)));
  const complete = analysed !== undefined && !hidden && analysed.every((list): list is ContractFunction[] => !!list);
  const trace =
    parts && complete
      ? traceCode(parts.map((part, index) => ({ code: part, functions: analysed[index] ?? [] })))
      : { hidesFunctions: true, calledContracts: undefined, readsBlockNumber: false };
  const constants = (parts ?? [code]).map(readConstants);
  return {
    codeHash: keccak256(code),
    functions: complete ? analysed.flat() : undefined,
    ...trace,
    analysedHash: keccak256(`0x${(parts ?? [code]).map((part) => part.slice(2)).join('')}`),
    constants: [...new Set(constants.flat())],
    areConstantsTruncated: constants.some(({ length }) => length === maxConstants),
  };
}
