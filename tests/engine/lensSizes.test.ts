import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Hex, size } from 'viem';
import { describe, expect, test } from 'vitest';

// Nodes limit the size of a request. A lens takes at most 60 % of the largest contract that EIP-170 allows.

const folder = join(import.meta.dirname, '..', '..', 'contracts', 'artifacts', 'lens');
const lenses = readdirSync(folder).flatMap((file) => (file.endsWith('Lens.ts') ? [file.slice(0, -3)] : []));
const limit = Math.floor((24_576 * 60) / 100);
/** These measure by execution what the quotes compute; they may become smaller only. */
const larger: Record<string, number> = { ExitLens: 22_460, QuoteLens: 26_344 };

describe.each(lenses)('%s', (name) => {
  test('is not larger than allowed', async () => {
    const exported = (await import(join(folder, `${name}.ts`))) as Record<string, { runtime: Hex }>;
    const [artifact] = Object.values(exported);
    expect(size(artifact?.runtime ?? '0x')).toBeGreaterThan(0);
    expect(size(artifact?.runtime ?? '0x')).toBeLessThanOrEqual(larger[name] ?? limit);
  });
});

test('all lenses are measured', () => {
  expect(lenses).toEqual(expect.arrayContaining(['KnownPoolsLens', 'PlanLens', 'StateLens', ...Object.keys(larger)]));
});
