import { expect, test } from 'vitest';
import { isTradable, type TradedCheck, tradeWarning } from './index.ts';

type Transferability = NonNullable<NonNullable<TradedCheck['risk_profile']>['transferability']>;

const checkOf = (changed: Partial<Transferability>, verdict = 'clear') => ({
  verdict,
  risk_profile: {
    transferability: { outcome: 'tradable', buyTaxRaw: 0, sellTaxRaw: 0, roundTripPct: 99, ...changed },
  },
});

test('returns no warning for a token whose simulated trades worked', () => {
  expect(tradeWarning(checkOf({}))).toBeUndefined();
  expect(isTradable(checkOf({}))).toBe(true);
});

test.each<[Partial<Transferability>, string, 'high' | 'medium']>([
  [{ outcome: 'sale-blocked' }, 'An ordinary wallet could not sell this token.', 'high'],
  [{ outcome: 'purchase-blocked' }, 'An ordinary wallet could not buy this token.', 'high'],
  [{ outcome: 'unknown' }, 'It is not known whether an ordinary wallet can sell this token.', 'medium'],
  [{ outcome: 'size-limited' }, 'An ordinary wallet could not trade the whole size at once.', 'medium'],
  [{ outcome: 'later' }, 'The outcome later is not supported by this client version.', 'medium'],
  [{ sellTaxRaw: 1 }, 'An ordinary wallet loses 100 % of a sale.', 'high'],
  [{ sellTaxRaw: 0.501 }, 'An ordinary wallet loses 50.1 % of a sale.', 'high'],
  [{ buyTaxRaw: 0.9 }, 'An ordinary wallet loses 90 % of a purchase.', 'high'],
  [{ roundTripPct: 49.999 }, 'A purchase and its immediate sale return 49.99 % of the money.', 'high'],
  // A loss is more severe than a limit of the size.
  [{ outcome: 'size-limited', sellTaxRaw: 0.9 }, 'An ordinary wallet loses 90 % of a sale.', 'high'],
])('returns for %o the warning `%s`', (changed, message, severity) => {
  expect(tradeWarning(checkOf(changed))).toEqual({ message, severity });
  expect(isTradable(checkOf(changed))).toBe(false);
});

test.each<Partial<Transferability>>([
  { sellTaxRaw: 0.5 },
  { buyTaxRaw: 0.5 },
  { roundTripPct: 50 },
  { roundTripPct: null },
  { sellTaxRaw: null, buyTaxRaw: null },
])('returns no warning for %o', (changed) => {
  expect(tradeWarning(checkOf(changed))).toBeUndefined();
});

test('accepts a check of a service that does not return roundTripPct', () => {
  const { roundTripPct: _, ...transferability } = checkOf({}).risk_profile.transferability;
  expect(tradeWarning({ risk_profile: { transferability } })).toBeUndefined();
});

test.each([{}, { risk_profile: {} }])('returns that it is not known for the malformed answer %o', (answer) => {
  expect(tradeWarning(answer)?.message).toMatch(/^It is not known/);
  expect(isTradable({ verdict: 'clear', ...answer })).toBe(false);
});

test.each(['avoid', 'unknown'])('a token with the verdict %s is not tradable', (verdict) => {
  expect(isTradable(checkOf({}, verdict))).toBe(false);
});
