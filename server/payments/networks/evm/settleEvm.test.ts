import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openEvmFacilitator, signAll, taskOf } from '../../../../tests/support/openEvmFacilitator.ts';
import { keyOf, payTo, startMs } from '../../../../tests/support/signedPayments.ts';
import { useVirtualTime, type VirtualTime } from '../../../../tests/support/virtualTime.ts';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { SignedAuthorization } from './authorization.ts';
import { openKeyAccount } from './keyAccount.ts';
import { transferData } from './simulateTransfer.ts';

let payment: SignedAuthorization;
beforeAll(async () => {
  [payment] = (await signAll([0])) as [SignedAuthorization];
});
let time: VirtualTime;
beforeEach(() => {
  time = useVirtualTime(startMs);
});
afterEach(() => time.restore());
const open = () => openEvmFacilitator(time, [payment]);
type Opened = ReturnType<typeof open>;

/** A settle request to a remote facilitator. */
const foreign: JournaledTransaction = { hash: '', raw: '', nonce: 0, fromBlock: 900n };
/** A transaction of our account that sends the payment. */
function own(nonce = 0): JournaledTransaction {
  const { asset } = taskOf(payment).terms;
  const fees = { maxFeePerGas: 2_000_000n, maxPriorityFeePerGas: 1_000_000n };
  const call = { to: asset as `0x${string}`, data: transferData(payment), gas: 100_000n, value: 0n, ...fees };
  const signed = openKeyAccount(keyOf(7)).sign({ type: 'eip1559', chainId: 8453, nonce, ...call });
  return { ...signed, nonce, fromBlock: 900n };
}
const start = (opened: Opened, change: Partial<SettleTask<SignedAuthorization>>) =>
  opened.settle(taskOf(payment, change));
const broadcasts = ({ node }: Opened) => node.calls.filter(({ method }) => method === 'eth_sendRawTransaction').length;

/** The reads of the payment's state at a block. */
const statusReads = ({ node }: Opened) =>
  node.calls.filter(({ method, params }) => method === 'eth_call' && `${params[1]}`.startsWith('0x')).length;

test('awaits the transaction of an earlier attempt, and sends no other one', async () => {
  const opened = open();
  const sent = own();
  const result = start(opened, { sent: [foreign, sent] });
  await time.advance(1_500);
  expect(broadcasts(opened)).toBe(1);
  await opened.pass(4);
  expect(result.outcome).toMatchObject({ kind: 'settled', transaction: sent.hash });
  expect(statusReads(opened)).toBe(0);
  expect(opened.journal.entries).toEqual([]);
});

test('finds a payment that a remote facilitator settled, and rechecks it', async () => {
  const opened = open();
  opened.chain.useByThirdParty(payment);
  opened.chain.mine();
  const result = start(opened, { sent: [foreign] });
  await time.advance(1_000);
  expect(result.outcome).toMatchObject({ kind: 'settled' });
  expect(opened.node.calls.some(({ method }) => method === 'eth_estimateGas')).toBe(false);
  expect(opened.journal.entries).toEqual([]);
  // Its block is dropped, and no party sends it again.
  opened.chain.reorganise(1, false);
  await opened.pass(60);
  expect(opened.journal.lost).toEqual([taskOf(payment).key]);
});

test('sends a payment that a remote facilitator has not settled', async () => {
  const opened = open();
  const result = start(opened, { sent: [foreign] });
  await opened.pass(4);
  expect(result.outcome).toMatchObject({ kind: 'settled', transaction: opened.journal.entries[0]?.transaction.hash });
  expect(statusReads(opened)).toBe(1);
});

test('refuses a payment that expired at a remote facilitator', async () => {
  const opened = open();
  await time.advance(Number(payment.validBefore) * 1_000 - startMs);
  opened.chain.mine();
  const result = start(opened, { sent: [foreign] });
  await time.advance(1_000);
  expect(result.outcome).toMatchObject({
    kind: 'refused',
    reason: 'invalid_exact_evm_payload_authorization_valid_before',
  });
  // It is not rechecked as a served payment.
  await opened.pass(60);
  expect(opened.lines).toEqual([]);
});

test('the outcome at a remote facilitator is unknown if the service closes during an outage', async () => {
  const opened = open();
  opened.node.isDown = () => true;
  const result = start(opened, { sent: [foreign] });
  await time.advance(30_000);
  expect(result).toEqual({});
  opened.facilitator.close();
  await time.advance(30_000);
  expect(result).toEqual({ outcome: { kind: 'unknown' } });
});

test('reads the status at a remote facilitator again after an outage', async () => {
  const opened = open();
  opened.chain.useByThirdParty(payment);
  opened.chain.mine();
  opened.node.isDown = () => true;
  const result = start(opened, { sent: [foreign] });
  await time.advance(30_000);
  opened.node.isDown = () => false;
  await time.advance(30_000);
  expect(result.outcome).toMatchObject({ kind: 'settled' });
});

test('sends a refused payment of a remote facilitator without waiting for its status', async () => {
  const opened = open();
  const result = start(opened, { sent: [foreign], wasRefused: true });
  await opened.pass(4);
  expect(result.outcome?.kind).toBe('settled');
  expect(statusReads(opened)).toBe(0);
});

test('compares a second refusal with the chain, because the first facilitator may settle the payment', async () => {
  const opened = open();
  const shortage: SettleOutcome = { kind: 'refused', reason: 'insufficient_funds', detail: 'Too little.' };
  const checkFunds = async () => {
    opened.chain.useByThirdParty(payment);
    opened.chain.mine();
    return shortage;
  };
  const result = start(opened, { sent: [foreign], wasRefused: true, checkFunds });
  await time.advance(5_000);
  expect(result.outcome).toMatchObject({ kind: 'settled' });
  expect(opened.journal.entries).toEqual([]);
  const unpaid = open();
  const refused = start(unpaid, { sent: [foreign], wasRefused: true, checkFunds: async () => shortage });
  await time.advance(5_000);
  expect(refused.outcome).toEqual(shortage);
});

test('a refusal of a new payment is compared with the chain, other outcomes are not', async () => {
  const opened = open();
  opened.chain.useByThirdParty(payment);
  opened.chain.mine();
  const result = start(opened, {});
  await time.advance(5_000);
  expect(result.outcome).toMatchObject({ kind: 'settled' });

  const limited: SettleOutcome = { kind: 'limited', detail: 'The wallet is paused.', retryAfterSeconds: 3 };
  const unpaid = open();
  const second = start(unpaid, { checkFunds: async () => limited });
  await time.advance(5_000);
  expect(second.outcome).toEqual(limited);
  expect(unpaid.node.calls.filter(({ method }) => method === 'eth_getLogs')).toEqual([]);
});

/** The payer withdraws before the transaction is included, so it fails on chain. */
async function failOnChain(task: Partial<SettleTask<SignedAuthorization>> = {}, later?: (opened: Opened) => void) {
  const opened = open();
  const result = start(opened, task);
  await time.advance(100);
  opened.chain.withdraw(payment.from);
  opened.chain.mine();
  later?.(opened);
  await opened.pass(4);
  return { opened, outcome: result.outcome };
}

test('a refusal after a failure on chain reports that gas was spent', async () => {
  const { outcome, opened } = await failOnChain();
  expect(outcome).toMatchObject({
    kind: 'refused',
    reason: 'invalid_exact_evm_insufficient_balance',
    failedOnChain: true,
    gas: { microUsd: 120 },
  });
  expect(opened.events).toContainEqual({ kind: 'gas lost', network: 'eip155:8453', usd: 0.00012 });
  expect(opened.chain.balanceOf(payTo)).toBe(0n);
});

test('a payment that failed on chain, and succeeds in a simulation now, is not sent again at once', async () => {
  const { outcome, opened } = await failOnChain({}, ({ chain }) => {
    chain.give(payment.from, payment.value);
    chain.mine();
  });
  expect(outcome).toMatchObject({
    kind: 'refused',
    reason: 'invalid_exact_evm_transaction_failed',
    failedOnChain: true,
  });
  expect(broadcasts(opened)).toBe(1);
});

test('a limit after a failure on chain is reported as that failure', async () => {
  const limited: SettleOutcome = { kind: 'limited', detail: 'The wallet is paused.', retryAfterSeconds: 3 };
  const opened = open();
  const result = start(opened, { sent: [own()], checkFunds: async () => limited });
  await time.advance(1_500);
  opened.chain.withdraw(payment.from);
  opened.chain.mine();
  opened.chain.give(payment.from, payment.value);
  opened.chain.mine();
  await opened.pass(4);
  expect(result.outcome).toMatchObject({
    kind: 'refused',
    reason: 'invalid_exact_evm_transaction_failed',
    failedOnChain: true,
  });
});

test('a refusal without a failure on chain reports none', async () => {
  const opened = open();
  opened.chain.withdraw(payment.from);
  opened.chain.mine();
  const result = start(opened, {});
  await time.advance(5_000);
  expect(result.outcome).toMatchObject({ kind: 'refused' });
  expect(result.outcome).not.toHaveProperty('failedOnChain');
  // It is not rechecked as a served payment.
  await opened.pass(60);
  expect(opened.node.calls.filter(({ method }) => method === 'eth_getTransactionReceipt')).toEqual([]);
});

test('a settled payment of a contract wallet returns its reserve and its price to the gas budget', async () => {
  const opened = open();
  opened.node.change = (call, reply) => (call.method === 'eth_getCode' ? { result: '0x60' } : reply);
  const result = opened.settle(taskOf({ ...payment, signature: '0xabcd' }));
  await opened.pass(4);
  expect(result.outcome?.kind).toBe('settled');
  const [taken = 0] = opened.budget.taken;
  expect(taken).toBeGreaterThan(0);
  expect(opened.budget.refunded).toEqual([taken + 20_000]);
});

test('a limit on a payment that a remote facilitator refused is compared with the chain', async () => {
  const opened = open();
  const limited: SettleOutcome = { kind: 'limited', detail: 'The wallet is paused.', retryAfterSeconds: 3 };
  // Later than the simulation, which accepts the payment.
  const checkFunds = async () => {
    await time.sleep(500);
    opened.chain.useByThirdParty(payment);
    opened.chain.mine();
    return limited;
  };
  const result = start(opened, { sent: [foreign], wasRefused: true, checkFunds });
  await time.advance(5_000);
  expect(result.outcome).toMatchObject({ kind: 'settled' });
});

test('a payment that failed on chain and was settled by the next transaction reports no failure', async () => {
  const opened = open();
  const result = start(opened, { sent: [own()] });
  await time.advance(1_500);
  opened.chain.withdraw(payment.from);
  opened.chain.mine();
  opened.chain.give(payment.from, payment.value);
  opened.chain.mine();
  await opened.pass(6);
  expect(result.outcome).toMatchObject({ kind: 'settled', gas: { used: 60_000, microUsd: 240 } });
  expect(result.outcome).not.toHaveProperty('failedOnChain');
});
