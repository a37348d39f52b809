import type { PaymentPayload } from '@x402/core/types';
import type { Address, Hex, PrivateKeyAccount } from 'viem';
import { expect, test } from 'vitest';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { attemptOf, price } from './paymentFixture.ts';
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

const title =
  'behavior: 200 calls of 50 wallets at once, a third of them poor, some replayed, reused or cancelled: balances, ledger and answers agree';

test.each(databaseKinds)(`%s: ${title}`, { timeout: 180_000 }, async (kind) => {
  const maker = await openDatabaseMaker(kind);
  const { paymentService, ledger, close } = await setup.fixture.openPaymentService({
    ...(await maker.newPlace()),
    rpcUrl: setup.proxy.url,
    change: (config) => ({
      ...config,
      timings: { ...config.timings, settleDeadlineMs: 120_000, joinDeadlineMs: 120_000, rpcTimeoutMs: 60_000 },
    }),
  });
  const payers: PrivateKeyAccount[] = [];
  const funds = new Map<Address, bigint>();
  for (let index = 0; index < 50; index += 1) {
    const units = index % 3 === 0 ? 0n : 2n * price;
    const payer = await setup.fixture.newPayer(units);
    payers.push(payer);
    funds.set(payer.address, units);
  }
  const calls: Call[] = [];
  const cancelling = new Map<string, Call>();
  for (const [index, payer] of payers.entries()) {
    const [one, two] = [
      await setup.fixture.sign(paymentService, payer),
      await setup.fixture.sign(paymentService, payer),
    ];
    // The same payment twice, its nonce for another request, and a second payment.
    const own = [one, one, one, two].map((payload, at) => ({ payer, payload, input: inputs[at === 2 ? 1 : 0] }));
    calls.push(...own);
    const [, , , last] = own;
    if (last && index % 7 === 1) cancelling.set(nonceOf(two).slice(2), last);
  }
  expect(calls).toHaveLength(200);

  // The payer cancels the authorization between the simulation and our transaction.
  const cancels = new Map<string, Promise<unknown>>();
  const underWay = new Set<string>();
  setup.proxy.fault = (requests) => {
    const raw = requests.find(({ method }) => method.startsWith('eth_sendRawTransaction'))?.params[0];
    const [nonce, call] =
      [...cancelling].find(([candidate]) => typeof raw === 'string' && raw.includes(candidate)) ?? [];
    if (!nonce || !call) return undefined;
    if (!cancels.has(nonce)) {
      underWay.add(nonce);
      cancels.set(
        nonce,
        setup.fixture.cancel(call.payer, call.payload).then(() => underWay.delete(nonce)),
      );
    }
    return underWay.has(nonce) ? { kind: 'drop' } : undefined;
  };
  const before = await setup.fixture.usdcOf(setup.fixture.payTo);

  const results = await Promise.all(
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
  await Promise.all(cancels.values());

  const isServed = ({ outcome }: Result) => outcome.startsWith('{');
  const refusalsOf = (isWanted: (payer: PrivateKeyAccount) => boolean) => {
    const refused = results.filter((result) => !isServed(result) && isWanted(result.payer));
    return [...new Set(refused.map(({ outcome }) => outcome))].toSorted();
  };
  // A wallet that cancelled is paused, so its other payment may be refused.
  const cancellers = new Set([...cancelling.values()].map(({ payer }) => payer));
  expect(refusalsOf((payer) => !cancellers.has(payer))).toEqual(['PAYMENT_REQUIRED', 'PAYMENT_REUSED']);
  expect(['PAYMENT_REQUIRED', 'PAYMENT_REUSED', 'RATE_LIMITED']).toEqual(
    expect.arrayContaining(refusalsOf((payer) => cancellers.has(payer))),
  );
  let paid = 0n;
  for (const payer of payers) {
    const own = results.filter((result) => result.payer === payer);
    const served = own.filter(isServed);
    const bodies = new Set(served.map(({ outcome }) => outcome));
    // Each payment has one answer, to its own request.
    expect(new Set(served.map(({ payload }) => nonceOf(payload))).size).toBe(bodies.size);
    for (const { outcome, input, payload } of served) {
      expect(JSON.parse(outcome)).toEqual({ to: input, nonce: nonceOf(payload) });
    }
    const isFunded = (funds.get(payer.address) ?? 0n) > 0n;
    if (isFunded && !cancellers.has(payer)) expect(bodies.size).toBe(2);
    const spent = BigInt(bodies.size) * price;
    expect(await setup.fixture.usdcOf(payer.address)).toBe((funds.get(payer.address) ?? 0n) - spent);
    paid += spent;
    for (const { payload } of own) {
      const key = `eip155:8453|${setup.fixture.chain.usdc}|${payer.address}|${nonceOf(payload)}`.toLowerCase();
      const isPaid = served.some((other) => nonceOf(other.payload) === nonceOf(payload));
      const state = (await ledger.load(key))?.state;
      expect(isPaid ? state === 'answered' : state === undefined || state === 'refused').toBe(true);
    }
    if (funds.get(payer.address) === 0n) expect(served).toEqual([]);
  }
  expect(await setup.fixture.usdcOf(setup.fixture.payTo)).toBe(before + paid);
  expect(cancels.size).toBeGreaterThan(0);
  const facilitator = { address: setup.fixture.walletOf('facilitator').address };
  expect(await setup.fixture.client.getTransactionCount({ ...facilitator, blockTag: 'pending' })).toBe(
    await setup.fixture.client.getTransactionCount({ ...facilitator, blockTag: 'latest' }),
  );
  await close();
  await maker.close();
  setup.proxy.fault = () => undefined;
});
