import type { Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { ProxyReading } from './proxies.ts';
import type { ContractFunction } from './readFunctions.ts';
import type { CodeTrace } from './traceCode.ts';

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
