import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SandboxSolana } from '../../sandbox/sandboxTypes.ts';
import { type LiveSite, startLive } from '../browser/liveSite.ts';
import { receivedOnSolana, solanaOf } from '../browser/solanaPage.ts';
import { postJson } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';

// The page reads Solana through the service, at /rpc/solana.

let live: LiveSite;
let solana: SandboxSolana;
beforeAll(async () => {
  live = await startLive({ solana: true });
  solana = solanaOf(live);
});
afterAll(() => live?.close());

const ask = async (method: string, params: unknown[]) => {
  const response = await postJson(`${live.url}/rpc/solana`, { jsonrpc: '2.0', id: '7', method, params });
  return { status: response.status, body: await response.json() };
};

test('default: no published document names the path: it is for the page only', async () => {
  for (const document of ['/openapi.json', '/llms.txt', '/llms-full.txt', '/.well-known/x402', '/reference']) {
    const response = await fetch(live.url + document);
    expect(response.status, document).toBe(200);
    expect(await response.text(), document).not.toContain('/rpc/solana');
  }
});

test('default: the published x402 client pays with the service as its node', async () => {
  const before = await receivedOnSolana(solana);
  const key = getBase58Encoder().encode(findWallet(solana.wallets, 'demo').secretKey);
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(key));
  const payer = new x402Client();
  payer.register('solana:*', new ExactSvmScheme(signer, { rpcUrl: `${live.url}/rpc/solana` }));
  const { usdc, wrappedNative } = live.sandbox.chains.base ?? {};
  const body = { tokenIn: wrappedNative, tokenOut: usdc, sizeIn: '1' };
  const unpaid = await postJson(`${live.url}/v1/quote`, body);
  const offer = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
  const accepts = offer.accepts.filter(({ network }) => network.startsWith('solana:'));
  const payment = encodePaymentSignatureHeader(await payer.createPaymentPayload({ ...offer, accepts }));
  const paid = await postJson(`${live.url}/v1/quote`, body, { 'PAYMENT-SIGNATURE': payment });
  expect(paid.status).toBe(200);
  expect(await receivedOnSolana(solana)).toBe(before + 20_000n);
});

test('security: reads that no payment needs are refused without a request to the node', async () => {
  const { address } = findWallet(solana.wallets, 'payTo');
  for (const [method, params] of [
    ['getAccountInfo', [address]],
    ['getProgramAccounts', ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA']],
    ['sendTransaction', ['AA==']],
    ['getGenesisHash', []],
  ] as const)
    expect(await ask(method, [...params])).toMatchObject({ status: 200, body: { id: '7', error: { code: -32601 } } });
  for (const account of ['0', '', address.repeat(3), { $ne: '' }, undefined])
    expect(await ask('getTokenAccountBalance', [account])).toMatchObject({ body: { error: { code: -32602 } } });
});

test('error: an account that does not exist, a body that is no request, and a GET', async () => {
  const missing = findWallet(solana.wallets, 'stranger').address;
  expect(await ask('getTokenAccountBalance', [missing])).toMatchObject({ body: { error: { code: -32602 } } });
  expect((await postJson(`${live.url}/rpc/solana`, [])).status).toBe(400);
  expect((await postJson(`${live.url}/rpc/solana`, { id: 1 })).status).toBe(400);
  expect((await fetch(`${live.url}/rpc/solana`)).status).toBe(405);
});
