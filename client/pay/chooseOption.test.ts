import type { PaymentRequired, PaymentRequirements, SchemeNetworkClient } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { expect, test } from 'vitest';
import { NoPaymentOptionError } from '../errors.ts';
import { type Choice, chooseOption, validitySeconds } from './chooseOption.ts';

const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const usdc: Record<string, string> = {
  'eip155:8453': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'eip155:137': '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  [solanaNetwork]: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
};

const option = (network: string, more: Partial<PaymentRequirements> = {}) =>
  ({
    scheme: 'exact',
    network,
    asset: usdc[network],
    amount: '20000',
    maxTimeoutSeconds: 180,
    ...more,
  }) as PaymentRequirements;

/** The published schemes judge the assets. */
const evm = new ExactEvmScheme({} as ConstructorParameters<typeof ExactEvmScheme>[0]);
const svm = new ExactSvmScheme({} as ConstructorParameters<typeof ExactSvmScheme>[0]) as unknown as SchemeNetworkClient;
const walletsOf = (...schemes: ('eip155' | 'solana')[]) => ({
  findScheme(network: string) {
    const [namespace] = network.split(':');
    if (!schemes.some((scheme) => scheme === namespace)) return undefined;
    return namespace === 'solana' ? svm : evm;
  },
});

/** A later version of the published scheme, in which USDC of a network has other decimals. */
const withDecimals = (decimals: number): SchemeNetworkClient => ({
  scheme: evm.scheme,
  createPaymentPayload: (...terms) => evm.createPaymentPayload(...terms),
  findDefaultAsset: (...token) => ({ ...evm.findDefaultAsset(...token), decimals }) as never,
});

const choose = (accepts: PaymentRequirements[], choice: Partial<Choice> = {}) =>
  chooseOption({ accepts } as PaymentRequired, {
    payer: walletsOf('eip155', 'solana'),
    payOn: undefined,
    maxValiditySeconds: 300,
    tried: new Set(),
    ...choice,
  });

const [base, polygon, solana] = [option('eip155:8453'), option('eip155:137'), option(solanaNetwork)] as const;

test('default: the first option that a wallet can pay', () => {
  expect(choose([base, polygon, solana])).toBe(base);
  expect(choose([solana, base])).toBe(solana);
  expect(choose([base, solana], { payer: walletsOf('solana') })).toBe(solana);
});

test('default: only the network of payOn, and none that was tried', () => {
  expect(choose([base, polygon], { payOn: 'eip155:137' })).toBe(polygon);
  expect(choose([base, polygon], { tried: new Set(['eip155:8453']) })).toBe(polygon);
  expect(() => choose([base, polygon], { tried: new Set(['eip155:8453', 'eip155:137']) })).toThrow(
    NoPaymentOptionError,
  );
});

test.each<[string, PaymentRequirements[], Partial<Choice>, RegExp]>([
  [
    'a network without a wallet',
    [base, polygon],
    { payer: walletsOf('solana') },
    /accepts payment on eip155:8453, eip155:137, but no configured wallet can pay there\. Nothing was signed\./,
  ],
  [
    'a network other than payOn',
    [base],
    { payOn: 'eip155:137' },
    /on eip155:8453, but not on eip155:137\. Nothing was signed\./,
  ],
  [
    'payOn without a wallet',
    [base],
    { payOn: solanaNetwork, payer: walletsOf('eip155') },
    /but no configured wallet can pay there\./,
  ],
  ['no option', [], {}, /accepts payment on no known network, but/],
  [
    'another token',
    [option('eip155:8453', { asset: `0x${'22'.repeat(20)}` }), option('eip155:137', { asset: base.asset })],
    {},
    /another token than USDC on eip155:8453, eip155:137\. Nothing was signed\./,
  ],
  [
    'another default token',
    [option('eip155:988', { asset: '0x779Ded0c9e1022225f8E0630b35a9b54bE713736' })],
    {},
    /another token than USDC on eip155:988/,
  ],
  [
    'USDC with other decimals than 6',
    [option('eip155:8453')],
    { payer: { findScheme: () => withDecimals(18) } },
    /another token than USDC on eip155:8453/,
  ],
  [
    'a long validity',
    [option('eip155:8453', { maxTimeoutSeconds: 900 }), option('eip155:137', { maxTimeoutSeconds: 301 })],
    {},
    /stay valid for 301 s, but maxValiditySeconds is 300\. Nothing was signed\./,
  ],
  [
    'a short limit on Solana',
    [solana],
    { maxValiditySeconds: 179 },
    /stay valid for 180 s, but maxValiditySeconds is 179/,
  ],
])('error: NoPaymentOptionError for %s', (_case, accepts, choice, message) => {
  expect(() => choose(accepts, choice)).toThrow(NoPaymentOptionError);
  expect(() => choose(accepts, choice)).toThrow(message);
});

test('behavior: skips an option with a long validity, and accepts exactly the limit', () => {
  const long = option('eip155:8453', { maxTimeoutSeconds: 301 });
  expect(choose([long, polygon])).toBe(polygon);
  const exact = option('eip155:8453', { maxTimeoutSeconds: 300 });
  expect(choose([exact, polygon])).toBe(exact);
});

test('default: a Solana payment is valid as long as its blockhash, whatever the offer contains', () => {
  expect(validitySeconds(option(solanaNetwork, { maxTimeoutSeconds: 1 }))).toBe(120);
  expect(validitySeconds(option(solanaNetwork, { maxTimeoutSeconds: 500 }))).toBe(500);
  expect(validitySeconds(option('eip155:8453', { maxTimeoutSeconds: 1 }))).toBe(1);
});
