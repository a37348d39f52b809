import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PaymentConfig, PaymentNetworkConfig, PaymentTimings } from '../../server/payments/index.ts';
import {
  type FacilitatorFault,
  type FacilitatorServer,
  type Path,
  startFacilitatorServer,
} from './facilitatorServer.ts';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { openSolanaFixture, type SolanaFixture, solanaNetwork } from './solanaFixture.ts';

let fixture: SolanaFixture;
let facilitator: FacilitatorServer;

beforeAll(async () => {
  fixture = await openSolanaFixture();
  const secretKey = new Uint8Array(getBase58Encoder().encode(fixture.walletOf('facilitator').secretKey));
  const signer = toFacilitatorSvmSigner(await createKeyPairSignerFromBytes(secretKey), {
    defaultRpcUrl: fixture.solana.rpcUrl,
  });
  facilitator = await startFacilitatorServer(new x402Facilitator().register(solanaNetwork, new ExactSvmScheme(signer)));
});
afterEach(() => {
  facilitator.fault = () => undefined;
});
afterAll(async () => {
  await facilitator?.close();
  await fixture?.close();
});

const open = (timings: Partial<PaymentTimings> = {}, file = fixture.newLedgerFile()) =>
  fixture.openPaymentService({
    file,
    change: (config: PaymentConfig) => ({
      ...config,
      networks: config.networks.map(
        (network) =>
          ({ ...network, facilitatorKey: undefined, remote: { url: facilitator.url } }) as PaymentNetworkConfig,
      ),
      timings: { ...config.timings, facilitatorTimeoutMs: 3_000, facilitatorSettleTimeoutMs: 5_000, ...timings },
    }),
  });
const always = (path: Path, fault: FacilitatorFault): void => {
  facilitator.fault = (requested) => (requested === path ? fault : undefined);
};

test('default: the offer contains the facilitator’s fee payer, and a payment is settled, served and replayed', async () => {
  const { paymentService, close } = await open();
  const { accepts } = decodePaymentRequiredHeader(paymentService.challenge('quote').header);
  expect(accepts[0]?.extra).toMatchObject({ feePayer: fixture.walletOf('facilitator').address });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('solana'));
  expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: offers Solana once a facilitator that was down at start returns its fee payer', async () => {
  always('/supported', { kind: 'html' });
  const { paymentService, close } = await open({ offerRefreshMs: 50 });
  expect(paymentService.settlement()).toEqual({ [solanaNetwork]: 'facilitator_unavailable' });
  expect(() => paymentService.challenge('quote')).toThrow('on any network');
  facilitator.fault = () => undefined;
  await expect.poll(() => paymentService.settlement()).toEqual({ [solanaNetwork]: 'ok' });
  const payer = await fixture.newPayer(price);
  expect((await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer)))).kind).toBe('serve');
  await close();
});

test('error: does not offer Solana if the fee payer is not an address, because it is copied into a header', async () => {
  const extra = { feePayer: 'A'.repeat(5_000) };
  const kinds = [{ x402Version: 2, scheme: 'exact', network: solanaNetwork, extra }];
  always('/supported', { kind: 'respond', body: { kinds, extensions: [], signers: {} } });
  const { paymentService, close } = await open();
  expect(paymentService.settlement()).toEqual({ [solanaNetwork]: 'facilitator_unavailable' });
  expect(() => paymentService.challenge('quote')).toThrow('on any network');
  await close();
});

test.each<FacilitatorFault>([
  { kind: 'drop', after: true },
  { kind: 'hang', after: true },
  { kind: 'html', after: true },
  { kind: 'drop' },
])('behavior: serves and charges the payment once after the fault %j of the facilitator', async (fault) => {
  const { paymentService, close } = await open();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  let settleRequests = 0;
  facilitator.fault = (path) => (path === '/settle' && settleRequests++ === 0 ? fault : undefined);
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: refuses an unsettled payment when its blockhash has expired, also after a restart with a facilitator key', async () => {
  for (const next of ['same', 'embedded'] as const) {
    const file = fixture.newLedgerFile();
    const first = await open({ settleDeadlineMs: 100, closeGraceMs: 10 }, file);
    const payer = await fixture.newPayer(price);
    const attempt = attemptOf(await fixture.sign(first.paymentService, payer));
    always('/settle', { kind: 'hang' });
    expect(await first.paymentService.decide(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
    if (next === 'embedded') await first.close();
    fixture.solana.skipSlots(300);
    const second = next === 'embedded' ? await fixture.openPaymentService({ file }) : first;
    let decision = await second.paymentService.decide(attempt);
    while (decision.kind === 'refuse' && decision.code === 'SETTLEMENT_UNKNOWN')
      decision = await second.paymentService.decide(attempt);
    expect(decision).toMatchObject({ status: 402 });
    expect(await fixture.usdcOf(payer.address)).toBe(price);
    await second.close();
  }
});
