import { executorRelease } from '../../engine/index.ts';
import { errorTable } from '../errors/errorTable.ts';
import type { ErrorBody } from '../errors/toErrorBody.ts';
import { exampleRequirement } from '../openapi/x402Headers.ts';
import type { HealthBody } from './healthBody.ts';
import type { ReadyBody } from './readyBody.ts';
import type { SandboxBody } from './sandboxBody.ts';

// The published examples of free responses and of errors. A test validates each with its schema.

const requestId = '0d9c5a3e-6c1f-4a5e-9f0e-0c6f1b8f0a11';
const docs = 'https://truefill.example/docs/';

export const healthExample: HealthBody = {
  status: 'ok',
  version: '1.0.0',
  mode: 'sandbox',
  notice: 'SANDBOX: local chains, worthless money, real code.',
  chains: {
    base: { status: 'ok', blockNumber: '38211450', executor: 'deployed', lenses: 'deployed' },
    polygon: { status: 'ok', blockNumber: '79004127', executor: 'missing', lenses: 'missing' },
    arbitrum: { status: 'down', blockNumber: null, executor: 'unread', lenses: 'unread' },
  },
  executor: executorRelease,
  database: 'ok',
  payment: {
    networks: ['eip155:8453', 'eip155:137', 'eip155:42161'],
    settlement: { 'eip155:8453': 'ok', 'eip155:137': 'ok', 'eip155:42161': 'gas_price' },
    gas: { 'eip155:8453': 'ok', 'eip155:137': 'ok', 'eip155:42161': 'low' },
  },
};

export const readyExample: ReadyBody = { ready: true, missing: [] };

export const sandboxExample: SandboxBody = {
  notice: 'SANDBOX: local chains, worthless money, real code.',
  chains: { base: { chainId: 8453, rpcUrl: 'http://127.0.0.1:40001' } },
  wallets: [
    {
      role: 'demo',
      about: 'Pays for demo calls.',
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      privateKey: `0x${'11'.repeat(32)}`,
    },
  ],
  solana: {
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    rpcUrl: 'http://127.0.0.1:40004',
    usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    wallets: [
      {
        role: 'demo',
        about: 'Pays for demo calls on Solana.',
        address: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
        secretKey: '4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw',
      },
    ],
  },
  tokens: [
    {
      chain: 'base',
      address: '0x4200000000000000000000000000000000000006',
      symbol: 'WETH',
      decimals: 18,
      about: 'Wrapped Ether: honest.',
    },
  ],
};

export const errorExample: ErrorBody = {
  type: 'https://truefill.example/guides/errors#INVALID_REQUEST',
  title: errorTable.INVALID_REQUEST.title,
  code: 'INVALID_REQUEST',
  status: 400,
  detail: 'The body does not match the schema in one place: see issues. Nothing was charged.',
  charged: false,
  instance: `urn:uuid:${requestId}`,
  issues: [{ path: 'sizeIn', message: 'Must be a decimal as a JSON string, such as "1.5"; never a number.' }],
  exampleRequest: {
    tokenIn: '0x4200000000000000000000000000000000000006',
    tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    sizeIn: '1.5',
  },
  docs,
  requestId,
};

export const paymentRequiredExample = {
  type: 'https://truefill.example/guides/errors#PAYMENT_REQUIRED',
  title: errorTable.PAYMENT_REQUIRED.title,
  code: 'PAYMENT_REQUIRED',
  status: 402,
  detail: 'This call costs 0.05 USD in USDC. Sign one of accepts[] and send the identical POST with PAYMENT-SIGNATURE.',
  charged: false,
  instance: `urn:uuid:${requestId}`,
  exampleRequest: { token: '0x4200000000000000000000000000000000000006', sizeUSD: '1000' },
  docs,
  requestId,
  x402Version: 2,
  accepts: [{ ...exampleRequirement, amount: '50000' }],
  price: { amount: '0.05', currency: 'USD', token: 'USDC' },
  networks: ['eip155:8453', 'eip155:137', 'eip155:42161'],
  resource: {
    url: 'https://truefill.example/v1/pretrade/check',
    description: 'Pretrade check of a token on Base',
    mimeType: 'application/json',
    serviceName: 'truefill',
    tags: ['defi', 'trading', 'pretrade'],
    iconUrl: 'https://truefill.example/assets/mark.svg',
  },
  firstCall: 'free',
};
