import { expect, test } from 'vitest';
import type { PaymentSigner } from '../../payments/index.ts';
import { createAddressLimit } from './addressLimit.ts';
import { createRateWindow } from './rateWindow.ts';
import { createSignedLimit } from './signedLimit.ts';

// Counts the steps of each request: decoding the header, the look-up of the wallet, the verification of the signature.

interface Payment {
  wallet?: string;
  hasPaid?: boolean;
  hasSigned?: boolean;
  /** Resolves the look-up of the wallet. */
  wait?: Promise<void>;
}

function open({ perAddress = 3, perWallet = 8, now = (): number => 60_000_000 } = {}) {
  const steps = { decoded: 0, lookedUp: 0, verified: 0 };
  const window = createRateWindow({ now });
  const payments = new Map<string, Payment>();
  const readSigner = (header: string): PaymentSigner | undefined => {
    steps.decoded += 1;
    const payment = payments.get(header);
    if (!payment) return undefined;
    return {
      wallet: payment.wallet ?? '0xab',
      key: header,
      async hasPaid() {
        steps.lookedUp += 1;
        await payment.wait;
        return payment.hasPaid ?? true;
      },
      async hasSigned() {
        steps.verified += 1;
        return payment.hasSigned ?? true;
      },
    };
  };
  const limitAddress = createAddressLimit(perAddress, window, now);
  const { count, headersFor } = createSignedLimit({ perAddress, perWallet, window, limitAddress, readSigner, now });
  let last = 0;
  return {
    steps,
    limitAddress,
    headersFor,
    window,
    count,
    /** Sends a request with a new payment. */
    send(payment: Payment, ip = '192.0.2.1') {
      last += 1;
      payments.set(`payment ${last}`, payment);
      return count(ip, `payment ${last}`);
    },
    replay: (ip = '192.0.2.1') => count(ip, `payment ${last}`),
  };
}

const refused = async (hits: Promise<{ refusal: unknown }>[]) =>
  (await Promise.all(hits)).filter(({ refusal }) => refusal).length;
const repeat = <T>(times: number, send: () => T): T[] => Array.from({ length: times }, send);

test('security: refuses bad signatures that name a paying wallet, and verifies none above the limit', async () => {
  const { send, steps } = open();
  expect(await refused(repeat(1_000, () => send({ hasSigned: false })))).toBe(997);
  expect(steps.verified).toBe(3);
  const { decoded } = steps;
  expect(await refused(repeat(1_000, () => send({ hasSigned: false })))).toBe(1_000);
  expect(steps).toMatchObject({ decoded, verified: 3 });
});

test('security: bad signatures of one address do not count for the wallet or another address', async () => {
  const { send, window } = open();
  await refused(repeat(100, () => send({ hasSigned: false }, '198.51.100.9')));
  expect(window.peek('wallet:0xab').hits).toBe(0);
  expect(await refused(repeat(3, () => send({})))).toBe(0);
});

test('security: calls of wallets without a settled payment count for their address, without verification', async () => {
  const { send, steps } = open();
  expect(await refused(repeat(5, () => send({ hasPaid: false, wallet: crypto.randomUUID() })))).toBe(2);
  expect(steps.verified).toBe(0);
});

test('behavior: a payment of a paying wallet passes while anonymous requests of its address are refused', async () => {
  const { send, limitAddress } = open();
  for (let request = 0; request < 50; request += 1) limitAddress('192.0.2.1');
  const { refusal, headers } = await send({});
  expect(refusal).toBeUndefined();
  expect(headers[0]).toEqual(['RateLimit', '"8-in-1min"; r=8; t=60']);
  expect(limitAddress('192.0.2.1').refusal).toBeDefined();
});

test('security: a repeated payment counts for the address, because signatures are public on chain', async () => {
  const { send, replay, steps } = open();
  await send({});
  expect(await refused(repeat(5, () => replay()))).toBe(2);
  expect(steps.verified).toBe(1);
});

test('security: limits verified payments that are never counted for their wallet', async () => {
  const { send } = open({ perAddress: 3, perWallet: 8 });
  // The first eight pass, the next three count for the address.
  expect(await refused(repeat(20, () => send({})))).toBe(9);
});

test('behavior: a payment that was counted for its wallet frees its place', async () => {
  const { send } = open();
  for (let request = 0; request < 100; request += 1) {
    const { refusal, release } = await send({});
    expect(refusal).toBeUndefined();
    release();
  }
});

test('behavior: a payment that only a node can verify frees its place once it is counted for its wallet', async () => {
  const { send, limitAddress } = open();
  for (let request = 0; request < 100; request += 1) {
    const hit = await send({ hasSigned: false });
    expect(hit.refusal).toBeUndefined();
    hit.release();
    hit.release();
  }
  expect(limitAddress('192.0.2.1').headers[0]?.[1]).toContain('r=2');
});

test('security: concurrent requests during a slow look-up cause no verification above the limit', async () => {
  const { send, steps } = open({ perAddress: 3, perWallet: 100 });
  let end: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => {
    end = () => resolve();
  });
  const hits = repeat(50, () => send({ hasSigned: false, wait }));
  end();
  expect(await refused(hits)).toBe(47);
  expect(steps.verified).toBeLessThanOrEqual(4);
});

test('behavior: a place is not freed in the next window', async () => {
  let now = 60_000_000;
  const { send, window } = open({ now: () => now });
  const { release } = await send({ hasSigned: false });
  now += 60_000;
  window.hit('address:192.0.2.1');
  release();
  expect(window.peek('address:192.0.2.1').hits).toBe(1);
});
