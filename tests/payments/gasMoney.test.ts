import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentNetwork } from '../../server/payments/index.ts';
import { attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

let world: PayWorld;
let proxy: RpcProxy;

beforeAll(async () => {
  world = await openPayWorld();
  proxy = await startRpcProxy(world.chain.rpcUrl);
});
afterEach(() => {
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await world?.close();
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
