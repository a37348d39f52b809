import { type Address, type Hex, type PrivateKeyAccount, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import type { PaymentService } from '../../server/payments/index.ts';
import { shareOf } from '../support/proofSize.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { useAttackedFixture } from './useAttackedFixture.ts';
import { acceptsAlways, acceptsAt, acceptsUntil, cloneOf } from './walletCodes.ts';

// Contract wallets that try to make the facilitator spend gas without paying. The chain's receipts are the judge.

const setup = useAttackedFixture();

/** Pays once from a new wallet with this code. */
async function payFrom(paymentService: PaymentService, code: Hex) {
  const wallet = await setup.fixture.newPayer(price);
  const payload = await setup.fixture.sign(paymentService, wallet);
  await setCode(wallet.address, code);
  return { wallet, decision: await paymentService.decide(attemptOf(payload, `{"size":"${wallet.address}"}`)) };
}

type CodeOf = (wallets: readonly PrivateKeyAccount[], last: bigint) => Promise<void>;

const setCode = (address: Address, code: Hex) => setup.fixture.rpc('anvil_setCode', [address, code]);

const attacks: Record<string, { wallets: number; arm: CodeOf }> = {
  'one wallet': {
    wallets: 1,
    arm: async ([wallet], last) => {
      if (wallet) await setCode(wallet.address, acceptsUntil(last));
    },
  },
  '60 clones': {
    wallets: 60,
    arm: async (wallets, last) => {
      const logic: Address = '0x00000000000000000000000000000000001271aa';
      await setCode(logic, acceptsUntil(last));
      for (const { address } of wallets) await setCode(address, cloneOf(logic));
    },
  },
  '60 different codes': {
    wallets: 60,
    arm: async (wallets, last) => {
      for (const [index, { address }] of wallets.entries()) await setCode(address, acceptsUntil(last, index + 1));
    },
  },
  '60 keys that delegate to a contract (EIP-7702)': {
    wallets: 60,
    arm: async (wallets, last) => {
      const logic: Address = '0x00000000000000000000000000000000001271ab';
      await setCode(logic, acceptsUntil(last));
      for (const { address } of wallets) await setCode(address, `0xef0100${logic.slice(2)}`);
    },
  },
};

test.each(shareOf(Object.keys(attacks), 2))(
  'security: 60 payments of contract wallets that accept only in the simulated block (%s) cost at most 300,000 gas',
  { timeout: 180_000 },
  async (name) => {
    const attack = attacks[name];
    if (!attack) throw new Error(`No attack ${name}.`);
    const { paymentService, close } = await setup.openAttacked();
    const wallets = await Promise.all(Array.from({ length: attack.wallets }, () => setup.fixture.newPayer(price)));
    expect((await payFrom(paymentService, acceptsAlways)).decision.kind).toBe('serve');
    const since = await setup.fixture.client.getBlockNumber();
    for (let index = 0; index < 60; index += 1) {
      const wallet = wallets[index % wallets.length] as PrivateKeyAccount;
      const payload = await setup.fixture.sign(paymentService, wallet);
      await attack.arm(attack.wallets === 1 ? wallets : [wallet], await setup.fixture.client.getBlockNumber());
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

test('security: contract wallets that pass every simulation cost at most the hourly budget; then all get 429', async () => {
  const usdPerHour = 0.1;
  const file = setup.fixture.newLedgerFile();
  const first = await setup.openAttacked({ contractWalletGasUsdPerHour: usdPerHour }, { file });
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
  const [, answer] = (await setup.fixture.client.readContract({
    address: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
    abi: parseAbi(['function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)']),
    functionName: 'latestRoundData',
  })) as readonly [bigint, bigint, bigint, bigint, bigint];
  expect((Number(spent.wei) / 1e18) * (Number(answer) / 1e8)).toBeLessThanOrEqual(usdPerHour);
  expect(statuses.slice(-10)).toEqual(Array.from({ length: 10 }, () => 429));
  await first.close();

  // The budget belongs to the class, in the database.
  const second = await setup.openAttacked({ contractWalletGasUsdPerHour: usdPerHour }, { file });
  const { decision } = await payFrom(second.paymentService, acceptsAlways);
  expect(decision).toMatchObject({ status: 429, detail: expect.stringContaining('This request charged nothing') });
  expect(Number(decision.kind === 'refuse' && decision.headers['Retry-After'])).toBeGreaterThan(0);
  const plain = await setup.fixture.newPayer(price);
  expect(
    (await second.paymentService.decide(attemptOf(await setup.fixture.sign(second.paymentService, plain)))).kind,
  ).toBe('serve');
  await second.close();
});
