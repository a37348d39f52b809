import type { Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { ProxyReading } from './proxies.ts';
import type { ContractFunction } from './readFunctions.ts';

/** Results of analysing a token's code, shared by all tokens with that code. */
export interface CodeFacts {
  codeHash: Hex;
  proxy: ProxyReading;
  /** Of the token and of what it delegates to; undefined: not readable. */
  functions: ContractFunction[] | undefined;
  /** Hash of everything that was analysed, for the memory of powers. */
  analysedHash: Hex;
  /** Addresses that the code contains as constants, immutable variables among them. Lower case. */
  constants: readonly LowerAddress[];
  /** The code contains more constants than `constants` lists. */
  areConstantsCut: boolean;
}
