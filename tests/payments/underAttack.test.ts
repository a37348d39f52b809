import type { PrivateKeyAccount } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentService } from '../../server/payments/index.ts';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { shareOf } from '../support/proofSize.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { acceptsAt } from './walletCodes.ts';

// Contract wallets that never pay, overdrafts and a replica with a sick node, all at once: no honest payer with a plain
// key is refused for what the others do.

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

/** Each payer pays two at once, twice; returns the outcomes and the median time in ms. */
async function payHonestly(paymentServices: readonly PaymentService[], payers: readonly PrivateKeyAccount[]) {
  const took: number[] = [];
  const timed = async (payer: PrivateKeyAccount, at: number, input: string) => {
    const begun = performance.now();
    const outcome = await pay(paymentServices[at % paymentServices.length] as PaymentService, payer, input);
    took.push(performance.now() - begun);
    return outcome;
  };
  const outcomes = await Promise.all(
    payers.map(async (payer, index) => {
      const own: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        const pair = ['a', 'b'].map((name) => timed(payer, index, `${index} ${round} ${name}`));
        own.push(...(await Promise.all(pair)));
      }
      return own;
    }),
  );
  return { outcomes: outcomes.flat(), p50: took.toSorted((left, right) => left - right)[took.length >> 1] ?? 0 };
}

async function attackWithContracts(paymentService: PaymentService, wallets: readonly PrivateKeyAccount[]) {
  for (const [index, wallet] of wallets.entries()) {
    const { mixHash } = await fixture.client.getBlock();
    await fixture.rpc('anvil_setCode', [wallet.address, acceptsAt(mixHash)]);
    await pay(paymentService, wallet, `contract ${index}`);
  }
}

// PostgreSQL adds the replica with a sick node.
test.each(shareOf(databaseKinds, 2, 1))(
  '%s: under all attacks at once no honest plain key is refused',
  { timeout: 300_000 },
  async (kind) => {
    const maker = await openDatabaseMaker(kind);
    const place = await maker.newPlace();
    const timings = { settleDeadlineMs: 120_000, turnDeadlineMs: 120_000, rpcTimeoutMs: 120_000, closeGraceMs: 10 };
    const open = (rpcUrl: string) =>
      fixture.openPaymentService({
        ...place,
        rpcUrl,
        change: (config) => ({ ...config, timings: { ...config.timings, ...timings } }),
      });
    // An embedded database serves one process; PostgreSQL is shared, also by a replica whose node hangs.
    const isShared = kind === 'postgres';
    const replicas = [await open(proxy.url), ...(isShared ? [await open(proxy.url)] : [])];
    const paymentServices = replicas.map(({ paymentService }) => paymentService);
    const [first] = paymentServices as [PaymentService];
    const sickNode = await startRpcProxy(fixture.chain.rpcUrl);
    const sick = isShared ? await open(sickNode.url) : undefined;

    const payers = await newPayers(16, 4n * price);
    const quiet = await payHonestly(paymentServices, payers.slice(0, 8));
    expect(quiet.outcomes).toEqual(quiet.outcomes.map(() => 'serve'));

    const overdrafts = await newPayers(4, price);
    const contracts = await newPayers(10, price);
    const stuck = await fixture.newPayer(price);
    sickNode.fault = (calls) =>
      calls.some(({ method }) => method === 'eth_getTransactionCount') ? { kind: 'hang' } : undefined;
    const hanging = sick && pay(sick.paymentService, stuck, 'stuck').catch(() => undefined);
    const attacks = [
      ...overdrafts.map((payer, at) =>
        Promise.all(Array.from({ length: 25 }, (_, n) => pay(first, payer, `${at} ${n}`))),
      ),
      attackWithContracts(paymentServices.at(-1) as PaymentService, contracts),
    ];
    const honest = await payHonestly(paymentServices, payers.slice(8));
    await Promise.all(attacks);
    console.info(
      `${kind}: p50 of honest payers ${quiet.p50.toFixed(0)} ms quiet, ${honest.p50.toFixed(0)} ms under attack`,
    );
    expect(honest.outcomes).toEqual(honest.outcomes.map(() => 'serve'));
    for (const { address } of payers) expect(await fixture.usdcOf(address)).toBe(0n);

    await sickNode.close();
    await sick?.close();
    await hanging;
    for (const { close } of replicas) await close();
    await maker.close();
  },
);
