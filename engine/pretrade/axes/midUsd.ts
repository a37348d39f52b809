import { kinds } from '../../venues/kinds.ts';
import { midOf } from '../../venues/midOf.ts';
import type { Slot, VenueFamily } from '../../venues/venueTypes.ts';
import type { ExitPool } from '../exit/exitTypes.ts';
import type { LiquidityInput, PricedExit } from './liquidity.ts';

/** USD for a whole token at the fee-free mid of the pool with the largest pot. */
export function midUsdOf(exits: readonly PricedExit[], input: LiquidityInput): number | null {
  const { token, reading, deployment, prices } = input;
  if (reading.decimals === undefined) return null;
  for (const { exit, potUsd: pot, venue } of exits) {
    const price = prices.get(exit.counter.toLowerCase());
    const decimalsOut = reading.bases.find((base) => base.token === exit.counter)?.tokenDecimals;
    if (!pot || !price || decimalsOut === undefined) continue;
    const native = deployment.wrappedNative.toLowerCase();
    const currencyOf = (asset: string) =>
      exit.kind === kinds.v4Native && asset.toLowerCase() === native ? 0n : BigInt(asset);
    const zeroForOne = currencyOf(token) < currencyOf(exit.counter);
    const band = { price: exit.price, reserveOut: exit.other, bandIn: 0n, bandOut: exit.pot };
    const mid = midOf(slotOf(exit, venue, input.slots), band, {
      zeroForOne,
      decimalsIn: reading.decimals,
      decimalsOut,
    });
    if (mid) return mid.mid * 10 ** reading.decimals * price.usdPerUnit;
  }
  return null;
}

/** The slot that found the pool, or one of its kind for a pool known from logs. */
function slotOf(exit: ExitPool, venue: string, slots: readonly Slot[]): Slot {
  const found = exit.slot === undefined ? undefined : slots[exit.slot];
  if (found) return found;
  const { kind, fee, tickSpacing, hooks, pool: factory } = exit;
  return { family: familyOf(kind), venue, kind, factory, fee, tickSpacing, hooks };
}

function familyOf(kind: number): VenueFamily {
  if (kind >= kinds.v4) return 'uniswap-v4';
  if (kind === kinds.v3 || kind === kinds.slipstream) return 'uniswap-v3';
  if (kind === kinds.algebra) return 'algebra';
  return kind === kinds.v2 ? 'uniswap-v2' : 'solidly';
}
