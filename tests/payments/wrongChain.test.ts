import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { PaymentNetworkMismatchError } from '../../server/payments/index.ts';
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

const asAnotherChain = (calls: readonly ProxiedCall[]) =>
  calls.some(({ method }) => method === 'eth_chainId')
    ? { kind: 'rewrite' as const, reply: (text: string) => text.replace('0x2105', '0x89') }
    : undefined;

test('error: PaymentNetworkMismatchError when one of several RPCs serves another chain', async () => {
  proxy.fault = asAnotherChain;
  const rpcUrls = [fixture.chain.rpcUrl, proxy.url];
  const opening = fixture.openPaymentService({
    change: (config) => ({
      ...config,
      networks: config.networks.map((network) => ({ ...network, rpcUrls })),
    }),
  });
  await expect(opening).rejects.toThrow(PaymentNetworkMismatchError);
});

test('error: UPSTREAM_UNAVAILABLE when an RPC that was down at start serves another chain', async () => {
  proxy.fault = () => ({ kind: 'drop' });
  const { paymentService, close } = await fixture.openPaymentService({ rpcUrl: proxy.url });
  proxy.fault = asAnotherChain;
  proxy.requests.length = 0;
  const payload = await fixture.sign(paymentService, await fixture.newPayer(price));
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(new Set(proxy.requests.flatMap(({ calls }) => calls.map(({ method }) => method)))).toEqual(
    new Set(['eth_chainId']),
  );
  await close();
});

test('error: PaymentNetworkMismatchError for the wrong chain, and for a token that signs otherwise', async () => {
  for (const change of [{ chainId: 137 }, { domain: { name: 'USDC', version: '2' } }]) {
    const opening = fixture.openPaymentService({
      change: (config) => ({
        ...config,
        networks: config.networks.map((network) => ({ ...network, ...change })),
      }),
    });
    await expect(opening).rejects.toThrow(PaymentNetworkMismatchError);
  }
});
