import type { PaymentPayload } from '@x402/core/types';
import type { Hex, PrivateKeyAccount } from 'viem';
import { expect, test } from 'vitest';
import type { PaymentLedger, PaymentService } from '../../server/payments/index.ts';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { shareOf } from '../support/proofSize.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { ledgerKeyOf } from './signPayment.ts';
import { useProxiedFixture } from './useProxiedFixture.ts';

const setup = useProxiedFixture();

const inputs = ['{"size":"1"}', '{"size":"2"}'] as const;
const nonceOf = (payload: PaymentPayload): Hex =>
  (payload.payload as { authorization: { nonce: Hex } }).authorization.nonce;

interface Call {
  payer: PrivateKeyAccount;
  payload: PaymentPayload;
  input: string;
}

/** Result of one call: the answer's body, or the refusal's code. */
interface Result extends Call {
  outcome: string;
}

/** Signs 200 calls of 50 wallets, a third of which hold no USDC. */
async function signCalls(paymentService: PaymentService) {
  const funds = new Map<PrivateKeyAccount, bigint>();
  for (let index = 0; index < 50; index += 1) {
    const units = index % 3 === 0 ? 0n : 2n * price;
    funds.set(await setup.fixture.newPayer(units), units);
  }
  const calls: Call[] = [];
  /** Calls whose payers cancel, by nonce without 0x. */
  const cancelling = new Map<string, Call>();
  for (const [index, payer] of [...funds.keys()].entries()) {
    const [first, second] = [
      await setup.fixture.sign(paymentService, payer),
      await setup.fixture.sign(paymentService, payer),
    ];
    // One payment for the same request twice and for another request, and a second payment.
    const walletCalls = [first, first, first, second].map((payload, at) => ({
      payer,
      payload,
      input: inputs[at === 2 ? 1 : 0],
    }));
    calls.push(...walletCalls);
    const [, , , last] = walletCalls;
    if (last && index % 7 === 1) cancelling.set(nonceOf(second).slice(2), last);
  }
  return { funds, calls, cancelling };
}

/** Cancels these authorizations on chain between their simulation and broadcast. Returns the cancellations by nonce. */
function cancelBeforeBroadcast(cancelling: ReadonlyMap<string, Call>): Map<string, Promise<unknown>> {
  const cancels = new Map<string, Promise<unknown>>();
  const pending = new Set<string>();
  setup.proxy.fault = (requests) => {
    const raw = requests.find(({ method }) => method.startsWith('eth_sendRawTransaction'))?.params[0];
    const [nonce, call] =
      [...cancelling].find(([candidate]) => typeof raw === 'string' && raw.includes(candidate)) ?? [];
    if (!nonce || !call) return undefined;
    if (!cancels.has(nonce)) {
      pending.add(nonce);
      cancels.set(
        nonce,
        setup.fixture.cancel(call.payer, call.payload).then(() => pending.delete(nonce)),
      );
    }
    return pending.has(nonce) ? { kind: 'drop' } : undefined;
  };
  return cancels;
}

/** Sends all calls at once, in random order. */
const sendAll = (paymentService: PaymentService, calls: readonly Call[]): Promise<Result[]> =>
  Promise.all(
    calls
      .toSorted(() => Math.random() - 0.5)
      .map(async (call): Promise<Result> => {
        const decision = await paymentService.decide(attemptOf(call.payload, call.input));
        if (decision.kind === 'refuse') return { ...call, outcome: decision.code };
        if (decision.kind === 'replay') return { ...call, outcome: decision.answer.body };
        const body = JSON.stringify({ to: call.input, nonce: nonceOf(call.payload) });
        await decision.complete({ status: 200, contentType: 'application/json', body });
        return { ...call, outcome: body };
      }),
  );

const isServed = ({ outcome }: Result) => outcome.startsWith('{');

function expectRefusals(results: readonly Result[], cancellers: ReadonlySet<PrivateKeyAccount>): void {
  const refusalsOf = (isWanted: (payer: PrivateKeyAccount) => boolean) => {
    const refused = results.filter((result) => !isServed(result) && isWanted(result.payer));
    return [...new Set(refused.map(({ outcome }) => outcome))].toSorted();
  };
  expect(refusalsOf((payer) => !cancellers.has(payer))).toEqual(['PAYMENT_REQUIRED', 'PAYMENT_REUSED']);
  // A wallet is paused after a cancellation, so its other payment may be refused.
  expect(['PAYMENT_REQUIRED', 'PAYMENT_REUSED', 'RATE_LIMITED']).toEqual(
    expect.arrayContaining(refusalsOf((payer) => cancellers.has(payer))),
  );
}

/** Compares a wallet's answers with its balance and the ledger. Returns the amount that it paid. */
async function expectConsistent(
  payer: PrivateKeyAccount,
  walletResults: readonly Result[],
  { units, cancelled }: { units: bigint; cancelled: boolean },
  ledger: PaymentLedger,
): Promise<bigint> {
  const served = walletResults.filter(isServed);
  const bodies = new Set(served.map(({ outcome }) => outcome));
  // Each payment has one answer, to its own request.
  expect(new Set(served.map(({ payload }) => nonceOf(payload))).size).toBe(bodies.size);
  for (const { outcome, input, payload } of served) {
    expect(JSON.parse(outcome)).toEqual({ to: input, nonce: nonceOf(payload) });
  }
  if (units > 0n && !cancelled) expect(bodies.size).toBe(2);
  const spent = BigInt(bodies.size) * price;
  expect(await setup.fixture.usdcOf(payer.address)).toBe(units - spent);
  for (const { payload } of walletResults) {
    const isPaid = served.some((other) => nonceOf(other.payload) === nonceOf(payload));
    const state = (await ledger.load(ledgerKeyOf(payload)))?.state;
    expect(isPaid ? state === 'answered' : state === undefined || state === 'refused').toBe(true);
  }
  if (units === 0n) expect(served).toEqual([]);
  return spent;
}

const title =
  'balances, ledger and answers agree after 200 concurrent calls of 50 wallets with replays, reuse, cancellations and empty wallets';

test.each(shareOf(databaseKinds, 2))(`behavior: %s: ${title}`, { timeout: 180_000 }, async (kind) => {
  const maker = await openDatabaseMaker(kind);
  const { paymentService, ledger, close } = await setup.fixture.openPaymentService({
    ...(await maker.newLocation()),
    rpcUrl: setup.proxy.url,
    change: (config) => ({
      ...config,
      timings: { ...config.timings, settleDeadlineMs: 120_000, joinDeadlineMs: 120_000, rpcTimeoutMs: 60_000 },
    }),
  });
  const { funds, calls, cancelling } = await signCalls(paymentService);
  expect(calls).toHaveLength(200);
  const cancels = cancelBeforeBroadcast(cancelling);
  const before = await setup.fixture.usdcOf(setup.fixture.payTo);

  const results = await sendAll(paymentService, calls);
  await Promise.all(cancels.values());

  const cancellers = new Set([...cancelling.values()].map(({ payer }) => payer));
  expectRefusals(results, cancellers);
  let paid = 0n;
  for (const [payer, units] of funds) {
    const walletResults = results.filter((result) => result.payer === payer);
    paid += await expectConsistent(payer, walletResults, { units, cancelled: cancellers.has(payer) }, ledger);
  }
  expect(await setup.fixture.usdcOf(setup.fixture.payTo)).toBe(before + paid);
  expect(cancels.size).toBeGreaterThan(0);
  expect(await setup.fixture.client.getTransactionCount({ ...setup.facilitator(), blockTag: 'pending' })).toBe(
    await setup.fixture.client.getTransactionCount({ ...setup.facilitator(), blockTag: 'latest' }),
  );
  await close();
  await maker.close();
});
