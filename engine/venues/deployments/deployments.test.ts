import { getAddress, size } from 'viem';
import { expect, test } from 'vitest';
import { encodeChainConfig } from '../encodeChainConfig.ts';
import { toCandidatePools } from '../families.ts';
import { kinds, noHooks } from '../kinds.ts';
import { poolIdOf, toPoolKey } from '../uniswapV4/poolKey.ts';
import { arbitrum } from './arbitrum.ts';
import { base } from './base.ts';
import { deployments } from './deployments.ts';
import { polygon } from './polygon.ts';

test('default: every address has a valid checksum', () => {
  for (const { venues, uncovered, pricingAssets, routingAssets, feeds, wrappedNative } of [base, polygon, arbitrum]) {
    const factories = venues.map((row) => ('manager' in row ? row.manager : row.factory));
    const all = [
      ...factories,
      ...uncovered.map(({ address }) => address),
      ...routingAssets.map((asset) => asset.address),
      wrappedNative,
    ];
    for (const address of [...all, ...Object.values(feeds).map((feed) => feed.address)]) {
      expect(getAddress(address)).toBe(address);
    }
    expect(pricingAssets.map((asset) => asset.address)).toContain(wrappedNative);
  }
});

test('default: no candidate pool occurs twice', () => {
  for (const { venues } of Object.values(deployments)) {
    const candidatePools = toCandidatePools(venues).map((candidatePool) =>
      Object.values(candidatePool).slice(2).join(),
    );
    expect(new Set(candidatePools).size).toBe(candidatePools.length);
  }
});

test('every pricing asset is a USD stable or has a USD feed, and is a routing asset', () => {
  for (const { pricingAssets, routingAssets, feeds } of Object.values(deployments)) {
    const unpriced = pricingAssets.filter(({ address, usdStable }) => !usdStable && !feeds[address]);
    expect(unpriced).toEqual([]);
    expect(routingAssets).toEqual(expect.arrayContaining([...pricingAssets]));
    expect(new Set(routingAssets.map(({ address }) => address)).size).toBe(routingAssets.length);
  }
});

test('no row has a v4 pool key of a dynamic fee without a hook, which cannot be initialized', () => {
  for (const { venues } of Object.values(deployments)) {
    const impossible = toCandidatePools(venues).filter(
      ({ kind, fee, hooks }) => kind >= kinds.v4 && fee === 0x800000 && hooks === noHooks,
    );
    expect(impossible).toEqual([]);
  }
});

test('behavior: the packed length matches the widths that the lens reads', () => {
  for (const deployment of Object.values(deployments)) {
    const candidatePools = toCandidatePools(deployment.venues);
    const rows = candidatePools.map(({ kind }) => (kind >= kinds.v4 ? 27 : 6)).reduce((sum, width) => sum + width, 0);
    const groups =
      (size(encodeChainConfig(deployment, candidatePools)) - 45 - 40 * deployment.pricingAssets.length - rows) / 22;
    expect(groups).toBe(
      new Set(candidatePools.map(({ kind, factory }) => `${factory} ${Math.min(kind, kinds.v4)}`)).size,
    );
  }
});

test('behavior: computes the published v4 pool id of native USDC 0.05 % on Base', () => {
  const candidatePool = toCandidatePools(deployments.base.venues).find(
    ({ kind, fee }) => kind === kinds.v4Native && fee === 500,
  );
  if (!candidatePool) throw new TypeError('Base has no candidate pool for the native 0.05 % pool.');
  const { wrappedNative, pricingAssets } = deployments.base;
  const key = toPoolKey(candidatePool, [pricingAssets[1]?.address ?? wrappedNative, wrappedNative], wrappedNative);
  expect(BigInt(key.currency0)).toBe(0n);
  expect(poolIdOf(key)).toBe('0x96d4b53a38337a5733179751781178a2613306063c511b78cd02684739288c0a');
});
