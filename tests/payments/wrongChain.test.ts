import { expect, test } from 'vitest';
import type { ProxiedCall } from '../../sandbox/index.ts';
import { PaymentNetworkMismatchError } from '../../server/payments/index.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

const setup = useProxiedFixture();

const asAnotherChain = (calls: readonly ProxiedCall[]) =>
  calls.some(({ method }) => method === 'eth_chainId')
    ? { kind: 'rewrite' as const, reply: (text: string) => text.replace('0x2105', '0x89') }
    : undefined;

test('error: PaymentNetworkMismatchError when one of several RPCs serves another chain', async () => {
  setup.proxy.fault = asAnotherChain;
  const rpcUrls = [setup.fixture.chain.rpcUrl, setup.proxy.url];
  const opening = setup.fixture.openPaymentService({
    change: (config) => ({
      ...config,
      networks: config.networks.map((network) => ({ ...network, rpcUrls })),
    }),
  });
  await expect(opening).rejects.toThrow(PaymentNetworkMismatchError);
});

test('error: UPSTREAM_UNAVAILABLE when an RPC that was down at start serves another chain', async () => {
  setup.proxy.fault = () => ({ kind: 'drop' });
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  setup.proxy.fault = asAnotherChain;
  setup.proxy.requests.length = 0;
  const signing = await setup.fixture.openPaymentService();
  const payload = await setup.fixture.sign(signing.paymentService, await setup.fixture.newPayer(price));
  await signing.close();
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(new Set(setup.proxy.requests.flatMap(({ calls }) => calls.map(({ method }) => method)))).toEqual(
    new Set(['eth_chainId']),
  );
  await close();
});

test('error: PaymentNetworkMismatchError when the RPC serves another chain or the token has another EIP-712 domain', async () => {
  for (const change of [{ chainId: 137 }, { domain: { name: 'USDC', version: '2' } }]) {
    const opening = setup.fixture.openPaymentService({
      change: (config) => ({
        ...config,
        networks: config.networks.map((network) => ({ ...network, ...change })),
      }),
    });
    await expect(opening).rejects.toThrow(PaymentNetworkMismatchError);
  }
});
