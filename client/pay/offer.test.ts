import { expect, test } from 'vitest';
import { toOffer } from './offer.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

const evm = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '20000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 120,
  extra: { name: 'USD Coin', version: '2', paymentFlow: 'upfront' },
};
const solana = {
  ...evm,
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  extra: { feePayer: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T' },
};

test('default: decodes the offer with its options', () => {
  const offer = { x402Version: 2, resource: { url: 'http://x' }, accepts: [evm, solana] };
  expect(toOffer(encode(offer))).toEqual(offer);
  const flow = { ...evm, extra: { ...evm.extra, paymentFlow: 'authorization', assetTransferMethod: 'eip3009' } };
  expect(toOffer(encode({ ...offer, accepts: [flow] }))?.accepts).toEqual([flow]);
});

test.each([
  ['no header', null],
  ['no base64', '%%%'],
  ['no object', encode([])],
  ['another version', encode({ x402Version: 1, accepts: [evm] })],
  ['no list', encode({ x402Version: 2, accepts: {} })],
])('error: undefined for %s', (_case, header) => {
  expect(toOffer(header)).toBeUndefined();
});

test.each<[string, unknown]>([
  ['null', null],
  ['a list', []],
  ['another scheme', { ...evm, scheme: 'upto' }],
  ['a network that is no CAIP-2 id', { ...evm, network: 'base' }],
  ['a network with a line break', { ...evm, network: 'eip155:1\n' }],
  ['a network with a prefix', { ...evm, network: 'x eip155:1' }],
  ['a network that is no string', { ...evm, network: ['eip155:8453'] }],
  ['an amount with decimals', { ...evm, amount: '0.02' }],
  ['an amount as a number', { ...evm, amount: 20000 }],
  ['a negative amount', { ...evm, amount: '-1' }],
  ['a hexadecimal amount', { ...evm, amount: '0x4e20' }],
  ['an empty amount', { ...evm, amount: '' }],
  ['an amount that a number cannot hold', { ...evm, amount: '1000000000000000' }],
  ['an asset that is no address', { ...evm, asset: 'USDC' }],
  ['a payee that is no address', { ...evm, payTo: `${evm.payTo}00` }],
  ['a payee with a prefix', { ...evm, payTo: `x${evm.payTo}` }],
  ['a timeout as a string', { ...evm, maxTimeoutSeconds: '120' }],
  ['a timeout of 0', { ...evm, maxTimeoutSeconds: 0 }],
  ['a fraction of a second', { ...evm, maxTimeoutSeconds: 1.5 }],
  ['no extra', { ...evm, extra: undefined }],
  ['Permit2', { ...evm, extra: { ...evm.extra, assetTransferMethod: 'permit2' } }],
  ['an escrow', { ...evm, extra: { ...evm.extra, paymentFlow: 'escrow' } }],
])('security: omits an option with %s', (_case, option) => {
  expect(toOffer(encode({ x402Version: 2, accepts: [option, evm] }))?.accepts).toEqual([evm]);
});

test('default: accepts an amount of 15 digits', () => {
  const large = { ...evm, amount: '999999999999999' };
  expect(toOffer(encode({ x402Version: 2, accepts: [large] }))?.accepts).toEqual([large]);
});
