import { decodePaymentResponseHeader } from '@x402/core/http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openScripted, type Scripted } from '../../tests/support/scriptedNetwork.ts';
import type { PaymentRow } from './ledger/ledgerTypes.ts';
import { takeTrial } from './takeTrial.ts';

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
  opened.offer.trialGroup = 'pretrade';
});
afterEach(() => opened.close());

const transaction = { hash: '0x01', raw: '0x02', nonce: 1, fromBlock: 1n };
const day = 86_400_000;

/** Claims a payment and tries to use the free call of its wallet. */
async function take(key: string, { client, ...changes }: Partial<PaymentRow> = {}) {
  const row = { ...(await opened.claim(key)), ...changes };
  return takeTrial(opened.context, opened.offer, row, opened.paymentOf(key), client);
}
const stateOf = async (key: string) => (await opened.ledger.load(key))?.state;

test('the first call of a wallet is free, and the second one is paid', async () => {
  const free = await take('one', { payer: '0xABC' });
  expect(free).toMatchObject({ kind: 'settled', free: true });
  const { paymentResponse } = free as { paymentResponse: string };
  expect(decodePaymentResponseHeader(paymentResponse)).toMatchObject({
    success: true,
    transaction: '',
    payer: '0xABC',
    amount: '0',
  });
  expect(await opened.ledger.load('one')).toMatchObject({ state: 'settled', trialGroup: 'pretrade', paymentResponse });
  // The same wallet, in another spelling and on another network.
  expect(await take('two', { payer: '0xabc', network: 'eip155:137' })).toBeUndefined();
  expect(opened.network.calls).toEqual(['verify']);
  expect(await take('three', { payer: '0xother' })).toMatchObject({ free: true });
  expect(opened.lines.map(({ message }) => message)).toEqual(['Free call taken', 'Free call taken']);
  expect(opened.lines[0]?.facts).toEqual({ network: 'eip155:8453', payer: '0xABC', paid: 'quote', group: 'pretrade' });
});

test('a product without free calls, and a payment with a sent transaction, are paid', async () => {
  expect(await take('sent', { transactions: [transaction] })).toBeUndefined();
  opened.offer.trialGroup = undefined;
  expect(await take('one')).toBeUndefined();
  expect(opened.network.calls).toEqual([]);
});

test('a used authorization may have paid, so it takes no free call', async () => {
  opened.network.verify = async () => ({ kind: 'used' });
  expect(await take('one')).toBeUndefined();
  expect(await stateOf('one')).toBe('claimed');
  expect(await opened.ledger.hasTrial('pretrade', '0xpayer')).toBe(false);
});

test('a payment that would not settle gets no free call', async () => {
  opened.network.verify = async () => ({ kind: 'refused', reason: 'insufficient_funds', detail: 'It holds 0 USDC.' });
  expect(await take('one')).toMatchObject({ kind: 'refuse', refusal: { status: 402, reason: 'insufficient_funds' } });
  expect(await stateOf('one')).toBe('refused');
  opened.network.verify = async () => ({ kind: 'unavailable', detail: 'Gas has no price.' });
  const rechecked: string[][] = [];
  opened.context.offers.recheckAfterFailure = async (...network) => void rechecked.push(network);
  expect(await take('two')).toMatchObject({
    kind: 'refuse',
    refusal: { status: 503, detail: expect.stringContaining('Gas has no price.') },
  });
  expect(rechecked).toEqual([['eip155:8453', 'quote']]);
  expect(await stateOf('two')).toBe('refused');
  expect(await opened.ledger.hasTrial('pretrade', '0xpayer')).toBe(false);
});

test('an address beyond its limit is refused until the next UTC day, and its payment can be sent again', async () => {
  opened.context.freeTrialsPerIp = 1;
  opened.clock.time = 1_000 * day - 1_500;
  const client = '192.0.2.1';
  expect(await take('one', { payer: '0x1', client })).toMatchObject({ free: true });
  expect(await take('two', { payer: '0x2', client })).toMatchObject({
    kind: 'refuse',
    refusal: { status: 429, headers: { 'Retry-After': '2' } },
  });
  expect(await stateOf('two')).toBe('refused');
  expect(await take('three', { payer: '0x3', client: '192.0.2.2' })).toMatchObject({ free: true });
  // Without a known address, or without a limit, nothing is counted.
  expect(await take('four', { payer: '0x4' })).toMatchObject({ free: true });
  expect(await take('six', { payer: '0x6' })).toMatchObject({ free: true });
  opened.context.freeTrialsPerIp = undefined;
  expect(await take('five', { payer: '0x5', client })).toMatchObject({ free: true });
});

test('of two concurrent payments of a wallet one takes the free call, and the other one is paid', async () => {
  const taken = await Promise.all(['one', 'two'].map((key) => take(key)));
  expect(taken.filter((each) => each === undefined)).toHaveLength(1);
  expect(taken.find((each) => each !== undefined)).toMatchObject({ kind: 'settled', free: true });
  expect(opened.lines).toHaveLength(1);
});
