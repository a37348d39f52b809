import { encodeAbiParameters, type Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { acceptsAlways, burnsAllGas } from './walletCodes.ts';

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(async () => {
  await fixture?.close();
});

/** Runtime code of contract wallets that do not implement ERC-1271. */
const invalidCodes = {
  // STOP
  'returns nothing': '0x00',
  'burns all gas': burnsAllGas,
};

test('behavior: charges a contract wallet that accepts the signature (ERC-1271)', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const [signer, wallet] = [await fixture.newPayer(0n), await fixture.newPayer(2n * price)];
  await fixture.rpc('anvil_setCode', [wallet.address, acceptsAlways]);
  const payload = await fixture.sign(paymentService, wallet);
  const otherPayload = await fixture.sign(paymentService, signer);
  const paid = { ...payload, payload: { ...payload.payload, signature: otherPayload.payload.signature } };
  expect((await paymentService.decide(attemptOf(paid))).kind).toBe('serve');
  expect(await fixture.usdcOf(wallet.address)).toBe(price);
  await close();
});

test('behavior: refuses an ERC-6492 signature before its wallet is deployed, and accepts it afterwards', async () => {
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
  await fixture.rpc('anvil_setCode', [wallet.address, acceptsAlways]);
  expect((await paymentService.decide(attemptOf(wrapped))).kind).toBe('serve');
  expect(await fixture.usdcOf(wallet.address)).toBe(price);
  const broken = { ...payload, payload: { ...payload.payload, signature: `0x12${suffix}` } };
  expect(await paymentService.decide(attemptOf(broken))).toMatchObject({ status: 400 });
  await close();
});

test.each(['returns nothing', 'burns all gas'] as const)(
  'error: refuses a contract wallet whose code %s, without a transaction',
  async (code) => {
    const { paymentService, close } = await fixture.openPaymentService();
    const wallet = await fixture.newPayer(2n * price);
    const payload = await fixture.sign(paymentService, wallet);
    await fixture.rpc('anvil_setCode', [wallet.address, invalidCodes[code]]);
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
