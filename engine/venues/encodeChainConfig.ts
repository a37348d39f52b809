import { concatHex, type Hex, numberToHex } from 'viem';
import type { CandidatePool } from './candidatePool.ts';
import { isSingleton, noHooks } from './kinds.ts';
import type { Deployment } from './venueTypes.ts';

/**
 * A chain's data in the packing of contracts/lens/ChainConfig.sol: a header of 45 bytes, 40 bytes for each pricing
 * asset, then groups of consecutive candidate pools with the same factory. Computed once for each chain.
 */
export function encodeChainConfig(deployment: Deployment, candidatePools: readonly CandidatePool[]): Hex {
  const { wrappedNative, sequencerFeed = noHooks, arbSys, pricingAssets, feeds } = deployment;
  const groups = toGroups(candidatePools);
  return concatHex([
    wrappedNative,
    sequencerFeed,
    numberToHex(arbSys ? 1 : 0, { size: 1 }),
    numberToHex(pricingAssets.length, { size: 1 }),
    numberToHex(groups.length, { size: 1 }),
    numberToHex(candidatePools.length, { size: 2 }),
    ...pricingAssets.flatMap(({ address }) => [address, feeds[address]?.address ?? noHooks]),
    ...groups.map(encodeGroup),
  ]);
}

/** One byte encodes its size. */
const maxInGroup = 255;

function toGroups(candidatePools: readonly CandidatePool[]): [CandidatePool, ...CandidatePool[]][] {
  const groups: [CandidatePool, ...CandidatePool[]][] = [];
  for (const candidatePool of candidatePools) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const fits =
      first &&
      first.factory === candidatePool.factory &&
      (first.kind === candidatePool.kind || (isSingleton(first.kind) && isSingleton(candidatePool.kind)));
    if (group && fits && group.length < maxInGroup) group.push(candidatePool);
    else groups.push([candidatePool]);
  }
  return groups;
}

function encodeGroup(group: readonly [CandidatePool, ...CandidatePool[]]): Hex {
  const [first] = group;
  const head = [numberToHex(first.kind, { size: 1 }), first.factory, numberToHex(group.length, { size: 1 })];
  const rows = group.flatMap((candidatePool) => {
    const { kind, fee, tickSpacing, hooks } = candidatePool;
    const key = [numberToHex(fee, { size: 3 }), numberToHex(tickSpacing, { size: 3, signed: true })];
    return isSingleton(kind) ? [numberToHex(kind, { size: 1 }), ...key, hooks] : key;
  });
  return concatHex([...head, ...rows]);
}
