import { deepestOf } from '../../quote/market/deepestMid.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { bandMidOf, familyOfKind } from '../../venues/families.ts';
import { kinds } from '../../venues/kinds.ts';
import type { ExitPool } from '../exit/exitTypes.ts';
import type { LiquidityInput, PricedExit } from './liquidityTypes.ts';

/**
 * Only pools with at least this share of the largest exit liquidity are compared. Liquidity offered below the market price
 * is never taken, so it costs an attacker nothing: the attacker must lock eight times the honest liquidity to exclude the
 * honest pools. Liquidity offered above the market price is lost to arbitrage.
 */
const minDepthShare = 1 / 8;

/** USD per whole token: the fee-free mid of the deepest pool whose mid is at most 1 % below the highest (`deepestOf`). */
export function midUsdOf(exits: readonly PricedExit[], input: LiquidityInput): number | null {
  const mids = exits.flatMap((exit) => {
    const mid = midUsdIn(exit, input);
    return mid === undefined ? [] : [{ mid, depth: exit.drawnUsd ?? 0 }];
  });
  const largest = Math.max(0, ...mids.map(({ depth }) => depth));
  const deep = mids.filter(({ depth }) => depth >= largest * minDepthShare);
  return deepestOf(deep, Math.max(0, ...deep.map(({ mid }) => mid)))?.mid ?? null;
}

function midUsdIn({ exit, drawnUsd, venue }: PricedExit, input: LiquidityInput): number | undefined {
  const { token, reading, deployment, prices } = input;
  const price = prices.get(exit.counter);
  const decimalsIn = reading.decimals;
  const decimalsOut = reading.bases.find((base) => base.token === exit.counter)?.tokenDecimals;
  if (!drawnUsd || !price || decimalsIn === undefined || decimalsOut === undefined) return undefined;
  const native = deployment.wrappedNative;
  const currencyOf = (asset: string) => (exit.kind === kinds.v4Native && asset === native ? 0n : BigInt(asset));
  const zeroForOne = currencyOf(token) < currencyOf(exit.counter);
  const band = { price: exit.price, reserveOut: exit.other, bandOut: exit.drawn };
  const found = bandMidOf(candidatePoolOf(exit, venue, input.candidatePools), band, {
    zeroForOne,
    decimalsIn,
    decimalsOut,
  });
  return found && found.mid * 10 ** decimalsIn * price.usdPerUnit;
}

/** The candidate pool that the look-up found; for a pool known only from logs, one built from its fields. */
function candidatePoolOf(exit: ExitPool, venue: string, candidatePools: readonly CandidatePool[]): CandidatePool {
  const found = exit.candidatePool === undefined ? undefined : candidatePools[exit.candidatePool];
  if (found) return found;
  const { kind, fee, tickSpacing, hooks } = exit;
  // `bandMidOf` does not read the factory, which is unknown here.
  return { family: familyOfKind(kind), venue, kind, factory: exit.pool, fee, tickSpacing, hooks };
}
