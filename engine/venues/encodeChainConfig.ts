import { concatHex, type Hex, numberToHex } from 'viem';
import { isSingleton, noHooks } from './kinds.ts';
import type { Slot } from './slot.ts';
import type { Deployment } from './venueTypes.ts';

/**
 * A chain's data in the packing of contracts/lens/ChainConfig.sol: a header of 45 bytes, 40 bytes for each pricing
 * asset, then groups of consecutive slots with the same factory. Computed once for each chain.
 */
export function encodeChainConfig(deployment: Deployment, slots: readonly Slot[]): Hex {
  const { wrappedNative, sequencerFeed = noHooks, arbSys, pricingAssets, feeds } = deployment;
  const groups = toGroups(slots);
  return concatHex([
    wrappedNative,
    sequencerFeed,
    numberToHex(arbSys ? 1 : 0, { size: 1 }),
    numberToHex(pricingAssets.length, { size: 1 }),
    numberToHex(groups.length, { size: 1 }),
    numberToHex(slots.length, { size: 2 }),
    ...pricingAssets.flatMap(({ address }) => [address, feeds[address]?.address ?? noHooks]),
    ...groups.map(encodeGroup),
  ]);
}

/** One byte encodes its size. */
const maxInGroup = 255;

function toGroups(slots: readonly Slot[]): [Slot, ...Slot[]][] {
  const groups: [Slot, ...Slot[]][] = [];
  for (const slot of slots) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const fits =
      first &&
      first.factory === slot.factory &&
      (first.kind === slot.kind || (isSingleton(first.kind) && isSingleton(slot.kind)));
    if (group && fits && group.length < maxInGroup) group.push(slot);
    else groups.push([slot]);
  }
  return groups;
}

function encodeGroup(group: readonly [Slot, ...Slot[]]): Hex {
  const [first] = group;
  const head = [numberToHex(first.kind, { size: 1 }), first.factory, numberToHex(group.length, { size: 1 })];
  const rows = group.flatMap((slot) => {
    const { kind, fee, tickSpacing, hooks } = slot;
    const key = [numberToHex(fee, { size: 3 }), numberToHex(tickSpacing, { size: 3, signed: true })];
    return isSingleton(kind) ? [numberToHex(kind, { size: 1 }), ...key, hooks] : key;
  });
  return concatHex([...head, ...rows]);
}
