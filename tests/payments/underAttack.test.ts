import type { PrivateKeyAccount } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentService } from '../../server/payments/index.ts';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { shareOf } from '../support/proofSize.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { acceptsAt } from './walletCodes.ts';

// Concurrent attacks: contract wallets whose transfers revert, overdrafts, and a replica whose node hangs. Payers with
// a plain key and enough funds must not be refused.

let fixture: PaymentFixture;
let proxy: RpcProxy;

beforeAll(async () => {
  fixture = await openPaymentFixture();
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
  proxy.delayMs = 20;
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.close();
});

const newPayers = async (count: number, units: bigint): Promise<PrivateKeyAccount[]> => {
  const payers: PrivateKeyAccount[] = [];
  for (let index = 0; index < count; index += 1) payers.push(await fixture.newPayer(units));
  return payers;
};

async function pay(paymentService: PaymentService, payer: PrivateKeyAccount, input: string): Promise<string> {
  const decision = await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer), input));
  if (decision.kind === 'serve') await decision.complete(answerTo(input));
  return decision.kind === 'refuse' ? decision.detail : decision.kind;
}

/** Each payer makes two pairs of concurrent payments. Returns the outcomes and the median time in milliseconds. */
async function payAll(paymentServices: readonly PaymentService[], payers: readonly PrivateKeyAccount[]) {
  const times: number[] = [];
  const timed = async (payer: PrivateKeyAccount, at: number, input: string) => {
    const startedAt = performance.now();
    const outcome = await pay(paymentServices[at % paymentServices.length] as PaymentService, payer, input);
    times.push(performance.now() - startedAt);
    return outcome;
  };
  const outcomes = await Promise.all(
    payers.map(async (payer, index) => {
      const payerOutcomes: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        const pair = ['a', 'b'].map((name) => timed(payer, index, `${index} ${round} ${name}`));
        payerOutcomes.push(...(await Promise.all(pair)));
      }
      return payerOutcomes;
    }),
  );
  return { outcomes: outcomes.flat(), medianMs: times.toSorted((left, right) => left - right)[times.length >> 1] ?? 0 };
}

async function attackWithContracts(paymentService: PaymentService, wallets: readonly PrivateKeyAccount[]) {
  for (const [index, wallet] of wallets.entries()) {
    const { mixHash } = await fixture.client.getBlock();
    await fixture.rpc('anvil_setCode', [wallet.address, acceptsAt(mixHash)]);
    await pay(paymentService, wallet, `contract ${index}`);
  }
}

// Only PostgreSQL supports several replicas. The node of one of them hangs.
test.each(shareOf(databaseKinds, 2, 1))(
  'security: %s: serves all funded payers with plain keys during all attacks',
  { timeout: 300_000 },
  async (kind) => {
    const maker = await openDatabaseMaker(kind);
    const location = await maker.newLocation();
    const timings = { settleDeadlineMs: 120_000, turnDeadlineMs: 120_000, rpcTimeoutMs: 120_000, closeGraceMs: 10 };
    const open = (rpcUrl: string) =>
      fixture.openPaymentService({
        ...location,
        rpcUrl,
        change: (config) => ({ ...config, timings: { ...config.timings, ...timings } }),
      });
    // Only one process can open an SQLite file.
    const isShared = kind === 'postgres';
    const replicas = [await open(proxy.url), ...(isShared ? [await open(proxy.url)] : [])];
    const paymentServices = replicas.map(({ paymentService }) => paymentService);
    const [first] = paymentServices as [PaymentService];
    const hangingNode = await startRpcProxy(fixture.chain.rpcUrl);
    const hangingReplica = isShared ? await open(hangingNode.url) : undefined;

    const payers = await newPayers(16, 4n * price);
    const withoutAttack = await payAll(paymentServices, payers.slice(0, 8));
    expect(withoutAttack.outcomes).toEqual(withoutAttack.outcomes.map(() => 'serve'));

    const overdrafts = await newPayers(4, price);
    const contracts = await newPayers(10, price);
    const stuck = await fixture.newPayer(price);
    hangingNode.fault = (calls) =>
      calls.some(({ method }) => method === 'eth_getTransactionCount') ? { kind: 'hang' } : undefined;
    const hangingPayment = hangingReplica && pay(hangingReplica.paymentService, stuck, 'stuck').catch(() => undefined);
    const attacks = [
      ...overdrafts.map((payer, at) =>
        Promise.all(Array.from({ length: 25 }, (_, n) => pay(first, payer, `${at} ${n}`))),
      ),
      attackWithContracts(paymentServices.at(-1) as PaymentService, contracts),
    ];
    const underAttack = await payAll(paymentServices, payers.slice(8));
    await Promise.all(attacks);
    console.info(
      `${kind}: median time of valid payments ${withoutAttack.medianMs.toFixed(0)} ms without attacks, ${underAttack.medianMs.toFixed(0)} ms under attack`,
    );
    expect(underAttack.outcomes).toEqual(underAttack.outcomes.map(() => 'serve'));
    for (const { address } of payers) expect(await fixture.usdcOf(address)).toBe(0n);

    await hangingNode.close();
    await hangingReplica?.close();
    await hangingPayment;
    for (const { close } of replicas) await close();
    await maker.close();
  },
);
