import { generatePrivateKey } from 'viem/accounts';
import { expect, test } from 'vitest';
import type { PaymentNetworkConfig } from '../../server/payments/index.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

const setup = useProxiedFixture();

test('behavior: the gas state follows the balance: ok, low, empty; it is `unread` during an outage and ok after funding', async () => {
  const facilitator = setup.fixture.walletOf('facilitator').address;
  const balance = await setup.fixture.client.getBalance({ address: facilitator });
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, gasWatchMs: 50 } }),
  });
  const setBalance = (wei: bigint) => setup.fixture.rpc('anvil_setBalance', [facilitator, `0x${wei.toString(16)}`]);
  const gasState = () => paymentService.gasLeft()['eip155:8453']?.state;
  await expect.poll(gasState).toBe('ok');
  const { baseFeePerGas } = await setup.fixture.client.getBlock();
  const costOfOne =
    120_000n * (2n * (baseFeePerGas ?? 0n) + (await setup.fixture.client.estimateMaxPriorityFeePerGas()));
  await setBalance(50n * costOfOne);
  await expect.poll(gasState).toBe('low');
  await setBalance(costOfOne / 2n);
  await expect.poll(gasState).toBe('empty');
  setup.proxy.fault = () => ({ kind: 'drop' });
  await expect.poll(gasState).toBe('unread');
  setup.proxy.fault = () => undefined;
  await setBalance(balance);
  await expect.poll(gasState).toBe('ok');
  await close();
});

test('error: UPSTREAM_UNAVAILABLE, uncharged, when the facilitator has no native coin', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    change: (config) => ({
      ...config,
      timings: { ...config.timings, settleDeadlineMs: 500, closeGraceMs: 0 },
      networks: config.networks.map(
        (network) => ({ ...network, remote: undefined, facilitatorKey: generatePrivateKey() }) as PaymentNetworkConfig,
      ),
    }),
  });
  const payer = await setup.fixture.newPayer(price);
  const signing = await setup.fixture.openPaymentService();
  const decision = await paymentService.decide(attemptOf(await setup.fixture.sign(signing.paymentService, payer)));
  await signing.close();
  expect(decision).toMatchObject({ kind: 'refuse', status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await close();
});
