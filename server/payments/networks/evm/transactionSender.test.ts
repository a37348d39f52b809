import { parseTransaction } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { beforeEach, expect, test } from 'vitest';
import { useVirtualTime } from '../../../../tests/support/virtualTime.ts';
import type { Chain } from '../../chainCall.ts';
import { JsonRpcError } from '../../chainCall.ts';
import type { PaymentLedger } from '../../ledger/ledgerTypes.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import type { Fees } from './fees.ts';
import { openKeyAccount } from './keyAccount.ts';
import { createTransactionSender } from './transactionSender.ts';

const fees: Fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, height: 5n, timestamp: 0n };
const call = { to: `0x${'11'.repeat(20)}`, data: '0x', gas: 100_000n, fees } as const;
const silent = { info: () => {}, warn: () => {}, error: () => {} };

// State of the fake node, which accepts each transaction, and of the fake journal, which assigns nonces.
let sent: number[] = [];
let pending = 7;
let counted = 0;
let journaled: { keys: readonly string[]; nonce: number }[] = [];
let journalFault: Error | undefined;
let refusal: string | undefined;
let openTransactions: EvmTransaction[] = [];
/** Each repriced transaction that was journaled, with the number of broadcasts before it. */
let repriced: { keys: readonly string[]; broadcasts: number }[] = [];

const chain = {
  async sendRaw(raw: `0x02${string}`) {
    if (refusal) throw new JsonRpcError(-32000, refusal, undefined);
    const { nonce = 0 } = parseTransaction(raw);
    sent.push(nonce);
    while (sent.includes(pending)) pending += 1;
    return { outcome: 'sent' };
  },
  call: async () => 1n,
  async callVerified(method: string) {
    if (method === 'eth_getBlockByNumber') return { number: 5n, timestamp: 0n, baseFeePerGas: 100n };
    if (method !== 'eth_getTransactionCount') throw new Error(method);
    counted += 1;
    return pending;
  },
} as unknown as Pick<Chain, 'call' | 'callVerified' | 'sendRaw'>;

const ledger: Pick<PaymentLedger, 'journalAll' | 'journalNext' | 'loadOpenTransactions'> = {
  async journalNext(keys, { from }, sign) {
    if (journalFault) throw journalFault;
    let nonce = from;
    while (journaled.some((entry) => entry.nonce === nonce)) nonce += 1;
    journaled.push({ keys, nonce });
    return sign(nonce);
  },
  async journalAll(keys) {
    if (journalFault) throw journalFault;
    repriced.push({ keys, broadcasts: sent.length });
  },
  loadOpenTransactions: async () => openTransactions,
};

beforeEach(() => {
  [sent, pending, counted, journaled, journalFault, refusal] = [[], 7, 0, [], undefined, undefined];
  openTransactions = [];
  repriced = [];
});

const open = () =>
  createTransactionSender({
    account: openKeyAccount(generatePrivateKey()),
    chainId: 8453,
    chain,
    ledger,
    logger: silent,
  });
const nonceOf = ({ nonce }: EvmTransaction) => nonce;

test('concurrent transactions have consecutive nonces from one read of the count', async () => {
  const sender = open();
  const all = await Promise.all(['a', 'b', 'c'].map((key) => sender.send(call, [key])));
  expect(all.map(nonceOf)).toEqual([7, 8, 9]);
  expect(sent.toSorted()).toEqual([7, 8, 9]);
  expect(counted).toBe(1);
});

test('a transaction of several payments is journaled for each and broadcast once', async () => {
  await open().send(call, ['a', 'b']);
  expect(journaled).toEqual([{ keys: ['a', 'b'], nonce: 7 }]);
  expect(sent).toEqual([7]);
});

test('broadcasts nothing and uses no nonce if journaling fails', async () => {
  const sender = open();
  journalFault = new Error('full');
  await expect(sender.send(call, ['a'])).rejects.toThrow('full');
  expect(sent).toEqual([]);
  journalFault = undefined;
  expect(nonceOf(await sender.send(call, ['a']))).toBe(7);
});

test.each(['nonce too low', 'insufficient funds for gas'])(
  'reads the count again after a node refused with "%s"',
  async (text) => {
    const sender = open();
    refusal = text;
    await sender.send(call, ['a']);
    refusal = undefined;
    await sender.send(call, ['b']);
    expect(counted).toBe(2);
  },
);

test('continues after the highest included nonce, and reads the count again after a rejection', async () => {
  const sender = open();
  const first = await sender.send(call, ['a']);
  sender.noteIncluded({ ...first, nonce: 20 });
  expect(nonceOf(await sender.send(call, ['b']))).toBe(21);
  refusal = 'nonce too low';
  await sender.send(call, ['c']);
  refusal = undefined;
  expect(nonceOf(await sender.send(call, ['d']))).toBe(8);
});

test('a transaction is stranded if a lower nonce is in no journal', async () => {
  const sender = open();
  const transaction = await sender.send(call, ['a']);
  expect(await sender.fillGap(transaction)).toEqual({ isStranded: false });
  expect(await sender.fillGap({ ...transaction, nonce: 9 })).toEqual({ isStranded: true });
});

test('fillGap broadcasts an earlier transaction that another replica journaled but did not send', async () => {
  const { sendRaw } = chain;
  chain.sendRaw = async () => ({ outcome: 'unknown' });
  const hanging = open();
  chain.sendRaw = sendRaw;
  const sender = open();
  openTransactions = [await hanging.send(call, ['a'])];
  const next = await sender.send(call, ['b']);
  expect(await sender.fillGap({ ...next, nonce: 8 })).toEqual({ isStranded: false });
  expect(sent).toEqual([8, 7]);
});

test('journals a repriced transaction before the broadcast, and does not broadcast if journaling fails', async () => {
  const sender = open();
  const transaction = await sender.send({ ...call, data: '0x01' }, ['a', 'b']);
  const raised = await sender.reprice(transaction, ['a', 'b'], 10n ** 9n);
  expect(raised?.nonce).toBe(transaction.nonce);
  expect(raised?.hash).not.toBe(transaction.hash);
  expect(repriced).toEqual([{ keys: ['a', 'b'], broadcasts: 1 }]);
  expect(sent).toEqual([7, 7]);

  journalFault = new Error('full');
  await expect(sender.reprice(transaction, ['a', 'b'], 10n ** 9n)).rejects.toThrow('full');
  expect(sent).toEqual([7, 7]);
});

test('does not reprice a transaction whose gas would then cost more than the maximum', async () => {
  const sender = open();
  const transaction = await sender.send({ ...call, data: '0x01' }, ['a']);
  // 100,000 gas at 3 wei, the minimum price of a replacement.
  expect(await sender.reprice(transaction, ['a'], 299_999n)).toBeUndefined();
  expect(sent).toEqual([7]);
  expect(await sender.reprice(transaction, ['a'], 300_000n)).toBeDefined();
});

test('signs the call with its fees, for this chain, without value', async () => {
  const transaction = await open().send({ ...call, data: '0x01' }, ['a']);
  expect(parseTransaction(transaction.raw)).toMatchObject({
    ...{
      chainId: 8453,
      nonce: 7,
      to: call.to,
      data: '0x01',
      gas: 100_000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
    },
  });
  expect(parseTransaction(transaction.raw).value ?? 0n).toBe(0n);
  expect(transaction.fromBlock).toBe(5n);
});

test('names the account by chain and address, in lower case', async () => {
  const account = openKeyAccount(generatePrivateKey());
  const names: string[] = [];
  const sender = createTransactionSender({
    ...{ account, chainId: 8453, chain, logger: silent },
    ledger: {
      ...ledger,
      async journalNext(keys, given, sign) {
        names.push(given.name);
        return ledger.journalNext(keys, given, sign);
      },
    },
  });
  const { account: recorded } = await sender.send(call, ['a']);
  expect([recorded, ...names]).toEqual(Array(2).fill(`eip155:8453|${account.address.toLowerCase()}`));
});

test('a transaction without a recipient creates a contract, also at a higher price', async () => {
  const { to: _, ...creation } = { ...call, data: '0x01' as const };
  const sender = open();
  const transaction = await sender.send(creation, ['a', 'b']);
  expect(parseTransaction(transaction.raw).to ?? undefined).toBeUndefined();
  const raised = await sender.reprice(transaction, ['a', 'b'], 10n ** 9n);
  expect(raised && (parseTransaction(raised.raw).to ?? undefined)).toBeUndefined();
});

test('looks for a gap only below the nonce, and reads the count again if the transaction is stranded', async () => {
  const ranges: object[] = [];
  const sender = createTransactionSender({
    ...{ account: openKeyAccount(generatePrivateKey()), chainId: 8453, chain, logger: silent },
    ledger: {
      ...ledger,
      async loadOpenTransactions(_, range) {
        ranges.push(range);
        return openTransactions;
      },
    },
  });
  const transaction = await sender.send(call, ['a']);
  // The node's count is 8 after the broadcast.
  expect(await sender.fillGap({ ...transaction, nonce: 8 })).toEqual({ isStranded: false });
  expect(await sender.fillGap({ ...transaction, nonce: 6 })).toEqual({ isStranded: false });
  expect(ranges).toEqual([]);
  openTransactions = [{ ...transaction, nonce: 8 }];
  expect(await sender.fillGap({ ...transaction, nonce: 10 })).toEqual({ isStranded: true });
  expect(ranges).toEqual([{ from: 8, below: 10 }]);
  const before = counted;
  await sender.send(call, ['b']);
  expect(counted).toBe(before + 1);
});

test('an older included transaction does not lower the next nonce', async () => {
  const sender = open();
  const first = await sender.send(call, ['a']);
  sender.noteIncluded({ ...first, nonce: 20 });
  sender.noteIncluded({ ...first, nonce: 3 });
  expect(nonceOf(await sender.send(call, ['b']))).toBe(21);
});

test('awaits the reply to a lone payment, and that to a group for 18 ms', async () => {
  const time = useVirtualTime(0);
  const { sendRaw } = chain;
  try {
    let answer = (_: { outcome: 'sent' }): void => undefined;
    chain.sendRaw = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const sender = open();
    const done: string[] = [];
    void sender.send(call, ['a', 'b']).then(() => done.push('group'));
    await time.advance(17);
    expect(done).toEqual([]);
    await time.advance(1);
    expect(done).toEqual(['group']);
    const lone = sender.send(call, ['c']).finally(() => done.push('lone'));
    await time.advance(10_000);
    expect(done).toEqual(['group']);
    answer({ outcome: 'sent' });
    const { hash } = await lone;
    expect(sender.pendingReply(hash)).toBeUndefined();
  } finally {
    chain.sendRaw = sendRaw;
    time.restore();
  }
});

test('asks for a receipt only with the first broadcast', async () => {
  const { sendRaw } = chain;
  const awaited: boolean[] = [];
  chain.sendRaw = (raw, awaitReceipt) => {
    awaited.push(awaitReceipt);
    return sendRaw(raw, awaitReceipt);
  };
  try {
    const sender = open();
    const transaction = await sender.send({ ...call, data: '0x01' }, ['a']);
    await sender.reprice(transaction, ['a'], 10n ** 9n);
    openTransactions = [transaction];
    await sender.fillGap({ ...transaction, nonce: 9 });
    await sender.resend(transaction);
  } finally {
    chain.sendRaw = sendRaw;
  }
  expect(awaited).toEqual([true, false, false, false]);
});

test('broadcasts the same bytes again, and reports what the node answers', async () => {
  const sender = open();
  const transaction = await sender.send(call, ['a']);
  expect(await sender.resend(transaction)).toBe('sent');
  refusal = 'nonce too low';
  expect(await sender.resend(transaction)).toBe('tooLate');
  expect(sent).toEqual([7, 7]);
});
