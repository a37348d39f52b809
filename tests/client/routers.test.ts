import { expect, test } from 'vitest';
import { chainFacts, chainNames } from '../../client/chains/index.ts';
import { routers } from '../../client/trade/routers.ts';
import { deployments, toLowerAddress } from '../../engine/index.ts';

test('default: the client lists the chains, ids and aliases of the deployments', () => {
  expect(chainNames.toSorted()).toEqual(Object.keys(deployments).sort());
  for (const name of chainNames) {
    const { chainId, aliases } = deployments[name];
    expect(chainFacts[name]).toMatchObject({ chainId, aliases });
  }
});

test('default: factories and wrapped tokens equal those of the engine’s deployments', () => {
  for (const name of chainNames) {
    const factories = deployments[name].venues.flatMap((row) => ('factory' in row ? [row.factory] : []));
    expect(toLowerAddress(routers[name].wrappedNative)).toBe(deployments[name].wrappedNative);
    for (const router of Object.values(routers[name].venues)) {
      if (router.kind === 'aerodrome') expect(factories).toContain(toLowerAddress(router.factory));
      if (router.kind !== 'slipstream') continue;
      for (const { factory } of router.generations) expect(factories).toContain(toLowerAddress(factory));
    }
  }
});
