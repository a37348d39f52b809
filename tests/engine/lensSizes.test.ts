import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Hex, size } from 'viem';
import { describe, expect, test } from 'vitest';

// Nodes limit the size of a request. A lens, or a part of one, may take at most 60 % of EIP-170's contract limit.

const folder = join(import.meta.dirname, '..', '..', 'contracts', 'artifacts', 'lens');
const lenses = readdirSync(folder).flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -3)] : []));
const limit = Math.floor((24_576 * 60) / 100);

describe.each(lenses)('%s', (name) => {
  test('has code within the size limit', async () => {
    const exported = (await import(join(folder, `${name}.ts`))) as Record<string, { runtime: Hex }>;
    const [artifact] = Object.values(exported);
    expect(size(artifact?.runtime ?? '0x')).toBeGreaterThan(0);
    expect(size(artifact?.runtime ?? '0x')).toBeLessThanOrEqual(limit);
  });
});

test('measures the lenses of quotes and exit liquidity, and their parts', () => {
  expect(lenses).toEqual(
    expect.arrayContaining([
      'ExitHops',
      'ExitLens',
      'FillLens',
      'KnownPoolsLens',
      'PlanLens',
      'RecheckLens',
      'StateLens',
      'UnpaidLens',
    ]),
  );
});
