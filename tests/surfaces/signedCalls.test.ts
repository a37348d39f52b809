import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import type { PrivateKeyAccount } from 'viem/accounts';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentConfig, PaymentService } from '../../server/payments/index.ts';
import { openPaymentFixture, type PaymentFixture, price } from '../payments/paymentFixture.ts';
import { acceptsAlways } from '../payments/walletCodes.ts';
import { isFullSize } from '../support/proofSize.ts';
import { quoteInput, serveFakes } from './serveFakes.ts';

// Signed calls from one address through the real payment service and a local chain. At full size the limits are the
// defaults; otherwise a tenth.

const scale = isFullSize ? 1 : 10;
const perMinute = 120 / scale;
const perWallet = 600 / scale;
const few = 130 / scale;
const many = 1_000 / scale;

let fixture: PaymentFixture;
beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(() => fixture.close());

/** Serves the app with a clock that stands still, so that all calls are in one window. */
async function serve() {
  const work = { hasPaid: 0, load: 0 };
  const opened: { paymentService: PaymentService; close(): Promise<void> }[] = [];
  const served = await serveFakes({
    perMinute,
    perWallet,
    trustedProxies: 1,
    now: () => 1_795_254_662_000,
    async openPayments(limitPayer) {
      const counted = ({ ledger, ...config }: PaymentConfig): PaymentConfig => ({
        ...config,
        limitPayer,
        // The app publishes the terms of both products.
        offers: config.offers.flatMap((offer) => [offer, { ...offer, paid: 'pretradeCheck', priceUsd: '0.05' }]),
        ledger: {
          ...ledger,
          hasPaid: (wallet) => {
            work.hasPaid += 1;
            return ledger.hasPaid(wallet);
          },
          load: (key) => {
            work.load += 1;
            return ledger.load(key);
          },
        },
      });
      const service = await fixture.openPaymentService({ change: counted });
      opened.push(service);
      return service.paymentService;
    },
  });
  const [service] = opened;
  if (!service) throw new TypeError('No payment service was opened.');
  const { paymentService } = service;
  const send = (payload: PaymentPayload, body: unknown = quoteInput, from = '192.0.2.1') =>
    served.post('/v1/quote', body, {
      'payment-signature': encodePaymentSignatureHeader(payload),
      'x-forwarded-for': from,
    });
  const buy = async (account: PrivateKeyAccount) => send(await fixture.sign(paymentService, account));
  return {
    work,
    paymentService,
    send,
    buy,
    /** A wallet with a settled payment. */
    async newCustomer(calls: number) {
      const account = await fixture.newPayer(price * BigInt(calls + 1));
      const first = await buy(account);
      expect(first.status).toBe(200);
      await first.text();
      return account;
    },
    unpaid: () => served.post('/v1/quote', quoteInput, { 'x-forwarded-for': '192.0.2.1' }),
    async close() {
      await served.close();
      await service.close();
    },
  };
}

const newWallet = () => privateKeyToAccount(generatePrivateKey());

/** Sends calls, at most 32 at a time. Returns how often each status was sent. */
async function tally(calls: number, send: () => Promise<Response>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  let left = calls;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const response = await send();
      await response.text();
      counts[response.status] = (counts[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  return counts;
}

/** A payment whose signature is by another wallet than it names. */
const forge = (payload: PaymentPayload): PaymentPayload => ({
  ...payload,
  payload: { ...payload.payload, signature: `0x${'22'.repeat(64)}1b` },
});

test(`behavior: of ${many} calls of a paying wallet from one address, only its own limit refuses some`, async () => {
  const { newCustomer, buy, unpaid, close } = await serve();
  const customer = await newCustomer(perWallet);
  expect(await tally(few, () => buy(customer))).toEqual({ 200: few });
  // The first purchase also counted for the wallet.
  expect(await tally(many - few, () => buy(customer))).toEqual({ 200: perWallet - 1 - few, 429: many - perWallet + 1 });
  // Only the first purchase and the refused calls counted for the address.
  expect((await unpaid()).status).toBe(402);
  await close();
}, 600_000);

test(`security: of ${many} calls of new wallets from one address, those above the limit cause no work`, async () => {
  const { buy, work, close } = await serve();
  const refused402 = await tally(few, () => buy(newWallet()));
  expect(refused402).toEqual({ 402: perMinute, 429: few - perMinute });
  const before = { ...work };
  expect(await tally(many - few, () => buy(newWallet()))).toEqual({ 429: many - few });
  expect(work).toEqual(before);
  await close();
}, 600_000);

test(`security: of ${many} bad signatures that name a paying wallet, those above the limit cause no work`, async () => {
  const { newCustomer, paymentService, send, work, close } = await serve();
  const customer = await newCustomer(10);
  const forged = async () => send(forge(await fixture.sign(paymentService, customer)));
  // The customer's first purchase counted for the same address.
  expect(await tally(few, forged)).toEqual({ 402: perMinute - 1, 429: few - perMinute + 1 });
  const before = { ...work };
  expect(await tally(many - few, forged)).toEqual({ 429: many - few });
  expect(work).toEqual(before);
  await close();
}, 600_000);

test('behavior: the RateLimit headers describe the limit that the call counts for', async () => {
  const { newCustomer, buy, unpaid, close } = await serve();
  const customer = await newCustomer(3);
  const paid = await buy(customer);
  expect(paid.headers.get('ratelimit')).toContain(`"${perWallet}-in-1min"; r=${perWallet - 2};`);
  expect(paid.headers.get('ratelimit-policy')).toContain(`q=${perWallet}; w=60`);
  const anonymous = await unpaid();
  // The customer's first purchase and this request.
  expect(anonymous.headers.get('ratelimit')).toContain(`"${perMinute}-in-1min"; r=${perMinute - 2};`);
  const stranger = await buy(newWallet());
  expect(stranger.headers.get('ratelimit')).toContain(`r=${perMinute - 3};`);
  await close();
});

test('security: payments of a paying wallet that a third party repeats do not count for the wallet', async () => {
  const { newCustomer, paymentService, send, buy, close } = await serve();
  const customer = await newCustomer(3);
  const payload = await fixture.sign(paymentService, customer);
  expect((await send(payload)).status).toBe(200);
  const other = { ...quoteInput, sizeIn: '2' };
  const thirdParty = () => send(payload, other, '198.51.100.9');
  expect(await tally(few, thirdParty)).toEqual({ 409: perMinute, 429: few - perMinute });
  const next = await buy(customer);
  expect(next.status).toBe(200);
  expect(next.headers.get('ratelimit')).toContain(`r=${perWallet - 3};`);
  await close();
});

test('behavior: a contract wallet that pays frees its address after a node has verified the signature', async () => {
  const { newCustomer, paymentService, send, unpaid, close } = await serve();
  const customer = await newCustomer(2 * perMinute);
  await fixture.rpc('anvil_setCode', [customer.address, acceptsAlways]);
  const buyWithCode = async () => send(forge(await fixture.sign(paymentService, customer)));
  for (let call = 0; call < perMinute + 2; call += 1) {
    const response = await buyWithCode();
    expect(response.status).not.toBe(429);
    await response.text();
  }
  expect((await unpaid()).status).toBe(402);
  await close();
}, 120_000);

test('security: calls of a paying contract wallet above its limit count for the address, and then cause no work', async () => {
  const { newCustomer, buy, paymentService, send, work, close } = await serve();
  const customer = await newCustomer(perWallet);
  expect(await tally(perWallet - 1, () => buy(customer))).toEqual({ 200: perWallet - 1 });
  await fixture.rpc('anvil_setCode', [customer.address, acceptsAlways]);
  const buyWithCode = async () => send(forge(await fixture.sign(paymentService, customer)));
  const refuseNext = async (calls: number) => {
    for (let call = 0; call < calls; call += 1) expect((await buyWithCode()).status).toBe(429);
  };
  await refuseNext(perMinute);
  const before = { ...work };
  await refuseNext(5);
  expect(work).toEqual(before);
  await close();
}, 600_000);
