import { type Hex, toHex } from 'viem';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { keyFor, openEvmFacilitator, signAll, taskOf } from '../../../../tests/support/openEvmFacilitator.ts';
import { asset, keyOf, payTo, price, startMs } from '../../../../tests/support/signedPayments.ts';
import { useVirtualTime, type VirtualTime } from '../../../../tests/support/virtualTime.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { SignedAuthorization } from './authorization.ts';
import { openKeyAccount } from './keyAccount.ts';
import { transferData } from './simulateTransfer.ts';

let payments: SignedAuthorization[];
beforeAll(async () => {
  payments = await signAll([0, 1, 2, 3]);
});
const paymentOf = (index: number) => ({ ...(payments[index] as SignedAuthorization) });

let time: VirtualTime;
beforeEach(() => {
  time = useVirtualTime(startMs);
});
afterEach(() => time.restore());
const open = (options?: { preconfirmedNetworks: string[] }) => openEvmFacilitator(time, payments, options);

test('settles a payment with our own key, and reports its transaction and its gas', async () => {
  const { facilitator, chain, settle, pass, events, journal } = open();
  expect(facilitator).toMatchObject({ network: 'eip155:8453', spendsOurGas: true });
  expect(facilitator.account).toBe(openKeyAccount(keyOf(7)).address);
  expect(await facilitator.offerExtra()).toEqual({});
  const result = settle(taskOf(paymentOf(0)));
  await time.advance(100);
  expect(result).toEqual({});
  await pass(2);
  const [{ transaction, keys } = { transaction: undefined, keys: [] }] = journal.entries;
  const gas = { used: 60_000, microUsd: 120 };
  expect(result.outcome).toEqual({ kind: 'settled', transaction: transaction?.hash, block: 1_001n, gas });
  expect(keys).toEqual([keyFor(paymentOf(0))]);
  expect(chain.balanceOf(payTo)).toBe(price);
  // 60,000 gas at 1,000,000 wei, and 2,000 US dollars for a coin.
  expect(events).toEqual([
    { kind: 'transaction sent', network: 'eip155:8453', payments: 1 },
    { kind: 'gas paid', network: 'eip155:8453', usd: 0.00012 },
  ]);
});

test('payments that wait for a transaction share the next one, and each has its own gas', async () => {
  const { facilitator, chain, settle, pass, events, journal } = open();
  const results = [settle(taskOf(paymentOf(0)))];
  await time.advance(100);
  results.push(...[1, 2].map((index) => settle(taskOf(paymentOf(index)))));
  await time.advance(100);
  expect(facilitator.queue?.()).toMatchObject({ length: 2 });
  await pass(6);
  expect(results.map(({ outcome }) => outcome?.kind)).toEqual(['settled', 'settled', 'settled']);
  expect(journal.entries.map(({ keys }) => keys.length)).toEqual([1, 2]);
  expect(chain.balanceOf(payTo)).toBe(3n * price);
  expect(events.filter(({ kind }) => kind === 'gas paid').map((event) => 'usd' in event && event.usd)).toEqual([
    0.00012, 0.00006, 0.00006,
  ]);
});

test.each([
  ['a time beyond the range of a record', { validBefore: 2n ** 64n }],
  ['a signature that only a contract wallet verifies', { signature: '0xabcd' as const }],
])('a payment with %s does not wait for others', async (_name, change) => {
  const { facilitator, settle, journal } = open();
  settle(taskOf(paymentOf(0)));
  await time.advance(100);
  settle(taskOf({ ...paymentOf(1), ...change }));
  await time.advance(100);
  expect(facilitator.queue?.()).toMatchObject({ length: 0 });
  expect(journal.entries).toHaveLength(2);
});

test('counts a receipt before its block is the latest only on a preconfirmed network', async () => {
  for (const preconfirmedNetworks of [['eip155:8453'], ['eip155:137']]) {
    time.reset(startMs);
    const { settle, chain, node } = open({ preconfirmedNetworks });
    const result = settle(taskOf(paymentOf(0)));
    await time.advance(100);
    chain.mine();
    node.change = (call, reply) => (call.method === 'eth_blockNumber' ? { result: '0x3e8' } : reply);
    await time.advance(1_000);
    expect(result.outcome?.kind).toBe(preconfirmedNetworks[0] === 'eip155:8453' ? 'settled' : undefined);
  }
});

test('checks the network at start', async () => {
  const { facilitator, lines } = open();
  await facilitator.start();
  expect(lines).toEqual([]);
  const down = openEvmFacilitator(time, payments);
  down.node.isDown = () => true;
  const starting = down.facilitator.start();
  await time.advance(60_000);
  await starting;
  expect(down.lines).toEqual(['The payment network could not be checked at start']);
  const other = open();
  other.node.change = (call, reply) => (call.method === 'eth_chainId' ? { result: '0x1' } : reply);
  await expect(other.facilitator.start()).rejects.toThrow(PaymentNetworkMismatchError);
});

test('an outcome is unknown when the service closes', async () => {
  const { facilitator, settle } = open();
  const result = settle(taskOf(paymentOf(0)));
  await time.advance(100);
  facilitator.close();
  await time.advance(5_000);
  expect(result).toEqual({ outcome: { kind: 'unknown' } });
});

const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n };
/** A transaction of our account that sends a payment. */
function journaled(nonce: number): JournaledTransaction {
  const call = { to: asset, data: transferData(paymentOf(nonce)), gas: 100_000n, value: 0n, ...fees };
  const signed = openKeyAccount(keyOf(7)).sign({ type: 'eip1559', chainId: 8453, nonce, ...call });
  return { ...signed, nonce, fromBlock: 900n };
}

test('broadcasts journaled transactions again: our own, each once, the lowest nonce first', async () => {
  const { facilitator, node } = open();
  const [first, second, third] = [journaled(1), journaled(2), journaled(3)];
  await facilitator.resend([third, second, { ...first, raw: '' }, third]);
  expect(rawOf(node.calls)).toEqual([second.raw, third.raw]);
});

test.each([
  [true, 1],
  [false, 2],
])('broadcasts no further transaction if no node replies (%s)', async (isDown, broadcasts) => {
  const { facilitator, node } = open();
  node.isDown = ({ method }) => isDown && method === 'eth_sendRawTransaction';
  const resending = facilitator.resend([journaled(2), journaled(3)]);
  await time.advance(60_000);
  await resending;
  expect(new Set(rawOf(node.calls)).size).toBe(broadcasts);
});

const rawOf = (calls: readonly { method: string; params: readonly unknown[] }[]) =>
  calls.filter(({ method }) => method === 'eth_sendRawTransaction').map(({ params }) => params[0]);

test('reads whether a refused payment paid, from the block of its first transaction', async () => {
  const { facilitator, chain, node } = open();
  expect(await facilitator.readLateStatus(paymentOf(0), [])).toEqual({ kind: 'open' });
  chain.useByThirdParty(paymentOf(0));
  chain.mine();
  expect(await facilitator.readLateStatus(paymentOf(0), [journaled(1)])).toMatchObject({ kind: 'settled' });
  const searches = () =>
    node.calls
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ params }) => (params[0] as { fromBlock: string }).fromBlock);
  expect(searches()).toEqual(['0x0']);
});

test('looks for a payment without a transaction in the latest blocks only', async () => {
  const { facilitator, chain, node } = open();
  chain.useByThirdParty(paymentOf(0));
  chain.mine();
  // As high as Base.
  node.change = (call, reply) => (call.method === 'eth_blockNumber' ? { result: toHex(40_000_000) } : reply);
  await facilitator.readLateStatus(paymentOf(0), []).catch(() => undefined);
  const searches = node.calls.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => params[0]);
  expect(searches.map((search) => Number((search as { fromBlock: Hex }).fromBlock) > 30_000_000)).toEqual([true]);
});

test('waits for no receipt that the node returned with the broadcast', async () => {
  const { settle, chain, node } = open({ preconfirmedNetworks: ['eip155:8453'] });
  node.change = ({ method, params }, reply) => {
    if (method !== 'eth_sendRawTransactionSync') return reply;
    const hash = chain.receive(params[0] as Hex);
    chain.mine();
    return { result: chain.newest.receipts.get(hash) };
  };
  const result = settle(taskOf(paymentOf(0)));
  await time.advance(1_000);
  expect(result.outcome?.kind).toBe('settled');
  expect(node.calls.filter(({ method }) => method === 'eth_getTransactionReceipt')).toEqual([]);
});

test('passes on the funds, the signature and the state of the network', async () => {
  const { facilitator } = open();
  expect(await facilitator.readFunds(paymentOf(0), [])).toEqual({ balance: price, ended: new Set() });
  const { terms } = taskOf(paymentOf(0));
  const seconds = startMs / 1_000;
  expect(await facilitator.verifyPayload(paymentOf(0), terms, seconds)).toEqual({ kind: 'valid' });
  expect(await facilitator.verifyPayload(paymentOf(0), terms, seconds + 300)).toMatchObject({ kind: 'invalid' });
  expect(await facilitator.isSigned(paymentOf(0), terms, seconds)).toBe(true);
  expect(await facilitator.isSigned({ ...paymentOf(0), from: payTo }, terms, seconds)).toBe(false);
  expect(await facilitator.isSigned(paymentOf(0), terms, seconds + 300)).toBe(false);
  expect(await facilitator.readSettlementState()).toMatchObject({ obstacle: undefined });
});

test('broadcasts a served payment again that a reorganisation dropped', async () => {
  const { settle, pass, chain, node, journal } = open();
  const result = settle(taskOf(paymentOf(0)));
  await pass(4);
  expect(result.outcome?.kind).toBe('settled');
  chain.reorganise(3, false);
  const before = rawOf(node.calls).length;
  await pass(30);
  expect(rawOf(node.calls).slice(before)[0]).toBe(journal.entries[0]?.transaction.raw);
  expect(chain.useOf(paymentOf(0))).toBe('paid');
  expect(journal.lost).toEqual([]);
});

test('records a served payment as lost that the chain dropped and can no longer include', async () => {
  const { settle, pass, chain, journal, events } = open();
  const result = settle(taskOf(paymentOf(0)));
  await pass(4);
  expect(result.outcome?.kind).toBe('settled');
  chain.reorganise(3, false);
  chain.stealNonce();
  await pass(60);
  expect(journal.lost).toEqual([keyFor(paymentOf(0))]);
  expect(events).toContainEqual({ kind: 'payment lost', network: 'eip155:8453' });
});
