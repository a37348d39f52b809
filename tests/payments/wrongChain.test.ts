import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { PaymentNetworkMismatchError } from '../../server/payments/index.ts';
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

const asAnotherChain = (calls: readonly ProxiedCall[]) =>
  calls.some(({ method }) => method === 'eth_chainId')
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
  expect(new Set(proxy.requests.flatMap(({ calls }) => calls.map(({ method }) => method)))).toEqual(
    new Set(['eth_chainId']),
  );
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
