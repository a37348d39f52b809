import { encodeAbiParameters, type Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(async () => {
  await fixture?.close();
});

/** Runtime code of contract wallets: accepts everything, returns nothing, burns all gas. */
const walletCodes = {
  yes: '0x631626ba7e60e01b5f5260205ff3',
  nothing: '0x00',
  endless: '0x5b5f56',
};

test('behavior: a contract wallet that accepts the signature pays (ERC-1271)', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const [signer, wallet] = [await fixture.newPayer(0n), await fixture.newPayer(2n * price)];
  await fixture.rpc('anvil_setCode', [wallet.address, walletCodes.yes]);
  const payload = await fixture.sign(paymentService, wallet);
  const foreign = await fixture.sign(paymentService, signer);
  const paid = { ...payload, payload: { ...payload.payload, signature: foreign.payload.signature } };
  expect((await paymentService.decide(attemptOf(paid))).kind).toBe('serve');
  expect(await fixture.usdcOf(wallet.address)).toBe(price);
  await close();
});

test('behavior: an ERC-6492 signature is refused before its wallet is deployed, and accepted afterwards', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const [signer, wallet] = [await fixture.newPayer(0n), await fixture.newPayer(2n * price)];
  const payload = await fixture.sign(paymentService, wallet);
  const inner = (await fixture.sign(paymentService, signer)).payload.signature as Hex;
  const envelope = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
    [wallet.address, '0x1234', inner],
  );
  const suffix = '6492'.repeat(16);
  const wrapped = { ...payload, payload: { ...payload.payload, signature: `${envelope}${suffix}` } };
  expect(await paymentService.decide(attemptOf(wrapped))).toMatchObject({
    status: 402,
    detail: expect.stringContaining('not deployed'),
  });
  expect(await fixture.usdcOf(wallet.address)).toBe(2n * price);
  await fixture.rpc('anvil_setCode', [wallet.address, walletCodes.yes]);
  expect((await paymentService.decide(attemptOf(wrapped))).kind).toBe('serve');
  expect(await fixture.usdcOf(wallet.address)).toBe(price);
  const broken = { ...payload, payload: { ...payload.payload, signature: `0x12${suffix}` } };
  expect(await paymentService.decide(attemptOf(broken))).toMatchObject({ status: 400 });
  await close();
});

test.each(['nothing', 'endless'] as const)(
  'error: a contract wallet whose code is %s is refused without a transaction',
  async (code) => {
    const { paymentService, close } = await fixture.openPaymentService();
    const wallet = await fixture.newPayer(2n * price);
    const payload = await fixture.sign(paymentService, wallet);
    await fixture.rpc('anvil_setCode', [wallet.address, walletCodes[code]]);
    const facilitator = { address: fixture.walletOf('facilitator').address };
    const before = await fixture.client.getBalance(facilitator);
    for (const signature of [payload.payload.signature, `0x${'11'.repeat(65)}`]) {
      const decision = await paymentService.decide(
        attemptOf({ ...payload, payload: { ...payload.payload, signature } }),
      );
      expect(decision.kind).toBe('refuse');
    }
    expect(await fixture.client.getBalance(facilitator)).toBe(before);
    expect(await fixture.usdcOf(wallet.address)).toBe(2n * price);
    await close();
  },
);
