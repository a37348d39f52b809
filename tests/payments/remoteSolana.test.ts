import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { CashierConfig, CashierTimings, PaymentNetwork } from '../../server/payments/index.ts';
import { answerTo, attemptOf, price } from './payWorld.ts';
import { openSolanaWorld, type SolanaWorld, solanaNetwork } from './solanaWorld.ts';
import { type Misdeed, type Path, type StrangerFacilitator, startStrangerFacilitator } from './strangerFacilitator.ts';

let world: SolanaWorld;
let stranger: StrangerFacilitator;

beforeAll(async () => {
  world = await openSolanaWorld();
  const secretKey = new Uint8Array(getBase58Encoder().encode(world.walletOf('facilitator').secretKey));
  const signer = toFacilitatorSvmSigner(await createKeyPairSignerFromBytes(secretKey), {
    defaultRpcUrl: world.solana.rpcUrl,
  });
  stranger = await startStrangerFacilitator(new x402Facilitator().register(solanaNetwork, new ExactSvmScheme(signer)));
});
afterEach(() => {
  stranger.misdeed = () => undefined;
});
afterAll(async () => {
  await stranger?.close();
  await world?.close();
});

const open = (timings: Partial<CashierTimings> = {}, file = world.newLedgerFile()) =>
  world.openCashier({
    file,
    change: (config: CashierConfig) => ({
      ...config,
      networks: config.networks.map(
        (network) => ({ ...network, facilitatorKey: undefined, remote: { url: stranger.url } }) as PaymentNetwork,
      ),
      timings: { ...config.timings, facilitatorTimeoutMs: 1_000, facilitatorSettleTimeoutMs: 5_000, ...timings },
    }),
  });
const always = (path: Path, misdeed: Misdeed): void => {
  stranger.misdeed = (asked) => (asked === path ? misdeed : undefined);
};

test('default: the offer names the facilitator’s fee payer, and it settles', async () => {
  const { cashier, close } = await open();
  const { accepts } = decodePaymentRequiredHeader(cashier.challenge('quote').header);
  expect(accepts[0]?.extra).toMatchObject({ feePayer: world.walletOf('facilitator').address });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const admission = await cashier.admit(attempt);
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('solana'));
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay' });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a facilitator that is away at the start is offered when it names its fee payer', async () => {
  always('/supported', { kind: 'html' });
  const { cashier, close } = await open({ offerRefreshMs: 50 });
  const offered = () => decodePaymentRequiredHeader(cashier.challenge('quote').header).accepts.length;
  expect(offered()).toBe(0);
  stranger.misdeed = () => undefined;
  await expect.poll(offered).toBe(1);
  const payer = await world.newPayer(price);
  expect((await cashier.admit(attemptOf(await world.sign(cashier, payer)))).kind).toBe('serve');
  await close();
});

test.each<Misdeed>([
  { kind: 'drop', after: true },
  { kind: 'hang', after: true },
  { kind: 'html', after: true },
  { kind: 'drop' },
])('behavior: after %j the payment is found on chain, or settled by a second request: one charge', async (misdeed) => {
  const { cashier, close } = await open();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  let met = 0;
  stranger.misdeed = (path) => (path === '/settle' && met++ === 0 ? misdeed : undefined);
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: what is never settled is refused when its blockhash has run out, also by an embedded facilitator', async () => {
  for (const next of ['same', 'embedded'] as const) {
    const file = world.newLedgerFile();
    const first = await open({ settleDeadlineMs: 100, closeGraceMs: 10 }, file);
    const payer = await world.newPayer(price);
    const attempt = attemptOf(await world.sign(first.cashier, payer));
    always('/settle', { kind: 'hang' });
    expect(await first.cashier.admit(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
    if (next === 'embedded') await first.close();
    world.solana.skipSlots(300);
    const second = next === 'embedded' ? await world.openCashier({ file }) : first;
    let admission = await second.cashier.admit(attempt);
    while (admission.kind === 'refuse' && admission.code === 'SETTLEMENT_UNKNOWN')
      admission = await second.cashier.admit(attempt);
    expect(admission).toMatchObject({ status: 402 });
    expect(await world.usdcOf(payer.address)).toBe(price);
    await second.close();
  }
});
