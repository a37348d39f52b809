import { inspect } from 'node:util';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
} from '@x402/core/http';
import { toHex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ProxiedCall, startRpcProxy } from '../../sandbox/rpcProxy.ts';
import type {
  PaymentConfig,
  PaymentDecision,
  PaymentNetworkConfig,
  PaymentTimings,
} from '../../server/payments/index.ts';
import { PaymentNetworkMismatchError } from '../../server/payments/index.ts';
import {
  evmEngine,
  type FacilitatorFault,
  type FacilitatorServer,
  type Path,
  startFacilitatorServer,
} from './facilitatorServer.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

// Settlement through the published facilitator over HTTP, checked by balances on chain.

let fixture: PaymentFixture;
let facilitator: FacilitatorServer;
let engine: ReturnType<typeof evmEngine>;

beforeAll(async () => {
  fixture = await openPaymentFixture();
  engine = evmEngine('eip155:8453', fixture.chain.rpcUrl, fixture.walletOf('facilitator').privateKey);
  facilitator = await startFacilitatorServer(engine);
});
afterEach(() => {
  facilitator.fault = () => undefined;
  facilitator.requests.length = 0;
});
afterAll(async () => {
  await facilitator?.close();
  await fixture?.close();
});

const key = 'Bearer SECRET-KEY-OF-OURS';

function remotely(config: PaymentConfig, url = facilitator.url, timings: Partial<PaymentTimings> = {}): PaymentConfig {
  const remote = { url, headers: { authorization: key } };
  return {
    ...config,
    networks: config.networks.map(
      (network) => ({ ...network, facilitatorKey: undefined, remote }) as PaymentNetworkConfig,
    ),
    timings: { ...config.timings, facilitatorTimeoutMs: 3_000, facilitatorSettleTimeoutMs: 400, ...timings },
  };
}
const open = (options: { file?: string; url?: string; timings?: Partial<PaymentTimings> } = {}) =>
  fixture.openPaymentService({
    ...(options.file && { file: options.file }),
    change: (config) => remotely(config, options.url, options.timings),
  });

/** Injects the fault into the first request to this path. */
function once(path: Path, fault: FacilitatorFault): void {
  let met = 0;
  facilitator.fault = (asked) => (asked === path && met++ === 0 ? fault : undefined);
}
const always = (path: Path, fault: FacilitatorFault): void => {
  facilitator.fault = (asked) => (asked === path ? fault : undefined);
};
const expectNoSecret = (value: unknown): void => {
  expect(inspect(value, { depth: 12 })).not.toMatch(new RegExp(`SECRET|${new URL(facilitator.url).host}|at .*\\.ts`));
};

test('default: verifies, settles, serves and replays; requests carry our credentials', async () => {
  const { paymentService, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  facilitator.requests.length = 0;

  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('remote'));

  expect(paymentService.gas()).toEqual({ 'eip155:8453': 'elsewhere' });
  expect(facilitator.requests.map(({ path }) => path)).toEqual(['/verify', '/settle']);
  expect(facilitator.requests.every(({ headers }) => headers.authorization === key)).toBe(true);
  expect(decodePaymentResponseHeader(decision.paymentResponse)).toMatchObject({ success: true, payer: payer.address });
  expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('remote') });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: waits for a slow facilitator', async () => {
  const { paymentService, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await fixture.newPayer(price);
  always('/settle', { kind: 'slow', ms: 900 });
  expect((await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer)))).kind).toBe('serve');
  expect(facilitator.requests.filter(({ path }) => path === '/settle')).toHaveLength(1);
  await close();
});

const wrongPayer = '0x000000000000000000000000000000000000dEaD';
const falseSuccess = {
  success: true,
  transaction: `0x${'ab'.repeat(32)}`,
  network: 'eip155:8453',
  payer: wrongPayer,
};

test.each<[string, FacilitatorFault]>([
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
  async (_name, fault) => {
    const { paymentService, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
    const payer = await fixture.newPayer(3n * price);
    const attempt = attemptOf(await fixture.sign(paymentService, payer));
    always('/verify', fault);
    const decision = await paymentService.decide(attempt);
    expect(decision).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE', headers: { 'Retry-After': '5' } });
    expectNoSecret(decision);
    expect(facilitator.requests.some(({ path }) => path === '/settle')).toBe(false);
    expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
    facilitator.fault = () => undefined;
    expect((await paymentService.decide(attempt)).kind).toBe('serve');
    expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  },
);

test('error: UPSTREAM_UNAVAILABLE, uncharged, while the facilitator is unreachable', async () => {
  const gone = await startFacilitatorServer(evmEngine('eip155:8453', fixture.chain.rpcUrl, `0x${'77'.repeat(32)}`));
  await gone.close();
  const { paymentService, close } = await open({ url: gone.url });
  const payer = await fixture.newPayer(price);
  const decision = await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer)));
  expect(decision).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test.each<[string, FacilitatorFault]>([
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
  // A facilitator that settles twice at once finds the wallet empty after its first transaction.
  [
    'settles, and reports an empty wallet',
    { kind: 'say', after: true, body: { success: false, errorReason: 'insufficient_funds', transaction: '' } },
  ],
  ['does not settle, and cuts off', { kind: 'drop' }],
  ['does not settle, and hangs', { kind: 'hang' }],
  ['does not settle, and answers a web page', { kind: 'html' }],
  ['does not settle, and tells of another payer', { kind: 'say', body: falseSuccess }],
  ['does not settle, and tells of another network', { kind: 'say', body: { ...falseSuccess, network: 'eip155:1' } }],
])('behavior: a facilitator that %s: the chain decides, one charge, one answer', async (_name, fault) => {
  const { paymentService, close } = await open({ timings: { facilitatorSettleTimeoutMs: 1_500 } });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  once('/settle', fault);
  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('chain'));
  const { transaction } = decodePaymentResponseHeader(decision.paymentResponse);
  expect(transaction).not.toBe(falseSuccess.transaction);
  expect((await fixture.client.getTransactionReceipt({ hash: transaction as `0x${string}` })).status).toBe('success');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay' });
  await close();
});

test('error: SETTLEMENT_UNKNOWN, never 402, while the chain contradicts the facilitator', async () => {
  const { paymentService, close } = await open({
    timings: { settleDeadlineMs: 600, facilitatorSettleTimeoutMs: 10_000 },
  });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  always('/settle', { kind: 'say', body: falseSuccess });
  for (let index = 0; index < 2; index += 1) {
    const decision = await paymentService.decide(attempt);
    expect(decision).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
    expectNoSecret(decision);
  }
  expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
  facilitator.fault = () => undefined;
  let decision: PaymentDecision = await paymentService.decide(attempt);
  while (decision.kind === 'refuse') {
    expect(decision.code).toBe('SETTLEMENT_UNKNOWN');
    decision = await paymentService.decide(attempt);
  }
  expect(decision.kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: refuses an unfunded wallet with the facilitator’s reason, and serves it when funded', async () => {
  const { paymentService, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await fixture.newPayer(price - 1n);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'refuse') throw new Error(decision.kind);
  expect(decision.status).toBe(402);
  expect(decodePaymentRequiredHeader(decision.headers['PAYMENT-REQUIRED'] ?? '').error).toMatch(/^invalid_exact_evm_/);
  await fixture.give(payer.address, 1n);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: a refusal of the settle request refuses the payment; it can be tried again', async () => {
  const { paymentService, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const errorReason = 'invalid_exact_evm_insufficient_balance';
  const errorMessage = 'https://rpc.example/SECRET';
  once('/settle', {
    kind: 'say',
    body: { success: false, errorReason, errorMessage, transaction: '', network: 'eip155:8453' },
  });
  const decision = await paymentService.decide(attempt);
  expect(decision).toMatchObject({ status: 402, code: 'PAYMENT_REQUIRED' });
  expectNoSecret(decision);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a payment that was refused and paid later is served, not refused again', async () => {
  const { paymentService, ledger, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const attempt = attemptOf(await fixture.sign(paymentService, await fixture.newPayer(price)));
  once('/settle', { kind: 'say', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  // A third party submits it, so that the facilitator finds it used.
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await engine.settle(payload, payload.accepted)).toMatchObject({ success: true });
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await ledger.takeOverUnfinished()).toEqual([]);
  await close();
});

test('behavior: a payment that was refused and paid long ago is served when the facilitator verifies without reading the token', async () => {
  const { paymentService, close } = await open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  once('/settle', { kind: 'say', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await engine.settle(payload, payload.accepted)).toMatchObject({ success: true });
  await fixture.rpc('anvil_mine', ['0x50']);
  always('/verify', { kind: 'say', body: { isValid: true, payer: payer.address } });
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: a payment that a remote facilitator refused and settled later is honoured by our own key', async () => {
  const file = fixture.newLedgerFile();
  const first = await open({ file, timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await fixture.newPayer(2n * price);
  const attempt = attemptOf(await fixture.sign(first.paymentService, payer));
  once('/settle', { kind: 'say', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await first.paymentService.decide(attempt)).toMatchObject({ status: 402 });
  await first.close();
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  expect(await engine.settle(payload, payload.accepted)).toMatchObject({ success: true });
  const second = await fixture.openPaymentService({ file });
  expect((await second.paymentService.decide(attempt)).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await second.close();
});

test('behavior: the recheck finds a payment that was refused and paid later, and its credit is honoured', async () => {
  const { paymentService, ledger, close } = await open({
    timings: { facilitatorSettleTimeoutMs: 10_000, reconcileMs: 50 },
  });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const payload = decodePaymentSignatureHeader(attempt.paymentHeader);
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const stateOf = async () =>
    (await ledger.load(`eip155:8453|${fixture.chain.usdc}|${payer.address}|${nonce}`.toLowerCase()))?.state;
  once('/settle', { kind: 'say', body: { success: false, errorReason: 'insufficient_funds' } });
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  expect(await stateOf()).toBe('refused');
  expect(await engine.settle(payload, payload.accepted)).toMatchObject({ success: true });
  // The pause between two checks grows with the age of the payment, here some 2 s.
  await expect.poll(stateOf).toBe('settled');
  facilitator.requests.length = 0;
  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('after all'));
  expect(facilitator.requests).toEqual([]);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a facilitator that settled and then reports an empty wallet is not believed while our node lags', async () => {
  const proxy = await startRpcProxy(fixture.chain.rpcUrl);
  const { paymentService, close } = await fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => remotely(config, undefined, { facilitatorSettleTimeoutMs: 10_000 }),
  });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const height = toHex(await fixture.client.getBlockNumber());
  once('/settle', {
    kind: 'say',
    after: true,
    body: { success: false, errorReason: 'insufficient_funds', transaction: '' },
  });
  let behind = 2;
  const asksHead = ({ method, params }: ProxiedCall) => method === 'eth_getBlockByNumber' && params[0] === 'latest';
  proxy.fault = (calls) =>
    calls.some(asksHead) && facilitator.requests.some(({ path }) => path === '/settle') && behind-- > 0
      ? {
          kind: 'alter',
          ask: (asked) => asked.map((call) => (asksHead(call) ? { ...call, params: [height, false] } : call)),
        }
      : undefined;
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
  await proxy.close();
});

test('behavior: a reason that is not a code does not reach our headers', async () => {
  const { paymentService, close } = await open();
  const payer = await fixture.newPayer(price);
  always('/verify', { kind: 'say', body: { isValid: false, invalidReason: 'https://rpc.example/SECRET\r\nX: y' } });
  const decision = await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer)));
  if (decision.kind !== 'refuse') throw new Error(decision.kind);
  expect(decodePaymentRequiredHeader(decision.headers['PAYMENT-REQUIRED'] ?? '').error).toBe('facilitator_refused');
  await close();
});

test.each(['remote', 'embedded'] as const)(
  'behavior: the next process, with %s settlement, recovers a settlement that hung when the last one stopped',
  async (next) => {
    for (const after of [true, false]) {
      const file = fixture.newLedgerFile();
      const first = await open({
        file,
        timings: { settleDeadlineMs: 300, closeGraceMs: 10, facilitatorSettleTimeoutMs: 10_000 },
      });
      const payer = await fixture.newPayer(3n * price);
      const attempt = attemptOf(await fixture.sign(first.paymentService, payer));
      always('/settle', { kind: 'hang', after });
      expect(await first.paymentService.decide(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
      await first.close();
      facilitator.fault = () => undefined;

      const second =
        next === 'remote'
          ? await open({ file, timings: { facilitatorSettleTimeoutMs: 10_000 } })
          : await fixture.openPaymentService({ file });
      expect((await second.paymentService.decide(attempt)).kind).toBe('serve');
      expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
      await second.close();
    }
  },
);

test('behavior: no log line contains the credentials or the facilitator’s URL', async () => {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(inspect(line, { depth: 12 }));
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...remotely(config, undefined, { settleDeadlineMs: 500, closeGraceMs: 10 }),
      logger: { info: write, warn: write, error: write },
    }),
  });
  for (const kind of ['drop', 'html', 'hang'] as const) {
    for (const path of ['/verify', '/settle'] as const) {
      // A new payment each time: one that is served here would make the next request wait for its answer.
      const attempt = attemptOf(await fixture.sign(paymentService, await fixture.newPayer(price)));
      always(path, { kind });
      expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'refuse', status: 503 });
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

// Last: the dropped transactions leave the facilitator's nonce count wrong.
test('behavior: requests again a remote settlement that the chain dropped, also after a restart', async () => {
  const spare = fixture.walletOf('facilitator');
  await fixture.rpc('anvil_setBalance', [spare.address, toHex(10n ** 18n)]);
  const facilitators = [engine, evmEngine('eip155:8453', fixture.chain.rpcUrl, spare.privateKey)];
  const relay = await startFacilitatorServer({
    getSupported: () => engine.getSupported(),
    verify: (...asked: Parameters<typeof engine.verify>) => facilitators[0]?.verify(...asked),
    settle: (...asked: Parameters<typeof engine.settle>) => facilitators[0]?.settle(...asked),
  } as typeof engine);
  const file = fixture.newLedgerFile();
  const timings = { facilitatorSettleTimeoutMs: 10_000, recheckMs: 50 };
  const first = await open({ file, url: relay.url, timings });
  const payer = await fixture.newPayer(2n * price);
  // The dropped blocks must contain only the payment.
  await fixture.rpc('anvil_mine', ['0x2']);
  const decision = await first.paymentService.decide(attemptOf(await fixture.sign(first.paymentService, payer)));
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('served'));
  await first.close();
  expect(await fixture.usdcOf(payer.address)).toBe(price);

  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  facilitators.shift();
  const second = await open({ file, url: relay.url, timings });
  // The depth counts from the first head that is read.
  const mining = setInterval(() => void fixture.rpc('anvil_mine', ['0x1']), 50);
  await expect.poll(() => fixture.usdcOf(payer.address)).toBe(price);
  clearInterval(mining);
  await second.close();
  await relay.close();
});
