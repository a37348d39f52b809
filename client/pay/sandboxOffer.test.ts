import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { expect, test } from 'vitest';
import { SandboxError } from '../errors.ts';
import { assertSandboxAllowed, assertSandboxPayment } from './sandboxOffer.ts';

const url = 'https://service.test';
const option = (network: `${string}:${string}`, name?: string): PaymentRequirements => ({
  scheme: 'exact',
  network,
  amount: '20000',
  asset: 'USDC',
  payTo: 'payee',
  maxTimeoutSeconds: 60,
  extra: name === undefined ? {} : { name },
});
const sandbox = option('eip155:8453', 'USD Coin (truefill sandbox)');
const real = option('eip155:137', 'USD Coin');
const solana = option('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp');
const offerOf = (accepts: PaymentRequirements[]) => ({ x402Version: 2, accepts }) as PaymentRequired;

test.each([
  ['no EVM option', [solana], /it offers no payment in sandbox USDC/],
  ['an EVM option with real USDC', [sandbox, real], /it accepts USDC of a real chain/],
])('error: allowSandbox `only` refuses a service with %s and states why', (_case, accepts, reason) => {
  expect(() => assertSandboxAllowed(offerOf(accepts), 'only', url)).toThrow(SandboxError);
  expect(() => assertSandboxAllowed(offerOf(accepts), 'only', url)).toThrow(reason);
});

test('error: allowSandbox `only` refuses a Solana payment through the default node, also with a sandbox option', () => {
  expect(() => assertSandboxAllowed(offerOf([sandbox, solana]), 'only', url)).not.toThrow();
  const onMainnet = { allowSandbox: 'only', solanaRpcUrl: undefined, url } as const;
  expect(() => assertSandboxPayment(solana, onMainnet)).toThrow(/would be valid outside a sandbox/);
  expect(() => assertSandboxPayment(solana, { ...onMainnet, solanaRpcUrl: 'http://127.0.0.1:1' })).not.toThrow();
  expect(() => assertSandboxPayment(solana, { ...onMainnet, allowSandbox: true })).not.toThrow();
  // The service could offer a blockhash of mainnet.
  const withBlockhash = { ...solana, extra: { recentBlockhash: 'EETubP5AKHgjPAhzPAFcb8BAY1hMH639CWCFTqi3hq1k' } };
  const inSandbox = { ...onMainnet, solanaRpcUrl: 'http://127.0.0.1:1' };
  expect(() => assertSandboxPayment(withBlockhash, inSandbox)).toThrow(/would be valid outside a sandbox/);
});

test('error: allowSandbox `only` refuses an EVM payment that is not in sandbox USDC', () => {
  const only = { allowSandbox: 'only', solanaRpcUrl: undefined, url } as const;
  expect(() => assertSandboxPayment(real, only)).toThrow(SandboxError);
  expect(() => assertSandboxPayment(sandbox, only)).not.toThrow();
});
