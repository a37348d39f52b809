import { expect, test } from 'vitest';
import type { AcceptedTerms } from '../../decodePayment.ts';
import type { SignedAuthorization } from './authorization.ts';
import { findTermsFault } from './findTermsFault.ts';

const payTo = '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd';
const offered = { payTo, amount: '20000' } as AcceptedTerms;
const now = 1_700_000_000;
const marginSeconds = 6;
const signed: SignedAuthorization = {
  from: '0x1111111111111111111111111111111111111111',
  to: payTo,
  value: 20_000n,
  validAfter: 0n,
  validBefore: BigInt(now + 60),
  nonce: `0x${'ab'.repeat(32)}`,
  signature: '0x',
};
const find = (change: Partial<SignedAuthorization>) =>
  findTermsFault(offered, { ...signed, ...change }, now, marginSeconds);

test.each([
  ['the terms', {}],
  ['payTo in capitals', { to: `0x${payTo.slice(2).toUpperCase()}` as const }],
  ['a start at this second', { validAfter: BigInt(now) }],
  ['exactly the required time left', { validBefore: BigInt(now + marginSeconds) }],
])('accepts an authorization with %s', (_name, change) => {
  expect(find(change)).toBeUndefined();
});

test.each([
  ['another recipient', { to: signed.from }, 'recipient_mismatch', signed.from],
  ['a lower amount', { value: 19_999n }, 'value_mismatch', 'exactly 20000'],
  ['a higher amount', { value: 20_001n }, 'value_mismatch', 'is for 20001 units'],
  ['a start in the future', { validAfter: BigInt(now + 1) }, 'valid_after', String(now + 1)],
  ['too little time left', { validBefore: BigInt(now + marginSeconds - 1) }, 'valid_before', 'at least 6 s'],
])('rejects an authorization with %s', (_name, change, reason, detail) => {
  const fault = find(change);
  expect(fault?.reason).toContain(reason);
  expect(fault?.detail).toContain(detail);
});

// Its payer must look it up before signing again.
test('only an expired authorization may have paid', () => {
  expect(find({ validBefore: 0n })).toMatchObject({ mayHavePaid: true });
  for (const change of [{ to: signed.from }, { value: 1n }, { validAfter: BigInt(now + 1) }]) {
    expect(find(change)).not.toHaveProperty('mayHavePaid');
  }
});
