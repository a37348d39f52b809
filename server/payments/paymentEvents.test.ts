import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toReasonLabel } from './paymentEvents.ts';

/** The reasons in the sources of a payment network. */
function reasonsOf(network: 'evm' | 'svm'): string[] {
  const folder = join(import.meta.dirname, 'networks', network);
  const sources = readdirSync(folder)
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const whole = sources.matchAll(/'(invalid_exact_[a-z_]+)'/g);
  // `findTransactionFault` adds the prefix.
  const ends = sources.matchAll(/\bfault\(\s*'([a-z_]+)'/g);
  return [
    ...new Set([...whole].map(([, reason]) => reason as string)),
    ...new Set([...ends].map(([, end]) => `invalid_exact_${network}_${end}`)),
  ];
}

test.each(['evm', 'svm'] as const)('every reason in the %s code has a label and is defined by x402', (network) => {
  const reasons = reasonsOf(network);
  expect(reasons.length).toBeGreaterThan(8);
  const published = readFileSync(createRequire(import.meta.url).resolve(`@x402/${network}/exact/facilitator`), 'utf8');
  for (const reason of reasons) {
    expect(toReasonLabel(reason)).toBe(reason);
    expect(published).toContain(`"${reason}"`);
  }
});

test('a reason that only a remote facilitator returns has the label `other`', () => {
  expect(toReasonLabel('invalid_exact_svm_smart_wallet_simulation_failed')).toBe('other');
  expect(toReasonLabel('any text')).toBe('other');
});
