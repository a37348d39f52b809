import { decodePaymentResponseHeader } from '@x402/core/http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, type RpcFault, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { answerTo, attemptOf, price } from './payWorld.ts';
import { openSolanaWorld, type SolanaWorld } from './solanaWorld.ts';

// Transactions that land without this ledger having sent them. The token balances are the judge.

let world: SolanaWorld;
let proxy: RpcProxy;

beforeAll(async () => {
  world = await openSolanaWorld();
  proxy = await startRpcProxy(world.solana.rpcUrl);
});
afterEach(() => {
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await world?.close();
});

const simulatedWires = (calls: readonly ProxiedCall[]): string[] =>
  calls.filter(({ method }) => method === 'simulateTransaction').map(({ params }) => String(params[0]));

/** Sends a transaction to the chain without the service, and ignores the reply. */
async function broadcast(wire: string): Promise<void> {
  const body = { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: [wire, { encoding: 'base64' }] };
  const headers = { 'content-type': 'application/json' };
  await fetch(world.solana.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
}

test.each<[string, (wires: string[]) => RpcFault | undefined]>([
  ['and then simulates it', (wires) => (wires.length > 0 ? { kind: 'delay', ms: 100 } : undefined)],
  ['and closes the connection', (wires) => (wires.length > 0 ? { kind: 'drop' } : undefined)],
])('behavior: a node that broadcasts what it is asked to simulate %s charges nobody', async (_how, faultFor) => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const broadcasts: Promise<void>[] = [];
  let isBroken = true;
  proxy.fault = (calls) => {
    const wires = simulatedWires(calls);
    broadcasts.push(...wires.map(broadcast));
    return isBroken ? faultFor(wires) : undefined;
  };
  const admission = await cashier.admit(attempt);
  await Promise.all(broadcasts);
  expect(broadcasts.length).toBeGreaterThan(0);
  const charged = 3n * price - (await world.usdcOf(payer.address));
  const detail = admission.kind === 'refuse' ? admission.detail : '';
  expect({ kind: admission.kind, charged }).toEqual(
    admission.kind === 'serve' ? { kind: 'serve', charged: price } : { kind: 'refuse', charged: 0n },
  );
  expect(detail).not.toContain('look it up');

  isBroken = false;
  const served = admission.kind === 'serve' ? admission : await cashier.admit(attempt);
  if (served.kind !== 'serve') throw new Error(JSON.stringify(served));
  await served.complete(answerTo('once'));
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: no node sees our signature before it is journaled', async () => {
  const journaledAt: number[] = [];
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async journal(key, transaction) {
          await config.ledger.journal(key, transaction);
          journaledAt.push(proxy.requests.length);
        },
      },
    }),
  });
  const payer = await world.newPayer(3n * price);
  proxy.requests.length = 0;
  const admission = await cashier.admit(attemptOf(await world.sign(cashier, payer)));
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  const { transaction } = decodePaymentResponseHeader(admission.paymentResponse);
  const [position] = journaledAt;
  const before = proxy.requests.slice(0, position).flatMap(({ calls }) => calls);
  expect(before.some(({ method }) => method === 'simulateTransaction')).toBe(true);
  expect(JSON.stringify(before)).not.toContain(transaction);
  // One byte of count, then the fee payer's signature.
  for (const wire of simulatedWires(before)) {
    expect(Buffer.from(wire, 'base64').subarray(1, 65)).toEqual(Buffer.alloc(64));
  }
  await close();
});

test('behavior: a transaction that another ledger settled buys its answer once, uncharged', async () => {
  const [one, other] = [await world.openCashier(), await world.openCashier()];
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(one.cashier, payer));
  const first = await one.cashier.admit(attempt);
  const second = await other.cashier.admit(attempt);
  if (first.kind !== 'serve' || second.kind !== 'serve') throw new Error(JSON.stringify([first, second]));
  expect(second.paymentResponse).toBe(first.paymentResponse);
  await second.complete(answerTo('restored'));
  expect(await other.cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('restored') });
  expect(await other.cashier.admit({ ...attempt, question: '{"size":"2"}' })).toMatchObject({ status: 409 });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await one.close();
  await other.close();
});

test('error: a landed transaction whose blockhash has run out is not called uncharged', async () => {
  const [one, other] = [await world.openCashier(), await world.openCashier()];
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(one.cashier, payer));
  expect((await one.cashier.admit(attempt)).kind).toBe('serve');
  world.solana.skipSlots(151);
  const refused = await other.cashier.admit(attempt);
  expect(refused).toMatchObject({ status: 402, detail: expect.stringContaining('look it up') });
  expect(JSON.stringify(refused)).not.toContain('Nothing was charged');
  await one.close();
  await other.close();
});

test('behavior: a landed transaction is no proof for a free call; it buys a paid one', async () => {
  const offers = world.cashierConfig().offers.map((offer) => ({ ...offer, trialGroup: 'pretrade' }));
  const one = await world.openCashier();
  const other = await world.openCashier({ change: (config) => ({ ...config, offers }) });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(one.cashier, payer));
  expect((await one.cashier.admit(attempt)).kind).toBe('serve');
  const paid = await other.cashier.admit(attempt);
  if (paid.kind !== 'serve') throw new Error(JSON.stringify(paid));
  expect(paid.free).toBeUndefined();
  await paid.complete(answerTo('paid'));
  const free = await other.cashier.admit(attemptOf(await world.sign(other.cashier, payer)));
  if (free.kind !== 'serve') throw new Error(JSON.stringify(free));
  expect(free.free).toBe(true);
  await free.complete(answerTo('free'));
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await one.close();
  await other.close();
});
