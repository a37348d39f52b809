import { expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { openDatabaseMaker } from '../storage/bothDatabases.ts';
import { price } from './paymentFixture.ts';
import { isBroadcast, serveAll, useProxiedFixture } from './useProxiedFixture.ts';

// Nodes that hang, lack eth_sendRawTransactionSync, or reply before the block is in `latest`.

const setup = useProxiedFixture();

test('behavior: a group is served from its receipt while the reply to the broadcast is pending', async () => {
  const { paymentService, close } = await setup.openPatient();
  const payments = await setup.newPayments(paymentService, [price, price, price]);
  // The reply takes longer than the service waits for it; the transaction is included at once.
  setup.proxy.fault = (calls) => {
    const raw = calls.find(isBroadcast)?.params[0];
    if (raw === undefined) return undefined;
    void setup.fixture.rpc('eth_sendRawTransaction', [raw]);
    return { kind: 'hang' };
  };
  const begun = performance.now();
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(outcomes).toEqual(['served', 'served', 'served']);
  expect(performance.now() - begun).toBeLessThan(2_500);
  await close();
});

test('behavior: eth_sendRawTransactionSync is called once on a node that lacks it', async () => {
  const { paymentService, close } = await setup.openPatient();
  const rounds = await setup.newPayments(paymentService, [price, price, price]);
  setup.proxy.requests.length = 0;
  setup.proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_sendRawTransactionSync')
      ? {
          kind: 'rewrite',
          reply: () =>
            '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"the method eth_sendRawTransactionSync does not exist"}}',
        }
      : undefined;
  for (const { attempt } of rounds) expect(await serveAll([await paymentService.decide(attempt)])).toEqual(['served']);
  const methods = setup.proxy.requests.flatMap(({ calls }) => calls.map(({ method }) => method));
  expect(methods.filter((method) => method === 'eth_sendRawTransactionSync')).toHaveLength(1);
  expect(methods.filter((method) => method === 'eth_sendRawTransaction')).toHaveLength(3);
  await close();
});

/** How long the sick node holds a request: much longer than the other replica needs, also on a slow machine. */
const hangMs = 120_000;

const twoReplicas = async (hangsOn: (call: { method: string }) => boolean) => {
  const maker = await openDatabaseMaker('postgres');
  const place = await maker.newPlace();
  const sickNode = await startRpcProxy(setup.fixture.chain.rpcUrl);
  const patient = { rpcTimeoutMs: hangMs, settleDeadlineMs: 1_000, closeGraceMs: 10 };
  const sick = await setup.fixture.openPaymentService({
    ...place,
    rpcUrl: sickNode.url,
    change: (config) => ({ ...config, timings: { ...config.timings, ...patient } }),
  });
  const healthy = await setup.openPatient(place);
  let hung = false;
  sickNode.fault = (calls) => {
    if (!calls.some(hangsOn)) return undefined;
    hung = true;
    return { kind: 'hang' };
  };
  return {
    sick,
    healthy,
    hasHung: () => hung,
    async close() {
      // First, so that the hanging request ends.
      await sickNode.close();
      await Promise.all([sick.close(), healthy.close()]);
      await maker.close();
    },
  };
};

test.each([
  ['counting transactions', ({ method }: { method: string }) => method === 'eth_getTransactionCount'],
  ['broadcasting', isBroadcast],
])('postgres: a replica whose node hangs on %s delays no payment of another replica', async (_what, hangsOn) => {
  const { sick, healthy, close, hasHung } = await twoReplicas(hangsOn);
  const [stuck, ...others] = await setup.newPayments(
    healthy.paymentService,
    Array.from({ length: 21 }, () => price),
  );
  const held = sick.paymentService.decide(stuck?.attempt as never).catch(() => undefined);
  await expect.poll(hasHung).toBe(true);
  const begun = performance.now();
  const outcomes = await serveAll(
    await Promise.all(others.map(({ attempt }) => healthy.paymentService.decide(attempt))),
  );
  expect(outcomes).toEqual(others.map(() => 'served'));
  expect(performance.now() - begun).toBeLessThan(hangMs / 2);
  await close();
  await held;
});

test.each([
  ['is not served before its block is in latest', [], 'waits'],
  ['is served at once where preconfirmations count', ['eip155:8453'], 'served'],
])('a payment with a preconfirmed receipt %s', async (_what, preconfirmedNetworks, expected) => {
  let isPreconfirmed = true;
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, preconfirmedNetworks }),
  });
  const [payment] = await setup.newPayments(paymentService, [price]);
  const sealed = await setup.fixture.client.getBlockNumber();
  // The node has the receipt, and its latest block is the one before.
  const head = rewriting(({ method }, result) =>
    method === 'eth_blockNumber' && isPreconfirmed ? `0x${sealed.toString(16)}` : result,
  );
  setup.proxy.fault = (calls) => (calls.some(({ method }) => method === 'eth_blockNumber') ? head : undefined);
  const deciding = paymentService.decide(payment?.attempt as never);
  const first = await Promise.race([deciding, new Promise<'waits'>((resolve) => setTimeout(resolve, 1_500, 'waits'))]);
  expect(first === 'waits' ? first : (await serveAll([first]))[0]).toBe(expected);
  isPreconfirmed = false;
  expect(['serve', 'replay']).toContain((await deciding).kind);
  await close();
});
