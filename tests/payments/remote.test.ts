import { inspect } from 'node:util';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
} from '@x402/core/http';
import { toHex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, startRpcProxy } from '../../sandbox/rpcProxy.ts';
import type { Admission, CashierConfig, CashierTimings, PaymentNetwork } from '../../server/payments/index.ts';
import { PaymentNetworkMismatchError } from '../../server/payments/index.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';
import {
  evmEngine,
  type Misdeed,
  type Path,
  type StrangerFacilitator,
  startStrangerFacilitator,
} from './strangerFacilitator.ts';

// The published facilitator behind HTTP, as the one that settles; the chain's balances are the judge.

let world: PayWorld;
let stranger: StrangerFacilitator;
let engine: ReturnType<typeof evmEngine>;

beforeAll(async () => {
  world = await openPayWorld();
  engine = evmEngine('eip155:8453', world.chain.rpcUrl, world.walletOf('facilitator').privateKey);
  stranger = await startStrangerFacilitator(engine);
});
afterEach(() => {
  stranger.misdeed = () => undefined;
  stranger.requests.length = 0;
});
afterAll(async () => {
  await stranger?.close();
  await world?.close();
});

const key = 'Bearer SECRET-KEY-OF-OURS';

function remotely(config: CashierConfig, url = stranger.url, timings: Partial<CashierTimings> = {}): CashierConfig {
  const remote = { url, headers: { authorization: key } };
  return {
    ...config,
    networks: config.networks.map((network) => ({ ...network, facilitatorKey: undefined, remote }) as PaymentNetwork),
    timings: { ...config.timings, facilitatorTimeoutMs: 3_000, facilitatorSettleTimeoutMs: 400, ...timings },
  };
}
const open = (options: { file?: string; url?: string; timings?: Partial<CashierTimings> } = {}) =>
  world.openCashier({
    ...(options.file && { file: options.file }),
    change: (config) => remotely(config, options.url, options.timings),
  });

/** The first request there meets it, and only that one. */
function once(path: Path, misdeed: Misdeed): void {
  let met = 0;
  stranger.misdeed = (asked) => (asked === path && met++ === 0 ? misdeed : undefined);
}
const always = (path: Path, misdeed: Misdeed): void => {
  stranger.misdeed = (asked) => (asked === path ? misdeed : undefined);
};
const expectNoSecret = (told: unknown): void => {
  expect(inspect(told, { depth: 12 })).not.toMatch(new RegExp(`SECRET|${new URL(stranger.url).host}|at .*\\.ts`));
};

test('default: verified, settled, answered and replayed; the facilitator is given our credentials', async () => {
  const { cashier, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  stranger.requests.length = 0;

  const admission = await cashier.admit(attempt);
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('remote'));

  expect(cashier.gas()).toEqual({ 'eip155:8453': 'elsewhere' });
  expect(stranger.requests.map(({ path }) => path)).toEqual(['/verify', '/settle']);
  expect(stranger.requests.every(({ headers }) => headers.authorization === key)).toBe(true);
  expect(decodePaymentResponseHeader(admission.paymentResponse)).toMatchObject({ success: true, payer: payer.address });
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('remote') });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a slow facilitator is waited for', async () => {
  const { cashier, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await world.newPayer(price);
  always('/settle', { kind: 'slow', ms: 900 });
  expect((await cashier.admit(attemptOf(await world.sign(cashier, payer)))).kind).toBe('serve');
  expect(stranger.requests.filter(({ path }) => path === '/settle')).toHaveLength(1);
  await close();
});

const wrongPayer = '0x000000000000000000000000000000000000dEaD';
const falseSuccess = {
  success: true,
  transaction: `0x${'ab'.repeat(32)}`,
  network: 'eip155:8453',
  payer: wrongPayer,
};

test.each<[string, Misdeed]>([
  ['is cut off', { kind: 'drop' }],
  ['hangs', { kind: 'hang' }],
  ['answers a web page', { kind: 'html' }],
  ['answers 401', { kind: 'say', status: 401, body: { error: 'SECRET' } }],
  ['answers another payer', { kind: 'say', body: { isValid: true, payer: wrongPayer } }],
  [
    'blames the signature, because its node is down',
    { kind: 'say', body: { isValid: false, invalidReason: 'invalid_exact_evm_signature' } },
  ],
])(
  'error: UPSTREAM_UNAVAILABLE, uncharged, when verifying %s; afterwards the same payment is served',
  async (_name, misdeed) => {
    const { cashier, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
    const payer = await world.newPayer(3n * price);
    const attempt = attemptOf(await world.sign(cashier, payer));
    always('/verify', misdeed);
    const admission = await cashier.admit(attempt);
    expect(admission).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE', headers: { 'Retry-After': '5' } });
    expectNoSecret(admission);
    expect(stranger.requests.some(({ path }) => path === '/settle')).toBe(false);
    expect(await world.usdcOf(payer.address)).toBe(3n * price);
    stranger.misdeed = () => undefined;
    expect((await cashier.admit(attempt)).kind).toBe('serve');
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  },
);

test('error: UPSTREAM_UNAVAILABLE, uncharged, while the facilitator is gone', async () => {
  const gone = await startStrangerFacilitator(evmEngine('eip155:8453', world.chain.rpcUrl, `0x${'77'.repeat(32)}`));
  await gone.close();
  const { cashier, close } = await open({ url: gone.url });
  const payer = await world.newPayer(price);
  const admission = await cashier.admit(attemptOf(await world.sign(cashier, payer)));
  expect(admission).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await world.usdcOf(payer.address)).toBe(price);
  await close();
});

test.each<[string, Misdeed]>([
  ['settles, and the reply is lost', { kind: 'drop', after: true }],
  ['settles, and hangs', { kind: 'hang', after: true }],
  ['settles, and answers a web page', { kind: 'html', after: true }],
  ['settles, and tells of another payer', { kind: 'say', after: true, body: falseSuccess }],
  [
    'settles, and says that it failed',
    {
      kind: 'say',
      after: true,
      body: { success: false, errorReason: 'transaction_failed', transaction: '', network: 'eip155:8453' },
    },
  ],
  [
    'settles, and says that the nonce is used',
    {
      kind: 'say',
      after: true,
      body: {
        success: false,
        errorReason: 'invalid_exact_evm_nonce_already_used',
        transaction: '',
        network: 'eip155:8453',
      },
    },
  ],
  // One that is asked by two of its own finds the purse empty that it has just emptied.
  [
    'settles, and says that the purse is empty',
    { kind: 'say', after: true, body: { success: false, errorReason: 'insufficient_funds', transaction: '' } },
  ],
  ['does not settle, and cuts off', { kind: 'drop' }],
  ['does not settle, and hangs', { kind: 'hang' }],
  ['does not settle, and answers a web page', { kind: 'html' }],
  ['does not settle, and tells of another payer', { kind: 'say', body: falseSuccess }],
  ['does not settle, and tells of another network', { kind: 'say', body: { ...falseSuccess, network: 'eip155:1' } }],
])('behavior: a facilitator that %s: the chain decides, one charge, one answer', async (_name, misdeed) => {
  const { cashier, close } = await open({ timings: { facilitatorSettleTimeoutMs: 1_500 } });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  once('/settle', misdeed);
  const admission = await cashier.admit(attempt);
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('chain'));
  const { transaction } = decodePaymentResponseHeader(admission.paymentResponse);
  expect(transaction).not.toBe(falseSuccess.transaction);
  expect((await world.client.getTransactionReceipt({ hash: transaction as `0x${string}` })).status).toBe('success');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay' });
  await close();
});

test('error: SETTLEMENT_UNKNOWN while a facilitator claims what the chain does not show; never 402', async () => {
  const { cashier, close } = await open({ timings: { settleDeadlineMs: 600, facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  always('/settle', { kind: 'say', body: falseSuccess });
  for (let index = 0; index < 2; index += 1) {
    const admission = await cashier.admit(attempt);
    expect(admission).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
    expectNoSecret(admission);
  }
  expect(await world.usdcOf(payer.address)).toBe(3n * price);
  stranger.misdeed = () => undefined;
  let admission: Admission = await cashier.admit(attempt);
  while (admission.kind === 'refuse') {
    expect(admission.code).toBe('SETTLEMENT_UNKNOWN');
    admission = await cashier.admit(attempt);
  }
  expect(admission.kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a wallet too poor is refused with the facilitator’s reason, and served when it is funded', async () => {
  const { cashier, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await world.newPayer(price - 1n);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const admission = await cashier.admit(attempt);
  if (admission.kind !== 'refuse') throw new Error(admission.kind);
  expect(admission.status).toBe(402);
  expect(decodePaymentRequiredHeader(admission.headers['PAYMENT-REQUIRED'] ?? '').error).toMatch(/^invalid_exact_evm_/);
  await world.give(payer.address, 1n);
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: a refusal while settling is a refusal; the same payment can be tried again', async () => {
  const { cashier, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const errorReason = 'invalid_exact_evm_insufficient_balance';
  const errorMessage = 'https://rpc.example/SECRET';
  once('/settle', {
    kind: 'say',
    body: { success: false, errorReason, errorMessage, transaction: '', network: 'eip155:8453' },
  });
  const admission = await cashier.admit(attempt);
  expect(admission).toMatchObject({ status: 402, code: 'PAYMENT_REQUIRED' });
  expectNoSecret(admission);
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: refused on the way, and paid all the same: the same payment is served, not sent away to sign anew', async () => {
  const { cashier, ledger, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const attempt = attemptOf(await world.sign(cashier, await world.newPayer(price)));
  once('/settle', { kind: 'say', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await cashier.admit(attempt)).toMatchObject({ status: 402 });
  // It comes to the chain by another way, and a facilitator that looks now finds it used.
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await engine.settle(payload, payload.accepted)).toMatchObject({ success: true });
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await ledger.takeOverUnfinished()).toEqual([]);
  await close();
});

test('behavior: refused on the way, paid all the same, and long ago by now: who verifies without asking the token charges nobody for nothing', async () => {
  const { cashier, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  once('/settle', { kind: 'say', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await cashier.admit(attempt)).toMatchObject({ status: 402 });
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await engine.settle(payload, payload.accepted)).toMatchObject({ success: true });
  await world.rpc('anvil_mine', ['0x50']);
  always('/verify', { kind: 'say', body: { isValid: true, payer: payer.address } });
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: refused on the way, and paid all the same: a key of ours that settles there now honours it', async () => {
  const file = world.newLedgerFile();
  const first = await open({ file, timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await world.newPayer(2n * price);
  const attempt = attemptOf(await world.sign(first.cashier, payer));
  once('/settle', { kind: 'say', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await first.cashier.admit(attempt)).toMatchObject({ status: 402 });
  await first.close();
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await engine.settle(payload, payload.accepted)).toMatchObject({ success: true });
  const second = await world.openCashier({ file });
  expect((await second.cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(price);
  await second.close();
});

test('behavior: refused on the way, and paid later: the books find out by themselves, and the credit is honoured', async () => {
  const { cashier, ledger, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000, lookAroundMs: 50 } });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const stateOf = async () =>
    (await ledger.load(`eip155:8453|${world.chain.usdc}|${payer.address}|${nonce}`.toLowerCase()))?.state;
  once('/settle', { kind: 'say', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await cashier.admit(attempt)).toMatchObject({ status: 402 });
  expect(await stateOf()).toBe('refused');
  expect(await engine.settle(payload, payload.accepted)).toMatchObject({ success: true });
  // The pause between two looks grows with the age of the payment, here some 2 s.
  await expect.poll(stateOf, { timeout: 20_000 }).toBe('settled');
  stranger.requests.length = 0;
  const admission = await cashier.admit(attempt);
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('after all'));
  expect(stranger.requests).toEqual([]);
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a facilitator that settled and finds the purse empty is not believed while our own node lags', async () => {
  const proxy = await startRpcProxy(world.chain.rpcUrl);
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => remotely(config, undefined, { facilitatorSettleTimeoutMs: 10_000 }),
  });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const height = toHex(await world.client.getBlockNumber());
  once('/settle', {
    kind: 'say',
    after: true,
    body: { success: false, errorReason: 'insufficient_funds', transaction: '' },
  });
  let behind = 2;
  const asksHead = ({ method, params }: ProxiedCall) => method === 'eth_getBlockByNumber' && params[0] === 'latest';
  proxy.fault = (calls) =>
    calls.some(asksHead) && stranger.requests.some(({ path }) => path === '/settle') && behind-- > 0
      ? {
          kind: 'alter',
          ask: (asked) => asked.map((call) => (asksHead(call) ? { ...call, params: [height, false] } : call)),
        }
      : undefined;
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
  await proxy.close();
});

test('behavior: a reason that is no code does not get into our headers', async () => {
  const { cashier, close } = await open();
  const payer = await world.newPayer(price);
  always('/verify', { kind: 'say', body: { isValid: false, invalidReason: 'https://rpc.example/SECRET\r\nX: y' } });
  const admission = await cashier.admit(attemptOf(await world.sign(cashier, payer)));
  if (admission.kind !== 'refuse') throw new Error(admission.kind);
  expect(decodePaymentRequiredHeader(admission.headers['PAYMENT-REQUIRED'] ?? '').error).toBe('facilitator_refused');
  await close();
});

test.each(['remote', 'embedded'] as const)(
  'behavior: a settlement that hung when the process ended is found out by the next one, which is %s',
  async (next) => {
    for (const after of [true, false]) {
      const file = world.newLedgerFile();
      const first = await open({
        file,
        timings: { settleDeadlineMs: 300, closeGraceMs: 10, facilitatorSettleTimeoutMs: 10_000 },
      });
      const payer = await world.newPayer(3n * price);
      const attempt = attemptOf(await world.sign(first.cashier, payer));
      always('/settle', { kind: 'hang', after });
      expect(await first.cashier.admit(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
      await first.close();
      stranger.misdeed = () => undefined;

      const second =
        next === 'remote'
          ? await open({ file, timings: { facilitatorSettleTimeoutMs: 10_000 } })
          : await world.openCashier({ file });
      expect((await second.cashier.admit(attempt)).kind).toBe('serve');
      expect(await world.usdcOf(payer.address)).toBe(2n * price);
      await second.close();
    }
  },
);

test('behavior: neither credentials nor the facilitator’s place stand in any log line', async () => {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(inspect(line, { depth: 12 }));
  const { cashier, close } = await world.openCashier({
    change: (config) => ({
      ...remotely(config, undefined, { settleDeadlineMs: 500, closeGraceMs: 10 }),
      logger: { info: write, warn: write, error: write },
    }),
  });
  const payload = await world.sign(cashier, await world.newPayer(price));
  for (const kind of ['drop', 'html', 'hang'] as const) {
    for (const path of ['/verify', '/settle'] as const) {
      always(path, { kind });
      await cashier.admit(attemptOf(payload));
    }
  }
  await close();
  expect(lines.length).toBeGreaterThan(3);
  expectNoSecret(lines.join());
});

test('error: PaymentNetworkMismatchError for a facilitator that does not settle there', async () => {
  always('/supported', { kind: 'say', body: { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:1' }] } });
  await expect(open()).rejects.toThrow(PaymentNetworkMismatchError);
});

// Last: whose transactions the chain has forgotten counts its nonces wrong from then on.
test('behavior: a settlement of the facilitator that the chain drops is asked for again, also by the next process', async () => {
  const spare = world.walletOf('stranger');
  await world.rpc('anvil_setBalance', [spare.address, toHex(10n ** 18n)]);
  const facilitators = [engine, evmEngine('eip155:8453', world.chain.rpcUrl, spare.privateKey)];
  const relay = await startStrangerFacilitator({
    getSupported: () => engine.getSupported(),
    verify: (...asked: Parameters<typeof engine.verify>) => facilitators[0]?.verify(...asked),
    settle: (...asked: Parameters<typeof engine.settle>) => facilitators[0]?.settle(...asked),
  } as typeof engine);
  const file = world.newLedgerFile();
  const timings = { facilitatorSettleTimeoutMs: 10_000, recheckMs: 50 };
  const first = await open({ file, url: relay.url, timings });
  const payer = await world.newPayer(2n * price);
  // The blocks that are to be dropped hold nothing but the payment.
  await world.rpc('anvil_mine', ['0x2']);
  const admission = await first.cashier.admit(attemptOf(await world.sign(first.cashier, payer)));
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('served'));
  await first.close();
  expect(await world.usdcOf(payer.address)).toBe(price);

  await world.rpc('anvil_reorg', [1, []]);
  await world.rpc('anvil_dropAllTransactions');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  facilitators.shift();
  const second = await open({ file, url: relay.url, timings });
  // Counted from the first head that it sees.
  const mining = setInterval(() => void world.rpc('anvil_mine', ['0x1']), 50);
  await expect.poll(() => world.usdcOf(payer.address), { timeout: 10_000 }).toBe(price);
  clearInterval(mining);
  await second.close();
  await relay.close();
});
