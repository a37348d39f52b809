import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentNetworkConfig } from '../../server/payments/index.ts';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

let fixture: PaymentFixture;
let proxy: RpcProxy;

beforeAll(async () => {
  fixture = await openPaymentFixture();
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
});
afterEach(() => {
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.close();
});

test('behavior: the gas state is low, then empty, unread during an outage, and ok after funding', async () => {
  const facilitator = fixture.walletOf('facilitator').address;
  const balance = await fixture.client.getBalance({ address: facilitator });
  const { paymentService, close } = await fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, gasWatchMs: 50 } }),
  });
  const setBalance = (wei: bigint) => fixture.rpc('anvil_setBalance', [facilitator, `0x${wei.toString(16)}`]);
  const gasState = () => paymentService.gas()['eip155:8453'];
  await expect.poll(gasState).toBe('ok');
  const { baseFeePerGas } = await fixture.client.getBlock();
  const one = 120_000n * (2n * (baseFeePerGas ?? 0n) + (await fixture.client.estimateMaxPriorityFeePerGas()));
  await setBalance(50n * one);
  await expect.poll(gasState).toBe('low');
  await setBalance(one / 2n);
  await expect.poll(gasState).toBe('empty');
  proxy.fault = () => ({ kind: 'drop' });
  await expect.poll(gasState).toBe('unread');
  proxy.fault = () => undefined;
  await setBalance(balance);
  await expect.poll(gasState).toBe('ok');
  await close();
});

test('error: UPSTREAM_UNAVAILABLE, uncharged, when the facilitator has no native coin', async () => {
  const poor = await fixture.newPayer(0n);
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      timings: { ...config.timings, settleDeadlineMs: 500, closeGraceMs: 0 },
      networks: config.networks.map(
        (network) => ({ ...network, remote: undefined, facilitatorKey: fixture.keyOf(poor) }) as PaymentNetworkConfig,
      ),
    }),
  });
  const payer = await fixture.newPayer(price);
  const decision = await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer)));
  expect(decision).toMatchObject({ kind: 'refuse', status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await close();
});
