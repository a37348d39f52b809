import { expect, test } from 'vitest';
import { routers } from '../../client/trade/routers.ts';
import { deployments, toLowerAddress } from '../../engine/index.ts';

const names = ['base', 'polygon', 'arbitrum'] as const;

test('behavior: factories and wrapped tokens are those of the engine’s deployments', () => {
  for (const name of names) {
    const factories = deployments[name].venues.flatMap((row) => ('factory' in row ? [row.factory] : []));
    expect(toLowerAddress(routers[name].wrappedNative)).toBe(deployments[name].wrappedNative);
    for (const router of Object.values(routers[name].venues)) {
      if (router.kind === 'aerodrome') expect(factories).toContain(toLowerAddress(router.factory));
      if (router.kind !== 'slipstream') continue;
      for (const { factory } of router.generations) expect(factories).toContain(toLowerAddress(factory));
    }
  }
});
