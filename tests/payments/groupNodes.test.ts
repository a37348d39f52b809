import { expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { openDatabaseMaker } from '../storage/bothDatabases.ts';
import { price } from './paymentFixture.ts';
import { isBroadcast, serveAll, useProxiedFixture } from './useProxiedFixture.ts';

// Nodes that hang, lack eth_sendRawTransactionSync, or reply before the block is in `latest`.

const setup = useProxiedFixture();

test('behavior: serves a group from its receipt while the reply to the broadcast is pending', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payments = await setup.newPayments(paymentService, [price, price, price]);
  // The node includes the transaction at once, and never replies.
  setup.proxy.fault = (calls) => {
    const raw = calls.find(isBroadcast)?.params[0];
    if (raw === undefined) return undefined;
    void setup.fixture.rpc('eth_sendRawTransaction', [raw]);
    return { kind: 'hang' };
  };
  const startedAt = performance.now();
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(outcomes).toEqual(['served', 'served', 'served']);
  expect(performance.now() - startedAt).toBeLessThan(2_500);
  await close();
});

test('behavior: calls eth_sendRawTransactionSync once on a node that lacks it, and then eth_sendRawTransaction', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payments = await setup.newPayments(paymentService, [price, price, price]);
  setup.proxy.requests.length = 0;
  setup.proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_sendRawTransactionSync')
      ? {
          kind: 'rewrite',
          reply: () =>
            '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"the method eth_sendRawTransactionSync does not exist"}}',
        }
      : undefined;
  for (const { attempt } of payments)
    expect(await serveAll([await paymentService.decide(attempt)])).toEqual(['served']);
  const methods = setup.proxy.requests.flatMap(({ calls }) => calls.map(({ method }) => method));
  expect(methods.filter((method) => method === 'eth_sendRawTransactionSync')).toHaveLength(1);
  expect(methods.filter((method) => method === 'eth_sendRawTransaction')).toHaveLength(3);
  await close();
});

/** The request timeout of the replica with the hanging node; the other replica must finish in half of it. */
const hangMs = 120_000;

/** Two replicas with one database; the node of `stuck` hangs on matching calls. */
const openTwoReplicas = async (hangsOn: (call: { method: string }) => boolean) => {
  const maker = await openDatabaseMaker('postgres');
  const location = await maker.newLocation();
  const hangingNode = await startRpcProxy(setup.fixture.chain.rpcUrl);
  const timings = { rpcTimeoutMs: hangMs, settleDeadlineMs: 1_000, closeGraceMs: 10 };
  const stuck = await setup.fixture.openPaymentService({
    ...location,
    rpcUrl: hangingNode.url,
    change: (config) => ({ ...config, timings: { ...config.timings, ...timings } }),
  });
  const healthy = await setup.openWithLongDeadlines(location);
  let hung = false;
  hangingNode.fault = (calls) => {
    if (!calls.some(hangsOn)) return undefined;
    hung = true;
    return { kind: 'hang' };
  };
  return {
    stuck,
    healthy,
    hasHung: () => hung,
    async close() {
      // The node closes first, so that the hanging request ends.
      await hangingNode.close();
      await Promise.all([stuck.close(), healthy.close()]);
      await maker.close();
    },
  };
};

test.each([
  ['counting transactions', ({ method }: { method: string }) => method === 'eth_getTransactionCount'],
  ['broadcasting', isBroadcast],
])('behavior: a replica whose node hangs on %s does not delay payments of another replica', async (_case, hangsOn) => {
  const { stuck, healthy, close, hasHung } = await openTwoReplicas(hangsOn);
  const [stuckPayment, ...others] = await setup.newPayments(
    healthy.paymentService,
    Array.from({ length: 21 }, () => price),
  );
  const pending = stuck.paymentService.decide(stuckPayment?.attempt as never).catch(() => undefined);
  await expect.poll(hasHung).toBe(true);
  const startedAt = performance.now();
  const outcomes = await serveAll(
    await Promise.all(others.map(({ attempt }) => healthy.paymentService.decide(attempt))),
  );
  expect(outcomes).toEqual(others.map(() => 'served'));
  expect(performance.now() - startedAt).toBeLessThan(hangMs / 2);
  await close();
  await pending;
});

test.each([
  ['is served when its block is in `latest`', []],
  ['is served at once on a network with preconfirmations', ['eip155:8453']],
])('behavior: a payment with a preconfirmed receipt %s', async (_case, preconfirmedNetworks) => {
  let isPreconfirmed = true;
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, preconfirmedNetworks }),
  });
  const [payment] = await setup.newPayments(paymentService, [price]);
  const blockBefore = await setup.fixture.client.getBlockNumber();
  // The node returns the receipt, but reports the block before as the latest.
  let receipts = 0;
  const head = rewriting(({ method }, result) => {
    if (method === 'eth_getTransactionReceipt' && result) receipts += 1;
    return method === 'eth_blockNumber' && isPreconfirmed ? `0x${blockBefore.toString(16)}` : result;
  });
  setup.proxy.fault = (calls) => (calls.some(({ method }) => method === 'eth_blockNumber') ? head : undefined);
  const deciding = paymentService.decide(payment?.attempt as never);
  if (preconfirmedNetworks.length === 0) {
    let isDecided = false;
    void deciding.then(() => {
      isDecided = true;
    });
    // Several polls find the receipt and do not decide.
    await expect.poll(() => receipts).toBeGreaterThan(3);
    expect(isDecided).toBe(false);
    isPreconfirmed = false;
  }
  expect(await serveAll([await deciding])).toEqual(['served']);
  await close();
});
