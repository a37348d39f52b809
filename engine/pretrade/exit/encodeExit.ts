import { encodeFunctionData, type Hex } from 'viem';
import { exitLensArtifact } from '../../../contracts/artifacts/lens/ExitLens.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolFields } from './exitTypes.ts';

export interface ExitQuery {
  token: LowerAddress;
  known: readonly PoolFields[];
  /** Accounts whose balances of the token are read. */
  holders: readonly LowerAddress[];
  /** Getters without arguments, by selector. */
  getters: readonly Hex[];
  /** Sell to the end of a concentrated pool's price range: an upper bound, which costs more gas. */
  whole: boolean;
}

/** `query` of ExitLens.sol. */
export const exitSelector = '0x33de283f';

/**
 * Calldata of the exit lens.
 * @param config the chain's packed configuration (`encodeChainConfig`)
 * @param salt new for every call, and unpredictable for tokens
 */
export function encodeExit(config: Hex, { token, known, holders, getters, whole }: ExitQuery, salt: bigint): Hex {
  const args = [config, token, known.map(toKnownPool), holders, getters, salt, whole] as const;
  return encodeFunctionData({ abi: exitLensArtifact.abi, functionName: 'query', args });
}

/** `KnownPool` of ExitSales.sol. */
function toKnownPool({ kind, pool, counter, fee, tickSpacing, hooks }: ExitQuery['known'][number]) {
  const shape = (BigInt(kind) << 48n) | (BigInt(fee) << 24n) | BigInt.asUintN(24, BigInt(tickSpacing));
  return { packed: (shape << 160n) | BigInt(pool), counter, hooks };
}
