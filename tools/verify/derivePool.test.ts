import { expect, test } from 'vitest';
import { chainNames } from '../../engine/index.ts';
import { derivations, derivePool, toLowerAddress } from '../../engine/tools/index.ts';
import { knownPools } from './knownPools.ts';

test.each(chainNames)(
  'default: derives the address of every known pool of %s from its factory and init code hash',
  (chain) => {
    for (const { factory, pair, variant, pool } of knownPools[chain]) {
      const derivation = derivations[chain].get(toLowerAddress(factory));
      expect(derivation, factory).toBeDefined();
      if (derivation) expect(derivePool(derivation, ...pair, variant)).toBe(toLowerAddress(pool));
    }
  },
);

test('behavior: derives the same address for both token orders, and another one for another fee', () => {
  const derivation = derivations.base.get('0x33128a8fc17869897dce68ed026d694621f6fdfd');
  const [known] = knownPools.base.filter(({ variant }) => variant === 500);
  if (!derivation || !known) throw new TypeError('knownPools.base has no Uniswap v3 pool.');
  const [a, b] = known.pair;
  expect(derivePool(derivation, b, a, 500)).toBe(derivePool(derivation, a, b, 500));
  expect(derivePool(derivation, a, b, 100)).not.toBe(derivePool(derivation, a, b, 500));
});
