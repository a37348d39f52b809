import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { type Address, type Hex, parseSignature } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentDecision, PaymentService } from '../../server/payments/index.ts';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

let fixture: PaymentFixture;
let paymentService: PaymentService;
let close: () => Promise<void>;

beforeAll(async () => {
  fixture = await openPaymentFixture();
  ({ paymentService, close } = await fixture.openPaymentService());
});
afterAll(async () => {
  await close?.();
  await fixture?.close();
});

const facilitatorNonce = () => fixture.client.getTransactionCount({ address: fixture.walletOf('facilitator').address });

/** Expects a 402 with the reason in PAYMENT-REQUIRED, no transaction and an unchanged balance of the payer. */
async function expectRefused(
  payload: PaymentPayload,
  payer: Address,
  reason: string,
  uncharged = 'Nothing was charged.',
): Promise<PaymentDecision> {
  const [nonce, balance] = [await facilitatorNonce(), await fixture.usdcOf(payer)];
  const decision = await paymentService.decide(attemptOf(payload));
  expect(decision).toMatchObject({ kind: 'refuse', status: 402, code: 'PAYMENT_REQUIRED' });
  if (decision.kind !== 'refuse') throw new Error('unreachable');
  expect(decodePaymentRequiredHeader(decision.headers['PAYMENT-REQUIRED'] ?? '')).toMatchObject({
    x402Version: 2,
    error: reason,
    accepts: [{ network: 'eip155:8453', amount: '20000', extra: { paymentFlow: 'upfront' } }],
  });
  // The status of a payment with other terms is not read: a third party may have sent it.
  const expected = reason === 'No matching payment requirements' ? 'This request charged nothing.' : uncharged;
  expect(decision.detail).toContain(expected);
  expect(await facilitatorNonce()).toBe(nonce);
  expect(await fixture.usdcOf(payer)).toBe(balance);
  return decision;
}

test.each([
  ['amount', { amount: '19999' }],
  ['payTo', { payTo: '0x000000000000000000000000000000000000dEaD' }],
  ['asset', { asset: '0x4200000000000000000000000000000000000006' }],
  ['network', { network: 'eip155:137' as const }],
  ['scheme', { scheme: 'upto' }],
  ['extra', { extra: { name: 'USD Coin', version: '1', paymentFlow: 'upfront' } }],
])('error: PAYMENT_REQUIRED when `accepted` has another %s than each offer', async (_case, change) => {
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await expectRefused(
    { ...payload, accepted: { ...payload.accepted, ...change } },
    payer.address,
    'No matching payment requirements',
  );
});

test('error: PAYMENT_REQUIRED, not INVALID_REQUEST, for a payload of a network that is not offered', async () => {
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' as const;
  const solana = { ...payload, accepted: { ...payload.accepted, network }, payload: { transaction: 'AQ==' } };
  await expectRefused(solana, payer.address, 'No matching payment requirements');
});

test('error: RATE_LIMITED, uncharged, for a limited wallet; a payment with an invalid signature does not count', async () => {
  const countedPayers: string[] = [];
  const limited = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      limitPayer: (payer) => {
        countedPayers.push(payer);
        return 7;
      },
    }),
  });
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(limited.paymentService, payer);
  const forged = { ...payload, payload: { ...payload.payload, signature: `0x${'22'.repeat(64)}1b` } };
  expect(await limited.paymentService.decide(attemptOf(forged))).toMatchObject({ status: 402 });
  expect(countedPayers).toEqual([]);
  expect(await limited.paymentService.decide(attemptOf(payload))).toMatchObject({
    kind: 'refuse',
    status: 429,
    code: 'RATE_LIMITED',
    headers: { 'Retry-After': '7' },
  });
  expect(countedPayers).toEqual([payer.address]);
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await limited.close();
});

const seconds = () => BigInt(Math.floor(Date.now() / 1000));

test.each([
  [
    'pays another recipient',
    () => ({ to: '0x000000000000000000000000000000000000dEaD' as Address }),
    'invalid_exact_evm_recipient_mismatch',
  ],
  ['pays less', () => ({ value: price - 1n }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
  ['pays more', () => ({ value: price + 1n }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
  ['has expired', () => ({ validBefore: seconds() - 1n }), 'invalid_exact_evm_payload_authorization_valid_before'],
  [
    'is about to expire',
    () => ({ validBefore: seconds() + 3n }),
    'invalid_exact_evm_payload_authorization_valid_before',
  ],
  ['is not valid yet', () => ({ validAfter: seconds() + 60n }), 'invalid_exact_evm_payload_authorization_valid_after'],
])('error: refuses an authorization that %s, uncharged', async (_case, toChanges, reason) => {
  const payer = await fixture.newPayer(2n * price);
  // An expired authorization may have paid before, so the text covers only this request.
  const uncharged = reason.endsWith('valid_before') ? 'This request charged nothing.' : 'Nothing was charged.';
  await expectRefused(await fixture.signAltered(paymentService, payer, toChanges()), payer.address, reason, uncharged);
});

test('error: refuses a signature by another account, uncharged', async () => {
  const [payer, other] = [await fixture.newPayer(price), await fixture.newPayer(0n)];
  const payload = await fixture.sign(paymentService, payer);
  const otherPayload = await fixture.sign(paymentService, other);
  const forged = { ...payload, payload: { ...payload.payload, signature: otherPayload.payload.signature } };
  await expectRefused(forged, payer.address, 'invalid_exact_evm_signature');
});

test('error: refuses a signature that the token rejects (high s), uncharged', async () => {
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  const { r, s, yParity } = parseSignature(payload.payload.signature as Hex);
  const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const flipped = `${r}${(curveOrder - BigInt(s)).toString(16).padStart(64, '0')}${yParity === 0 ? '1c' : '1b'}`;
  const malleated = { ...payload, payload: { ...payload.payload, signature: flipped } };
  await expectRefused(malleated, payer.address, 'invalid_exact_evm_signature');
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
});

test('error: refuses a wallet with too little USDC; the same payment settles once the wallet is funded', async () => {
  const payer = await fixture.newPayer(price - 1n);
  const payload = await fixture.sign(paymentService, payer);
  const refused = await expectRefused(payload, payer.address, 'invalid_exact_evm_insufficient_balance');
  expect(refused).toHaveProperty('headers.PAYMENT-RESPONSE');
  await fixture.give(payer.address, 1n);
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
});

test('error: refuses a cancelled authorization, uncharged', async () => {
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.cancel(payer, payload);
  await expectRefused(payload, payer.address, 'invalid_exact_evm_nonce_already_used');
});

test('error: PAYMENT_REUSED for another request with the same payment, before and after its answer', async () => {
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  const first = await paymentService.decide(attemptOf(payload));
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  const other = attemptOf(payload, '{"size":"2"}');
  expect(await paymentService.decide(other)).toMatchObject({ kind: 'refuse', status: 409, code: 'PAYMENT_REUSED' });
  await first.complete({ status: 200, contentType: 'application/json', body: '{}' });
  expect(await paymentService.decide(other)).toMatchObject({ kind: 'refuse', status: 409, code: 'PAYMENT_REUSED' });
  const otherRoute = { ...attemptOf(payload), route: 'POST /trpc/quote' };
  expect(await paymentService.decide(otherRoute)).toMatchObject({ kind: 'refuse', status: 409 });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
});

test('error: PAYMENT_REUSED for one of two concurrent, different requests with the same payment', async () => {
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  const kinds = await Promise.all(
    ['{"size":"1"}', '{"size":"2"}'].map(async (input) => {
      const decision = await paymentService.decide(attemptOf(payload, input));
      return decision.kind === 'refuse' ? decision.code : decision.kind;
    }),
  );
  expect(kinds.toSorted()).toEqual(['PAYMENT_REUSED', 'serve']);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['no characters', ''],
  ['plain JSON', '{"x402Version":2}'],
  ['two headers joined', 'e30=, e30='],
  ['base64 of text that is not JSON', base64('hello')],
  ['an array', base64('[]')],
  ['null', base64('null')],
  ['version 1', base64('{"x402Version":1,"scheme":"exact","network":"base","payload":{}}')],
  ['4,500 nested arrays', base64(`${'['.repeat(4_500)}${']'.repeat(4_500)}`)],
  ['20,000 characters', base64(`"${'x'.repeat(20_000)}"`)],
])('error: INVALID_REQUEST when the header contains %s', async (_case, paymentHeader) => {
  const decision = await paymentService.decide({
    paid: 'quote',
    route: 'POST /v1/quote',
    canonicalInput: '{}',
    queryKey: '{}',
    paymentHeader,
  });
  expect(decision).toMatchObject({ kind: 'refuse', status: 400, code: 'INVALID_REQUEST' });
});

test.each([
  ['from', 'not an address'],
  ['nonce', '0x12'],
  ['value', '-20000'],
  ['value', '2e4'],
  ['value', '9'.repeat(78)],
  ['validBefore', ''],
])('error: INVALID_REQUEST when the authorization’s %s is %s', async (field, value) => {
  const payload = await fixture.sign(paymentService, await fixture.newPayer(0n));
  const { authorization, signature } = payload.payload as { authorization: object; signature: string };
  const broken = { ...payload, payload: { signature, authorization: { ...authorization, [field]: value } } };
  expect(await paymentService.decide(attemptOf(broken))).toMatchObject({ kind: 'refuse', status: 400 });
});

test('error: refuses a payload with a deeply nested value, without an exception', async () => {
  const payload = await fixture.sign(paymentService, await fixture.newPayer(0n));
  const json = JSON.stringify({ ...payload, extensions: { deep: 'HERE' } }).replace(
    '"HERE"',
    `${'['.repeat(3_500)}${']'.repeat(3_500)}`,
  );
  const decision = await paymentService.decide({ ...attemptOf(payload), paymentHeader: base64(json) });
  expect(decision.kind).toBe('refuse');
});

test('security: PAYMENT_REUSED for the same payment with its addresses in another letter case', async () => {
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  const first = await paymentService.decide(attemptOf(payload));
  if (first.kind !== 'serve') throw new Error(JSON.stringify(first));
  await first.complete({ status: 200, contentType: 'application/json', body: '{}' });
  const { authorization, signature } = payload.payload as { authorization: { from: string }; signature: string };
  const lower = { ...authorization, from: authorization.from.toLowerCase() };
  const lowerCase = { ...payload, payload: { authorization: lower, signature } };
  expect(await paymentService.decide(attemptOf(lowerCase))).toMatchObject({ kind: 'refuse', status: 409 });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  expect(encodePaymentSignatureHeader(lowerCase)).not.toBe(encodePaymentSignatureHeader(payload));
});
