import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { Hex } from 'viem';
import { describe, expect, test, vi } from 'vitest';
import type { ProxiedCall, RpcFault } from '../../sandbox/index.ts';
import type {
  PaymentAttempt,
  PaymentConfig,
  PaymentDecision,
  PaymentLedger,
  PaymentService,
  PaymentTimings,
} from '../../server/payments/index.ts';
import { failing, rewriting } from '../rpcFaults/rewriteReplies.ts';
import { shareOf } from '../support/proofSize.ts';
import { answerTo, attemptOf, openPaymentFixture, price } from './paymentFixture.ts';
import { ledgerKeyOf } from './signPayment.ts';
import { openSolanaFixture } from './solanaFixture.ts';
import { useProxied } from './useProxiedFixture.ts';

// Wrong replies of a node. They must cause no charge, no free answer and no 402, after which a client would sign again.
// When the replies are correct again, the same signature buys one answer.

interface PaymentNetwork {
  rpcUrl: string;
  identity: string;
  broadcast: string;
  openPaymentService(options: {
    rpcUrl: string;
    change: (config: PaymentConfig) => PaymentConfig;
  }): Promise<{ paymentService: PaymentService; ledger: PaymentLedger; close(): Promise<void> }>;
  newPayment(
    paymentService: PaymentService,
  ): Promise<{ attempt: PaymentAttempt; key: Promise<string>; readBalance(): Promise<bigint> }>;
  hasSettled(transaction: string): Promise<boolean>;
  close(): Promise<void>;
}

async function openEvm(): Promise<PaymentNetwork> {
  const fixture = await openPaymentFixture();
  return {
    rpcUrl: fixture.chain.rpcUrl,
    identity: 'eth_chainId',
    broadcast: 'eth_sendRawTransaction',
    openPaymentService: fixture.openPaymentService,
    async newPayment(paymentService) {
      const payer = await fixture.newPayer(3n * price);
      const payload = await fixture.sign(paymentService, payer);
      return {
        attempt: attemptOf(payload),
        key: Promise.resolve(ledgerKeyOf(payload)),
        readBalance: () => fixture.usdcOf(payer.address),
      };
    },
    hasSettled: async (hash) =>
      (await fixture.client.getTransactionReceipt({ hash: hash as Hex })).status === 'success',
    close: fixture.close,
  };
}

async function openSolana(): Promise<PaymentNetwork> {
  const fixture = await openSolanaFixture();
  return {
    rpcUrl: fixture.solana.rpcUrl,
    identity: 'getGenesisHash',
    broadcast: 'sendTransaction',
    openPaymentService: fixture.openPaymentService,
    async newPayment(paymentService) {
      const payer = await fixture.newPayer(3n * price);
      const payload = await fixture.sign(paymentService, payer);
      const wire = Buffer.from(String(payload.payload.transaction), 'base64');
      // The message follows the signature count and the signatures.
      const message = wire.subarray(1 + 64 * (wire[0] ?? 0));
      const digest = crypto.subtle.digest('SHA-256', message);
      return {
        attempt: attemptOf(payload),
        key: digest.then((hash) => `${payload.accepted.network}|${Buffer.from(hash).toString('hex')}`),
        readBalance: () => fixture.usdcOf(payer.address),
      };
    },
    hasSettled: async (signature) => (await fixture.statusOf(signature))?.err === null,
    close: fixture.close,
  };
}

const hasCall = (calls: readonly ProxiedCall[], method: string) => calls.some((call) => call.method.startsWith(method));

/** Faults of replies. The node still executes the requests. */
const wrongReplies: [string, RpcFault][] = [
  ['hangs', { kind: 'hang' }],
  ['returns 50 MB', { kind: 'flood', bytes: 50 * 1024 * 1024 }],
  ['returns a web page', { kind: 'html' }],
  ['returns 640 zero bytes', rewriting(() => `0x${'00'.repeat(640)}`)],
  ['returns a zero word', rewriting(() => `0x${'00'.repeat(32)}`)],
  ['returns a word with the value 1', rewriting(() => `0x${'01'.padStart(64, '0')}`)],
  ['returns 640 bytes 0xff', rewriting(() => `0x${'ff'.repeat(640)}`)],
  ['returns 0x1', rewriting(() => '0x1')],
  ['returns a number', rewriting(() => 7)],
  ['returns null', rewriting(() => null)],
  ['returns a list', rewriting(() => [{}])],
  ['returns an object', rewriting(() => ({ value: null, number: '0x1', status: '0x1' }))],
  [
    'reports every transaction as finalized',
    rewriting(() => ({ context: { slot: 1 }, value: [{ slot: 1, err: null, confirmationStatus: 'finalized' }] })),
  ],
  ['reports no error', rewriting(() => ({ context: { slot: 1 }, value: { err: null } }))],
  ['reports each call as reverted', failing(() => true, { code: 3, message: 'execution reverted', data: '0x' })],
  ['rejects every request', failing(() => true)],
];

const wrongIdentity = { eth_chainId: '0x89', getGenesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' } as const;
const onAnotherChain = rewriting(({ method }, result) =>
  method in wrongIdentity ? wrongIdentity[method as keyof typeof wrongIdentity] : result,
);

/** A payment network whose node is behind a proxy. */
function useFaultyNode(open: () => Promise<PaymentNetwork>) {
  const setup = useProxied(open, ({ rpcUrl }) => rpcUrl);
  return {
    get network() {
      return setup.fixture;
    },
    get proxy() {
      return setup.proxy;
    },
    /** Opens a payment service behind the proxy, with shorter timings, and waits until it offers the network. */
    async openPaymentService(timings: Partial<PaymentTimings>) {
      const opened = await setup.fixture.openPaymentService({
        rpcUrl: setup.proxy.url,
        change: (config) => ({
          ...config,
          timings: { receiptPollMs: 50, reconcileMs: 300, closeGraceMs: 0, ...timings },
        }),
      });
      // On a busy machine the first read of the network can exceed the short timeout.
      await vi.waitFor(() => opened.paymentService.challenge('quote'), { timeout: 30_000 });
      return opened;
    },
  };
}

/** Retries the same payment after each 503 until it is served. */
async function untilServed(
  paymentService: PaymentService,
  attempt: PaymentAttempt,
): Promise<Extract<PaymentDecision, { kind: 'serve' }>> {
  for (;;) {
    const decision = await paymentService.decide(attempt);
    if (decision.kind === 'serve') return decision;
    expect(decision).toMatchObject({ kind: 'refuse', status: 503 });
    await sleep(100);
  }
}

/** Expects that the payment is served, charged and answered once. */
async function expectServedOnce(
  network: PaymentNetwork,
  paymentService: PaymentService,
  ledger: PaymentLedger,
  payment: Awaited<ReturnType<PaymentNetwork['newPayment']>>,
) {
  const served = await untilServed(paymentService, payment.attempt);
  await served.complete(answerTo('correct'));
  const { transaction } = decodePaymentResponseHeader(served.paymentResponse);
  expect(await network.hasSettled(transaction)).toBe(true);
  expect(await payment.readBalance()).toBe(2n * price);
  expect(await ledger.load(await payment.key)).toMatchObject({ state: 'answered' });
  expect((await paymentService.decide(payment.attempt)).kind).toBe('replay');
  expect(await payment.readBalance()).toBe(2n * price);
}

describe.each([
  ['EVM', openEvm, 0],
  ['Solana', openSolana, 1],
] as const)('%s', (_, open, index) => {
  const node = useFaultyNode(open);

  test.each([
    ...shareOf(wrongReplies, 2, index),
    ['has switched to another chain', onAnotherChain] as (typeof wrongReplies)[number],
  ])('error: UPSTREAM_UNAVAILABLE, without a broadcast or charge, while the node %s', async (_case, fault) => {
    const { paymentService, ledger, close } = await node.openPaymentService({ rpcTimeoutMs: 1_000 });
    const payment = await node.network.newPayment(paymentService);
    node.proxy.requests.length = 0;
    node.proxy.fault = () => fault;
    for (let n = 0; n < 2; n += 1) {
      expect(await paymentService.decide(payment.attempt)).toMatchObject({
        kind: 'refuse',
        status: 503,
        code: 'UPSTREAM_UNAVAILABLE',
        headers: { 'Retry-After': '5' },
      });
    }
    expect(node.proxy.requests.filter(({ calls }) => hasCall(calls, node.network.broadcast))).toEqual([]);
    expect(await ledger.load(await payment.key)).toMatchObject({ state: 'refused', transactions: [] });
    expect(await payment.readBalance()).toBe(3n * price);

    node.proxy.fault = () => undefined;
    await expectServedOnce(node.network, paymentService, ledger, payment);
    await close();
  });

  test.each(shareOf(wrongReplies, 2, index + 1))(
    'error: SETTLEMENT_UNKNOWN while the node %s after the broadcast; the payment is served when the replies are correct',
    async (_case, fault) => {
      const { paymentService, ledger, close } = await node.openPaymentService({
        settleDeadlineMs: 400,
        rpcTimeoutMs: 2_000,
      });
      const payment = await node.network.newPayment(paymentService);
      let sent = false;
      node.proxy.fault = (calls) => {
        if (sent) return fault;
        sent = hasCall(calls, node.network.broadcast);
        // The reply to this request must not prove the payment by a block number read after the inclusion.
        return sent ? rewriting((call, result) => (call.method === 'eth_blockNumber' ? '0x0' : result)) : undefined;
      };
      // The broadcast reaches the node; all later replies are wrong.
      const refusal = await paymentService.decide(payment.attempt);
      expect(refusal).toMatchObject({ kind: 'refuse', status: 503, code: 'SETTLEMENT_UNKNOWN' });
      await expect.poll(async () => (await ledger.load(await payment.key))?.state).toBe('sent');

      node.proxy.fault = () => undefined;
      await expectServedOnce(node.network, paymentService, ledger, payment);
      await close();
    },
  );
});
