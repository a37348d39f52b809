import { expect, test } from 'vitest';
import { confirmUnpaid, isUseReason } from './confirmUnpaid.ts';
import type { SettleOutcome } from './facilitator.ts';

type Status = Awaited<ReturnType<Parameters<typeof confirmUnpaid>[0]['readStatus']>>;

const refusal = (reason: string): SettleOutcome => ({ kind: 'refused', reason, detail: 'Why.' });
const balance = refusal('invalid_exact_evm_insufficient_balance');
const block7 = { number: 7n, timestamp: 14n };
const unused: Status = { kind: 'unused', block: block7 };
const settled: Status = { kind: 'settled', transaction: '0xpaid' };

/** Confirms an outcome against a chain with this status, at whose block the token accepts the payment or not. */
async function confirm(outcome: SettleOutcome, status: Status, accepts: boolean | undefined = false) {
  const reads: unknown[] = [];
  const verifier = {
    readStatus: async (payment: string, since?: bigint) => {
      reads.push(['status', payment, since]);
      return status;
    },
    ...(accepts !== undefined && {
      accepts: async (payment: string, block: unknown) => {
        reads.push(['accepts', payment, block]);
        return accepts;
      },
    }),
  };
  const confirmed = await confirmUnpaid<string>(verifier as never, 'payment', outcome, 3n);
  return { confirmed, reads };
}

test.each<SettleOutcome>([settled, { kind: 'unknown' }])(
  'an outcome that is not unpaid is not read again: $kind',
  async (outcome) => {
    expect(await confirm(outcome, unused)).toEqual({ confirmed: outcome, reads: [] });
  },
);

test.each<SettleOutcome>([
  balance,
  refusal('invalid_exact_evm_nonce_already_used'),
  { kind: 'unavailable' },
  { kind: 'limited', detail: 'No gas.', retryAfterSeconds: 9 },
])('a payment that has paid counts as settled, although its settlement ended as $kind', async (outcome) => {
  const { confirmed, reads } = await confirm(outcome, settled);
  expect(confirmed).toEqual(settled);
  expect(reads).toEqual([['status', 'payment', 3n]]);
});

test.each<SettleOutcome>([{ kind: 'unavailable' }, { kind: 'limited', detail: 'No gas.', retryAfterSeconds: 9 }])(
  'an unused payment keeps the outcome $kind, without a second simulation',
  async (outcome) => {
    expect(await confirm(outcome, unused, true)).toEqual({ confirmed: outcome, reads: [['status', 'payment', 3n]] });
  },
);

test('a node that calls the payment used contradicts a status that is unused', async () => {
  for (const reason of ['invalid_exact_evm_nonce_already_used', 'duplicate_settlement']) {
    expect(isUseReason(reason)).toBe(true);
    expect((await confirm(refusal(reason), unused)).confirmed).toBeUndefined();
  }
});

test('a refusal by the token counts only if the token refuses at the block of the status too', async () => {
  expect((await confirm(balance, unused, true)).confirmed).toBeUndefined();
  const held = await confirm(balance, unused, false);
  expect(held).toEqual({
    confirmed: balance,
    reads: [
      ['status', 'payment', 3n],
      ['accepts', 'payment', block7],
    ],
  });
});

test('a refusal is kept without a second simulation if it does not depend on the block, or the block is unknown', async () => {
  const signature = refusal('invalid_exact_evm_payload_signature');
  expect((await confirm(signature, unused, true)).confirmed).toEqual(signature);
  expect((await confirm(balance, { kind: 'unused' } as Status, true)).confirmed).toEqual(balance);
  expect((await confirm(balance, unused, undefined)).confirmed).toEqual(balance);
});
