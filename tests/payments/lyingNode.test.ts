import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ProxiedCall, type RpcFault, type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type {
  Admission,
  Cashier,
  CashierConfig,
  CashierTimings,
  PaymentAttempt,
  PaymentLedger,
} from '../../server/payments/index.ts';
import { failing, rewriting } from '../rpcFaults/rewriteReplies.ts';
import { answerTo, attemptOf, openPayWorld, price } from './payWorld.ts';
import { openSolanaWorld } from './solanaWorld.ts';

// A node that does what it is asked and lies about it, in every word or in one. Nobody is charged on its word, nobody
// is served on it, nobody is sent away to sign anew; when it is honest again, the same signature buys one answer.

interface Rail {
  rpcUrl: string;
  identity: string;
  broadcast: string;
  openCashier(options: {
    rpcUrl: string;
    change: (config: CashierConfig) => CashierConfig;
  }): Promise<{ cashier: Cashier; ledger: PaymentLedger; close(): Promise<void> }>;
  newPayment(cashier: Cashier): Promise<{ attempt: PaymentAttempt; key: Promise<string>; left(): Promise<bigint> }>;
  hasLanded(transaction: string): Promise<boolean>;
  close(): Promise<void>;
}

async function openEvm(): Promise<Rail> {
  const world = await openPayWorld();
  return {
    rpcUrl: world.chain.rpcUrl,
    identity: 'eth_chainId',
    broadcast: 'eth_sendRawTransaction',
    openCashier: world.openCashier,
    async newPayment(cashier) {
      const payer = await world.newPayer(3n * price);
      const payload = await world.sign(cashier, payer);
      const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
      return {
        attempt: attemptOf(payload),
        key: Promise.resolve(`eip155:8453|${world.chain.usdc}|${payer.address}|${nonce}`.toLowerCase()),
        left: () => world.usdcOf(payer.address),
      };
    },
    hasLanded: async (hash) => (await world.client.getTransactionReceipt({ hash: hash as Hex })).status === 'success',
    close: world.close,
  };
}

async function openSolana(): Promise<Rail> {
  const world = await openSolanaWorld();
  return {
    rpcUrl: world.solana.rpcUrl,
    identity: 'getGenesisHash',
    broadcast: 'sendTransaction',
    openCashier: world.openCashier,
    async newPayment(cashier) {
      const payer = await world.newPayer(3n * price);
      const payload = await world.sign(cashier, payer);
      const wire = Buffer.from(String(payload.payload.transaction), 'base64');
      // Behind the count of signatures and the signatures themselves comes the message.
      const message = wire.subarray(1 + 64 * (wire[0] ?? 0));
      const digest = crypto.subtle.digest('SHA-256', message);
      return {
        attempt: attemptOf(payload),
        key: digest.then((hash) => `${payload.accepted.network}|${Buffer.from(hash).toString('hex')}`),
        left: () => world.usdcOf(payer.address),
      };
    },
    hasLanded: async (signature) => (await world.statusOf(signature))?.err === null,
    close: world.close,
  };
}

const names = (calls: readonly ProxiedCall[], method: string) => calls.some((call) => call.method.startsWith(method));

/** Every reply, or nearly: the node still does what it is asked. */
const lies: [string, RpcFault][] = [
  ['hangs', { kind: 'hang' }],
  ['pours 50 MB', { kind: 'flood', bytes: 50 * 1024 * 1024 }],
  ['answers a web page', { kind: 'html' }],
  ['answers nothing but zeros', rewriting(() => `0x${'00'.repeat(640)}`)],
  ['answers a zero word', rewriting(() => `0x${'00'.repeat(32)}`)],
  ['answers a word of one', rewriting(() => `0x${'01'.padStart(64, '0')}`)],
  ['answers nothing but ones', rewriting(() => `0x${'ff'.repeat(640)}`)],
  ['answers one', rewriting(() => '0x1')],
  ['answers numbers', rewriting(() => 7)],
  ['answers null', rewriting(() => null)],
  ['answers lists', rewriting(() => [{}])],
  ['answers objects', rewriting(() => ({ value: null, number: '0x1', status: '0x1' }))],
  [
    'says that everything was done',
    rewriting(() => ({ context: { slot: 1 }, value: [{ err: null, confirmationStatus: 'finalized' }] })),
  ],
  ['says that nothing is wrong', rewriting(() => ({ context: { slot: 1 }, value: { err: null } }))],
  ['calls everything a revert', failing(() => true, { code: 3, message: 'execution reverted', data: '0x' })],
  ['refuses everything', failing(() => true)],
];

const wrongName = { eth_chainId: '0x89', getGenesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' } as const;
const onAnotherChain = rewriting(({ method }, told) =>
  method in wrongName ? wrongName[method as keyof typeof wrongName] : told,
);

describe.each([
  ['EVM', openEvm],
  ['Solana', openSolana],
] as const)('%s', (_rail, open) => {
  let rail: Rail;
  let proxy: RpcProxy;
  beforeAll(async () => {
    rail = await open();
    proxy = await startRpcProxy(rail.rpcUrl);
  });
  afterEach(() => {
    proxy.fault = () => undefined;
  });
  afterAll(async () => {
    await proxy?.close();
    await rail?.close();
  });

  /** What would take its time is given less of it. */
  const openCashier = (timings: Partial<CashierTimings>) =>
    rail.openCashier({
      rpcUrl: proxy.url,
      change: (config) => ({
        ...config,
        timings: { receiptPollMs: 50, lookAroundMs: 300, closeGraceMs: 0, ...timings },
      }),
    });

  /** The same payment again and again, as a client is told to; 503 until it is served. */
  async function untilServed(
    cashier: Cashier,
    attempt: PaymentAttempt,
  ): Promise<Extract<Admission, { kind: 'serve' }>> {
    for (;;) {
      const admission = await cashier.admit(attempt);
      if (admission.kind === 'serve') return admission;
      expect(admission).toMatchObject({ kind: 'refuse', status: 503 });
      await sleep(100);
    }
  }

  async function expectOneSale(
    cashier: Cashier,
    ledger: PaymentLedger,
    payment: Awaited<ReturnType<Rail['newPayment']>>,
  ) {
    const served = await untilServed(cashier, payment.attempt);
    await served.complete(answerTo('honest'));
    const { transaction } = decodePaymentResponseHeader(served.paymentResponse);
    expect(await rail.hasLanded(transaction)).toBe(true);
    expect(await payment.left()).toBe(2n * price);
    expect(await ledger.load(await payment.key)).toMatchObject({ state: 'answered' });
    expect((await cashier.admit(payment.attempt)).kind).toBe('replay');
    expect(await payment.left()).toBe(2n * price);
  }

  test.each([...lies, ['is of another chain by now', onAnotherChain] as (typeof lies)[number]])(
    'error: UPSTREAM_UNAVAILABLE, nothing sent and nothing charged, while its node %s',
    async (_how, fault) => {
      const { cashier, ledger, close } = await openCashier({ rpcTimeoutMs: 1_000 });
      const payment = await rail.newPayment(cashier);
      proxy.requests.length = 0;
      proxy.fault = () => fault;
      for (let n = 0; n < 2; n += 1) {
        expect(await cashier.admit(payment.attempt)).toMatchObject({
          kind: 'refuse',
          status: 503,
          code: 'UPSTREAM_UNAVAILABLE',
          headers: { 'Retry-After': '5' },
        });
      }
      expect(proxy.requests.filter(({ calls }) => names(calls, rail.broadcast))).toEqual([]);
      expect(await ledger.load(await payment.key)).toMatchObject({ state: 'refused', transactions: [] });
      expect(await payment.left()).toBe(3n * price);

      proxy.fault = () => undefined;
      await expectOneSale(cashier, ledger, payment);
      await close();
    },
  );

  test.each(lies)(
    'error: SETTLEMENT_UNKNOWN while its node %s from the broadcast on; found out when it is honest again',
    async (_how, fault) => {
      const { cashier, ledger, close } = await openCashier({ settleDeadlineMs: 400, rpcTimeoutMs: 2_000 });
      const payment = await rail.newPayment(cashier);
      let sent = false;
      proxy.fault = (calls) => {
        if (sent) return fault;
        sent = names(calls, rail.broadcast);
        // Held back until requests before it are answered: an honest head from after it would settle the payment.
        return sent ? { kind: 'delay', ms: 100 } : undefined;
      };
      // The broadcast arrives; nothing that is said after it is true.
      const told = await cashier.admit(payment.attempt);
      expect(told).toMatchObject({ kind: 'refuse', status: 503, code: 'SETTLEMENT_UNKNOWN' });
      await expect.poll(async () => (await ledger.load(await payment.key))?.state).toBe('sent');

      proxy.fault = () => undefined;
      await expectOneSale(cashier, ledger, payment);
      await close();
    },
  );
});
