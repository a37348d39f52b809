import { type Address, type Hex, type PrivateKeyAccount, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import type { PaymentService } from '../../server/payments/index.ts';
import { shareOf } from '../support/proofSize.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { useAttackedFixture } from './useAttackedFixture.ts';
import { acceptsAlways, acceptsAt, acceptsUntil, cloneOf } from './walletCodes.ts';

// Contract wallets that try to make the facilitator spend gas without a payment. The tests assert on the receipts.

const setup = useAttackedFixture();

/** Pays once from a new wallet with this code. */
async function payFrom(paymentService: PaymentService, code: Hex) {
  const wallet = await setup.fixture.newPayer(price);
  const payload = await setup.fixture.sign(paymentService, wallet);
  await setCode(wallet.address, code);
  return { wallet, decision: await paymentService.decide(attemptOf(payload, `{"size":"${wallet.address}"}`)) };
}

const setCode = (address: Address, code: Hex) => setup.fixture.rpc('anvil_setCode', [address, code]);

/** Sets code of the wallets that accepts any signature up to the block `lastAccepted`, and reverts later. */
type SetCodes = (wallets: readonly PrivateKeyAccount[], lastAccepted: bigint) => Promise<void>;

const attacks: Record<string, { wallets: number; setCodes: SetCodes }> = {
  'one wallet': {
    wallets: 1,
    setCodes: async ([wallet], lastAccepted) => {
      if (wallet) await setCode(wallet.address, acceptsUntil(lastAccepted));
    },
  },
  '60 clones': {
    wallets: 60,
    setCodes: async (wallets, lastAccepted) => {
      const implementation: Address = '0x00000000000000000000000000000000001271aa';
      await setCode(implementation, acceptsUntil(lastAccepted));
      for (const { address } of wallets) await setCode(address, cloneOf(implementation));
    },
  },
  '60 different codes': {
    wallets: 60,
    setCodes: async (wallets, lastAccepted) => {
      for (const [index, { address }] of wallets.entries())
        await setCode(address, acceptsUntil(lastAccepted, index + 1));
    },
  },
  '60 keys that delegate to a contract (EIP-7702)': {
    wallets: 60,
    setCodes: async (wallets, lastAccepted) => {
      const implementation: Address = '0x00000000000000000000000000000000001271ab';
      await setCode(implementation, acceptsUntil(lastAccepted));
      for (const { address } of wallets) await setCode(address, `0xef0100${implementation.slice(2)}`);
    },
  },
};

test.each(shareOf(Object.keys(attacks), 2))(
  'security: 60 payments of contract wallets that accept only in the simulated block (%s) cost at most 300,000 gas',
  { timeout: 180_000 },
  async (name) => {
    const attack = attacks[name];
    if (!attack) throw new Error(`No attack ${name}.`);
    const { paymentService, close } = await setup.openBehindProxy();
    const wallets = await Promise.all(Array.from({ length: attack.wallets }, () => setup.fixture.newPayer(price)));
    expect((await payFrom(paymentService, acceptsAlways)).decision.kind).toBe('serve');
    const since = await setup.fixture.client.getBlockNumber();
    for (let index = 0; index < 60; index += 1) {
      const wallet = wallets[index % wallets.length] as PrivateKeyAccount;
      const payload = await setup.fixture.sign(paymentService, wallet);
      await attack.setCodes(attack.wallets === 1 ? wallets : [wallet], await setup.fixture.client.getBlockNumber());
      await paymentService.decide(attemptOf(payload, `{"size":"${index}"}`));
    }
    const spent = await setup.spendingSince(since);
    expect(spent).toMatchObject({ paid: 0 });
    expect(spent.gas).toBeLessThanOrEqual(300_000n);
    for (const { address } of wallets) expect(await setup.fixture.usdcOf(address)).toBe(price);
    expect((await payFrom(paymentService, acceptsAlways)).decision.kind).toBe('serve');
    await close();
  },
);

test('security: contract wallets that pass every simulation and then revert cost at most the hourly budget; then all get 429', async () => {
  const usdPerHour = 0.1;
  const file = setup.fixture.newLedgerFile();
  const first = await setup.openBehindProxy({ contractWalletGasUsdPerHour: usdPerHour }, { file });
  const since = await setup.fixture.client.getBlockNumber();
  const statuses: unknown[] = [];
  for (let index = 0; index < 30; index += 1) {
    const wallet = await setup.fixture.newPayer(price);
    const payload = await setup.fixture.sign(first.paymentService, wallet);
    const { mixHash } = await setup.fixture.client.getBlock();
    await setCode(wallet.address, acceptsAt(mixHash));
    const decision = await first.paymentService.decide(attemptOf(payload, `{"size":"${index}"}`));
    statuses.push(decision.kind === 'refuse' ? decision.status : decision.kind);
    expect(await setup.fixture.usdcOf(wallet.address)).toBe(price);
  }
  const spent = await setup.spendingSince(since);
  expect(spent.reverted).toBeGreaterThan(0);
  expect(spent.paid).toBe(0);
  const [, usdPrice] = (await setup.fixture.client.readContract({
    address: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
    abi: parseAbi(['function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)']),
    functionName: 'latestRoundData',
  })) as readonly [bigint, bigint, bigint, bigint, bigint];
  expect((Number(spent.wei) / 1e18) * (Number(usdPrice) / 1e8)).toBeLessThanOrEqual(usdPerHour);
  expect(statuses.slice(-10)).toEqual(Array.from({ length: 10 }, () => 429));
  await first.close();

  // The database stores one budget for all contract wallets, so it also applies after a restart.
  const second = await setup.openBehindProxy({ contractWalletGasUsdPerHour: usdPerHour }, { file });
  const { decision } = await payFrom(second.paymentService, acceptsAlways);
  expect(decision).toMatchObject({ status: 429, detail: expect.stringContaining('This request charged nothing') });
  expect(Number(decision.kind === 'refuse' && decision.headers['Retry-After'])).toBeGreaterThan(0);
  const plain = await setup.fixture.newPayer(price);
  expect(
    (await second.paymentService.decide(attemptOf(await setup.fixture.sign(second.paymentService, plain)))).kind,
  ).toBe('serve');
  await second.close();
});
