import { afterAll, beforeAll, expect, test } from 'vitest';
import { useVirtualTime } from '../../../../tests/support/virtualTime.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import type { PaymentVerifier } from '../../paymentVerifier.ts';
import { createOutcomeReader } from './remoteOutcome.ts';

type Status = Awaited<ReturnType<PaymentVerifier<string>['readStatus']>>;
const unused: Status = { kind: 'unused', block: { number: 5n, timestamp: 100n } };
const settled: Status = { kind: 'settled', transaction: '0x01' };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const refusalOf = (reason: string) => ({ kind: 'refused' as const, reason, detail: 'The facilitator refused it.' });

let time: ReturnType<typeof useVirtualTime>;
beforeAll(() => {
  time = useVirtualTime(1_800_000_000_000);
});
afterAll(() => time.restore());

/** Lets a minute pass, far more than the reads of the chain take. */
async function afterWaits<T>(outcome: Promise<T>): Promise<T> {
  await time.advance(60_000);
  return outcome;
}

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
    expect(await afterWaits(confirmed)).toEqual(settled);
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
  const outcome = afterWaits(confirmFirstRefusal('payment', refusalOf('insufficient_funds')));
  expect(await outcome).toEqual(settled);
});

test('behavior: a refusal after a settle request counts after two seconds of reads', async () => {
  const { confirmRefusal, reads } = readerOf([unused]);
  const refusal = refusalOf('insufficient_funds');
  expect(await afterWaits(confirmRefusal(refusal, 'payment', 1n))).toBe(refusal);
  expect(reads()).toBe(5);
});

test('behavior: a refusal after a settle request counts although our node would accept the payment', async () => {
  const { confirmRefusal, reads } = readerOf([unused], true);
  const refusal = refusalOf('insufficient_funds');
  expect(await afterWaits(confirmRefusal(refusal, 'payment', 1n))).toBe(refusal);
  expect(reads()).toBe(5);
});

test('behavior: a payment that the chain contains is settled at the first read', async () => {
  const { confirmRefusal, reads } = readerOf([settled]);
  expect(await afterWaits(confirmRefusal(refusalOf('insufficient_funds'), 'payment', 1n))).toEqual(settled);
  expect(reads()).toBe(1);
});

test('behavior: the outcome is unknown if the service closes before the refusal is confirmed', async () => {
  const { confirmRefusal, close } = readerOf([unused]);
  const outcome = confirmRefusal(refusalOf('insufficient_funds'), 'payment', 1n);
  close();
  expect(await afterWaits(outcome)).toEqual({ kind: 'unknown' });
});

test('error: an unexpected error of a status read is not hidden', async () => {
  const { confirmFirstRefusal } = readerOf([new RangeError('bug')]);
  await expect(confirmFirstRefusal('payment', refusalOf('insufficient_funds'))).rejects.toThrow(RangeError);
});

test('behavior: the outcome of a refused payment whose status cannot be read is unknown', async () => {
  const { confirmFirstRefusal } = readerOf([new ChainUnreachableError('no node')]);
  expect(await confirmFirstRefusal('payment', refusalOf('insufficient_funds'))).toEqual({ kind: 'unknown' });
});
