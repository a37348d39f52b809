import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openEvmFacilitator, signAll, taskOf } from '../../../../tests/support/openEvmFacilitator.ts';
import { payTo, startMs } from '../../../../tests/support/signedPayments.ts';
import { useVirtualTime, type VirtualTime } from '../../../../tests/support/virtualTime.ts';
import type { SettleOutcome } from '../../facilitator.ts';
import { LedgerOrderError } from '../../ledger/ledgerOrderError.ts';
import type { SignedAuthorization } from './authorization.ts';

// A payment with a signature that is no key's is settled by itself.

let payment: SignedAuthorization;
beforeAll(async () => {
  const [signed] = await signAll([0]);
  payment = { ...(signed as SignedAuthorization), signature: '0xabcd' };
});
let time: VirtualTime;
beforeEach(() => {
  time = useVirtualTime(startMs);
});
afterEach(() => time.restore());
const open = () => openEvmFacilitator(time, [payment]);
const fails = (method: string) => (call: { method: string }) => call.method === method;
const verify = async (opened: ReturnType<typeof open>) => {
  const verifying = opened.facilitator.verify(taskOf(payment));
  await time.advance(60_000);
  return verifying;
};

test('a payment that a simulation accepts is valid, and nothing is sent', async () => {
  const opened = open();
  expect(await verify(opened)).toEqual({ kind: 'valid' });
  expect(opened.journal.entries).toEqual([]);
});

test('a payment that a third party has settled is used', async () => {
  const opened = open();
  opened.chain.useByThirdParty(payment);
  opened.chain.mine();
  expect(await verify(opened)).toEqual({ kind: 'used' });
});

test('a payment without a balance is refused', async () => {
  const opened = open();
  opened.chain.withdraw(payment.from);
  opened.chain.mine();
  expect(await verify(opened)).toMatchObject({ kind: 'refused', reason: 'invalid_exact_evm_insufficient_balance' });
});

test.each([
  ['the simulation', 'eth_estimateGas', 'A payment could not be verified'],
  ['the network', 'eth_call', 'A payment could not be verified'],
])('a payment cannot be verified if %s cannot be read', async (_name, method, message) => {
  const opened = open();
  opened.node.isDown = fails(method);
  expect(await verify(opened)).toEqual({ kind: 'unavailable' });
  expect(opened.lines).toEqual([message]);
});

test('a refusal whose status on chain cannot be read leaves the payment unverified, and its settlement unknown', async () => {
  const opened = open();
  opened.chain.withdraw(payment.from);
  opened.chain.mine();
  opened.node.isDown = (call) =>
    call.method === 'eth_getBlockByNumber' && opened.node.calls.some(fails('eth_estimateGas'));
  expect(await verify(opened)).toEqual({ kind: 'unavailable' });
  expect(opened.lines).toEqual(['The status of a rejected payment cannot be read; its outcome is unknown']);

  const settling = open();
  settling.chain.withdraw(payment.from);
  settling.chain.mine();
  settling.node.isDown = (call) =>
    call.method === 'eth_getBlockByNumber' && settling.node.calls.some(fails('eth_estimateGas'));
  const result = settling.settle(taskOf(payment));
  await time.advance(60_000);
  expect(result).toEqual({ outcome: { kind: 'unknown' } });
});

test('error: a fault of our own is not taken for an outage', async () => {
  const opened = open();
  opened.node.change = () => {
    throw new TypeError('a bug');
  };
  await expect(opened.facilitator.verify(taskOf(payment))).rejects.toThrow('a bug');
  const result = opened.settle(taskOf(payment));
  await time.advance(1_000);
  expect(result.error).toEqual(new TypeError('a bug'));
});

test('sends a payment by itself once its funds are checked', async () => {
  const opened = open();
  let allow = (_: undefined): void => undefined;
  const checkFunds = () => new Promise<undefined>((resolve) => (allow = resolve));
  const result = opened.settle(taskOf(payment, { checkFunds }));
  await time.advance(1_000);
  expect(opened.journal.entries).toEqual([]);
  allow(undefined);
  await opened.pass(4);
  expect(result.outcome?.kind).toBe('settled');
  expect(opened.journal.entries.map(({ keys }) => keys)).toEqual([[taskOf(payment).key]]);
  expect(opened.chain.balanceOf(payTo)).toBe(payment.value);
});

test('sends nothing for a wallet without enough funds', async () => {
  const opened = open();
  const shortage: SettleOutcome = { kind: 'refused', reason: 'insufficient_funds', detail: 'Too little.' };
  const result = opened.settle(taskOf(payment, { checkFunds: async () => shortage }));
  await time.advance(1_000);
  expect(result).toEqual({ outcome: shortage });
  expect(opened.journal.entries).toEqual([]);
});

test('a price below the gas is unavailable, even if its funds cannot be checked', async () => {
  const opened = open();
  const checkFunds = () => Promise.reject(new LedgerOrderError('It belongs to another replica.'));
  const task = taskOf(payment, { checkFunds });
  const result = opened.settle({ ...task, terms: { ...task.terms, amount: '1' } });
  await time.advance(1_000);
  expect(result.outcome).toMatchObject({ kind: 'unavailable', detail: expect.stringContaining('Settlement gas') });
});

test('error: the funds cannot be checked by this replica', async () => {
  const opened = open();
  const checkFunds = () => Promise.reject(new LedgerOrderError('It belongs to another replica.'));
  const result = opened.settle(taskOf(payment, { checkFunds }));
  await time.advance(1_000);
  expect(result.error).toBeInstanceOf(LedgerOrderError);
  expect(opened.journal.entries).toEqual([]);
});

test('a payment is unavailable if the node fails before anything is sent', async () => {
  for (const method of ['eth_estimateGas', 'eth_getTransactionCount', 'eth_call']) {
    time.reset(startMs);
    const opened = open();
    opened.node.isDown = fails(method);
    const result = opened.settle(taskOf(payment));
    await time.advance(60_000);
    expect(result).toEqual({ outcome: { kind: 'unavailable' } });
    expect(opened.lines).toContain('A payment could not be sent');
  }
});

test('logs the network and the cause of each outage', async () => {
  const causes = [];
  for (const method of ['eth_getTransactionCount', 'eth_estimateGas']) {
    time.reset(startMs);
    const opened = open();
    opened.node.isDown = fails(method);
    if (method === 'eth_estimateGas') await verify(opened);
    else {
      opened.settle(taskOf(payment));
      await time.advance(60_000);
    }
    causes.push(...opened.facts);
  }
  const fact = { network: 'eip155:8453', cause: expect.stringContaining('The node is down.') };
  expect(causes).toEqual([fact, fact]);
});

/** A node whose estimate says that the wallet cannot pay. */
function openRefused() {
  const opened = open();
  const message = 'execution reverted: ERC20: transfer amount exceeds balance';
  opened.node.change = (call, reply) => (call.method === 'eth_estimateGas' ? { error: { code: 3, message } } : reply);
  return opened;
}

test('the outcome is unknown if the token accepts the payment at the block of its status', async () => {
  const opened = openRefused();
  expect(await verify(opened)).toEqual({ kind: 'unavailable' });
  const result = opened.settle(taskOf(payment));
  await time.advance(5_000);
  expect(result).toEqual({ outcome: { kind: 'unknown' } });
});

test('error: a fault of our own while a refusal is compared with the chain', async () => {
  const opened = openRefused();
  const { change } = opened.node;
  opened.node.change = (call, reply) => {
    if (call.method === 'eth_getBlockByNumber' && opened.node.calls.some(fails('eth_estimateGas')))
      throw new TypeError('a bug');
    return change(call, reply);
  };
  await expect(opened.facilitator.verify(taskOf(payment))).rejects.toThrow('a bug');
});

test('logs the network and the cause if the status of a refused payment cannot be read', async () => {
  const opened = openRefused();
  opened.node.isDown = (call) =>
    call.method === 'eth_getBlockByNumber' && opened.node.calls.some(fails('eth_estimateGas'));
  await verify(opened);
  expect(opened.facts).toEqual([{ network: 'eip155:8453', cause: expect.stringContaining('The node is down.') }]);
});
