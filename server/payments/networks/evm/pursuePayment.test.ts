import { numberToHex, pad, serializeTransaction, toEventSelector } from 'viem';
import { expect, test } from 'vitest';
import type { EvmTransaction } from './evmTransaction.ts';
import type { Follower } from './followTransactions.ts';
import { encodeGroup } from './groupCall.ts';
import { failedOutcome, pursuePayment } from './pursuePayment.ts';
import type { Member } from './settleGroup.ts';

type Pursuit = Parameters<typeof pursuePayment>[0];

const asset = pad('0x1', { size: 20 });
const payer = pad('0x2', { size: 20 });

/** A transfer; without `to`, a group. */
const transactionOf = (nonce: number, call: { to?: typeof asset } = { to: asset }): EvmTransaction => ({
  hash: pad(numberToHex(nonce + 1)),
  raw: serializeTransaction({ type: 'eip1559', chainId: 8453, nonce, data: '0x00', ...call }),
  nonce,
  fromBlock: 1n,
});

/** Pursues a payment whose newest transaction failed on chain and whose next simulation succeeds. */
async function pursueFailed({ sent, earlier = [] }: { sent: EvmTransaction[]; earlier?: EvmTransaction[] }) {
  const payment = { from: payer, to: payer, value: 1n, nonce: pad('0x1') };
  const task = { payment, sent: earlier, wasRefused: earlier.length > 0, checkFunds: async () => undefined };
  const member = { task, spending: { held: 0n, lost: new Map() } } as unknown as Member;
  const receipt = {
    status: '0x0',
    transactionHash: pad('0x7'),
    blockNumber: '0x5',
    gasUsed: 50_000n,
    effectiveGasPrice: 2n,
    logs: [],
  };
  const outcome = await pursuePayment(
    {
      node: { asset },
      follower: { follow: async () => ({ kind: 'mined', receipt }) },
      verifier: { readStatus: async () => ({ kind: 'unused' }) },
      preparer: { simulate: async () => ({}), prepare: async () => ({ kind: 'ready' }) },
      sendTransfer: async () => transactionOf(9),
    } as unknown as Pursuit,
    member,
    sent,
  );
  return { outcome, lost: [...member.spending.lost.values()], nonces: sent.map(({ nonce }) => nonce) };
}

test('behavior: does not send a lone transfer again that failed in this attempt', async () => {
  expect(await pursueFailed({ sent: [transactionOf(1)] })).toEqual({
    outcome: failedOutcome,
    lost: [100_000n],
    nonces: [1],
  });
});

test('behavior: sends a payment once more, alone, that failed in a group', async () => {
  const { outcome, nonces } = await pursueFailed({ sent: [transactionOf(1, {})] });
  expect(outcome).toBeUndefined();
  expect(nonces).toEqual([1, 9]);
});

test('behavior: sends a payment again that failed in a refused attempt, and does not count that failure twice', async () => {
  const earlier = [transactionOf(1)];
  expect(await pursueFailed({ sent: [...earlier], earlier })).toEqual({ outcome: undefined, lost: [], nonces: [1, 9] });
});

test('behavior: uses at most five nonces for one payment', async () => {
  const earlier = [1, 2, 3, 4, 5].map((nonce) => transactionOf(nonce));
  const { outcome, nonces } = await pursueFailed({ sent: [...earlier], earlier });
  expect(outcome).toEqual(failedOutcome);
  expect(nonces).toEqual([1, 2, 3, 4, 5]);
});

test('behavior: a shortage after a broadcast counts only if the payment is still unused', async () => {
  const statuses = [{ kind: 'unused' }, { kind: 'settled', transaction: '0x09' }];
  const payment = { from: payer, to: payer, value: 1n, nonce: pad('0x1') };
  const shortage = { kind: 'refused', reason: 'insufficient_funds', detail: 'Too little.' };
  const task = { payment, sent: [], wasRefused: false, checkFunds: async () => shortage };
  const outcome = await pursuePayment(
    {
      node: { asset },
      follower: { follow: async () => ({ kind: 'replaced' }) },
      verifier: { readStatus: async () => statuses.shift() },
      preparer: { simulate: async () => ({}) },
    } as unknown as Pursuit,
    { task, spending: { held: 0n, lost: new Map() } } as unknown as Member,
    [transactionOf(1)],
  );
  expect(outcome).toEqual({ kind: 'settled', transaction: '0x09' });
});

const shape = { from: payer, to: asset, value: 20_000n, validAfter: 0n, validBefore: 9n } as const;
const payment = { ...shape, nonce: pad('0x5'), signature: `0x${'ab'.repeat(65)}` } as const;
const readCost = { kind: 'read', l1Fee: 10n, toMicroUsd: (wei: bigint) => wei, toWei: (microUsd: bigint) => microUsd };
const mined = {
  ...{ status: '0x1', transactionHash: pad('0x7'), blockNumber: '0x5' },
  ...{ gasUsed: 60_000n, effectiveGasPrice: 2n },
};
const log = (logIndex: number, topics: `0x${string}`[], data: `0x${string}` = '0x') => ({
  ...{ address: asset, topics, data, logIndex: numberToHex(logIndex) },
});
const used = (logIndex: number, nonce: `0x${string}` = payment.nonce) =>
  log(logIndex, [toEventSelector('AuthorizationUsed(address,bytes32)'), pad(payer), nonce]);
const transferred = (logIndex: number) =>
  log(
    logIndex,
    [toEventSelector('Transfer(address,address,uint256)'), pad(payer), pad(asset)],
    pad(numberToHex(20_000)),
  );

interface Script {
  end: object;
  statuses?: object[];
  simulated?: object;
  shortage?: object;
  prepared?: object;
  /** What `sendFirst` returns. */
  next?: object;
  cost?: object;
  usd?: number;
  earlier?: EvmTransaction[];
}

/** Pursues a payment whose dependencies return what a test sets, and records their calls. */
async function pursue(sent: EvmTransaction[], script: Script) {
  const { end, statuses = [], simulated = {}, prepared = { kind: 'ready' }, earlier = [] } = script;
  const since: unknown[] = [];
  const events: unknown[] = [];
  const fees: bigint[] = [];
  const followers: Follower[] = [];
  const sizes: number[] = [];
  const lines: object[] = [];
  const member = {
    task: {
      ...{ key: 'the key', payment, terms: { amount: '20000' }, sent: earlier, wasRefused: earlier.length > 0 },
      checkFunds: async () => script.shortage,
    },
    spending: { held: 0n, lost: new Map() },
  };
  const outcome = await pursuePayment(
    {
      network: 'eip155:8453',
      node: { asset },
      follower: {
        async follow(_: unknown, follower: Follower) {
          followers.push(follower);
          return end;
        },
      },
      verifier: {
        async readStatus(_: unknown, from: unknown) {
          since.push(from);
          return statuses.shift() ?? { kind: 'unused' };
        },
      },
      costs: {
        async read(size: number) {
          sizes.push(size);
          return script.cost ?? readCost;
        },
        toUsd(fee: bigint) {
          fees.push(fee);
          return script.usd;
        },
      },
      preparer: { simulate: async () => simulated, prepare: async () => prepared },
      sendTransfer: async () => transactionOf(9),
      sendFirst: async () => script.next ?? transactionOf(8),
      logger: { error: (facts: object) => void lines.push(facts) },
      onEvent: (event: unknown) => void events.push(event),
    } as unknown as Pursuit,
    member as unknown as Member,
    sent,
  );
  const nonces = sent.map(({ nonce }) => nonce);
  return {
    outcome,
    since,
    events,
    fees,
    follower: followers[0] as Follower,
    sizes,
    lines,
    nonces,
    lost: [...member.spending.lost],
  };
}

test('a payment in a receipt is settled, with its share of the fee', async () => {
  const other = used(3, pad('0x6'));
  const receipt = { ...mined, logs: [used(0), transferred(1), other] };
  const { outcome, events, fees, since } = await pursue([transactionOf(1)], {
    end: { kind: 'mined', receipt },
    usd: 0.01,
  });
  const gas = { used: 30_000, microUsd: 10_000 };
  expect(outcome).toEqual({ kind: 'settled', transaction: pad('0x7'), block: 5n, gas });
  expect(fees).toEqual([60_000n]);
  expect(events).toEqual([{ kind: 'gas paid', network: 'eip155:8453', usd: 0.01 }]);
  expect(since).toEqual([]);
});

test('a fee without a price, or without its parts, is unknown and reports no event', async () => {
  const receipt = { ...mined, logs: [used(0), transferred(1)] };
  const { outcome, events } = await pursue([transactionOf(1)], { end: { kind: 'mined', receipt } });
  expect([outcome, events]).toMatchObject([{ gas: { used: 60_000, unknown: 'no_price' } }, []]);
  const end = { kind: 'mined', receipt: { ...receipt, gasUsed: undefined } };
  const expected = { outcome: { gas: { unknown: 'not_read' } }, fees: [], events: [] };
  expect(await pursue([transactionOf(1)], { end, usd: 0.01 })).toMatchObject(expected);
});

test('reads how much gas a payment can afford by the size of its call', async () => {
  const { follower, sizes } = await pursue([transactionOf(1)], {
    end: { kind: 'replaced' },
    shortage: { kind: 'unknown' },
  });
  expect(follower.key).toBe('the key');
  expect(await follower.affordableWei()).toBe(19_989n);
  expect(sizes).toEqual([356]);
  const unread = await pursue([transactionOf(1)], {
    ...{ end: { kind: 'replaced' }, shortage: { kind: 'unknown' }, cost: { kind: 'unreadable' } },
  });
  expect(await unread.follower.affordableWei()).toBeUndefined();
});

test('a stranded payment is sent in a new transaction', async () => {
  const { outcome, nonces, lines, since } = await pursue([transactionOf(1)], { end: { kind: 'stranded' } });
  expect(outcome).toBeUndefined();
  expect(nonces).toEqual([1, 8]);
  expect(lines).toEqual([{ network: 'eip155:8453', hash: transactionOf(1).hash }]);
  expect(since).toEqual([]);
});

test.each([
  ['unused', undefined],
  ['settled', { kind: 'settled', transaction: '0x09' }],
])('a stranded payment that cannot be sent again is %s on chain', async (kind, status) => {
  const script = { end: { kind: 'stranded' }, next: { kind: 'unavailable' }, statuses: status ? [status] : [] };
  const { outcome, nonces, since } = await pursue([transactionOf(1)], script);
  expect(outcome).toEqual(kind === 'unused' ? undefined : status);
  expect(nonces).toEqual([1]);
  expect(since).toEqual([1n]);
});

test('a stranded payment uses at most five nonces', async () => {
  const sent = (nonces: number[]) => nonces.map((nonce) => transactionOf(nonce));
  expect((await pursue(sent([1, 2, 3, 4]), { end: { kind: 'stranded' } })).nonces).toHaveLength(5);
  const { nonces, lines } = await pursue(sent([1, 2, 3, 4, 5]), { end: { kind: 'stranded' } });
  expect([nonces.length, lines]).toEqual([5, []]);
  expect((await pursue(sent([1, 1, 1, 1, 1]), { end: { kind: 'stranded' } })).nonces).toHaveLength(6);
});

test('a payment whose nonce is lost is sent once more, and loses no gas', async () => {
  const { outcome, nonces, lost, since } = await pursue([transactionOf(1)], { end: { kind: 'replaced' } });
  expect([outcome, nonces, lost, since]).toEqual([undefined, [1, 9], [], [1n]]);
});

test.each([
  [
    'paid by another transaction',
    { statuses: [{ kind: 'settled', transaction: '0x09' }] },
    { kind: 'settled', transaction: '0x09' },
  ],
  [
    'rejected in a simulation',
    { simulated: { reason: 'other', detail: 'No.' } },
    { kind: 'refused', reason: 'other', detail: 'No.' },
  ],
  ['not covered', { shortage: { kind: 'limited' } }, { kind: 'limited' }],
  ['too expensive', { prepared: { kind: 'unavailable' } }, { kind: 'unavailable' }],
])('a payment whose nonce is lost is not sent again if it is %s', async (_name, script, expected) => {
  const { outcome, nonces } = await pursue([transactionOf(1)], { end: { kind: 'replaced' }, ...script });
  expect(outcome).toEqual(expected);
  expect(nonces).toEqual([1]);
});

test('a refusal is compared with the chain once more, from the same block', async () => {
  const script = { end: { kind: 'replaced' }, simulated: { reason: 'other', detail: 'No.' } };
  const { outcome, since } = await pursue([transactionOf(1)], {
    ...script,
    statuses: [{ kind: 'unused' }, { kind: 'settled', transaction: '0x09' }],
  });
  expect(outcome).toEqual({ kind: 'settled', transaction: '0x09' });
  expect(since).toEqual([1n, 1n]);
});

/** A group of as many payments. */
const groupOf = (payments: number): EvmTransaction =>
  transactionOf(1, { data: encodeGroup(asset, Array(payments).fill(payment), 1n) } as never);

test.each([
  ['the whole fee of a lone transfer', [transactionOf(1)], { gasUsed: 60_000n }, 120_000n],
  ['its share of the fee of a group', [groupOf(3)], { gasUsed: 60_000n }, 40_000n],
  ['an unknown fee', [groupOf(3)], { gasUsed: undefined }, undefined],
])('a payment that failed on chain lost %s', async (_name, sent, change, fee) => {
  const receipt = { ...mined, status: '0x0', logs: [], ...change };
  const { lost } = await pursue(sent, { end: { kind: 'mined', receipt } });
  expect(lost).toEqual([[pad('0x7'), fee]]);
});
