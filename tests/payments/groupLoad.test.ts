import { type Hex, keccak256 } from 'viem';
import { describe, expect, test } from 'vitest';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { serveAll, useProxiedFixture } from './useProxiedFixture.ts';
import { passTime } from './waitForChain.ts';

// A chain for each database: the rechecks move its clock ahead by more than a minute, and payments are valid for three.
describe.each(databaseKinds)('%s', (kind) => {
  const setup = useProxiedFixture();

  test('default: 200 payments of 50 concurrent payers need at most 40 transactions and three RPC requests a payment', async () => {
    const maker = await openDatabaseMaker(kind);
    const { paymentService, close } = await setup.openWithLongDeadlines({
      ...(await maker.newLocation()),
      change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 500 } }),
    });
    const rounds = 4;
    const payments = await setup.newPayments(
      paymentService,
      Array.from({ length: 50 }, () => BigInt(rounds) * price),
    );
    const before = await setup.fixture.usdcOf(setup.fixture.payTo);
    const nonce = await setup.fixture.client.getTransactionCount(setup.facilitator());
    setup.proxy.delayMs = 50;
    setup.proxy.requests.length = 0;
    const startedAt = performance.now();
    await Promise.all(
      payments.map(async ({ payer }) => {
        for (let round = 0; round < rounds; round += 1) {
          const payload = await setup.fixture.sign(paymentService, payer);
          expect(await serveAll([await paymentService.decide(attemptOf(payload, `${round}`))])).toEqual(['served']);
        }
      }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const count = payments.length * rounds;
    const transactions = (await setup.fixture.client.getTransactionCount(setup.facilitator())) - nonce;
    // The requests of the rechecks, at two ages, count as well.
    const newest = keccak256(setup.rawBroadcasts().at(-1) as Hex);
    const mark = setup.proxy.requests.length;
    const endMining = passTime(setup.fixture);
    const rechecks = () =>
      setup.proxy.requests
        .slice(mark)
        .filter(({ calls }) =>
          calls.some(({ method, params }) => method === 'eth_getTransactionReceipt' && params[0] === newest),
        );
    await expect.poll(() => rechecks().length).toBe(2);
    endMining();
    const requests = setup.proxy.requests.length;
    const calls = setup.proxy.requests.reduce((sum, request) => sum + request.calls.length, 0);
    console.info(
      `${kind}: ${(count / seconds).toFixed(0)} payments/s, ${transactions} transactions, ${(requests / count).toFixed(2)} requests and ${(calls / count).toFixed(2)} calls a payment`,
    );
    expect(await setup.fixture.usdcOf(setup.fixture.payTo)).toBe(before + BigInt(count) * price);
    expect(transactions).toBeLessThanOrEqual(count / 5);
    expect(requests).toBeLessThanOrEqual(3 * count);
    await close();
    await maker.close();
  });
});
