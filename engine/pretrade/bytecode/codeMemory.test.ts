import { expect, test } from 'vitest';
import { createCodeMemory } from './codeMemory.ts';

test('code whose analysis failed is analysed again after a minute, and then kept', async () => {
  let [now, reads] = [0, 0];
  const codes = createCodeMemory(
    () => now,
    async () => (++reads === 1 ? undefined : []),
  );
  const functionsAt = async (ms: number) => {
    now = ms;
    return (await codes.analyse('0x00', [], false)).functions;
  };
  expect([await functionsAt(0), await functionsAt(59_000)]).toEqual([undefined, undefined]);
  expect(reads).toBe(1);
  expect([await functionsAt(61_000), await functionsAt(600_000)]).toEqual([[], []]);
  expect(reads).toBe(2);
});
