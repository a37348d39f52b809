import { decodePaymentResponseHeader } from '@x402/core/http';
import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, hexToNumber, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Mining, mineEvery } from '../../../sandbox/index.ts';
import { postJson, signOffer, usdcOf } from '../../support/buyer.ts';
import { findWallet } from '../../support/findWallet.ts';
import type { Geth } from '../geth/openGeth.ts';
import { findPeer, peers } from '../peers.ts';
import { buildOnGeth } from './buildOnGeth.ts';
import { type LiveService, startLiveService } from './liveService.ts';
import { type RecordedBuild, recordBuild } from './recordBuild.ts';

// The whole service in live mode with go-ethereum as its only node.

const program = findPeer(peers.geth);
const quotePrice = 20_000n;
/** go-ethereum refuses two blocks of the same second. */
const blockMs = 1_000;

let build: RecordedBuild;
let geth: Geth;
let service: LiveService;
let mining: Mining;

beforeAll(async () => {
  if (!program) return;
  build = await recordBuild('base', { name: 'base', chainId: 8453 });
  geth = await buildOnGeth(program, build, 'prague');
  mining = mineEvery({ call: (async () => geth.commit()) as Geth['node']['call'] }, blockMs);
  service = await startLiveService(build, geth.rpcUrl);
});
afterAll(async () => {
  await service?.close();
  await mining?.pause();
  await geth?.close();
  await build?.close();
});

const onGeth = () => ({ ...build.chain, rpcUrl: geth.rpcUrl });
const received = () => usdcOf(onGeth(), service.payTo);
const quoteBody = () => {
  const { name, wrappedNative, usdc } = build.chain;
  return { chain: name, tokenIn: wrappedNative, tokenOut: usdc, sizeIn: '1.25' };
};

interface Bought {
  status: number;
  body: Record<string, unknown>;
  transaction: Hex;
}

async function buy(
  path: string,
  body: object,
  payer: { privateKey: Hex } = findWallet(build.wallets, 'demo'),
): Promise<Bought> {
  const signature = await signOffer(service.url + path, payer);
  const response = await postJson(service.url + path, body, signature);
  const receipt = response.headers.get('payment-response');
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    transaction: (receipt ? decodePaymentResponseHeader(receipt).transaction : '0x') as Hex,
  };
}

const receiptOf = (transaction: Hex) =>
  geth.node.call<{ status: Hex; effectiveGasPrice: Hex; blockNumber: Hex } | null>('eth_getTransactionReceipt', [
    transaction,
  ]);

/** New wallets with USDC for one quote each. */
async function fundPayers(count: number): Promise<{ privateKey: Hex }[]> {
  const demo = privateKeyToAccount(findWallet(build.wallets, 'demo').privateKey);
  const payers = Array.from({ length: count }, () => ({ privateKey: generatePrivateKey() }));
  const nonce = hexToNumber(await geth.node.call<Hex>('eth_getTransactionCount', [demo.address, 'pending']));
  for (const [index, { privateKey }] of payers.entries()) {
    const args = [privateKeyToAccount(privateKey).address, quotePrice] as const;
    const raw = await demo.signTransaction({
      chainId: build.chain.chainId,
      to: build.chain.usdc,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
      gas: 150_000n,
      nonce: nonce + index,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 2_000_000n,
    });
    await geth.node.call('eth_sendRawTransaction', [raw]);
  }
  await expect
    .poll(() => Promise.all(payers.map(({ privateKey }) => usdcOf(onGeth(), privateKeyToAccount(privateKey).address))))
    .toEqual(payers.map(() => quotePrice));
  return payers;
}

test.skipIf(!program)('the node has every capability, and a paid quote and check are answered', async () => {
  const before = await received();
  const quote = await buy('/v1/quote', quoteBody());
  expect([quote.status, quote.body]).toMatchObject([200, { amountOut: expect.stringMatching(/^[1-9]/) }]);
  const check = await buy('/v1/pretrade/check', { token: build.chain.wrappedNative });
  expect([check.status, check.body]).toMatchObject([200, { verdict: 'clear' }]);
  expect(await received()).toBe(before + quotePrice + 50_000n);
  const health = (await (await fetch(`${service.url}/health`)).json()) as { status: string };
  expect(health).toMatchObject({ status: 'ok' });
});

test.skipIf(!program)('a settlement pays at least the base fee and the tip that the node asks for', async () => {
  const { transaction } = await buy('/v1/quote', quoteBody());
  const receipt = await receiptOf(transaction);
  const block = await geth.node.call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', [receipt?.blockNumber, false]);
  expect(receipt?.status).toBe('0x1');
  expect(hexToBigInt(receipt?.effectiveGasPrice ?? '0x0')).toBeGreaterThan(hexToBigInt(block.baseFeePerGas));
});

test.skipIf(!program)('eight payments at once settle in fewer transactions, each once', async () => {
  const payers = await fundPayers(8);
  const before = await received();
  const bought = await Promise.all(payers.map((payer) => buy('/v1/quote', quoteBody(), payer)));
  expect(bought.map(({ status }) => status)).toEqual(payers.map(() => 200));
  expect(await received()).toBe(before + 8n * quotePrice);
  const transactions = new Set(bought.map(({ transaction }) => transaction));
  expect(transactions.size).toBeLessThan(8);
  for (const transaction of transactions) expect((await receiptOf(transaction))?.status).toBe('0x1');
});

test.skipIf(!program)(
  'after restarts of the node and of the service, the same payment is answered again without a charge',
  async () => {
    const [payer] = (await fundPayers(1)) as [{ privateKey: Hex }];
    const signature = await signOffer(`${service.url}/v1/quote`, payer);
    const first = await postJson(`${service.url}/v1/quote`, quoteBody(), signature);
    expect(first.status).toBe(200);
    const [before, answer] = [await received(), await first.json()];
    await mining.pause();
    await geth.restart();
    mining.resume();
    await service.restart();
    const second = await postJson(`${service.url}/v1/quote`, quoteBody(), signature);
    expect([second.status, await second.json()]).toEqual([200, answer]);
    expect(await received()).toBe(before);
    expect((await buy('/v1/quote', quoteBody())).status).toBe(200);
  },
);

test.skipIf(!program)('a payment whose block a reorganisation drops is settled again, and charged once', async () => {
  const [payer] = (await fundPayers(1)) as [{ privateKey: Hex }];
  const payerBalance = () => usdcOf(onGeth(), privateKeyToAccount(payer.privateKey).address);
  const { status, transaction } = await buy('/v1/quote', quoteBody(), payer);
  expect([status, await payerBalance()]).toEqual([200, 0n]);
  const before = await received();
  await mining.pause();
  const { blockNumber = '0x1' } = (await receiptOf(transaction)) ?? {};
  await geth.node.call('debug_setHead', [numberToHex(hexToNumber(blockNumber) - 1)]);
  expect([await receiptOf(transaction), await payerBalance()]).toEqual([null, quotePrice]);
  mining.resume();
  await expect.poll(payerBalance).toBe(0n);
  expect(await received()).toBe(before);
});
