import { createWalletClient, type Hex, http, type PrivateKeyAccount, parseTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentDecision, PaymentService } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import {
  answerTo,
  attemptOf,
  type OpenOptions,
  openPaymentFixture,
  type PaymentFixture,
  price,
} from './paymentFixture.ts';

// Payments that wait together share one transaction. Balances and receipts are the judges.

let fixture: PaymentFixture;
let proxy: RpcProxy;
let facilitator: { address: Hex };

beforeAll(async () => {
  fixture = await openPaymentFixture();
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
  facilitator = { address: fixture.walletOf('facilitator').address };
});
afterEach(() => {
  proxy.fault = () => undefined;
  proxy.delayMs = 0;
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.close();
});

const open = (options: OpenOptions = {}) =>
  fixture.openPaymentService({
    ...options,
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 30_000 },
    }),
  });

async function newPayments(paymentService: PaymentService, units: readonly bigint[]) {
  const payers: PrivateKeyAccount[] = [];
  for (const amount of units) payers.push(await fixture.newPayer(amount));
  return Promise.all(
    payers.map(async (payer) => ({
      payer,
      attempt: attemptOf(await fixture.sign(paymentService, payer), payer.address),
    })),
  );
}

async function serveAll(decisions: readonly PaymentDecision[]): Promise<string[]> {
  return Promise.all(
    decisions.map(async (decision) => {
      if (decision.kind !== 'serve') return decision.kind === 'refuse' ? decision.code : decision.kind;
      await decision.complete(answerTo('x'));
      return 'served';
    }),
  );
}

const isBroadcast = ({ method }: { method: string }) => method.startsWith('eth_sendRawTransaction');
const broadcasts = () => {
  const raws = proxy.requests.flatMap(({ calls }) => calls.filter(isBroadcast).map(({ params }) => params[0] as Hex));
  return [...new Set(raws)].map((raw) => parseTransaction(raw));
};

test.each(databaseKinds)(
  '%s: 50 concurrent payers need at most one transaction for five payments and three requests for one',
  { timeout: 120_000 },
  async (kind) => {
    const maker = await openDatabaseMaker(kind);
    const { paymentService, close } = await open(await maker.newPlace());
    const rounds = 4;
    const payments = await newPayments(
      paymentService,
      Array.from({ length: 50 }, () => BigInt(rounds) * price),
    );
    const before = await fixture.usdcOf(fixture.payTo);
    const nonce = await fixture.client.getTransactionCount(facilitator);
    proxy.delayMs = 50;
    proxy.requests.length = 0;
    const begun = performance.now();
    await Promise.all(
      payments.map(async ({ payer }) => {
        for (let round = 0; round < rounds; round += 1) {
          const payload = await fixture.sign(paymentService, payer);
          expect(await serveAll([await paymentService.decide(attemptOf(payload, `${round}`))])).toEqual(['served']);
        }
      }),
    );
    const seconds = (performance.now() - begun) / 1_000;
    const count = payments.length * rounds;
    const transactions = (await fixture.client.getTransactionCount(facilitator)) - nonce;
    // Rechecks are counted too.
    await fixture.rpc('anvil_mine', ['0x40']);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const requests = proxy.requests.length;
    const calls = proxy.requests.reduce((sum, request) => sum + request.calls.length, 0);
    console.info(
      `${kind}: ${(count / seconds).toFixed(0)} payments/s, ${transactions} transactions, ${(requests / count).toFixed(2)} requests and ${(calls / count).toFixed(2)} calls a payment`,
    );
    expect(await fixture.usdcOf(fixture.payTo)).toBe(before + BigInt(count) * price);
    expect(transactions).toBeLessThanOrEqual(count / 5);
    expect(requests).toBeLessThanOrEqual(3 * count);
    await close();
    await maker.close();
  },
);

test('a payer without balance is refused alone, and the nine others of its group are charged once', async () => {
  const { paymentService, close } = await open();
  const payments = await newPayments(
    paymentService,
    Array.from({ length: 10 }, (_, index) => (index === 4 ? 0n : price)),
  );
  proxy.requests.length = 0;
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(outcomes).toEqual(payments.map((_, index) => (index === 4 ? 'PAYMENT_REQUIRED' : 'served')));
  expect(broadcasts()).toHaveLength(1);
  for (const { payer } of payments) expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('a payer who is drained after the simulation fails alone', async () => {
  const { paymentService, close } = await open();
  const payments = await newPayments(
    paymentService,
    Array.from({ length: 10 }, () => price),
  );
  const drained = payments[3]?.payer as PrivateKeyAccount;
  // The wallet's other authorization reaches the token before the group.
  const other = await fixture.sign(paymentService, drained);
  let isDrained: Promise<void> | undefined;
  interceptBroadcast(() => {
    isDrained ??= fixture.submitElsewhere(other);
    return isDrained;
  });
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(isDrained).toBeDefined();
  expect(outcomes).toEqual(payments.map((_, index) => (index === 3 ? 'PAYMENT_REQUIRED' : 'served')));
  for (const { payer } of payments) expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('a first member that is left out for its code leaves enough gas for the others', async () => {
  const { paymentService, close } = await open();
  const payments = await newPayments(
    paymentService,
    Array.from({ length: 10 }, () => price),
  );
  const [first, ...others] = payments;
  // Accepts at gas price 0, as in a simulation, and rejects otherwise.
  const code = '0x3a601257631626ba7e60e01b5f5260205ff35b5f5ffd';
  await fixture.rpc('anvil_setCode', [first?.payer.address, code]);
  const since = await fixture.client.getTransactionCount(facilitator);
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(outcomes).toEqual(payments.map((_, index) => (index === 0 ? 'PAYMENT_REQUIRED' : 'served')));
  for (const { payer } of others) expect(await fixture.usdcOf(payer.address)).toBe(0n);
  expect((await fixture.client.getTransactionCount(facilitator)) - since).toBe(1);
  await close();
});

test('an authorization that failed on chain and then paid in a third party’s transaction buys its answer', async () => {
  const { paymentService, close } = await open();
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  const other = await fixture.sign(paymentService, payer);
  let isDrained: Promise<void> | undefined;
  interceptBroadcast(() => {
    isDrained ??= fixture.submitElsewhere(other);
    return isDrained;
  });
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('refuse');
  await fixture.give(payer.address, price);
  await fixture.submitElsewhere(payload);
  expect(await serveAll([await paymentService.decide(attemptOf(payload))])).toEqual(['served']);
  await close();
});

test('a database fault at a member that is left out rejects that member only', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      ledger: { ...config.ledger, takeGas: () => Promise.reject(new Error('no database')) },
    }),
  });
  const payments = await newPayments(paymentService, [price, price, price]);
  await fixture.rpc('anvil_setCode', [payments[0]?.payer.address, '0x631626ba7e60e01b5f5260205ff3']);
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  proxy.delayMs = 50;
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect(outcomes.slice(1)).toEqual(['served', 'served']);
  await close();
});

/** Runs `first` before the first broadcast; all other requests pass. */
function interceptBroadcast(first: () => Promise<unknown>): void {
  let done = false;
  let isRunning = false;
  proxy.fault = (calls) => {
    if (done || !calls.some(isBroadcast)) return undefined;
    if (!isRunning) {
      isRunning = true;
      void first().finally(() => {
        done = true;
      });
    }
    // The service repeats the broadcast until `first` is done.
    return { kind: 'drop' };
  };
}

test('of a group of ten, one payer delegates to code that burns gas (EIP-7702): nine are served, charged once', async () => {
  const { paymentService, close } = await open();
  const payments = await newPayments(
    paymentService,
    Array.from({ length: 10 }, () => price),
  );
  const attacker = payments[6]?.payer as PrivateKeyAccount;
  const code = `0x${'cc'.repeat(20)}` as const;
  await fixture.rpc('anvil_setCode', [code, '0x5b5f56']);
  const sender = createWalletClient({
    account: privateKeyToAccount(fixture.walletOf('demo').privateKey),
    transport: http(fixture.chain.rpcUrl),
    chain: { ...base, id: fixture.chain.chainId },
  });
  let attackGas = 0n;
  interceptBroadcast(async () => {
    const authorization = await attacker.signAuthorization({ address: code, chainId: fixture.chain.chainId, nonce: 0 });
    const hash = await sender.sendTransaction({ to: sender.account.address, authorizationList: [authorization] });
    attackGas = (await fixture.client.waitForTransactionReceipt({ hash })).gasUsed;
  });
  const since = await fixture.client.getTransactionCount(facilitator);
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(attackGas).toBeGreaterThan(0n);
  expect(outcomes.filter((outcome) => outcome === 'served')).toHaveLength(9);
  expect(outcomes[6]).toBe('PAYMENT_REQUIRED');
  for (const [index, { payer }] of payments.entries()) {
    expect(await fixture.usdcOf(payer.address)).toBe(index === 6 ? price : 0n);
  }
  // The attacker's payment failed in the group and was not sent again: its wallet rejects it in the simulation.
  expect((await fixture.client.getTransactionCount(facilitator)) - since).toBe(1);
  await close();
});

test('a lone payment is a plain transfer and is sent at once', async () => {
  const { paymentService, close } = await open();
  const [payment] = await newPayments(paymentService, [price]);
  proxy.requests.length = 0;
  expect(await serveAll([await paymentService.decide(payment?.attempt as never)])).toEqual(['served']);
  expect(broadcasts().map(({ to }) => to?.toLowerCase())).toEqual([fixture.chain.usdc.toLowerCase()]);
  await close();
});

test('a node without eth_sendRawTransactionSync is asked for it once', async () => {
  const { paymentService, close } = await open();
  const rounds = await newPayments(paymentService, [price, price, price]);
  proxy.requests.length = 0;
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_sendRawTransactionSync')
      ? {
          kind: 'rewrite',
          reply: () =>
            '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"the method eth_sendRawTransactionSync does not exist"}}',
        }
      : undefined;
  for (const { attempt } of rounds) expect(await serveAll([await paymentService.decide(attempt)])).toEqual(['served']);
  const methods = proxy.requests.flatMap(({ calls }) => calls.map(({ method }) => method));
  expect(methods.filter((method) => method === 'eth_sendRawTransactionSync')).toHaveLength(1);
  expect(methods.filter((method) => method === 'eth_sendRawTransaction')).toHaveLength(3);
  await close();
});

/** How long the sick node holds a request: much longer than the other replica needs, also on a slow machine. */
const hangMs = 120_000;

const twoReplicas = async (hangsOn: (call: { method: string }) => boolean) => {
  const maker = await openDatabaseMaker('postgres');
  const place = await maker.newPlace();
  const sickNode = await startRpcProxy(fixture.chain.rpcUrl);
  const patient = { rpcTimeoutMs: hangMs, settleDeadlineMs: 1_000, closeGraceMs: 10 };
  const sick = await fixture.openPaymentService({
    ...place,
    rpcUrl: sickNode.url,
    change: (config) => ({ ...config, timings: { ...config.timings, ...patient } }),
  });
  const healthy = await open(place);
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
  const [stuck, ...others] = await newPayments(
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
  const { paymentService, close } = await fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, preconfirmedNetworks }),
  });
  const [payment] = await newPayments(paymentService, [price]);
  const sealed = await fixture.client.getBlockNumber();
  // The node has the receipt, and its latest block is the one before.
  const head = rewriting(({ method }, result) =>
    method === 'eth_blockNumber' && isPreconfirmed ? `0x${sealed.toString(16)}` : result,
  );
  proxy.fault = (calls) => (calls.some(({ method }) => method === 'eth_blockNumber') ? head : undefined);
  const admitting = paymentService.decide(payment?.attempt as never);
  const first = await Promise.race([admitting, new Promise<'waits'>((resolve) => setTimeout(resolve, 1_500, 'waits'))]);
  expect(first === 'waits' ? first : (await serveAll([first]))[0]).toBe(expected);
  isPreconfirmed = false;
  expect(['serve', 'replay']).toContain((await admitting).kind);
  await close();
});
