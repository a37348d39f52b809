import { address, createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTruefillClient, type QuoteRequest } from '../../client/index.ts';
import {
  executeRoute,
  type Sandbox,
  type SandboxChain,
  type SandboxSolana,
  toExecutableLegs,
} from '../../sandbox/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { postJson, signOffer, usdcOf } from '../support/buyer.ts';
import { findWallet } from '../support/findWallet.ts';

// End-to-end tests with the sandbox of `npm start`, the published x402 client, USDC balances and swaps.

let server: RunningServer;
let sandbox: Pick<Sandbox, 'wallets'> & {
  solana: Pick<SandboxSolana, 'rpcUrl' | 'usdc' | 'wallets'>;
  chains: Record<string, SandboxChain>;
  tokens: { symbol: string }[];
};

beforeAll(async () => {
  server = await startServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_ADDRESS: '10000' }));
  sandbox = (await (await fetch(`${server.url}/sandbox`)).json()) as typeof sandbox;
});
afterAll(() => server?.close());

const walletOf = (role: string) => findWallet(sandbox.wallets, role);

function chainOf(name: string): SandboxChain {
  const chain = sandbox.chains[name];
  if (!chain) throw new Error(`No chain ${name}.`);
  return chain;
}

const balanceOf = (chain: SandboxChain, role: string) => usdcOf(chain, walletOf(role).address);

const queryOn = (name: string) => ({
  tokenIn: chainOf(name).wrappedNative,
  tokenOut: chainOf(name).usdc,
  sizeIn: '2.5',
  chain: name,
});

const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  postJson(server.url + path, body, headers);

/** Signs the payment option of a network in a 402 response. */
const signFor = (path: string, role: string, network: `eip155:${number}`) =>
  signOffer(server.url + path, walletOf(role), network);

test('default: the 402 contains the URL, four networks and a price of two cents', async () => {
  const offer = decodePaymentRequiredHeader((await post('/v1/quote', {})).headers.get('payment-required') ?? '');
  expect(offer.resource?.url).toBe(`${server.url}/v1/quote`);
  expect(offer.accepts.map(({ network, amount }) => [network, amount])).toEqual([
    ['eip155:8453', '20000'],
    ['eip155:137', '20000'],
    ['eip155:42161', '20000'],
    ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', '20000'],
  ]);
});

test.each(['base', 'polygon', 'arbitrum'])(
  'default: a real swap on %s pays exactly the amountOut of a bought quote',
  async (name) => {
    const chain = chainOf(name);
    const before = { payer: await balanceOf(chain, 'demo'), payToBalance: await balanceOf(chain, 'payTo') };
    const truefill = createTruefillClient({
      url: server.url,
      wallet: privateKeyToAccount(walletOf('demo').privateKey),
      payOn: `eip155:${chain.chainId}`,
      allowSandbox: true,
    });
    const quote = await truefill.quote(queryOn(name) as QuoteRequest);
    expect(before.payer - (await balanceOf(chain, 'demo'))).toBe(20_000n);
    expect((await balanceOf(chain, 'payTo')) - before.payToBalance).toBe(20_000n);

    const { received } = await executeRoute(chain, {
      legs: toExecutableLegs(quote.route.legs),
      amountIn: BigInt(quote.amountIn),
      wallet: walletOf('trader'),
    });
    expect(received).toBe(BigInt(quote.amountOut));
  },
);

test('default: the published client with spend controls pays for a quote in USDC on Solana', async () => {
  const { rpcUrl, usdc, wallets } = sandbox.solana;
  const [demo, payTo] = ['demo', 'payTo'].map((role) => wallets.find((wallet) => wallet.role === role));
  if (!demo || !payTo) throw new Error('No wallets on Solana.');
  const [tokenAccount] = await findAssociatedTokenPda({
    owner: address(payTo.address),
    mint: address(usdc),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  const payToBalance = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTokenAccountBalance', params: [tokenAccount] });
    const reply = await fetch(rpcUrl, { method: 'POST', body });
    return BigInt(((await reply.json()) as { result: { value: { amount: string } } }).result.value.amount);
  };
  const before = await payToBalance();

  const signer = await createKeyPairSignerFromBytes(new Uint8Array(getBase58Encoder().encode(demo.secretKey)));
  const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl }));
  const response = await wrapFetchWithPayment(fetch, client)(`${server.url}/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(queryOn('polygon')),
  });

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ chain: 'polygon', flags: expect.anything() });
  expect(decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')).toMatchObject({
    success: true,
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    payer: demo.address,
  });
  expect((await payToBalance()) - before).toBe(20_000n);
});

test('behavior: replays a paid request byte for byte; 409 for another request with the same signature', async () => {
  const chain = chainOf('base');
  const signature = await signFor('/v1/quote', 'demo', 'eip155:8453');
  const before = await balanceOf(chain, 'payTo');
  const first = await post('/v1/quote', queryOn('base'), signature);
  expect(first.status).toBe(200);
  const bytes = await first.text();

  const replay = await post('/v1/quote', queryOn('base'), signature);
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(await replay.text()).toBe(bytes);
  expect(replay.headers.get('payment-response')).toBe(first.headers.get('payment-response'));

  const other = await post('/v1/quote', { ...queryOn('base'), sizeIn: '3' }, signature);
  expect(other.status).toBe(409);
  expect(await other.json()).toMatchObject({ code: 'PAYMENT_REUSED' });
  const overTrpc = await post('/trpc/quote', queryOn('base'), signature);
  expect(overTrpc.status).toBe(409);
  expect((await balanceOf(chain, 'payTo')) - before).toBe(20_000n);
});

test('behavior: ten concurrent identical requests get the same answer and are charged once', async () => {
  const chain = chainOf('base');
  const signature = await signFor('/v1/quote', 'demo', 'eip155:8453');
  const before = await balanceOf(chain, 'payTo');
  const answers = await Promise.all(Array.from({ length: 10 }, () => post('/v1/quote', queryOn('base'), signature)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  expect((await balanceOf(chain, 'payTo')) - before).toBe(20_000n);
});

test('error: refuses an invalid body and an unknown path with a valid signature, uncharged', async () => {
  const before = await balanceOf(chainOf('base'), 'payTo');
  const signature = await signFor('/v1/quote', 'demo', 'eip155:8453');
  for (const body of [{}, { ...queryOn('base'), sizeIn: '0' }])
    expect((await post('/v1/quote', body, signature)).status).toBe(400);
  expect((await post('/v1//quote', queryOn('base'), signature)).status).toBe(404);
  expect(await balanceOf(chainOf('base'), 'payTo')).toBe(before);
});

test('error: 402 for a wallet without USDC, 400 for a malformed header', async () => {
  const unfunded = await post('/v1/quote', queryOn('base'), await signFor('/v1/quote', 'stranger', 'eip155:8453'));
  expect(unfunded.status).toBe(402);
  expect(unfunded.headers.get('payment-required')).toBeTruthy();
  const malformed = await post('/v1/quote', queryOn('base'), { 'payment-signature': '!!!' });
  expect(malformed.status).toBe(400);
  expect(await malformed.json()).toMatchObject({ code: 'INVALID_REQUEST', exampleRequest: { sizeIn: '1.5' } });
});

test('default: /sandbox lists chains, tokens and wallets with their keys', () => {
  expect(Object.keys(sandbox.chains).sort()).toEqual(['arbitrum', 'base', 'polygon']);
  expect(sandbox.tokens.map(({ symbol }) => symbol)).toContain('WETH');
  const others = sandbox.wallets.filter(({ role }) => role !== 'payTo');
  for (const wallet of others) expect(privateKeyToAccount(wallet.privateKey).address).toBe(wallet.address);
});

test('security: /sandbox contains no key of a wallet that receives payments', () => {
  const payees = [...sandbox.wallets, ...sandbox.solana.wallets].filter(({ role }) => role === 'payTo');
  expect(payees.map((wallet) => Object.keys(wallet).sort())).toEqual([
    ['about', 'address', 'role'],
    ['about', 'address', 'role'],
  ]);
});
