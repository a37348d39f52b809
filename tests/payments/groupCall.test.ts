import { createWalletClient, encodeFunctionData, type Hex, http } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { multicall3 } from '../../engine/index.ts';
import type { PaymentService } from '../../server/payments/index.ts';
import type { SignedAuthorization } from '../../server/payments/networks/evm/authorization.ts';
import { authorizationForm } from '../../server/payments/networks/evm/authorizationForm.ts';
import {
  decodeGroupTrial,
  encodeGroup,
  encodeGroupTrial,
  groupGasLimit,
} from '../../server/payments/networks/evm/groupCall.ts';
import { multicallAbi } from '../../server/payments/networks/evm/readEvmFunds.ts';
import { transferData } from '../../server/payments/networks/evm/simulateTransfer.ts';
import { openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { receiptOf } from './waitForChain.ts';

// The init code that settles a group of payments. The tests assert on balances, receipts and gas on chain.

const gasEach = 70_000n;

let fixture: PaymentFixture;
let paymentService: PaymentService;
let closePaymentService: () => Promise<void>;
let sender: ReturnType<typeof openSender>;

const openSender = () =>
  createWalletClient({
    account: privateKeyToAccount(fixture.walletOf('demo').privateKey),
    transport: http(fixture.chain.rpcUrl),
    chain: { ...base, id: fixture.chain.chainId },
  });

beforeAll(async () => {
  fixture = await openPaymentFixture();
  ({ paymentService, close: closePaymentService } = await fixture.openPaymentService());
  sender = openSender();
});
afterAll(async () => {
  await closePaymentService?.();
  await fixture?.close();
});

async function newPayments(units: readonly bigint[]) {
  const payers: PrivateKeyAccount[] = [];
  for (const amount of units) payers.push(await fixture.newPayer(amount));
  const payments: SignedAuthorization[] = [];
  for (const payer of payers)
    payments.push(authorizationForm.read((await fixture.sign(paymentService, payer)).payload));
  return { payers, payments };
}

const simulate = async (payments: readonly SignedAuthorization[]) => {
  const { data = '0x' } = await fixture.client.call({
    account: sender.account,
    data: encodeGroupTrial(fixture.chain.usdc, payments, 150_000n),
  });
  return decodeGroupTrial(data, payments.length) ?? [];
};

async function send(payments: readonly SignedAuthorization[]) {
  const data = encodeGroup(fixture.chain.usdc, payments, gasEach);
  const gas = groupGasLimit(data, payments.length, gasEach);
  return receiptOf(fixture.client, await sender.sendTransaction({ data, gas }));
}

async function sendAlone([payment]: readonly SignedAuthorization[]): Promise<bigint> {
  const hash = await sender.sendTransaction({
    to: fixture.chain.usdc,
    data: transferData(payment as SignedAuthorization),
  });
  return (await receiptOf(fixture.client, hash)).gasUsed;
}

test.each([[2], [5], [10], [64]])(
  'default: a group of %i payments settles each for less gas than a transfer of its own',
  async (count) => {
    await sendAlone((await newPayments([price])).payments);
    const aloneGas = await sendAlone((await newPayments([2n * price])).payments);
    const { payers, payments } = await newPayments(Array.from({ length: count }, () => 2n * price));
    const before = await fixture.usdcOf(fixture.payTo);
    const simulated = await simulate(payments);
    expect(simulated.map(({ success, isContract }) => ({ success, isContract }))).toEqual(
      payments.map(() => ({ success: true, isContract: false })),
    );
    const { status, gasUsed } = await send(payments);
    expect(status).toBe('success');
    expect(await fixture.usdcOf(fixture.payTo)).toBe(before + BigInt(count) * price);
    for (const { address } of payers) expect(await fixture.usdcOf(address)).toBe(price);
    const gasShare = Number(gasUsed) / count;
    console.info(`Gas of a payment: ${aloneGas} alone, ${Math.round(gasShare)} in a group of ${count}`);
    expect(gasShare).toBeLessThan(Number(aloneGas) * (count >= 10 ? 0.7 : 1));
    // Each call needs at most 95 % of its gas limit.
    for (const { gasUsed: callGas } of simulated) expect(callGas).toBeLessThan((gasEach * 95n) / 100n);
  },
  60_000,
);

test('behavior: two payments without balance fail without the other 18 of their group; the simulation returns the reason', async () => {
  const { payers, payments } = await newPayments(
    Array.from({ length: 20 }, (_, index) => (index === 3 || index === 19 ? 0n : price)),
  );
  const simulated = await simulate(payments);
  expect(simulated.map(({ success }) => success)).toEqual(payers.map((_, index) => index !== 3 && index !== 19));
  expect(Buffer.from(simulated[3]?.returned.slice(2) ?? '', 'hex').toString()).toContain('exceeds balance');
  const before = await fixture.usdcOf(fixture.payTo);
  await send(payments);
  expect(await fixture.usdcOf(fixture.payTo)).toBe(before + 18n * price);
});

test('security: a payer that delegates to code that burns all gas (EIP-7702) makes only its own call fail', async () => {
  const { payers, payments } = await newPayments(Array.from({ length: 10 }, () => price));
  const attacker = payers[2] as PrivateKeyAccount;
  expect((await simulate(payments)).every(({ success }) => success)).toBe(true);

  const delegationGas = await fixture.delegateToBurner(attacker);
  expect((await simulate(payments))[2]).toMatchObject({ success: false, isContract: true });

  const before = await fixture.usdcOf(fixture.payTo);
  const { gasUsed } = await send(payments);
  expect(await fixture.usdcOf(fixture.payTo)).toBe(before + 9n * price);
  expect(await fixture.usdcOf(attacker.address)).toBe(price);

  const nine = await newPayments(Array.from({ length: 9 }, () => price));
  const lostGas = gasUsed - (await send(nine.payments)).gasUsed;
  // Each attack costs the attacker a delegation and a transfer that funds a new wallet.
  const fundingGas = await fixture.client.estimateGas({
    account: sender.account,
    to: fixture.chain.usdc,
    data: transferTo(privateKeyToAccount(generatePrivateKey()).address),
  });
  console.info(`Gas of an attack: attacker ${delegationGas} + ${fundingGas}, facilitator ${lostGas}`);
  expect(lostGas).toBeLessThanOrEqual(delegationGas + fundingGas);
});

test('security: such a payer would burn the gas of the whole group if it were sent through Multicall3', async () => {
  const { payers, payments } = await newPayments(Array.from({ length: 10 }, () => price));
  const attacker = payers[2] as PrivateKeyAccount;
  await fixture.delegateToBurner(attacker);
  const before = await fixture.usdcOf(fixture.payTo);
  const data = encodeFunctionData({
    abi: multicallAbi,
    functionName: 'aggregate3',
    args: [
      payments.map((payment) => ({
        target: fixture.chain.usdc,
        allowFailure: true,
        callData: transferData(payment),
      })),
    ],
  });
  const gas = groupGasLimit(encodeGroup(fixture.chain.usdc, payments, gasEach), payments.length, gasEach);
  const hash = await sender.sendTransaction({ to: multicall3, data, gas });
  const { gasUsed } = await receiptOf(fixture.client, hash);
  const paid = ((await fixture.usdcOf(fixture.payTo)) - before) / price;
  console.info(`through Multicall3: ${gasUsed} of ${gas} gas, ${paid} of 9 valid payments settled`);
  expect(paid).toBeLessThan(9n);
  expect(gasUsed).toBeGreaterThan((gas * 9n) / 10n);
});

const transferTo = (to: Hex): Hex =>
  encodeFunctionData({
    abi: [
      {
        type: 'function',
        name: 'transfer',
        inputs: [{ type: 'address' }, { type: 'uint256' }],
        outputs: [],
        stateMutability: 'nonpayable',
      },
    ],
    args: [to, price],
  });
