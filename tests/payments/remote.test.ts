import { inspect } from 'node:util';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { expect, test } from 'vitest';
import type { PaymentDecision } from '../../server/payments/index.ts';
import { PaymentNetworkMismatchError } from '../../server/payments/index.ts';
import { createEvmFacilitator, type FacilitatorFault, startFacilitatorServer } from './facilitatorServer.ts';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { facilitatorKey, useRemoteFacilitator } from './useRemoteFacilitator.ts';

// Settlement through the published facilitator over HTTP. The tests assert on balances on chain.

const setup = useRemoteFacilitator();

test('default: verifies and settles through the facilitator with the configured credentials, serves and replays', async () => {
  const { paymentService, close } = await setup.open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.facilitator.requests.length = 0;

  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('remote'));

  expect(paymentService.gasLeft()).toMatchObject({ 'eip155:8453': { state: 'elsewhere' } });
  expect(setup.facilitator.requests.map(({ path }) => path)).toEqual(['/verify', '/settle']);
  expect(setup.facilitator.requests.every(({ headers }) => headers.authorization === facilitatorKey)).toBe(true);
  expect(decodePaymentResponseHeader(decision.paymentResponse)).toMatchObject({ success: true, payer: payer.address });
  expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('remote') });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: waits for a slow settlement without a second request', async () => {
  const { paymentService, close } = await setup.open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await setup.fixture.newPayer(price);
  setup.always('/settle', { kind: 'slow', ms: 900 });
  expect((await paymentService.decide(attemptOf(await setup.fixture.sign(paymentService, payer)))).kind).toBe('serve');
  expect(setup.facilitator.requests.filter(({ path }) => path === '/settle')).toHaveLength(1);
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
  ['loses the connection', { kind: 'drop' }],
  ['times out', { kind: 'hang' }],
  ['returns a web page', { kind: 'html' }],
  ['returns 401', { kind: 'respond', status: 401, body: { error: 'SECRET' } }],
  ['returns another payer', { kind: 'respond', body: { isValid: true, payer: wrongPayer } }],
  [
    'rejects the valid signature',
    { kind: 'respond', body: { isValid: false, invalidReason: 'invalid_exact_evm_signature' } },
  ],
])(
  'error: UPSTREAM_UNAVAILABLE, uncharged, when the verification %s; the same payment is served afterwards',
  async (_case, fault) => {
    const { paymentService, close } = await setup.open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
    const payer = await setup.fixture.newPayer(3n * price);
    const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
    setup.always('/verify', fault);
    const decision = await paymentService.decide(attempt);
    expect(decision).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE', headers: { 'Retry-After': '5' } });
    setup.expectNoSecret(decision);
    expect(setup.facilitator.requests.some(({ path }) => path === '/settle')).toBe(false);
    expect(await setup.fixture.usdcOf(payer.address)).toBe(3n * price);
    setup.facilitator.fault = () => undefined;
    expect((await paymentService.decide(attempt)).kind).toBe('serve');
    expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
    await close();
  },
);

test('error: UPSTREAM_UNAVAILABLE, uncharged, while the facilitator is unreachable', async () => {
  const closed = await startFacilitatorServer(
    createEvmFacilitator('eip155:8453', setup.fixture.chain.rpcUrl, `0x${'77'.repeat(32)}`),
  );
  await closed.close();
  const { paymentService, close } = await setup.open({ url: closed.url });
  const payer = await setup.fixture.newPayer(price);
  const decision = await paymentService.decide(attemptOf(await setup.fixture.sign(paymentService, payer)));
  expect(decision).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test.each<[string, FacilitatorFault]>([
  ['settles and drops the connection', { kind: 'drop', after: true }],
  ['settles and hangs', { kind: 'hang', after: true }],
  ['settles and returns a web page', { kind: 'html', after: true }],
  ['settles and returns another payer', { kind: 'respond', after: true, body: falseSuccess }],
  [
    'settles and reports a failure',
    {
      kind: 'respond',
      after: true,
      body: { success: false, errorReason: 'transaction_failed', transaction: '', network: 'eip155:8453' },
    },
  ],
  [
    'settles and reports a used nonce',
    {
      kind: 'respond',
      after: true,
      body: {
        success: false,
        errorReason: 'invalid_exact_evm_nonce_already_used',
        transaction: '',
        network: 'eip155:8453',
      },
    },
  ],
  // A facilitator that settles twice at the same time finds an empty wallet after its first transaction.
  [
    'settles and reports an empty wallet',
    { kind: 'respond', after: true, body: { success: false, errorReason: 'insufficient_funds', transaction: '' } },
  ],
  ['does not settle and drops the connection', { kind: 'drop' }],
  ['does not settle and hangs', { kind: 'hang' }],
  ['does not settle and returns a web page', { kind: 'html' }],
  ['does not settle and returns another payer', { kind: 'respond', body: falseSuccess }],
  ['does not settle and returns another network', { kind: 'respond', body: { ...falseSuccess, network: 'eip155:1' } }],
])('behavior: one charge on chain and one answer with a facilitator that first %s', async (_case, fault) => {
  const { paymentService, close } = await setup.open({ timings: { facilitatorSettleTimeoutMs: 1_500 } });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.once('/settle', fault);
  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('chain'));
  const { transaction } = decodePaymentResponseHeader(decision.paymentResponse);
  expect(transaction).not.toBe(falseSuccess.transaction);
  expect((await setup.fixture.client.getTransactionReceipt({ hash: transaction as `0x${string}` })).status).toBe(
    'success',
  );
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay' });
  await close();
});

test('error: SETTLEMENT_UNKNOWN, not 402, while the facilitator reports a settlement that is not on chain', async () => {
  const { paymentService, close } = await setup.open({
    timings: { settleDeadlineMs: 600, facilitatorSettleTimeoutMs: 10_000 },
  });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.always('/settle', { kind: 'respond', body: falseSuccess });
  for (let index = 0; index < 2; index += 1) {
    const decision = await paymentService.decide(attempt);
    expect(decision).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
    setup.expectNoSecret(decision);
  }
  expect(await setup.fixture.usdcOf(payer.address)).toBe(3n * price);
  setup.facilitator.fault = () => undefined;
  let decision: PaymentDecision = await paymentService.decide(attempt);
  while (decision.kind === 'refuse') {
    expect(decision.code).toBe('SETTLEMENT_UNKNOWN');
    decision = await paymentService.decide(attempt);
  }
  expect(decision.kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: refuses an unfunded wallet with the facilitator’s reason, and serves the same payment when it is funded', async () => {
  const { paymentService, close } = await setup.open({ timings: { facilitatorSettleTimeoutMs: 10_000 } });
  const payer = await setup.fixture.newPayer(price - 1n);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'refuse') throw new Error(decision.kind);
  expect(decision.status).toBe(402);
  expect(decodePaymentRequiredHeader(decision.headers['PAYMENT-REQUIRED'] ?? '').error).toMatch(/^invalid_exact_evm_/);
  await setup.fixture.give(payer.address, 1n);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('security: replaces a refusal reason that is not a code in the response headers', async () => {
  const { paymentService, close } = await setup.open();
  const payer = await setup.fixture.newPayer(price);
  setup.always('/verify', {
    kind: 'respond',
    body: { isValid: false, invalidReason: 'https://rpc.example/SECRET\r\nX: y' },
  });
  const decision = await paymentService.decide(attemptOf(await setup.fixture.sign(paymentService, payer)));
  if (decision.kind !== 'refuse') throw new Error(decision.kind);
  expect(decodePaymentRequiredHeader(decision.headers['PAYMENT-REQUIRED'] ?? '').error).toBe('facilitator_refused');
  await close();
});

test.each(['remote', 'embedded'] as const)(
  'behavior: a restart with %s settlement recovers a settlement that hung when the process stopped',
  async (next) => {
    for (const after of [true, false]) {
      const file = setup.fixture.newLedgerFile();
      const first = await setup.open({
        file,
        timings: { settleDeadlineMs: 300, closeGraceMs: 10, facilitatorSettleTimeoutMs: 10_000 },
      });
      const payer = await setup.fixture.newPayer(3n * price);
      const attempt = attemptOf(await setup.fixture.sign(first.paymentService, payer));
      setup.always('/settle', { kind: 'hang', after });
      expect(await first.paymentService.decide(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
      await first.close();
      setup.facilitator.fault = () => undefined;

      const second =
        next === 'remote'
          ? await setup.open({ file, timings: { facilitatorSettleTimeoutMs: 10_000 } })
          : await setup.fixture.openPaymentService({ file });
      expect((await second.paymentService.decide(attempt)).kind).toBe('serve');
      expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
      await second.close();
    }
  },
);

test('security: no log line contains the credentials or the facilitator’s URL', async () => {
  const lines: unknown[] = [];
  const write = (...line: unknown[]) => void lines.push(inspect(line, { depth: 12 }));
  const { paymentService, close } = await setup.fixture.openPaymentService({
    change: (config) => ({
      ...setup.remotely(config, undefined, { settleDeadlineMs: 500, closeGraceMs: 10 }),
      logger: { info: write, warn: write, error: write },
    }),
  });
  for (const kind of ['drop', 'html', 'hang'] as const) {
    for (const path of ['/verify', '/settle'] as const) {
      // Uses a new payment each time: if one were served, the next request would wait for its answer.
      const attempt = attemptOf(await setup.fixture.sign(paymentService, await setup.fixture.newPayer(price)));
      setup.always(path, { kind });
      expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'refuse', status: 503 });
    }
  }
  await close();
  expect(lines.length).toBeGreaterThan(3);
  setup.expectNoSecret(lines.join());
});

test('error: PaymentNetworkMismatchError for a facilitator that does not support the network', async () => {
  setup.always('/supported', {
    kind: 'respond',
    body: { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:1' }] },
  });
  await expect(setup.open()).rejects.toThrow(PaymentNetworkMismatchError);
});
