import { erc20Abi, type PrivateKeyAccount, toFunctionSelector } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import type { PaymentLedger, PaymentService } from '../../server/payments/index.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { ledgerKeyOf } from './signPayment.ts';
import { isBroadcast, outcomeOf, useProxiedFixture } from './useProxiedFixture.ts';

// The limit of concurrent payments of one wallet. A single transaction of the wallet can make all of them fail on
// chain, and the facilitator pays the gas.

const setup = useProxiedFixture();

const signMany = (paymentService: PaymentService, payer: PrivateKeyAccount, count: number) =>
  Promise.all(Array.from({ length: count }, () => setup.fixture.sign(paymentService, payer)));

/** Pays `count` concurrent calls. Returns `served` or the refusal's code of each. */
async function buy(paymentService: PaymentService, payer: PrivateKeyAccount, count: number): Promise<string[]> {
  const signed = await signMany(paymentService, payer, count);
  return Promise.all(signed.map(async (payload) => outcomeOf(await paymentService.decide(attemptOf(payload)))));
}

/** Empties the gas budget of contract wallets, which must not limit payments of plain keys. */
async function emptyGasBudget(ledger: PaymentLedger): Promise<void> {
  const budget = { class: 'contract wallets', perHour: 500_000 };
  await ledger.takeGas(budget, budget.perHour);
}

test('behavior: serves twenty simultaneous payments of a new wallet, also when the gas budget of contract wallets is empty', async () => {
  const { paymentService, ledger, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  await emptyGasBudget(ledger);
  const payer = await setup.fixture.newPayer(20n * price);
  // The delay keeps the payments open at the same time.
  setup.proxy.delayMs = 20;
  expect(await buy(paymentService, payer, 20)).toEqual(Array(20).fill('served'));
  expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: settles two simultaneous payments of a new wallet one after the other, each as a plain transfer', async () => {
  const { paymentService, ledger, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  await emptyGasBudget(ledger);
  const payer = await setup.fixture.newPayer(2n * price);
  setup.proxy.requests.length = 0;
  setup.proxy.delayMs = 20;
  expect(await buy(paymentService, payer, 2)).toEqual(['served', 'served']);
  const token = setup.fixture.chain.usdc.toLowerCase();
  expect(setup.broadcasts().map(({ to }) => to?.toLowerCase())).toEqual([token, token]);
  await close();
});

test('behavior: groups five simultaneous payments of a wallet that has settled four', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(9n * price);
  for (let settled = 0; settled < 4; settled += 1) expect(await buy(paymentService, payer, 1)).toEqual(['served']);
  setup.proxy.requests.length = 0;
  setup.proxy.delayMs = 20;
  expect(await buy(paymentService, payer, 5)).toEqual(Array(5).fill('served'));
  expect(setup.broadcasts().length).toBeLessThan(5);
  // Payments of one wallet in a group share one read of its balance.
  const balanceReads = setup.proxy.requests.flatMap(({ calls }) =>
    calls.filter(({ params }) => JSON.stringify(params).includes(toFunctionSelector('balanceOf(address)').slice(2))),
  );
  expect(balanceReads.length).toBeLessThanOrEqual(2);
  expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('error: 429, uncharged, for a payment that waits too long for other payments of its wallet', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, turnDeadlineMs: 0, closeGraceMs: 10 } }),
  });
  const payer = await setup.fixture.newPayer(2n * price);
  const [first, second] = await signMany(paymentService, payer, 2);
  // The first payment stays open while its broadcasts are dropped.
  setup.proxy.fault = (calls) => (calls.some(isBroadcast) ? { kind: 'drop' } : undefined);
  setup.proxy.requests.length = 0;
  const sending = paymentService.decide(attemptOf(first as never));
  await expect.poll(() => setup.broadcasts().length).toBeGreaterThan(0);
  const refused = await paymentService.decide(attemptOf(second as never));
  expect(refused).toMatchObject({ status: 429, detail: expect.stringContaining('This request charged nothing') });
  setup.proxy.fault = () => undefined;
  expect(await outcomeOf(await sending)).toBe('served');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('error: refuses, uncharged, a payment that expires while it waits for other payments of its wallet', async () => {
  let clockOffsetMs = 0;
  const reservations: string[] = [];
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({
      ...config,
      now: () => Date.now() + clockOffsetMs,
      ledger: {
        ...config.ledger,
        async reserve(request) {
          const claim = await config.ledger.reserve(request);
          reservations.push(claim.kind);
          return claim;
        },
      },
    }),
  });
  const payer = await setup.fixture.newPayer(2n * price);
  const [first, second] = await signMany(paymentService, payer, 2);
  setup.proxy.fault = (calls) => (calls.some(isBroadcast) ? { kind: 'drop' } : undefined);
  setup.proxy.requests.length = 0;
  const sending = paymentService.decide(attemptOf(first as never));
  await expect.poll(() => setup.broadcasts().length).toBeGreaterThan(0);
  const waiting = paymentService.decide(attemptOf(second as never));
  await expect.poll(() => reservations).toContain('full');
  clockOffsetMs = 200_000;
  setup.proxy.fault = () => undefined;
  expect(await outcomeOf(await sending)).toBe('served');
  expect(await waiting).toMatchObject({
    status: 402,
    reason: 'invalid_exact_evm_payload_authorization_valid_before',
  });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

/** Gas of the facilitator's transactions since a block. */
async function gasSince(first: bigint): Promise<bigint> {
  let gas = 0n;
  for (let number = first + 1n; number <= (await setup.fixture.client.getBlockNumber()); number += 1n) {
    const { transactions } = await setup.fixture.client.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { hash, from } of transactions) {
      if (from.toLowerCase() !== setup.facilitator().address.toLowerCase()) continue;
      gas += (await setup.fixture.client.getTransactionReceipt({ hash })).gasUsed;
    }
  }
  return gas;
}

/** Gas of the transfer that funds a new wallet. */
const estimateFundingGas = (): Promise<bigint> =>
  setup.fixture.client.estimateContractGas({
    address: setup.fixture.chain.usdc,
    abi: erc20Abi,
    functionName: 'transfer',
    args: [privateKeyToAccount(generatePrivateKey()).address, price],
    account: setup.fixture.walletOf('demo').address,
  });

test('security: a new wallet that makes its twenty payments fail costs the facilitator at most the gas of the attack; other wallets are served', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const attacker = await setup.fixture.newPayer(20n * price);
  const signed = await signMany(paymentService, attacker, 20);
  const otherPayer = await setup.fixture.newPayer(3n * price);
  let isDelegated = false;
  let delegating: Promise<bigint> | undefined;
  setup.proxy.fault = (calls) => {
    if (isDelegated || !calls.some(isBroadcast)) return undefined;
    delegating ??= setup.fixture.delegateToBurner(attacker).finally(() => {
      isDelegated = true;
    });
    return { kind: 'drop' };
  };
  const sinceBlock = await setup.fixture.client.getBlockNumber();
  const outcomes = await Promise.all(
    signed.map(async (payload) => outcomeOf(await paymentService.decide(attemptOf(payload)))),
  );
  expect(outcomes).not.toContain('served');
  const gas = await gasSince(sinceBlock);
  const attackGas = ((await delegating) ?? 0n) + (await estimateFundingGas());
  console.info(`20 payments of a delegating wallet cost the facilitator ${gas} gas and the attacker ${attackGas}`);
  expect(gas).toBeLessThanOrEqual(attackGas);
  expect(await buy(paymentService, otherPayer, 3)).toEqual(Array(3).fill('served'));
  await close();
});

/**
 * Settles a payment whose transaction is broadcast after a restart and reverts, and returns the reason of its refusal.
 * `limitWallet` runs after the revert, before the service reads the receipt.
 */
async function revertAfterRestart(limitWallet: (ledger: PaymentLedger, wallet: string) => Promise<unknown>) {
  const { fixture, proxy } = setup;
  const file = fixture.newLedgerFile();
  const reasons: string[] = [];
  const open = () =>
    fixture.openPaymentService({
      file,
      rpcUrl: proxy.url,
      change: (config) => ({
        ...config,
        timings: { ...config.timings, closeGraceMs: 10 },
        onEvent: (event) => void (event.kind === 'payment refused' && reasons.push(event.reason)),
      }),
    });
  const first = await open();
  const payer = await fixture.newPayer(price);
  const [payload, other] = await signMany(first.paymentService, payer, 2);
  const sentTransactions = () => fixture.client.getTransactionCount(setup.facilitator());
  const nonce = await sentTransactions();
  proxy.fault = (calls) => (calls.some(isBroadcast) ? { kind: 'drop' } : undefined);
  proxy.requests.length = 0;
  const deciding = first.paymentService.decide(attemptOf(payload as never));
  await expect.poll(() => setup.broadcasts().length).toBe(1);
  await first.close();
  await deciding;

  // Another authorization empties the wallet, so the journaled transaction reverts.
  await fixture.settleByThirdParty(other as never);
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_getTransactionReceipt') ? { kind: 'drop' } : undefined;
  const second = await open();
  await expect.poll(sentTransactions).toBe(nonce + 1);
  await fixture.give(payer.address, price);
  await limitWallet(second.ledger, payer.address.toLowerCase());
  const key = ledgerKeyOf(payload as never);
  proxy.fault = () => undefined;
  await expect.poll(async () => (await second.ledger.load(key))?.state, { timeout: 20_000 }).toBe('refused');
  expect(await sentTransactions()).toBe(nonce + 1);
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await second.close();
  return reasons.at(-1);
}

test('behavior: awaits the sent payment of a paused wallet after a restart, and sends no new transaction', async () => {
  expect(await revertAfterRestart((ledger, wallet) => ledger.pausePayer(wallet))).toBe('payer_paused');
});

test('behavior: refuses a payment that failed on chain after a restart, also while another payment of its wallet is open', async () => {
  const reason = await revertAfterRestart(async (ledger, wallet) => {
    const facts = { fingerprint: 'f', paid: 'quote', route: 'POST /v1/quote', canonicalInput: '{}', payload: '{}' };
    const [key, network] = ['another payment', 'eip155:8453'];
    await ledger.claim({ ...facts, key, network, payer: wallet });
    await ledger.reserve({ key, wallet, network, amount: 1n });
  });
  expect(reason).toBe('invalid_exact_evm_transaction_failed');
});
