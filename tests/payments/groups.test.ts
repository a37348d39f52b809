import { createWalletClient, type Hex, http, type PrivateKeyAccount, parseTransaction, toEventSelector } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { Admission, Cashier } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { answerTo, attemptOf, type OpenOptions, openPayWorld, type PayWorld, price } from './payWorld.ts';

// Payments that wait together share one transaction. Balances and receipts are the judges.

let world: PayWorld;
let proxy: RpcProxy;
let facilitator: { address: Hex };

beforeAll(async () => {
  world = await openPayWorld();
  proxy = await startRpcProxy(world.chain.rpcUrl);
  facilitator = { address: world.walletOf('facilitator').address };
});
afterEach(() => {
  proxy.fault = () => undefined;
  proxy.delayMs = 0;
});
afterAll(async () => {
  await proxy?.close();
  await world?.close();
});

const open = (options: OpenOptions = {}) =>
  world.openCashier({
    ...options,
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 30_000 },
    }),
  });

async function newPayments(cashier: Cashier, units: readonly bigint[]) {
  const payers: PrivateKeyAccount[] = [];
  for (const amount of units) payers.push(await world.newPayer(amount));
  return Promise.all(
    payers.map(async (payer) => ({ payer, attempt: attemptOf(await world.sign(cashier, payer), payer.address) })),
  );
}

async function serveAll(admissions: readonly Admission[]): Promise<string[]> {
  return Promise.all(
    admissions.map(async (admission) => {
      if (admission.kind !== 'serve') return admission.kind === 'refuse' ? admission.code : admission.kind;
      await admission.complete(answerTo('x'));
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
    const { cashier, close } = await open(await maker.newPlace());
    const rounds = 4;
    const payments = await newPayments(
      cashier,
      Array.from({ length: 50 }, () => BigInt(rounds) * price),
    );
    const before = await world.usdcOf(world.payTo);
    const nonce = await world.client.getTransactionCount(facilitator);
    proxy.delayMs = 50;
    proxy.requests.length = 0;
    const begun = performance.now();
    await Promise.all(
      payments.map(async ({ payer }) => {
        for (let round = 0; round < rounds; round += 1) {
          const payload = await world.sign(cashier, payer);
          expect(await serveAll([await cashier.admit(attemptOf(payload, `${round}`))])).toEqual(['served']);
        }
      }),
    );
    const seconds = (performance.now() - begun) / 1_000;
    const count = payments.length * rounds;
    const transactions = (await world.client.getTransactionCount(facilitator)) - nonce;
    // What looks whether the blocks stay is counted too.
    await world.rpc('anvil_mine', ['0x40']);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const requests = proxy.requests.length;
    const calls = proxy.requests.reduce((sum, request) => sum + request.calls.length, 0);
    console.info(
      `${kind}: ${(count / seconds).toFixed(0)} payments/s, ${transactions} transactions, ${(requests / count).toFixed(2)} requests and ${(calls / count).toFixed(2)} calls a payment`,
    );
    expect(await world.usdcOf(world.payTo)).toBe(before + BigInt(count) * price);
    expect(transactions).toBeLessThanOrEqual(count / 5);
    expect(requests).toBeLessThanOrEqual(3 * count);
    await close();
    await maker.close();
  },
);

test('a payer without balance is refused alone, and the nine others of its group are charged once', async () => {
  const { cashier, close } = await open();
  const payments = await newPayments(
    cashier,
    Array.from({ length: 10 }, (_, index) => (index === 4 ? 0n : price)),
  );
  proxy.requests.length = 0;
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => cashier.admit(attempt))));
  expect(outcomes).toEqual(payments.map((_, index) => (index === 4 ? 'PAYMENT_REQUIRED' : 'served')));
  expect(broadcasts()).toHaveLength(1);
  for (const { payer } of payments) expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('a payer who is drained after the simulation fails alone', async () => {
  const { cashier, close } = await open();
  const payments = await newPayments(
    cashier,
    Array.from({ length: 10 }, () => price),
  );
  const drained = payments[3]?.payer as PrivateKeyAccount;
  // The wallet's other authorization reaches the token before the group.
  const other = await world.sign(cashier, drained);
  let isDrained: Promise<void> | undefined;
  interceptBroadcast(() => {
    isDrained ??= world.submitElsewhere(other);
    return isDrained;
  });
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => cashier.admit(attempt))));
  expect(isDrained).toBeDefined();
  expect(outcomes).toEqual(payments.map((_, index) => (index === 3 ? 'PAYMENT_REQUIRED' : 'served')));
  for (const { payer } of payments) expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('a first member that is left out for its code leaves enough gas for the others', async () => {
  const { cashier, close } = await open();
  const payments = await newPayments(
    cashier,
    Array.from({ length: 10 }, () => price),
  );
  const [first, ...others] = payments;
  // Accepts at gas price 0, as in a simulation, and rejects otherwise.
  const code = '0x3a601257631626ba7e60e01b5f5260205ff35b5f5ffd';
  await world.rpc('anvil_setCode', [first?.payer.address, code]);
  const since = await world.client.getTransactionCount(facilitator);
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => cashier.admit(attempt))));
  expect(outcomes).toEqual(payments.map((_, index) => (index === 0 ? 'PAYMENT_REQUIRED' : 'served')));
  for (const { payer } of others) expect(await world.usdcOf(payer.address)).toBe(0n);
  expect((await world.client.getTransactionCount(facilitator)) - since).toBe(1);
  await close();
});

test('an authorization that failed on chain and then paid in a third party’s transaction buys its answer', async () => {
  const { cashier, close } = await open();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  const other = await world.sign(cashier, payer);
  let isDrained: Promise<void> | undefined;
  interceptBroadcast(() => {
    isDrained ??= world.submitElsewhere(other);
    return isDrained;
  });
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('refuse');
  await world.give(payer.address, price);
  await world.submitElsewhere(payload);
  expect(await serveAll([await cashier.admit(attemptOf(payload))])).toEqual(['served']);
  await close();
});

test('a database fault at a member that is left out rejects that member only', async () => {
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      ledger: { ...config.ledger, takeGas: () => Promise.reject(new Error('no database')) },
    }),
  });
  const payments = await newPayments(cashier, [price, price, price]);
  await world.rpc('anvil_setCode', [payments[0]?.payer.address, '0x631626ba7e60e01b5f5260205ff3']);
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  proxy.delayMs = 50;
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => cashier.admit(attempt))));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect(outcomes.slice(1)).toEqual(['served', 'served']);
  await close();
});

/** Runs `first` before the first broadcast passes; later ones, and what else there is, pass. */
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
    // Sent again until the work is done.
    return { kind: 'drop' };
  };
}

test('of a group of ten, one payer delegates to code that burns gas (EIP-7702): nine are served, charged once', async () => {
  const { cashier, close } = await open();
  const payments = await newPayments(
    cashier,
    Array.from({ length: 10 }, () => price),
  );
  const attacker = payments[6]?.payer as PrivateKeyAccount;
  const code = `0x${'cc'.repeat(20)}` as const;
  await world.rpc('anvil_setCode', [code, '0x5b5f56']);
  const sender = createWalletClient({
    account: privateKeyToAccount(world.walletOf('demo').privateKey),
    transport: http(world.chain.rpcUrl),
    chain: { ...base, id: world.chain.chainId },
  });
  let attackGas = 0n;
  interceptBroadcast(async () => {
    const authorization = await attacker.signAuthorization({ address: code, chainId: world.chain.chainId, nonce: 0 });
    const hash = await sender.sendTransaction({ to: sender.account.address, authorizationList: [authorization] });
    attackGas = (await world.client.waitForTransactionReceipt({ hash })).gasUsed;
  });
  const since = await world.client.getTransactionCount(facilitator);
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => cashier.admit(attempt))));
  expect(attackGas).toBeGreaterThan(0n);
  expect(outcomes.filter((outcome) => outcome === 'served')).toHaveLength(9);
  expect(outcomes[6]).toBe('PAYMENT_REQUIRED');
  for (const [index, { payer }] of payments.entries()) {
    expect(await world.usdcOf(payer.address)).toBe(index === 6 ? price : 0n);
  }
  // The attacker's payment failed in the group and was not sent again: its wallet rejects it in the simulation.
  expect((await world.client.getTransactionCount(facilitator)) - since).toBe(1);
  await close();
});

/** The gas of all that the facilitator sent since, and how many payments it settled. */
async function spentSince(first: number): Promise<{ gas: bigint; paid: number }> {
  let [gas, paid] = [0n, 0];
  const topic = toEventSelector('AuthorizationUsed(address,bytes32)');
  for (let number = BigInt(first) + 1n; number <= (await world.client.getBlockNumber()); number += 1n) {
    const { transactions } = await world.client.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { hash, from } of transactions) {
      if (from.toLowerCase() !== facilitator.address.toLowerCase()) continue;
      const receipt = await world.client.getTransactionReceipt({ hash });
      gas += receipt.gasUsed;
      paid += receipt.logs.filter(({ topics }) => topics[0] === topic).length;
    }
  }
  return { gas, paid };
}

test('a wallet that kills its own twenty payments burns the gas of one and a shared budget', async () => {
  const usdPerHour = 0.003;
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, contractWalletGasUsdPerHour: usdPerHour }),
  });
  const attacker = await world.newPayer(20n * price);
  const signed = await Promise.all(Array.from({ length: 20 }, () => world.sign(cashier, attacker)));
  const code = `0x${'cd'.repeat(20)}` as const;
  await world.rpc('anvil_setCode', [code, '0x5b5f56']);
  const sender = createWalletClient({
    account: privateKeyToAccount(world.walletOf('demo').privateKey),
    transport: http(world.chain.rpcUrl),
    chain: { ...base, id: world.chain.chainId },
  });
  interceptBroadcast(async () => {
    const authorization = await attacker.signAuthorization({ address: code, chainId: world.chain.chainId, nonce: 0 });
    const hash = await sender.sendTransaction({ to: sender.account.address, authorizationList: [authorization] });
    await world.client.waitForTransactionReceipt({ hash });
  });
  const since = Number(await world.client.getBlockNumber());
  const outcomes = await serveAll(await Promise.all(signed.map((payload) => cashier.admit(attemptOf(payload)))));
  expect(outcomes).not.toContain('served');
  const { gas, paid } = await spentSince(since);
  expect(paid).toBe(0);
  expect(gas).toBeLessThan(300_000n);
  await close();
});

test('twenty payments of one honest wallet are all served and leave the budget as it was', async () => {
  const taken: number[] = [];
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        takeGas: (budget, amount) => {
          taken.push(amount);
          return config.ledger.takeGas(budget, amount);
        },
        returnGas: (budget, amount) => {
          taken.push(-amount);
          return config.ledger.returnGas(budget, amount);
        },
      },
    }),
  });
  const payer = await world.newPayer(20n * price);
  const signed = await Promise.all(Array.from({ length: 20 }, () => world.sign(cashier, payer)));
  const outcomes = await serveAll(await Promise.all(signed.map((payload) => cashier.admit(attemptOf(payload)))));
  expect(outcomes).toEqual(signed.map(() => 'served'));
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(0);
  await close();
});

test('a lone payment is a plain transfer and is sent at once', async () => {
  const { cashier, close } = await open();
  const [payment] = await newPayments(cashier, [price]);
  proxy.requests.length = 0;
  expect(await serveAll([await cashier.admit(payment?.attempt as never)])).toEqual(['served']);
  expect(broadcasts().map(({ to }) => to?.toLowerCase())).toEqual([world.chain.usdc.toLowerCase()]);
  await close();
});

test('a node without eth_sendRawTransactionSync is asked for it once', async () => {
  const { cashier, close } = await open();
  const rounds = await newPayments(cashier, [price, price, price]);
  proxy.requests.length = 0;
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_sendRawTransactionSync')
      ? {
          kind: 'rewrite',
          reply: () =>
            '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"the method eth_sendRawTransactionSync does not exist"}}',
        }
      : undefined;
  for (const { attempt } of rounds) expect(await serveAll([await cashier.admit(attempt)])).toEqual(['served']);
  const methods = proxy.requests.flatMap(({ calls }) => calls.map(({ method }) => method));
  expect(methods.filter((method) => method === 'eth_sendRawTransactionSync')).toHaveLength(1);
  expect(methods.filter((method) => method === 'eth_sendRawTransaction')).toHaveLength(3);
  await close();
});

const twoReplicas = async (change: (calls: { method: string }[]) => ReturnType<RpcProxy['fault']>) => {
  const maker = await openDatabaseMaker('postgres');
  const place = await maker.newPlace();
  const sickNode = await startRpcProxy(world.chain.rpcUrl);
  const sick = await world.openCashier({ ...place, rpcUrl: sickNode.url });
  const healthy = await open(place);
  sickNode.fault = (calls) => change(calls);
  return {
    sick,
    healthy,
    async close() {
      sickNode.fault = () => undefined;
      await Promise.all([sick.close(), healthy.close()]);
      await sickNode.close();
      await maker.close();
    },
  };
};

test.each([
  ['counting transactions', ({ method }: { method: string }) => method === 'eth_getTransactionCount'],
  ['broadcasting', isBroadcast],
])(
  'postgres: a replica whose node hangs on %s delays no payment of another replica',
  { timeout: 60_000 },
  async (_what, hangsOn) => {
    const { sick, healthy, close } = await twoReplicas((calls) => (calls.some(hangsOn) ? { kind: 'hang' } : undefined));
    const [stuck, ...others] = await newPayments(
      healthy.cashier,
      Array.from({ length: 21 }, () => price),
    );
    const held = sick.cashier.admit(stuck?.attempt as never).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const begun = performance.now();
    const outcomes = await serveAll(await Promise.all(others.map(({ attempt }) => healthy.cashier.admit(attempt))));
    expect(outcomes).toEqual(others.map(() => 'served'));
    console.info(`the other replica's 20 payments took ${Math.round(performance.now() - begun)} ms`);
    expect(performance.now() - begun).toBeLessThan(10_000);
    await close();
    await held;
  },
);

test.each([
  ['is not served before its block is in latest', [], 'waits'],
  ['is served at once where preconfirmations count', ['eip155:8453'], 'served'],
])('a payment with a preconfirmed receipt %s', async (_what, preconfirmedNetworks, expected) => {
  let isPreconfirmed = true;
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, preconfirmedNetworks }),
  });
  const [payment] = await newPayments(cashier, [price]);
  const sealed = await world.client.getBlockNumber();
  // The node has the receipt, and its latest block is the one before.
  const head = rewriting(({ method }, result) =>
    method === 'eth_blockNumber' && isPreconfirmed ? `0x${sealed.toString(16)}` : result,
  );
  proxy.fault = (calls) => (calls.some(({ method }) => method === 'eth_blockNumber') ? head : undefined);
  const admitting = cashier.admit(payment?.attempt as never);
  const first = await Promise.race([admitting, new Promise<'waits'>((resolve) => setTimeout(resolve, 1_500, 'waits'))]);
  expect(first === 'waits' ? first : (await serveAll([first]))[0]).toBe(expected);
  isPreconfirmed = false;
  expect(['serve', 'replay']).toContain((await admitting).kind);
  await close();
});
