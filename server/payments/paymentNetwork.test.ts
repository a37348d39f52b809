import { expect, test } from 'vitest';
import { terms } from '../../tests/support/scriptedNetwork.ts';
import { decodeStored } from './decodePayment.ts';
import type { Facilitator } from './facilitator.ts';
import { instrumentNetworks } from './instrumentNetworks.ts';
import type { NetworkPayment } from './paymentNetwork.ts';
import { closedNetwork, openPaymentNetwork, type PaymentForm } from './paymentNetwork.ts';
import { readLateStatus } from './readLateStatus.ts';

type Payment = { id: string };
const form: PaymentForm<Payment> = {
  read: (payload) => ({ id: String((payload as { id: string }).id) }),
  keyOf: ({ network }, { id }) => `${network}|${id}`,
  payerOf: ({ id }) => `payer of ${id}`,
  strip: ({ id }) => ({ id }),
};
const envelope = { accepted: terms, payload: { id: 'a', echoed: true }, canonicalPayload: '', extensions: {} };
const key = 'eip155:8453|a';
const task = {
  key,
  terms,
  sent: [],
  wasRefused: false,
  checkFunds: async () => undefined,
  journal: async () => undefined,
};

/** A facilitator that records the arguments of its calls. */
function openRecorded(more: Partial<PaymentForm<Payment>> = {}) {
  const calls: unknown[][] = [];
  const record =
    <T>(name: string, result: T) =>
    async (...given: unknown[]) => {
      calls.push([name, ...given]);
      return result;
    };
  const facilitator: Facilitator<Payment> = {
    network: terms.network,
    spendsOurGas: true,
    start: record('start', undefined),
    offerExtra: record('offerExtra', { feePayer: '0x' }),
    isSigned: record('isSigned', true),
    verifyPayload: record('verifyPayload', { kind: 'valid' }),
    verify: record('verify', { kind: 'used' }),
    readFunds: record('readFunds', { balance: 5n, ended: new Set<string>() }),
    settle: record('settle', { kind: 'unknown' }),
    readLateStatus: record('readLateStatus', { kind: 'open' }),
    account: '0xaccount',
    readSettlementState: record('readSettlementState', { obstacle: undefined, settlements: 3n, gasCost: 1n }),
    resend: record('resend', undefined),
    watchPaid: (...given) => void calls.push(['watchPaid', ...given]),
    queue: () => ({ waiting: 1 }) as never,
    close: () => void calls.push(['close']),
  };
  return { network: openPaymentNetwork({ ...form, ...more }, facilitator), calls };
}

test('passes the decoded payment to the facilitator', async () => {
  const { network, calls } = openRecorded();
  const payment = network.read(envelope);
  expect(payment).toMatchObject({ key, payer: 'payer of a', spendsOurGas: true, expiresAt: undefined });
  expect(await payment.isSigned(terms, 7)).toBe(true);
  expect(await payment.verifyPayload(terms, 7)).toEqual({ kind: 'valid' });
  expect(await payment.verify()).toEqual({ kind: 'used' });
  expect(await payment.readFunds([])).toMatchObject({ balance: 5n });
  expect(await payment.settle(task)).toEqual({ kind: 'unknown' });
  payment.watchPaid({ transaction: '0x', sent: [] });
  expect(await payment.readLateStatus([])).toEqual({ kind: 'open' });
  const decoded = { id: 'a' };
  expect(calls).toEqual([
    ['isSigned', decoded, terms, 7],
    ['verifyPayload', decoded, terms, 7],
    ['verify', { payment: decoded, envelope, terms }],
    ['readFunds', decoded, []],
    ['settle', { ...task, payment: decoded, envelope }],
    ['watchPaid', { key, payment: decoded, envelope, terms }, { transaction: '0x', sent: [] }],
    ['readLateStatus', decoded, []],
  ]);
});

test('stores the payment without fields that the scheme does not define', () => {
  const { network } = openRecorded();
  expect(decodeStored(network.read(envelope).encode({ ...terms, amount: '5' }))).toMatchObject({
    payload: { id: 'a' },
    accepted: { amount: '5' },
  });
  expect(network.read(envelope).encode(terms)).not.toContain('echoed');
});

test('converts the expiry to milliseconds', () => {
  const { network } = openRecorded({ expiresAt: () => 1_800_000_000n });
  expect(network.read(envelope).expiresAt).toBe(1_800_000_000_000);
});

test('passes the operations of the network to the facilitator', async () => {
  const { network, calls } = openRecorded();
  const transaction = { hash: '0x01', raw: '0x02', nonce: 1, fromBlock: 1n };
  await network.start();
  expect(await network.offerExtra()).toEqual({ feePayer: '0x' });
  expect(network.account).toBe('0xaccount');
  expect(await network.readSettlementState()).toMatchObject({ settlements: 3n });
  await network.resend([transaction]);
  network.close();
  expect(network.queue?.()).toEqual({ waiting: 1 });
  expect(calls).toEqual([['start'], ['offerExtra'], ['readSettlementState'], ['resend', [transaction]], ['close']]);
});

test('a network that is not configured accepts no payment, and never reports one as refused or paid', async () => {
  const network = closedNetwork('eip155:10', form);
  const payment = network.read({ ...envelope, accepted: { ...terms, network: 'eip155:10' } });
  expect(payment).toMatchObject({ key: 'eip155:10|a', spendsOurGas: false });
  expect(await network.offerExtra()).toBeUndefined();
  expect(await network.readSettlementState()).toMatchObject({ obstacle: 'node_unreachable' });
  expect(await payment.isSigned(terms, 0)).toBe(false);
  expect(await payment.verifyPayload(terms, 0)).toEqual({ kind: 'unavailable' });
  expect(await payment.verify()).toEqual({ kind: 'unavailable' });
  expect(await payment.settle(task)).toEqual({ kind: 'unknown' });
  expect(await payment.readLateStatus([])).toEqual({ kind: 'open' });
  expect(await payment.readFunds([])).toEqual({ balance: 0n, ended: new Set() });
  await network.start();
  await network.resend([]);
  payment.watchPaid({ transaction: '0x', sent: [] });
  network.close();
});

test('measures verifications and settlements of each network, and no other operation', async () => {
  const { network } = openRecorded();
  const measured: unknown[] = [];
  const networks = instrumentNetworks(new Map([[terms.network, network]]), async (phase, name, work, ended) => {
    const value = await work();
    measured.push([phase, name, ended(value)]);
    return value;
  });
  const payment = networks.get(terms.network)?.read(envelope) as NetworkPayment;
  expect(payment.key).toBe(key);
  expect(await payment.verifyPayload(terms, 7)).toEqual({ kind: 'valid' });
  expect(await payment.verify()).toEqual({ kind: 'used' });
  expect(await payment.settle(task)).toEqual({ kind: 'unknown' });
  await payment.readLateStatus([]);
  expect(measured).toEqual([
    ['verify', terms.network, 'valid'],
    ['verify', terms.network, 'used'],
    ['settle', terms.network, 'unknown'],
  ]);
  const plain = new Map([[terms.network, network]]);
  expect(instrumentNetworks(plain, undefined)).toBe(plain);
});

test.each([
  ['settled', true, { kind: 'settled', transaction: '0xpaid' }],
  ['settled', false, { kind: 'settled', transaction: '0xpaid' }],
  // The node of the status is behind the one that returned the time.
  ['unused', true, { kind: 'open' }],
  ['unused', false, { kind: 'open' }],
  ['refused', true, { kind: 'expired' }],
  ['refused', false, { kind: 'open' }],
] as const)('the late status of a payment that is %s and expired: %s', async (kind, expired, expected) => {
  const calls: unknown[] = [];
  const status = {
    settled: { kind, transaction: '0xpaid' },
    unused: { kind },
    refused: { kind, reason: 'used', detail: 'It was used.' },
  }[kind] as never;
  const verifier = {
    hasExpired: async (_payment: Payment, since: bigint) => {
      calls.push(['hasExpired', since]);
      return expired;
    },
    readStatus: async (_payment: Payment, since?: bigint) => {
      calls.push(['readStatus', since]);
      return status;
    },
  } as never;
  expect(await readLateStatus(verifier, { id: 'a' }, 7n)).toEqual(expected);
  expect(await readLateStatus(verifier, { id: 'a' }, undefined)).toEqual(expected);
  // Expiry first: a transaction that is included between the reads is found by the second one.
  expect(calls).toEqual([
    ['hasExpired', 7n],
    ['readStatus', 7n],
    ['hasExpired', 0n],
    ['readStatus', undefined],
  ]);
});
