import { expect, test } from 'vitest';
import { ChainUnreachableError } from '../../chainCall.ts';
import type { PaymentVerifier } from '../../paymentVerifier.ts';
import { createOutcomeReader } from './remoteOutcome.ts';

type Status = Awaited<ReturnType<PaymentVerifier<string>['readStatus']>>;
const unused: Status = { kind: 'unused', block: { number: 5n, timestamp: 100n } };
const settled: Status = { kind: 'settled', transaction: '0x01' };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const refusalOf = (reason: string) => ({ kind: 'refused' as const, reason, detail: 'The facilitator refused it.' });

/** A chain that returns the statuses one after another, and repeats the last one. */
function readerOf(statuses: readonly (Status | Error)[], isAccepted = false) {
  let reads = 0;
  const closing = new AbortController();
  const verifier = {
    readStatus: async () => {
      const status = statuses[Math.min(reads, statuses.length - 1)] as Status | Error;
      reads += 1;
      if (status instanceof Error) throw status;
      return status;
    },
    accepts: async () => isAccepted,
  };
  const reader = createOutcomeReader<string>({
    verifier: verifier as unknown as PaymentVerifier<string>,
    requestSettle: async () => ({ kind: 'unknown' }),
    polling: { network: 'eip155:8453', logger: silent, signal: closing.signal },
  });
  return { ...reader, reads: () => reads, close: () => closing.abort() };
}

test.each(['invalid_exact_evm_nonce_already_used', 'duplicate_settlement'])(
  'behavior: %s is no refusal while our node returns the payment as unused',
  async (reason) => {
    const { confirmFirstRefusal } = readerOf([unused]);
    expect(await confirmFirstRefusal('payment', refusalOf(reason))).toEqual({ kind: 'unknown' });

    const reader = readerOf([unused, unused, unused, unused, settled]);
    const confirmed = reader.confirmRefusal(refusalOf(reason), 'payment', 1n);
    expect(await confirmed).toEqual(settled);
  },
);

test('behavior: a refusal that our node repeats counts after one read', async () => {
  const { confirmFirstRefusal, reads } = readerOf([unused]);
  const refusal = refusalOf('insufficient_funds');
  expect(await confirmFirstRefusal('payment', refusal)).toBe(refusal);
  expect(reads()).toBe(1);
});

test('behavior: if our node accepts the payment, it may be behind the facilitator: the chain is read again', async () => {
  const { confirmFirstRefusal } = readerOf([unused, unused, settled], true);
  expect(await confirmFirstRefusal('payment', refusalOf('insufficient_funds'))).toEqual(settled);
});

test('behavior: a refusal after a settle request counts after three reads', async () => {
  const { confirmRefusal, reads } = readerOf([unused]);
  const refusal = refusalOf('insufficient_funds');
  expect(await confirmRefusal(refusal, 'payment', 1n)).toBe(refusal);
  expect(reads()).toBe(3);
});

test('behavior: the outcome of a refused payment whose status cannot be read is unknown', async () => {
  const { confirmFirstRefusal } = readerOf([new ChainUnreachableError('no node')]);
  expect(await confirmFirstRefusal('payment', refusalOf('insufficient_funds'))).toEqual({ kind: 'unknown' });
});
