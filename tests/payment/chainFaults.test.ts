import { inspect } from 'node:util';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { encodeAbiParameters, type Hex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/rpcProxy.ts';
import { type Admission, type PaymentNetwork, PaymentNetworkMismatchError } from '../../server/payment/index.ts';
import { rewriting } from '../rpcFaults/retell.ts';
import { attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

let world: PayWorld;
let proxy: RpcProxy;

beforeAll(async () => {
  world = await openPayWorld();
  proxy = await startRpcProxy(world.chain.rpcUrl);
});
afterEach(async () => {
  proxy.fault = () => undefined;
  await world.rpc('evm_setAutomine', [true]);
});
afterAll(async () => {
  await proxy?.close();
  await world?.close();
});

const methodsOf = (calls: { method: string }[]) => calls.map(({ method }) => method);
/** The first request of this method meets the fault, and only that one. */
function once(method: string, fault: ReturnType<RpcProxy['fault']>): () => number {
  let met = 0;
  proxy.fault = (calls) => (methodsOf(calls).includes(method) && met++ === 0 ? fault : undefined);
  return () => met;
}
const transactionOf = (admission: Admission): string =>
  admission.kind === 'serve'
    ? decodePaymentResponseHeader(admission.paymentResponse).transaction
    : JSON.stringify(admission);
test.each(['loseReply', 'drop'] as const)(
  'behavior: a broadcast that meets %s is settled all the same, once',
  async (kind) => {
    const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
    const payer = await world.newPayer(3n * price);
    const payload = await world.sign(cashier, payer);
    const met = once('eth_sendRawTransaction', { kind });

    const admission = await cashier.admit(attemptOf(payload));

    expect(met()).toBeGreaterThan(0);
    expect(admission.kind).toBe('serve');
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  },
);

test('behavior: a lost broadcast does not hold up the payments behind it', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payers = [await world.newPayer(price), await world.newPayer(price), await world.newPayer(price)];
  const payloads = await Promise.all(payers.map((payer) => world.sign(cashier, payer)));
  once('eth_sendRawTransaction', { kind: 'drop' });
  const admissions = await Promise.all(payloads.map((payload) => cashier.admit(attemptOf(payload))));
  expect(admissions.map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  expect(await Promise.all(payers.map(({ address }) => world.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await close();
});

test('behavior: a broadcast that hangs holds up nobody else', async () => {
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, rpcTimeoutMs: 4_000 } }),
  });
  const [first, ...others] = [await world.newPayer(price), await world.newPayer(price), await world.newPayer(price)];
  const payloads = await Promise.all([first, ...others].map((payer) => world.sign(cashier, payer)));
  const [hanging, ...behind] = payloads.map((payload) => attemptOf(payload));
  if (!hanging) throw new Error('no payment');
  once('eth_sendRawTransaction', { kind: 'hang' });
  const order: string[] = [];
  const held = cashier.admit(hanging).then(({ kind }) => order.push(`first ${kind}`));
  await expect
    .poll(() => proxy.requests.some(({ calls }) => methodsOf(calls).includes('eth_sendRawTransaction')))
    .toBe(true);
  // Behind the hung one in nonce: nodes keep them, and are asked to take them, before it arrives.
  proxy.requests.length = 0;
  const rest = behind.map((attempt) => cashier.admit(attempt).then(({ kind }) => order.push(kind)));
  await expect
    .poll(() => proxy.requests.filter(({ calls }) => methodsOf(calls).includes('eth_sendRawTransaction')).length)
    .toBeGreaterThanOrEqual(2);
  expect(order).toEqual([]);
  await Promise.all([held, ...rest]);
  expect(order.toSorted()).toEqual(['first serve', 'serve', 'serve']);
  await close();
});

test.each([
  ['is gone', { kind: 'drop' as const }],
  ['answers 500', { kind: 'status' as const, status: 500, body: 'key=SECRET' }],
  ['answers 429', { kind: 'status' as const, status: 429 }],
  ['answers a web page', { kind: 'html' as const }],
])('error: UPSTREAM_UNAVAILABLE, uncharged, when the RPC %s; never an invalid signature', async (_name, fault) => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  proxy.fault = () => fault;

  const admission = await cashier.admit(attemptOf(payload));

  expect(admission).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    headers: { 'Retry-After': '5' },
  });
  expect(JSON.stringify(admission)).not.toMatch(/SECRET|127\.0\.0\.1|http:|at .*\.ts/);
  proxy.fault = () => undefined;
  expect(await world.usdcOf(payer.address)).toBe(3n * price);
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: neither the key in an RPC URL nor the facilitator key stands in any log line or answer', async () => {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(inspect(line, { depth: 12 }));
  const { cashier, close } = await world.openCashier({
    rpcUrl: `${proxy.url}/v2/SECRET`,
    change: (config) => ({ ...config, logger: { info: write, warn: write, error: write } }),
  });
  const payload = await world.sign(cashier, await world.newPayer(3n * price));
  const told: Admission[] = [];
  const contractWallet = await world.newPayer(price);
  const foreign = await world.sign(cashier, contractWallet);
  const crooked = { ...foreign, payload: { ...foreign.payload, signature: `0x${'11'.repeat(65)}` } };
  for (const kind of ['drop', 'html', 'truncate'] as const) {
    proxy.fault = () => ({ kind });
    told.push(await cashier.admit(attemptOf(payload)), await cashier.admit(attemptOf(crooked)));
  }
  once('eth_sendRawTransaction', { kind: 'loseReply' });
  told.push(await cashier.admit(attemptOf(payload)));
  await close();
  const facilitatorKey = world.walletOf('facilitator').privateKey.slice(2);
  expect(lines.length).toBeGreaterThan(3);
  expect(`${lines.join()}${inspect(told, { depth: 12 })}`).not.toMatch(
    new RegExp(`SECRET|${new URL(proxy.url).host}|${facilitatorKey}`),
  );
});

test('behavior: a cashier opens while its RPC is down, refuses uncharged, and sells when it is back', async () => {
  proxy.fault = () => ({ kind: 'drop' });
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'refuse', status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  proxy.fault = () => undefined;
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: a second RPC URL takes over when the first is down', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({
      ...config,
      networks: config.networks.map((network) => ({ ...network, rpcUrls: [proxy.url, world.chain.rpcUrl] })),
    }),
  });
  const payer = await world.newPayer(price);
  proxy.fault = () => ({ kind: 'drop' });
  expect((await cashier.admit(attemptOf(await world.sign(cashier, payer)))).kind).toBe('serve');
  await close();
});

test('error: SETTLEMENT_UNKNOWN while the receipt is not to be had; the same payment is then served', async () => {
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 400 } }),
  });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  proxy.fault = (calls) => (methodsOf(calls).includes('eth_getTransactionReceipt') ? { kind: 'drop' } : undefined);

  const unknown = await cashier.admit(attempt);
  expect(unknown).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'SETTLEMENT_UNKNOWN',
    headers: { 'Retry-After': '5' },
  });
  expect(unknown).toHaveProperty('detail', expect.stringContaining('send the same PAYMENT-SIGNATURE again'));
  expect(await cashier.admit(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });

  proxy.fault = () => undefined;
  let served = await cashier.admit(attempt);
  while (served.kind === 'refuse') {
    expect(served.code).toBe('SETTLEMENT_UNKNOWN');
    served = await cashier.admit(attempt);
  }
  expect(served.kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a settlement whose client has gone is finished, and waits as a credit', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 100 } }),
  });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  await world.rpc('evm_setAutomine', [false]);
  expect(await cashier.admit(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
  await world.rpc('evm_setAutomine', [true]);
  await world.rpc('anvil_mine');
  await cashier.close();
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: a transaction that became too cheap is priced anew with the same nonce, and pays once', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 300 } }),
  });
  const payer = await world.newPayer(3n * price);
  const facilitator = { address: world.walletOf('facilitator').address };
  const before = await world.client.getTransactionCount(facilitator);
  const payload = await world.sign(cashier, payer);
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  const { baseFeePerGas } = await world.client.getBlock();
  await world.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(100n * (baseFeePerGas ?? 0n) + 10n ** 12n).toString(16)}`]);
  await world.rpc('anvil_mine');
  expect(await world.usdcOf(payer.address)).toBe(3n * price);

  const settled = admitting.then(({ kind }) => kind);
  let kind: string | undefined;
  while (kind === undefined) {
    await world.rpc('anvil_mine');
    kind = await Promise.race([settled, new Promise<undefined>((resolve) => setTimeout(resolve, 100, undefined))]);
  }
  expect(kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  expect(await world.client.getTransactionCount(facilitator)).toBe(before + 1);
  await close();
});

test('behavior: one wrong count of nonces holds up neither its payment nor the next ones', async () => {
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 500 } }),
  });
  const payers = [await world.newPayer(price), await world.newPayer(price), await world.newPayer(price)];
  const [first, ...others] = await Promise.all(payers.map((payer) => world.sign(cashier, payer)));
  if (!first) throw new Error('no payment');
  const met = once(
    'eth_getTransactionCount',
    rewriting(() => '0x3e8'),
  );
  const admissions = [first, ...others].map((payload) => cashier.admit(attemptOf(payload)));
  expect((await Promise.all(admissions)).map(({ kind }) => kind)).toEqual(['serve', 'serve', 'serve']);
  expect(met()).toBeGreaterThan(0);
  expect(await Promise.all(payers.map(({ address }) => world.usdcOf(address)))).toEqual([0n, 0n, 0n]);
  await world.rpc('anvil_dropAllTransactions');
  await close();
});

test('behavior: a node that asks for an absurd tip is given a sober one', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(price);
  const facilitator = { address: world.walletOf('facilitator').address };
  const before = await world.client.getBalance(facilitator);
  proxy.fault = (calls) =>
    methodsOf(calls).includes('eth_maxPriorityFeePerGas') ? rewriting(() => '0x38d7ea4c68000') : undefined;
  expect((await cashier.admit(attemptOf(await world.sign(cashier, payer)))).kind).toBe('serve');
  // 0.001 ether for each of some 60,000 gas would be sixty ether.
  expect(before - (await world.client.getBalance(facilitator))).toBeLessThan(10n ** 16n);
  await close();
});

test('behavior: an authorization cancelled while our transaction waits is refused', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  await world.sendCancel(payer, payload, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(await admitting).toMatchObject({ kind: 'refuse', status: 402, code: 'PAYMENT_REQUIRED' });
  expect(await world.usdcOf(payer.address)).toBe(3n * price);
  await close();
});

test('behavior: somebody who sends our authorization first pays us all the same, and it is served', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  const foreign = await world.sendElsewhere(payload, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(transactionOf(await admitting)).toBe(foreign);
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a wallet emptied while our transaction waits is refused, and served when it pays after all', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  const drain = await world.signTwisted(cashier, payer, { to: world.walletOf('stranger').address });
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  await world.sendElsewhere(drain, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(await admitting).toMatchObject({ kind: 'refuse', status: 402 });
  await world.rpc('evm_setAutomine', [true]);

  await world.give(payer.address, price);
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

/** Runtime code of contract wallets: says yes to everything, says nothing, burns all gas. */
const walletCodes = {
  yes: '0x631626ba7e60e01b5f5260205ff3',
  nothing: '0x00',
  endless: '0x5b5f56',
};

test('behavior: a contract wallet that accepts the signature pays (ERC-1271)', async () => {
  const { cashier, close } = await world.openCashier();
  const [signer, wallet] = [await world.newPayer(0n), await world.newPayer(2n * price)];
  await world.rpc('anvil_setCode', [wallet.address, walletCodes.yes]);
  const payload = await world.sign(cashier, wallet);
  const foreign = await world.sign(cashier, signer);
  const paid = { ...payload, payload: { ...payload.payload, signature: foreign.payload.signature } };
  expect((await cashier.admit(attemptOf(paid))).kind).toBe('serve');
  expect(await world.usdcOf(wallet.address)).toBe(price);
  await close();
});

test('behavior: a signature for a wallet to be deployed (ERC-6492) is taken once it is, and refused before', async () => {
  const { cashier, close } = await world.openCashier();
  const [signer, wallet] = [await world.newPayer(0n), await world.newPayer(2n * price)];
  const payload = await world.sign(cashier, wallet);
  const inner = (await world.sign(cashier, signer)).payload.signature as Hex;
  const envelope = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
    [wallet.address, '0x1234', inner],
  );
  const suffix = '6492'.repeat(16);
  const wrapped = { ...payload, payload: { ...payload.payload, signature: `${envelope}${suffix}` } };
  expect(await cashier.admit(attemptOf(wrapped))).toMatchObject({
    status: 402,
    detail: expect.stringContaining('not deployed'),
  });
  expect(await world.usdcOf(wallet.address)).toBe(2n * price);
  await world.rpc('anvil_setCode', [wallet.address, walletCodes.yes]);
  expect((await cashier.admit(attemptOf(wrapped))).kind).toBe('serve');
  expect(await world.usdcOf(wallet.address)).toBe(price);
  const broken = { ...payload, payload: { ...payload.payload, signature: `0x12${suffix}` } };
  expect(await cashier.admit(attemptOf(broken))).toMatchObject({ status: 400 });
  await close();
});

test.each(['nothing', 'endless'] as const)(
  'error: a contract wallet whose code is %s pays nothing and costs nothing',
  async (code) => {
    const { cashier, close } = await world.openCashier();
    const wallet = await world.newPayer(2n * price);
    const payload = await world.sign(cashier, wallet);
    await world.rpc('anvil_setCode', [wallet.address, walletCodes[code]]);
    const facilitator = { address: world.walletOf('facilitator').address };
    const before = await world.client.getBalance(facilitator);
    for (const signature of [payload.payload.signature, `0x${'11'.repeat(65)}`]) {
      const admission = await cashier.admit(attemptOf({ ...payload, payload: { ...payload.payload, signature } }));
      expect(admission.kind).toBe('refuse');
    }
    expect(await world.client.getBalance(facilitator)).toBe(before);
    expect(await world.usdcOf(wallet.address)).toBe(2n * price);
    await close();
  },
);

test('behavior: a served payment that the chain drops is sent again, and paid after all', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await world.newPayer(2n * price);
  // The blocks that are to be dropped hold nothing but the payment.
  await world.rpc('anvil_mine', ['0x2']);
  const payload = await world.sign(cashier, payer);
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(price);
  await world.rpc('anvil_reorg', [1, []]);
  await world.rpc('anvil_dropAllTransactions');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await world.rpc('anvil_mine', ['0x5']);
  await expect.poll(() => world.usdcOf(payer.address), { timeout: 10_000 }).toBe(price);
  await close();
});

test('behavior: gas that runs out is told before and after it has', async () => {
  const facilitator = world.walletOf('facilitator').address;
  const balance = await world.client.getBalance({ address: facilitator });
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, gasWatchMs: 50 } }),
  });
  const setBalance = (wei: bigint) => world.rpc('anvil_setBalance', [facilitator, `0x${wei.toString(16)}`]);
  const told = () => cashier.gas()['eip155:8453'];
  await expect.poll(told).toBe('ok');
  const { baseFeePerGas } = await world.client.getBlock();
  const one = 120_000n * (2n * (baseFeePerGas ?? 0n) + (await world.client.estimateMaxPriorityFeePerGas()));
  await setBalance(50n * one);
  await expect.poll(told).toBe('low');
  await setBalance(one / 2n);
  await expect.poll(told).toBe('empty');
  proxy.fault = () => ({ kind: 'drop' });
  await expect.poll(told).toBe('unread');
  proxy.fault = () => undefined;
  await setBalance(balance);
  await expect.poll(told).toBe('ok');
  await close();
});

test('error: a facilitator without gas money is our fault: UPSTREAM_UNAVAILABLE, uncharged', async () => {
  const poor = await world.newPayer(0n);
  const { cashier, close } = await world.openCashier({
    change: (config) => ({
      ...config,
      timings: { ...config.timings, settleDeadlineMs: 500, closeGraceMs: 0 },
      networks: config.networks.map(
        (network) => ({ ...network, remote: undefined, facilitatorKey: world.keyOf(poor) }) as PaymentNetwork,
      ),
    }),
  });
  const payer = await world.newPayer(price);
  const admission = await cashier.admit(attemptOf(await world.sign(cashier, payer)));
  expect(admission).toMatchObject({ kind: 'refuse', status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await world.usdcOf(payer.address)).toBe(price);
  await close();
});

const asAnotherChain = (calls: { method: string }[]) =>
  methodsOf(calls).includes('eth_chainId')
    ? { kind: 'rewrite' as const, reply: (text: string) => text.replace('0x2105', '0x89') }
    : undefined;

test('error: PaymentNetworkMismatchError when one of several RPCs is of another chain', async () => {
  proxy.fault = asAnotherChain;
  const rpcUrls = [world.chain.rpcUrl, proxy.url];
  const opening = world.openCashier({
    change: (config) => ({
      ...config,
      networks: config.networks.map((network) => ({ ...network, rpcUrls })),
    }),
  });
  await expect(opening).rejects.toThrow(PaymentNetworkMismatchError);
});

test('error: UPSTREAM_UNAVAILABLE when an RPC that was away at the start is of another chain', async () => {
  proxy.fault = () => ({ kind: 'drop' });
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  proxy.fault = asAnotherChain;
  proxy.requests.length = 0;
  const payload = await world.sign(cashier, await world.newPayer(price));
  expect(await cashier.admit(attemptOf(payload))).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(new Set(proxy.requests.flatMap(({ calls }) => methodsOf(calls)))).toEqual(new Set(['eth_chainId']));
  await close();
});

test('error: PaymentNetworkMismatchError for the wrong chain, and for a token that signs otherwise', async () => {
  for (const change of [{ chainId: 137 }, { domain: { name: 'USDC', version: '2' } }]) {
    const opening = world.openCashier({
      change: (config) => ({
        ...config,
        networks: config.networks.map((network) => ({ ...network, ...change })),
      }),
    });
    await expect(opening).rejects.toThrow(PaymentNetworkMismatchError);
  }
});
