import { expect, test } from 'vitest';
import { attemptOf, price } from './paymentFixture.ts';
import { serveAll, useProxiedSolana } from './useProxiedFixture.ts';

// RPC requests of concurrent Solana payments.

const setup = useProxiedSolana();

const methods = () => setup.proxy.requests.flatMap(({ calls }) => calls.map(({ method }) => method));

test('behavior: broadcasts a new payment before it reads its status', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.proxy.requests.length = 0;
  expect(await serveAll([await paymentService.decide(attempt)])).toEqual(['served']);
  const [broadcast, status] = ['sendTransaction', 'getSignatureStatuses'].map((name) => methods().indexOf(name));
  expect(broadcast).toBeGreaterThanOrEqual(0);
  expect(broadcast).toBeLessThan(status ?? -1);
  await close();
});

test('behavior: repeats a lost broadcast while every third status read fails', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.proxy.requests.length = 0;
  let reads = 0;
  setup.proxy.fault = (calls) => {
    const names = calls.map(({ method }) => method);
    if (names.includes('sendTransaction') && methods().filter((name) => name === 'sendTransaction').length <= 1)
      return { kind: 'drop' };
    if (!names.includes('getSignatureStatuses')) return undefined;
    reads += 1;
    return reads % 3 === 0 ? { kind: 'status', status: 429 } : undefined;
  };
  expect(await serveAll([await paymentService.decide(attempt)])).toEqual(['served']);
  expect(methods().filter((name) => name === 'sendTransaction').length).toBeGreaterThan(1);
  await close();
});

test('behavior: runs at most 32 simulations of 60 payments at once and shares status reads', {
  timeout: 60_000,
}, async () => {
  const count = 60;
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 50_000, rpcTimeoutMs: 30_000 } }),
  });
  const attempts = [];
  for (let index = 0; index < count; index += 1) {
    const payer = await setup.fixture.newPayer(price);
    attempts.push(attemptOf(await setup.fixture.sign(paymentService, payer), String(index)));
  }
  const countOf = (name: string) => methods().filter((method) => method === name).length;
  let simulated = 0;
  let maxOpen = 0;
  let maxWaiting = 0;
  setup.proxy.requests.length = 0;
  setup.proxy.delayMs = 100;
  setup.proxy.fault = (calls) => {
    if (!calls.some(({ method }) => method === 'simulateTransaction')) return undefined;
    maxOpen = Math.max(maxOpen, countOf('simulateTransaction') - simulated);
    maxWaiting = Math.max(maxWaiting, ...Object.values(paymentService.queues()).map(({ length }) => length));
    return {
      kind: 'rewrite',
      reply: (text) => {
        simulated += 1;
        return text;
      },
    };
  };
  const decisions = await Promise.all(attempts.map((attempt) => paymentService.decide(attempt)));
  expect(await serveAll(decisions)).toEqual(attempts.map(() => 'served'));
  expect(maxOpen).toBeLessThanOrEqual(32);
  expect(maxWaiting).toBeGreaterThan(0);
  expect(countOf('getSignatureStatuses')).toBeLessThan(count);
  for (const method of ['simulateTransaction', 'sendTransaction']) expect(countOf(method)).toBe(count);
  await close();
});
