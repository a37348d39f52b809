import { expect, test } from 'vitest';
import type { SiteFacts } from '../siteFacts.ts';
import { readingVerdict } from './readingVerdict.ts';

const pageFor = (freeFirstCall: boolean) => {
  const check = { name: 'check', path: '/v1/pretrade/check', aliases: [], priceUsd: '0.05', freeFirstCall };
  return JSON.stringify(readingVerdict({ items: [check] } as unknown as SiteFacts).body);
};

test('behavior: the guide promises a free call only where there is one', () => {
  expect(pageFor(true)).toContain('first call of a wallet is free');
  expect(pageFor(false)).not.toContain('free');
});
