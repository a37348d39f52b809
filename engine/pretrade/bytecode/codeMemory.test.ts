import { expect, test, vi } from 'vitest';
import { createCodeMemory } from './codeMemory.ts';
import { runEvmole } from './evmoleWorker.ts';

vi.mock('./evmoleWorker.ts', () => ({ runEvmole: vi.fn() }));

test('code whose analysis failed is analysed again, and then kept', async () => {
  const run = vi.mocked(runEvmole).mockResolvedValueOnce(undefined).mockResolvedValue([[]]);
  const codes = createCodeMemory();
  const functions: unknown[] = [];
  for (const _ of [1, 2, 3]) functions.push((await codes.analyse('0x00', [], false)).functions);
  expect(functions).toEqual([undefined, [], []]);
  expect(run).toHaveBeenCalledTimes(2);
});
