import { expect, test } from 'vitest';
import { readLateStatus } from './readLateStatus.ts';

const read = (status: object, hasExpired: boolean) =>
  readLateStatus({ hasExpired: async () => hasExpired, readStatus: async () => status } as never, 'payment', 7n);
const used = { kind: 'refused', reason: 'invalid_exact_evm_nonce_already_used', detail: 'Used.', mayHavePaid: true };

test('a payment whose nonce was used otherwise has expired, so that it is not rechecked for ever', async () => {
  expect(await read(used, true)).toEqual({ kind: 'expired' });
  expect(await read(used, false)).toEqual({ kind: 'open' });
});

test('an expired payment that a lagging node shows as unused stays open', async () => {
  expect(await read({ kind: 'unused' }, true)).toEqual({ kind: 'open' });
});

test('a payment that has paid is settled, expired or not', async () => {
  const settled = { kind: 'settled', transaction: '0xpaid' };
  for (const hasExpired of [true, false]) expect(await read(settled, hasExpired)).toEqual(settled);
});
