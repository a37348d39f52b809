import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { x402Client } from '@x402/core/client';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch';
import express from 'express';
import { erc20Abi, type Hex, parseEventLogs } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentService } from '../../server/payments/index.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(async () => {
  await fixture?.close();
});

const requestFor = (input: string) => ({
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: input,
  queryKey: input,
});

/** A minimal HTTP server that sells quotes through a payment service. */
async function startPaidServer(paymentService: PaymentService): Promise<{ url: string; server: Server }> {
  const app = express();
  app.post('/v1/quote', express.json(), async (request, response) => {
    const paymentHeader = request.get('PAYMENT-SIGNATURE');
    if (!paymentHeader) {
      const { header, summary } = paymentService.challenge('quote');
      response.status(402).set('PAYMENT-REQUIRED', header).json(summary);
      return;
    }
    const canonicalInput = JSON.stringify(request.body);
    const decision = await paymentService.decide({ ...requestFor(canonicalInput), paymentHeader });
    if (decision.kind === 'refuse') {
      response.status(decision.status).set(decision.headers).json({ detail: decision.detail });
      return;
    }
    const answer = decision.kind === 'replay' ? decision.answer : answerTo(canonicalInput);
    if (decision.kind === 'serve') await decision.complete(answer);
    response.status(answer.status).set('PAYMENT-RESPONSE', decision.paymentResponse).type(answer.contentType);
    response.send(answer.body);
  });
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/quote`, server };
}

test('default: the published client pays exactly the price and gets one answer', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const { url, server } = await startPaidServer(paymentService);
  const payer = await fixture.newPayer(3n * price);
  const before = await fixture.usdcOf(fixture.payTo);

  const buy = wrapFetchWithPayment(fetch, registerExactEvmScheme(new x402Client(), { signer: payer }));
  const response = await buy(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"size":"1"}',
  });

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ answered: '{"size":"1"}' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  expect(await fixture.usdcOf(fixture.payTo)).toBe(before + price);
  const settled = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '');
  expect(settled).toMatchObject({ success: true, network: 'eip155:8453', payer: payer.address });
  const receipt = await fixture.client.getTransactionReceipt({ hash: settled.transaction as Hex });
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
  expect(transfers.map(({ args }) => args)).toEqual([{ from: payer.address, to: fixture.payTo, value: price }]);

  server.close();
  await close();
});

test('behavior: replays the stored answer byte for byte, without a second charge, for the same payment', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));

  const first = await paymentService.decide(attempt);
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  expect(first.ticket).toEqual({ paid: 'quote', canonicalInput: attempt.canonicalInput });
  const body = '{ "odd" :  "spacing", "é": 1 }';
  await first.complete({ status: 200, contentType: 'application/json', body });

  expect(await paymentService.decide(attempt)).toEqual({
    kind: 'replay',
    answer: { status: 200, contentType: 'application/json', body },
    paymentResponse: first.paymentResponse,
  });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: ten concurrent identical requests get one answer and are charged once', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(5n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  let served = 0;

  const bodies = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const decision = await paymentService.decide(attempt);
      if (decision.kind === 'replay') return decision.answer.body;
      if (decision.kind === 'refuse') return decision.detail;
      served += 1;
      const answer = answerTo(`run ${served}`);
      await decision.complete(answer);
      return answer.body;
    }),
  );

  expect(served).toBe(1);
  expect(bodies).toEqual(Array(10).fill('{"answered":"run 1"}'));
  expect(await fixture.usdcOf(payer.address)).toBe(4n * price);
  await close();
});

test('behavior: after a failed answer, serves the settled payment without a second charge, also after a restart', async () => {
  const file = fixture.newLedgerFile();
  const { paymentService, close } = await fixture.openPaymentService({ file });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));

  const first = await paymentService.decide(attempt);
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  await first.fail('the chain did not answer');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);

  const second = await paymentService.decide(attempt);
  expect(second).toMatchObject({ kind: 'serve', paymentResponse: first.paymentResponse });
  if (second.kind === 'serve') await second.fail('again');
  await close();

  const restarted = await fixture.openPaymentService({ file });
  const third = await restarted.paymentService.decide(attempt);
  if (third.kind !== 'serve') throw new Error(JSON.stringify(third));
  await third.complete(answerTo('at last'));
  expect(await restarted.paymentService.decide(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('at last') });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await restarted.close();
});

test('behavior: if the answer fails, concurrent requests get a 503 with instructions, and the credit remains', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));

  const results = await Promise.all(
    [1, 2, 3].map(async () => {
      const decision = await paymentService.decide(attempt);
      if (decision.kind === 'serve') await decision.fail('broken');
      return decision;
    }),
  );

  expect(results.map(({ kind }) => kind).toSorted()).toEqual(['refuse', 'refuse', 'serve']);
  const refused = results.find(({ kind }) => kind === 'refuse');
  expect(refused).toMatchObject({ status: 503, headers: { 'Retry-After': expect.any(String) } });
  expect(refused).toHaveProperty('detail', expect.stringContaining('send the same PAYMENT-SIGNATURE again'));
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: serves a credit after a price increase, and refuses new payments at the old price', async () => {
  const file = fixture.newLedgerFile();
  const { paymentService, close } = await fixture.openPaymentService({ file });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const first = await paymentService.decide(attempt);
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  await first.fail('broken');
  await close();

  const repriced = await fixture.openPaymentService({
    file,
    change: (config) => ({ ...config, offers: config.offers.map((offer) => ({ ...offer, priceUsd: '0.03' })) }),
  });
  expect(await repriced.paymentService.decide(attempt)).toMatchObject({
    kind: 'serve',
    paymentResponse: first.paymentResponse,
  });
  const atOldPrice = await fixture.sign(paymentService, await fixture.newPayer(price));
  expect(await repriced.paymentService.decide(attemptOf(atOldPrice))).toMatchObject({ kind: 'refuse', status: 402 });
  await repriced.close();
});

test('behavior: a journaled payload that cannot be decoded prevents neither the start nor other payments', async () => {
  const file = fixture.newLedgerFile();
  const opened = await fixture.openPaymentService({ file });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(opened.paymentService, payer));
  const facts = {
    fingerprint: 'f',
    network: 'eip155:8453',
    payer: payer.address,
    paid: 'quote',
    route: 'POST /v1/quote',
    canonicalInput: '{}',
  };
  const sent = { hash: '0x01', raw: '', nonce: 0, fromBlock: 0n };
  for (const payload of ['{}', '{"x402Version":2,"accepted":{},"payload":{}}']) {
    await opened.ledger.claim({ ...facts, key: `eip155:8453|old|${payload}`, payload });
    await opened.ledger.journal(`eip155:8453|old|${payload}`, sent);
  }
  await opened.close();
  const { paymentService, close } = await fixture.openPaymentService({ file });
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});
