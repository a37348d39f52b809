import { decodePaymentResponseHeader } from '@x402/core/http';
import { expect, test } from 'vitest';
import type { ProxiedCall, RpcFault } from '../../sandbox/index.ts';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { useProxiedSolana } from './useProxiedFixture.ts';

// Included transactions that this ledger does not contain. The tests assert on token balances.

const setup = useProxiedSolana();

const simulatedWires = (calls: readonly ProxiedCall[]): string[] =>
  calls.filter(({ method }) => method === 'simulateTransaction').map(({ params }) => String(params[0]));

/** Sends a transaction to the node without the service, and ignores the reply. */
async function broadcast(wire: string): Promise<void> {
  const body = { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: [wire, { encoding: 'base64' }] };
  const headers = { 'content-type': 'application/json' };
  await fetch(setup.fixture.solana.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
}

test.each<[string, (wires: string[]) => RpcFault | undefined]>([
  ['and simulates it 100 ms later', (wires) => (wires.length > 0 ? { kind: 'delay', ms: 100 } : undefined)],
  ['and closes the connection', (wires) => (wires.length > 0 ? { kind: 'drop' } : undefined)],
])(
  'security: no charge without an answer when a node broadcasts a simulated transaction %s',
  async (_case, faultFor) => {
    const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
    const payer = await setup.fixture.newPayer(3n * price);
    const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
    const broadcasts: Promise<void>[] = [];
    let isBroken = true;
    setup.proxy.fault = (calls) => {
      const wires = simulatedWires(calls);
      broadcasts.push(...wires.map(broadcast));
      return isBroken ? faultFor(wires) : undefined;
    };
    const decision = await paymentService.decide(attempt);
    await Promise.all(broadcasts);
    expect(broadcasts.length).toBeGreaterThan(0);
    const charged = 3n * price - (await setup.fixture.usdcOf(payer.address));
    const detail = decision.kind === 'refuse' ? decision.detail : '';
    expect({ kind: decision.kind, charged }).toEqual(
      decision.kind === 'serve' ? { kind: 'serve', charged: price } : { kind: 'refuse', charged: 0n },
    );
    expect(detail).not.toContain('look up whether it paid');

    isBroken = false;
    const served = decision.kind === 'serve' ? decision : await paymentService.decide(attempt);
    if (served.kind !== 'serve') throw new Error(JSON.stringify(served));
    await served.complete(answerTo('once'));
    expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  },
);

test('security: journals the fee payer’s signature before any node receives it', async () => {
  const journaledAt: number[] = [];
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async journal(key, transaction) {
          await config.ledger.journal(key, transaction);
          journaledAt.push(setup.proxy.requests.length);
        },
      },
    }),
  });
  const payer = await setup.fixture.newPayer(3n * price);
  setup.proxy.requests.length = 0;
  const decision = await paymentService.decide(attemptOf(await setup.fixture.sign(paymentService, payer)));
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  const { transaction } = decodePaymentResponseHeader(decision.paymentResponse);
  const [position] = journaledAt;
  const before = setup.proxy.requests.slice(0, position).flatMap(({ calls }) => calls);
  expect(before.some(({ method }) => method === 'simulateTransaction')).toBe(true);
  expect(JSON.stringify(before)).not.toContain(transaction);
  // One byte of count precedes the fee payer's signature.
  for (const wire of simulatedWires(before)) {
    expect(Buffer.from(wire, 'base64').subarray(1, 65)).toEqual(Buffer.alloc(64));
  }
  await close();
});

test('behavior: serves a transaction that another ledger settled once, without a second charge', async () => {
  const [firstService, secondService] = [
    await setup.fixture.openPaymentService(),
    await setup.fixture.openPaymentService(),
  ];
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(firstService.paymentService, payer));
  const first = await firstService.paymentService.decide(attempt);
  const second = await secondService.paymentService.decide(attempt);
  if (first.kind !== 'serve' || second.kind !== 'serve') throw new Error(JSON.stringify([first, second]));
  expect(second.paymentResponse).toBe(first.paymentResponse);
  await second.complete(answerTo('restored'));
  expect(await secondService.paymentService.decide(attempt)).toMatchObject({
    kind: 'replay',
    answer: answerTo('restored'),
  });
  expect(await secondService.paymentService.decide({ ...attempt, queryKey: '{"size":"2"}' })).toMatchObject({
    status: 409,
  });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await firstService.close();
  await secondService.close();
});

test('error: 402 without the text "Nothing was charged" for an included transaction with an expired blockhash', async () => {
  const [firstService, secondService] = [
    await setup.fixture.openPaymentService(),
    await setup.fixture.openPaymentService(),
  ];
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(firstService.paymentService, payer));
  expect((await firstService.paymentService.decide(attempt)).kind).toBe('serve');
  setup.fixture.solana.skipSlots(151);
  const refused = await secondService.paymentService.decide(attempt);
  expect(refused).toMatchObject({ status: 402, detail: expect.stringContaining('look up whether it paid') });
  expect(JSON.stringify(refused)).not.toContain('Nothing was charged');
  await firstService.close();
  await secondService.close();
});

test('behavior: serves an included transaction as a paid call, and keeps the free call', async () => {
  const offers = setup.fixture.paymentConfig().offers.map((offer) => ({ ...offer, trialGroup: 'pretrade' }));
  const firstService = await setup.fixture.openPaymentService();
  const secondService = await setup.fixture.openPaymentService({ change: (config) => ({ ...config, offers }) });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(firstService.paymentService, payer));
  expect((await firstService.paymentService.decide(attempt)).kind).toBe('serve');
  const paid = await secondService.paymentService.decide(attempt);
  if (paid.kind !== 'serve') throw new Error(JSON.stringify(paid));
  expect(paid.free).toBeUndefined();
  await paid.complete(answerTo('paid'));
  const free = await secondService.paymentService.decide(
    attemptOf(await setup.fixture.sign(secondService.paymentService, payer)),
  );
  if (free.kind !== 'serve') throw new Error(JSON.stringify(free));
  expect(free.free).toBe(true);
  await free.complete(answerTo('free'));
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await firstService.close();
  await secondService.close();
});
