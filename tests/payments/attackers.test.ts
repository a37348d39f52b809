import { type Address, type Hex, type PrivateKeyAccount, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentConfig, PaymentService } from '../../server/payments/index.ts';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { shareOf } from '../support/proofSize.ts';
import { attemptOf, type OpenOptions, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { acceptsAlways, acceptsAt, acceptsUntil, cloneOf } from './walletCodes.ts';

// Attackers who try to make the facilitator spend gas without paying. The chain's receipts are the judge.

let fixture: PaymentFixture;
let proxy: RpcProxy;
let facilitator: Address;

/** geth estimates on the latest block when the request names none; anvil takes the pending one. */
const estimateAtLatest: RpcProxy['fault'] = (calls) =>
  calls.some(({ method }) => method === 'eth_estimateGas')
    ? {
        kind: 'alter',
        ask: (asked) =>
          asked.map((call) =>
            call.method === 'eth_estimateGas'
              ? { ...call, params: [call.params[0], call.params[1] ?? 'latest'] }
              : call,
          ),
      }
    : undefined;

beforeAll(async () => {
  fixture = await openPaymentFixture();
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
  facilitator = fixture.walletOf('facilitator').address;
});
afterEach(async () => {
  await fixture.rpc('evm_setIntervalMining', [0]);
  await fixture.rpc('evm_setAutomine', [true]);
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.close();
});

const openPaymentService = (more: Partial<PaymentConfig> = {}, place: Pick<OpenOptions, 'file' | 'url'> = {}) => {
  proxy.fault = estimateAtLatest;
  return fixture.openPaymentService({
    ...place,
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      ...more,
      timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 60_000 },
    }),
  });
};

/** Number, gas and cost of the facilitator's transactions since a block. */
async function facilitatorSpending(
  since: bigint,
): Promise<{ paid: number; reverted: number; gas: bigint; wei: bigint }> {
  const latest = await fixture.client.getBlockNumber();
  const spent = { paid: 0, reverted: 0, gas: 0n, wei: 0n };
  for (let blockNumber = since + 1n; blockNumber <= latest; blockNumber += 1n) {
    const { transactions } = await fixture.client.getBlock({ blockNumber, includeTransactions: true });
    for (const { from, hash } of transactions) {
      if (from.toLowerCase() !== facilitator.toLowerCase()) continue;
      const receipt = await fixture.client.getTransactionReceipt({ hash });
      if (receipt.status === 'success') spent.paid += 1;
      else {
        spent.reverted += 1;
        spent.gas += receipt.gasUsed;
        spent.wei += receipt.gasUsed * receipt.effectiveGasPrice;
      }
    }
  }
  return spent;
}

const overdraft =
  'security: of 100 simultaneous payments of a wallet that can afford one, one pays and at most two revert';

test.each(databaseKinds)(`%s: ${overdraft}`, { timeout: 120_000 }, async (kind) => {
  const maker = await openDatabaseMaker(kind);
  const place = await maker.newPlace();
  // An embedded database serves one process; PostgreSQL is shared by two.
  const replicas = [await openPaymentService({}, place)];
  if (kind === 'postgres') replicas.push(await openPaymentService({}, place));
  const paymentServices = replicas.map(({ paymentService }) => paymentService);
  const [paymentService] = paymentServices as [PaymentService];
  const payer = await fixture.newPayer(price);
  const payloads = await Promise.all(Array.from({ length: 100 }, () => fixture.sign(paymentService, payer)));
  const since = await fixture.client.getBlockNumber();
  await fixture.rpc('evm_setAutomine', [false]);
  await fixture.rpc('evm_setIntervalMining', [2]);
  const decisions = await Promise.all(
    payloads.map((payload, index) =>
      (paymentServices[index % paymentServices.length] ?? paymentService).decide(
        attemptOf(payload, `{"size":"${index}"}`),
      ),
    ),
  );
  const served = decisions.filter(({ kind }) => kind === 'serve');
  expect(served).toHaveLength(1);
  const spent = await facilitatorSpending(since);
  expect(spent.paid).toBe(1);
  expect(spent.reverted).toBeLessThanOrEqual(2);
  for (const decision of decisions) {
    if (decision.kind !== 'refuse') continue;
    expect([402, 429]).toContain(decision.status);
    expect(decision.detail).toContain('Nothing was charged');
  }
  for (const { close } of replicas) await close();
  await maker.close();
});

test('error: a payment that the balance does not cover beside one in flight names the reserved amount', async () => {
  const { paymentService, close } = await openPaymentService();
  const payer = await fixture.newPayer(2n * price);
  const [first, second, third] = await Promise.all(
    Array.from({ length: 3 }, () => fixture.sign(paymentService, payer)),
  );
  const { decide } = paymentService;
  expect((await decide(attemptOf(first as never))).kind).toBe('serve');
  await fixture.rpc('evm_setAutomine', [false]);
  const pending = decide(attemptOf(second as never));
  await fixture.untilPending(1);
  expect(await decide(attemptOf(third as never))).toMatchObject({
    status: 402,
    detail: expect.stringMatching(/holds 0\.02 USDC .* have reserved 0\.02 USDC/),
  });
  await fixture.rpc('evm_setAutomine', [true]);
  await fixture.rpc('evm_mine');
  expect((await pending).kind).toBe('serve');
  await close();
});

test('behavior: a wallet that can afford all of its simultaneous payments is served for each', async () => {
  const { paymentService, close } = await openPaymentService();
  const payer = await fixture.newPayer(10n * price);
  const payloads = await Promise.all(Array.from({ length: 10 }, () => fixture.sign(paymentService, payer)));
  const decisions = await Promise.all(
    payloads.map((payload, index) => paymentService.decide(attemptOf(payload, `${index}`))),
  );
  expect(decisions.map(({ kind }) => kind)).toEqual(Array.from({ length: 10 }, () => 'serve'));
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('security: a wallet whose transfer fails on chain is paused, also after a restart; others are served', async () => {
  const file = fixture.newLedgerFile();
  const first = await openPaymentService({}, { file });
  const payer = await fixture.newPayer(5n * price);
  const payload = await fixture.sign(first.paymentService, payer);
  let cancelled: Promise<void> | undefined;
  let isCancelled = false;
  // The payer cancels after the simulation; the transaction is sent again until the node takes it.
  proxy.fault = (calls) => {
    if (!calls.some(({ method }) => method.startsWith('eth_sendRawTransaction'))) return estimateAtLatest(calls);
    cancelled ??= fixture.cancel(payer, payload).then(() => {
      isCancelled = true;
    });
    return isCancelled ? undefined : { kind: 'drop' };
  };
  const since = await fixture.client.getBlockNumber();
  expect(await first.paymentService.decide(attemptOf(payload))).toMatchObject({ status: 402 });
  await cancelled;
  expect(await facilitatorSpending(since)).toMatchObject({ reverted: 1, paid: 0 });

  const next = attemptOf(await fixture.sign(first.paymentService, payer));
  const paused = { status: 429, code: 'RATE_LIMITED', detail: expect.stringContaining('This request charged nothing') };
  const decision = await first.paymentService.decide(next);
  expect(decision).toMatchObject(paused);
  const wait = Number(decision.kind === 'refuse' && decision.headers['Retry-After']);
  expect(wait).toBeGreaterThan(50);
  expect(wait).toBeLessThanOrEqual(60);
  await first.close();

  const second = await openPaymentService({}, { file });
  expect(await second.paymentService.decide(next)).toMatchObject(paused);
  const other = await fixture.newPayer(price);
  expect((await second.paymentService.decide(attemptOf(await fixture.sign(second.paymentService, other)))).kind).toBe(
    'serve',
  );
  expect(await fixture.usdcOf(payer.address)).toBe(5n * price);
  await second.close();
});

/** Pays once from a new wallet with this code. */
async function payFrom(paymentService: PaymentService, code: Hex) {
  const wallet = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, wallet);
  await setCode(wallet.address, code);
  return { wallet, decision: await paymentService.decide(attemptOf(payload, `{"size":"${wallet.address}"}`)) };
}

type CodeOf = (wallets: readonly PrivateKeyAccount[], last: bigint) => Promise<void>;

const setCode = (address: Address, code: Hex) => fixture.rpc('anvil_setCode', [address, code]);

const attacks: Record<string, { wallets: number; arm: CodeOf }> = {
  'one wallet': {
    wallets: 1,
    arm: async ([wallet], last) => {
      if (wallet) await setCode(wallet.address, acceptsUntil(last));
    },
  },
  '60 clones': {
    wallets: 60,
    arm: async (wallets, last) => {
      const logic: Address = '0x00000000000000000000000000000000001271aa';
      await setCode(logic, acceptsUntil(last));
      for (const { address } of wallets) await setCode(address, cloneOf(logic));
    },
  },
  '60 different codes': {
    wallets: 60,
    arm: async (wallets, last) => {
      for (const [index, { address }] of wallets.entries()) await setCode(address, acceptsUntil(last, index + 1));
    },
  },
  '60 keys that delegate to a contract (EIP-7702)': {
    wallets: 60,
    arm: async (wallets, last) => {
      const logic: Address = '0x00000000000000000000000000000000001271ab';
      await setCode(logic, acceptsUntil(last));
      for (const { address } of wallets) await setCode(address, `0xef0100${logic.slice(2)}`);
    },
  },
};

test.each(shareOf(Object.keys(attacks), 2))(
  'security: 60 payments of contract wallets that accept only in the simulated block (%s) cost at most 300,000 gas',
  { timeout: 180_000 },
  async (name) => {
    const attack = attacks[name];
    if (!attack) throw new Error(`No attack ${name}.`);
    const { paymentService, close } = await openPaymentService();
    const wallets = await Promise.all(Array.from({ length: attack.wallets }, () => fixture.newPayer(price)));
    expect((await payFrom(paymentService, acceptsAlways)).decision.kind).toBe('serve');
    const since = await fixture.client.getBlockNumber();
    for (let index = 0; index < 60; index += 1) {
      const wallet = wallets[index % wallets.length] as PrivateKeyAccount;
      const payload = await fixture.sign(paymentService, wallet);
      await attack.arm(attack.wallets === 1 ? wallets : [wallet], await fixture.client.getBlockNumber());
      await paymentService.decide(attemptOf(payload, `{"size":"${index}"}`));
    }
    const spent = await facilitatorSpending(since);
    expect(spent).toMatchObject({ paid: 0 });
    expect(spent.gas).toBeLessThanOrEqual(300_000n);
    for (const { address } of wallets) expect(await fixture.usdcOf(address)).toBe(price);
    expect((await payFrom(paymentService, acceptsAlways)).decision.kind).toBe('serve');
    await close();
  },
);

test('security: contract wallets that pass every simulation cost at most the hourly budget; then all get 429', async () => {
  const usdPerHour = 0.1;
  const file = fixture.newLedgerFile();
  const first = await openPaymentService({ contractWalletGasUsdPerHour: usdPerHour }, { file });
  const since = await fixture.client.getBlockNumber();
  const statuses: unknown[] = [];
  for (let index = 0; index < 30; index += 1) {
    const wallet = await fixture.newPayer(price);
    const payload = await fixture.sign(first.paymentService, wallet);
    const { mixHash } = await fixture.client.getBlock();
    await setCode(wallet.address, acceptsAt(mixHash));
    const decision = await first.paymentService.decide(attemptOf(payload, `{"size":"${index}"}`));
    statuses.push(decision.kind === 'refuse' ? decision.status : decision.kind);
    expect(await fixture.usdcOf(wallet.address)).toBe(price);
  }
  const spent = await facilitatorSpending(since);
  expect(spent.reverted).toBeGreaterThan(0);
  expect(spent.paid).toBe(0);
  const [, answer] = (await fixture.client.readContract({
    address: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
    abi: parseAbi(['function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)']),
    functionName: 'latestRoundData',
  })) as readonly [bigint, bigint, bigint, bigint, bigint];
  expect((Number(spent.wei) / 1e18) * (Number(answer) / 1e8)).toBeLessThanOrEqual(usdPerHour);
  expect(statuses.slice(-10)).toEqual(Array.from({ length: 10 }, () => 429));
  await first.close();

  // The budget belongs to the class, in the database.
  const second = await openPaymentService({ contractWalletGasUsdPerHour: usdPerHour }, { file });
  const { decision } = await payFrom(second.paymentService, acceptsAlways);
  expect(decision).toMatchObject({ status: 429, detail: expect.stringContaining('This request charged nothing') });
  expect(Number(decision.kind === 'refuse' && decision.headers['Retry-After'])).toBeGreaterThan(0);
  const plain = await fixture.newPayer(price);
  expect((await second.paymentService.decide(attemptOf(await fixture.sign(second.paymentService, plain)))).kind).toBe(
    'serve',
  );
  await second.close();
});

test('behavior: every refusal is logged with code, reason, payer, network and request id, without the signature', async () => {
  const lines: { facts: Record<string, unknown>; message: string }[] = [];
  const logger = {
    info: (facts: object, message: string) => void lines.push({ facts: { ...facts }, message }),
    warn: () => undefined,
    error: () => undefined,
  };
  const { paymentService, close } = await openPaymentService({ logger });
  const payer = await fixture.newPayer(price - 1n);
  const payload = await fixture.sign(paymentService, payer);
  const attempt = { ...attemptOf(payload), requestId: 'request-1' };
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  expect(await paymentService.decide({ ...attempt, requestId: 'request-2', paymentHeader: 'garbage' })).toMatchObject({
    status: 400,
  });
  const refusals = lines.filter(({ message }) => message === 'Payment refused').map(({ facts }) => facts);
  expect(refusals).toEqual([
    {
      requestId: 'request-1',
      paid: 'quote',
      status: 402,
      code: 'PAYMENT_REQUIRED',
      reason: 'invalid_exact_evm_insufficient_balance',
      network: 'eip155:8453',
      payer: payer.address,
    },
    expect.objectContaining({
      requestId: 'request-2',
      status: 400,
      code: 'INVALID_REQUEST',
      reason: expect.any(String),
    }),
  ]);
  expect(JSON.stringify(lines)).not.toContain(String(payload.payload.signature).slice(2, 40));
  await close();
});
