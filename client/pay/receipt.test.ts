import { expect, test } from 'vitest';
import { encode } from './fakeService.ts';
import { decodeHeader, readSettlement, toReceipt } from './receipt.ts';

test('default: a receipt contains what the header and the price state', () => {
  const settled = { success: true, transaction: '0xaa', network: 'eip155:8453', payer: '0xbb' };
  const headers = new Headers({ 'payment-response': encode(settled) });
  expect(readSettlement(headers)).toEqual(settled);
  const receipt = {
    network: 'eip155:8453',
    transaction: '0xaa',
    payer: '0xbb',
    paidUsd: 0.02,
    free: false,
    replayed: false,
  };
  expect(toReceipt(headers, 0.02)).toEqual(receipt);
  headers.set('idempotent-replayed', 'true');
  expect(toReceipt(headers, 0.02)).toEqual({ ...receipt, replayed: true });
  headers.set('idempotent-replayed', 'no');
  expect(toReceipt(headers, 0.02).replayed).toBe(false);
});

test('default: a free call costs nothing', () => {
  const free = (freeTrial: unknown) => new Headers({ 'payment-response': encode({ extra: { freeTrial } }) });
  expect(toReceipt(free(true), 0.05)).toMatchObject({ free: true, paidUsd: 0, network: 'unknown', transaction: '' });
  for (const value of [false, 'true', 1, null])
    expect(toReceipt(free(value), 0.05)).toMatchObject({ free: false, paidUsd: 0.05 });
  expect(toReceipt(new Headers(), 0.05)).toMatchObject({ free: false, paidUsd: 0.05, payer: undefined });
});

test('error: undefined for a missing or malformed header', () => {
  for (const header of [null, '%%%', Buffer.from('{').toString('base64'), ''])
    expect(decodeHeader(header)).toBeUndefined();
  expect(decodeHeader(encode({ text: 'é' }))).toEqual({ text: 'é' });
});
