import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../../client/cli/run.ts';
import {
  createTruefillClient,
  NoPaymentOptionError,
  type Progress,
  type TruefillClientOptions,
} from '../../client/index.ts';
import { usdcOf } from '../support/buyer.ts';
import { type StartedSandbox, startedSandbox } from './startedSandbox.ts';

// The whole sandbox while its facilitator has no gas on Base. payTo's balances on the chains show the charges.

const [base, polygon] = ['eip155:8453', 'eip155:137'] as const;
const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1',
} as const;

let service: StartedSandbox;
let state: string;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'truefill-networks-'));
  service = await startedSandbox();
});
afterAll(async () => {
  await service?.close();
  if (state) await rm(state, { recursive: true });
});
beforeEach(async () => {
  await setGas(10n ** 18n);
  await expect.poll(offered).toContain(base);
});

type Chain = { rpcUrl: string; usdc: `0x${string}` };
const addressOf = (role: string) =>
  service.sandbox.wallets.find((wallet) => wallet.role === role)?.address as `0x${string}`;
const received = async () => {
  const { base: onBase, polygon: onPolygon } = service.sandbox.chains as unknown as Record<'base' | 'polygon', Chain>;
  return { base: await usdcOf(onBase, addressOf('payTo')), polygon: await usdcOf(onPolygon, addressOf('payTo')) };
};

async function setGas(wei: bigint): Promise<void> {
  const { rpcUrl } = service.sandbox.chains.base as unknown as Chain;
  const params = [addressOf('facilitator'), `0x${wei.toString(16)}`];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params });
  await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

async function offered(): Promise<string[]> {
  const unpaid = await fetch(`${service.url}/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const { accepts } = JSON.parse(Buffer.from(unpaid.headers.get('payment-required') ?? '', 'base64').toString());
  return accepts.map(({ network }: { network: string }) => network);
}

function clientWith(options: Partial<TruefillClientOptions>) {
  const progress: Progress[] = [];
  const truefill = createTruefillClient({
    url: service.url,
    wallet: privateKeyToAccount(service.keyOf('demo')),
    allowSandbox: 'only',
    onProgress: (at) => progress.push(at),
    ...options,
  });
  return { truefill, progress };
}

test('behavior: buys on Polygon at once when Base loses its gas between the 402 and the payment', async () => {
  const before = await received();
  const requests: string[] = [];
  const { truefill, progress } = clientWith({
    async fetch(input, init) {
      const isPaid = new Headers(init?.headers).has('payment-signature');
      requests.push(isPaid ? 'payment' : 'request');
      const response = await fetch(input, init);
      if (requests.length === 1) await setGas(0n);
      return response;
    },
  });
  const quote = await truefill.quote(request);
  expect(BigInt(quote.amountOut)).toBeGreaterThan(0n);
  expect(requests).toEqual(['request', 'payment', 'request', 'payment']);
  expect(progress).toContainEqual({ stage: 'switching', from: base, network: polygon });
  expect(await received()).toEqual({ base: before.base, polygon: before.polygon + 20_000n });
});

test('behavior: client and command line buy on Polygon when Base is not offered', async () => {
  await setGas(0n);
  await expect.poll(offered).not.toContain(base);
  const before = await received();
  const { truefill, progress } = clientWith({});
  await truefill.quote(request);
  expect(progress.map(({ stage }) => stage)).toEqual(['priced', 'settling']);

  let err = '';
  const exit = await run(['quote', 'WETH', 'USDC', '--size', '2', '--sandbox', '--url', service.url], {
    env: { XDG_STATE_HOME: state },
    stdin: Readable.from(['']),
    stdout: { write: () => undefined },
    stderr: { write: (text) => (err += text) },
  });
  expect(exit).toBe(0);
  expect(err).toMatch(/^signing a payment of 0\.02 USD on eip155:137\n/);
  expect(err).toContain('paid 0.02 USD on eip155:137');
  expect(await received()).toEqual({ base: before.base, polygon: before.polygon + 40_000n });

  const strict = clientWith({ payOn: base });
  const error = await strict.truefill.quote(request).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NoPaymentOptionError);
  expect(String(error)).toContain('but not on eip155:8453. Nothing was signed.');
});
