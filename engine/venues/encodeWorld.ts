import { concatHex, type Hex, numberToHex } from 'viem';
import { noHooks } from './kinds.ts';
import type { Deployment, Slot } from './venueTypes.ts';

/**
 * A chain's data in the packing of contracts/lens/World.sol: header of 44 bytes, 40 a base asset, 47 a slot.
 * Worked out once a chain.
 */
export function encodeWorld(deployment: Deployment, slots: readonly Slot[]): Hex {
  const { wrappedNative, sequencerFeed = noHooks, arbSys, bases, feeds } = deployment;
  return concatHex([
    wrappedNative,
    sequencerFeed,
    numberToHex(arbSys ? 1 : 0, { size: 1 }),
    numberToHex(bases.length, { size: 1 }),
    numberToHex(slots.length, { size: 2 }),
    ...bases.flatMap(({ address }) => [address, feeds[address.toLowerCase()]?.address ?? noHooks]),
    ...slots.flatMap(({ kind, factory, fee, tickSpacing, hooks }) => [
      numberToHex(kind, { size: 1 }),
      factory,
      numberToHex(fee, { size: 3 }),
      numberToHex(tickSpacing, { size: 3, signed: true }),
      hooks,
    ]),
  ]);
}
