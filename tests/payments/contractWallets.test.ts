import { encodeAbiParameters, type Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

let world: PayWorld;

beforeAll(async () => {
  world = await openPayWorld();
});
afterAll(async () => {
  await world?.close();
});

/** Runtime code of contract wallets: says yes to everything, says nothing, burns all gas. */
const walletCodes = {
  yes: '0x631626ba7e60e01b5f5260205ff3',
  nothing: '0x00',
  endless: '0x5b5f56',
};

test('behavior: a contract wallet that accepts the signature pays (ERC-1271)', async () => {
  const { cashier, close } = await world.openCashier();
  const [signer, wallet] = [await world.newPayer(0n), await world.newPayer(2n * price)];
  await world.rpc('anvil_setCode', [wallet.address, walletCodes.yes]);
  const payload = await world.sign(cashier, wallet);
  const foreign = await world.sign(cashier, signer);
  const paid = { ...payload, payload: { ...payload.payload, signature: foreign.payload.signature } };
  expect((await cashier.admit(attemptOf(paid))).kind).toBe('serve');
  expect(await world.usdcOf(wallet.address)).toBe(price);
  await close();
});

test('behavior: a signature for a wallet to be deployed (ERC-6492) is taken once it is, and refused before', async () => {
  const { cashier, close } = await world.openCashier();
  const [signer, wallet] = [await world.newPayer(0n), await world.newPayer(2n * price)];
  const payload = await world.sign(cashier, wallet);
  const inner = (await world.sign(cashier, signer)).payload.signature as Hex;
  const envelope = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
    [wallet.address, '0x1234', inner],
  );
  const suffix = '6492'.repeat(16);
  const wrapped = { ...payload, payload: { ...payload.payload, signature: `${envelope}${suffix}` } };
  expect(await cashier.admit(attemptOf(wrapped))).toMatchObject({
    status: 402,
    detail: expect.stringContaining('not deployed'),
  });
  expect(await world.usdcOf(wallet.address)).toBe(2n * price);
  await world.rpc('anvil_setCode', [wallet.address, walletCodes.yes]);
  expect((await cashier.admit(attemptOf(wrapped))).kind).toBe('serve');
  expect(await world.usdcOf(wallet.address)).toBe(price);
  const broken = { ...payload, payload: { ...payload.payload, signature: `0x12${suffix}` } };
  expect(await cashier.admit(attemptOf(broken))).toMatchObject({ status: 400 });
  await close();
});

test.each(['nothing', 'endless'] as const)(
  'error: a contract wallet whose code is %s pays nothing and costs nothing',
  async (code) => {
    const { cashier, close } = await world.openCashier();
    const wallet = await world.newPayer(2n * price);
    const payload = await world.sign(cashier, wallet);
    await world.rpc('anvil_setCode', [wallet.address, walletCodes[code]]);
    const facilitator = { address: world.walletOf('facilitator').address };
    const before = await world.client.getBalance(facilitator);
    for (const signature of [payload.payload.signature, `0x${'11'.repeat(65)}`]) {
      const admission = await cashier.admit(attemptOf({ ...payload, payload: { ...payload.payload, signature } }));
      expect(admission.kind).toBe('refuse');
    }
    expect(await world.client.getBalance(facilitator)).toBe(before);
    expect(await world.usdcOf(wallet.address)).toBe(2n * price);
    await close();
  },
);
