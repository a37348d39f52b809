import { setImmediate as turn } from 'node:timers/promises';
import { parseTransaction } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { beforeEach, expect, test } from 'vitest';
import type { Chain } from '../../chainCall.ts';
import { openKeyAccount } from './keyAccount.ts';
import { createTransactionSender, type EvmTransaction, type Fees } from './transactionSender.ts';

const call = { to: `0x${'11'.repeat(20)}`, data: '0x', gas: 100_000n } as const;
const fees: Fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, height: 5n, timestamp: 0n };
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** A node that takes whatever follows its count, and counts only what it has. */
let sent: number[] = [];
let pending = 7;
let counted = 0;
const chain = {
  async call(method: string, [raw]: [`0x02${string}`]) {
    if (method !== 'eth_sendRawTransaction') throw new Error(method);
    const { nonce = 0 } = parseTransaction(raw);
    sent.push(nonce);
    while (sent.includes(pending)) pending += 1;
    return `0x${'00'.repeat(32)}`;
  },
  async callProven(method: string) {
    if (method !== 'eth_getTransactionCount') throw new Error(method);
    counted += 1;
    return pending;
  },
} as unknown as Pick<Chain, 'call' | 'callProven'>;

beforeEach(() => {
  sent = [];
  pending = 7;
  counted = 0;
});

const open = () =>
  createTransactionSender({ account: openKeyAccount(generatePrivateKey()), chainId: 8453, chain, logger: silent });
const nonceOf = ({ nonce }: EvmTransaction) => nonce;
const write = async () => {};
/** A journal that ends when it is told to. */
function holdJournal() {
  let [write, fail] = [() => {}, () => {}];
  const written = new Promise<void>((resolve, reject) => {
    [write, fail] = [resolve, () => reject(new Error('full'))];
  });
  return { journal: () => written, write, fail };
}

test('default: one nonce after another, whatever comes at once', async () => {
  const sender = open();
  const all = await Promise.all([1, 2, 3].map(() => sender.send({ ...call, fees }, write)));
  expect(all.map(nonceOf)).toEqual([7, 8, 9]);
  expect(sent.toSorted()).toEqual([7, 8, 9]);
  expect(counted).toBe(1);
});

test('behavior: nothing is sent before it is written, and the next is signed while it is', async () => {
  const sender = open();
  const journaled: number[] = [];
  let write7 = () => {};
  const first = sender.send(
    { ...call, fees },
    ({ nonce }) =>
      new Promise((resolve) => {
        journaled.push(nonce);
        write7 = resolve;
      }),
  );
  const second = sender.send({ ...call, fees }, async ({ nonce }) => void journaled.push(nonce));
  expect(nonceOf(await second)).toBe(8);
  expect(journaled).toEqual([7, 8]);
  await turn();
  expect(sent).toEqual([8]);
  write7();
  await first;
  expect(sent).toEqual([8, 7]);
});

test('behavior: a nonce whose journal fails is given to the next', async () => {
  const sender = open();
  await expect(sender.send({ ...call, fees }, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect(nonceOf(await sender.send({ ...call, fees }, write))).toBe(7);
  expect(sent).toEqual([7]);
});

test('behavior: a gap that a failed journal leaves before others is filled by the next', async () => {
  const sender = open();
  let fail = () => {};
  const first = sender.send(
    { ...call, fees },
    () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error('full'));
      }),
  );
  const second = sender.send({ ...call, fees }, write);
  expect(nonceOf(await second)).toBe(8);
  fail();
  await expect(first).rejects.toThrow('full');
  expect(nonceOf(await sender.send({ ...call, fees }, write))).toBe(7);
  expect(nonceOf(await sender.send({ ...call, fees }, write))).toBe(9);
  expect(sent).toEqual([8, 7, 9]);
});

test('behavior: a gap is filled, and not forgotten, when the count is asked for anew', async () => {
  const sender = open();
  const [first, third] = [holdJournal(), holdJournal()];
  const one = sender.send({ ...call, fees }, first.journal);
  const second = await sender.send({ ...call, fees }, write);
  const three = sender.send({ ...call, fees }, third.journal);
  await turn();
  expect(await sender.isStranded(second)).toBe(true);
  first.fail();
  await expect(one).rejects.toThrow('full');
  const next = [await sender.send({ ...call, fees }, write), await sender.send({ ...call, fees }, write)];
  expect(next.map(nonceOf)).toEqual([7, 10]);
  third.write();
  expect(nonceOf(await three)).toBe(9);
});

test('behavior: a gap that opens while the next nonce is being given is filled by the next', async () => {
  const sender = open();
  // Fails at each of the moments that lie between the next one's call and its signature.
  for (let moment = 0; moment < 12; moment += 1) {
    const held = holdJournal();
    const failing = sender.send({ ...call, fees }, held.journal);
    await turn();
    const next = sender.send({ ...call, fees }, write);
    for (let step = 0; step < moment; step += 1) await undefined;
    held.fail();
    await expect(failing).rejects.toThrow('full');
    await next;
    await sender.send({ ...call, fees }, write);
    expect(sent.toSorted((a, b) => a - b)).toEqual(Array.from(sent, (_, index) => 7 + index));
  }
});
