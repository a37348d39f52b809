import { expect, test, vi } from 'vitest';
import { createCodeMemory } from './codeMemory.ts';
import { runEvmole } from './evmoleWorker.ts';

vi.mock('./evmoleWorker.ts', () => ({ runEvmole: vi.fn() }));

test('code whose analysis failed is analysed again after a minute, and then kept', async () => {
  const run = vi.mocked(runEvmole).mockResolvedValueOnce(undefined).mockResolvedValue([[]]);
  let now = 0;
  const codes = createCodeMemory(() => now);
  const functionsAt = async (ms: number) => {
    now = ms;
    return (await codes.analyse('0x00', [], false)).functions;
  };
  expect([await functionsAt(0), await functionsAt(59_000)]).toEqual([undefined, undefined]);
  expect(run).toHaveBeenCalledTimes(1);
  expect([await functionsAt(61_000), await functionsAt(600_000)]).toEqual([[], []]);
  expect(run).toHaveBeenCalledTimes(2);
});
