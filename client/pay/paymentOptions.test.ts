import { expect, test } from 'vitest';
import { SandboxError } from '../errors.ts';
import { buy } from './buy.ts';
import { account, encode, offerOf, sessionWith } from './fakeService.ts';
import { openSession } from './paymentOptions.ts';

const url = 'http://service.test/v1/';

test('default: a sandbox is not paid', async () => {
  const [real] = offerOf(['eip155:8453']).accepts;
  const sandbox = { ...real, extra: { name: 'USD Coin (truefill sandbox)', version: '2' } };
  const { session, signed } = sessionWith(() => ({
    status: 402,
    headers: { 'payment-required': encode({ ...offerOf([]), accepts: [sandbox] }) },
  }));
  await expect(buy(session, '/v1/quote', {})).rejects.toThrow(SandboxError);
  expect(signed).toEqual([]);
});

test('default: a payment may stay valid for 300 s, and the slashes after the URL are removed', () => {
  const session = openSession({ url: `${url}//`, wallet: account });
  expect(session).toMatchObject({ url: 'http://service.test/v1', maxValiditySeconds: 300, allowSandbox: false });
  expect(openSession({ url, wallet: account, maxValiditySeconds: 0.5 }).maxValiditySeconds).toBe(0.5);
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'error: RangeError for maxValiditySeconds %s',
  (maxValiditySeconds) => {
    expect(() => openSession({ url, wallet: account, maxValiditySeconds })).toThrow(
      `expected a number of seconds above 0, got ${maxValiditySeconds}. Nothing was sent.`,
    );
  },
);
