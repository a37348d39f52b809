import { pad } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, followIn, openFollower, payer } from '../../../../tests/support/openFollower.ts';
import { startMs } from '../../../../tests/support/signedPayments.ts';
import { useVirtualTime, type VirtualTime } from '../../../../tests/support/virtualTime.ts';
import { ChainUnreachableError, JsonRpcError } from '../../chainCall.ts';

let time: VirtualTime;
beforeEach(() => {
  time = useVirtualTime(startMs);
});
afterEach(() => time.restore());

const open = (options?: { acceptsPreconfirmed: boolean }) => openFollower(time, options);

test('returns the receipt that the node returned with the broadcast, without a request', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.include(transaction);
  const receipt = opened.node.receipts.get(transaction.hash);
  opened.follower.note(transaction.hash, { receipt, head: '0xa' });
  const result = followIn(opened, [transaction]);
  await time.settle();
  expect(result.end).toEqual({ kind: 'mined', receipt });
  expect(opened.log).toEqual([]);
});

test('the next transaction takes the nonce after the included one, also if the count is behind', async () => {
  const opened = open();
  const transaction = { ...(await opened.send()), nonce: 30 };
  opened.include(transaction);
  followIn(opened, [transaction]);
  await time.settle();
  expect(await opened.send()).toMatchObject({ nonce: 31 });
});

test('polls rarely at first, then at the configured pause, and once a second after five seconds', async () => {
  const opened = open();
  const transaction = await opened.send();
  followIn(opened, [transaction]);
  await time.advance(8_000);
  const times = opened.timesOf('eth_getTransactionReceipt');
  expect(times.slice(0, 7)).toEqual([0, 20, 60, 140, 290, 440, 590]);
  expect(times.filter((ms) => ms > 4_900)).toEqual([4_940, 5_090, 5_390, 5_990, 6_990, 7_990]);
});

test('broadcasts again every second, and looks for a gap after two seconds', async () => {
  const opened = open();
  const transaction = await opened.send();
  followIn(opened, [transaction]);
  await time.advance(4_500);
  expect(opened.timesOf('sendRaw')).toEqual([1_040, 2_090, 3_140, 4_190]);
  expect(opened.paramsOf('sendRaw')).toEqual(Array(4).fill([transaction.raw, false]));
  // The count at a named block for the nonce; the pending one for the gap.
  const counts = opened.log.filter(([, method]) => method === 'eth_getTransactionCount');
  expect(counts.map(([ms, , params]) => [ms, (params as string[])[1]])).toEqual([
    [1_040, '0xa'],
    [2_090, '0xa'],
    [2_090, 'pending'],
    [3_140, '0xa'],
    [3_140, 'pending'],
    [4_190, '0xa'],
    [4_190, 'pending'],
  ]);
});

test('ends as replaced after three reads of a used nonce without a receipt, and broadcasts nothing', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.node.count = 8;
  const result = followIn(opened, [transaction]);
  await time.advance(3_139);
  expect(result).toEqual({});
  await time.advance(1);
  expect(result).toEqual({ end: { kind: 'replaced' } });
  expect(opened.timesOf('sendRaw')).toEqual([]);
});

test('a nonce that is unused in between must be read as used three times again', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.node.count = 8;
  const result = followIn(opened, [transaction]);
  await time.advance(2_500);
  opened.node.count = 7;
  await time.advance(1_000);
  expect(opened.timesOf('sendRaw')).toEqual([3_140]);
  opened.node.count = 8;
  await time.advance(2_700);
  expect(result).toEqual({});
  await time.advance(2_000);
  expect(result).toEqual({ end: { kind: 'replaced' } });
});

test('a receipt of a used nonce counts, even if it arrives late', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.node.count = 8;
  const result = followIn(opened, [transaction]);
  await time.advance(2_500);
  opened.include(transaction);
  await time.advance(500);
  expect(result.end).toMatchObject({ kind: 'mined' });
});

test.each([new ChainUnreachableError('down'), new JsonRpcError(-32000, 'busy', undefined)])(
  'polls on through an outage, once a second: %s',
  async (fault) => {
    const opened = open();
    const transaction = await opened.send();
    opened.node.fault = fault;
    const result = followIn(opened, [transaction]);
    await time.advance(2_500);
    expect(opened.timesOf('eth_getTransactionReceipt')).toEqual([0, 1_000, 2_000]);
    expect(opened.lines).toEqual(
      Array(3).fill({
        network: 'eip155:8453',
        cause: fault.message,
        message: 'The status of a settlement cannot be read; polling continues',
      }),
    );
    opened.node.fault = undefined;
    opened.include(transaction);
    await time.advance(1_000);
    expect(result.end).toMatchObject({ kind: 'mined' });
  },
);

test('error: a fault of our own ends the polling', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.node.fault = new TypeError('a bug');
  const result = followIn(opened, [transaction]);
  await time.advance(10);
  expect(result.error).toEqual(new TypeError('a bug'));
  expect(opened.lines).toEqual([]);
});

test('error: AbortError when the service stops, while polling and during an outage', async () => {
  for (const fault of [undefined, new ChainUnreachableError('down')]) {
    const opened = open();
    const transaction = await opened.send();
    opened.node.fault = fault;
    const result = followIn(opened, [transaction]);
    await time.advance(100);
    opened.closing.abort();
    await time.advance(10);
    expect(result.error).toMatchObject({ name: 'AbortError' });
    const { length } = opened.log;
    const later = followIn(opened, [transaction]);
    await time.advance(5_000);
    expect(later.error).toMatchObject({ name: 'AbortError' });
    expect(opened.log).toHaveLength(length);
  }
});

test('payments of one transaction share the requests, also if they follow at different times', async () => {
  const opened = open();
  const transaction = await opened.send();
  const ended = opened.follower.ended(transaction);
  const first = followIn(opened, [transaction]);
  await time.advance(15);
  const second = followIn(opened, [transaction], payer('b'));
  opened.include(transaction);
  await time.advance(10);
  expect(opened.timesOf('eth_getTransactionReceipt')).toEqual([0, 20]);
  expect(first.end).toMatchObject({ kind: 'mined' });
  expect(second.end).toBe(first.end);
  expect(await ended).toBe(first.end);
});

test('polls again for a payment that follows after the end', async () => {
  const opened = open();
  const transaction = await opened.send();
  opened.include(transaction);
  const first = followIn(opened, [transaction]);
  await time.advance(1);
  expect(first.end).toMatchObject({ kind: 'mined' });
  opened.node.receipts.clear();
  const second = followIn(opened, [transaction]);
  await time.advance(100);
  expect(second).toEqual({});
  expect(opened.timesOf('eth_getTransactionReceipt').length).toBeGreaterThan(1);
});

test('another transaction with the nonce is followed by itself, and its end does not stop the first', async () => {
  const opened = open();
  const transaction = await opened.send();
  const other = { ...transaction, hash: pad('0x77') };
  followIn(opened, [transaction]);
  const second = followIn(opened, [other]);
  opened.include(transaction);
  await time.advance(30);
  expect(second).toEqual({});
  // The newer one is still known: a third payment shares its requests.
  opened.log.length = 0;
  followIn(opened, [other], payer('b'));
  await time.settle();
  expect(opened.log).toEqual([]);
});

test('reads the receipts of the newest nonce only', async () => {
  const opened = open();
  const transaction = await opened.send();
  const earlier = { ...transaction, hash: pad('0x66'), nonce: 3 };
  followIn(opened, [earlier, transaction]);
  await time.settle();
  expect(opened.paramsOf('eth_getTransactionReceipt')).toEqual([[transaction.hash]]);
});

test('a receipt found while the reply is pending counts', async () => {
  const opened = open();
  opened.node.reply = () => new Promise(() => undefined);
  const sending = opened.sender.send(call, ['a', 'b']);
  await time.advance(20);
  const transaction = await sending;
  opened.include(transaction);
  const result = followIn(opened, [transaction]);
  await time.advance(1);
  expect(result.end).toMatchObject({ kind: 'mined' });
  expect(opened.timesOf('eth_getTransactionReceipt')).toHaveLength(1);
});

test.each([false, true])(
  'a receipt of a block above the head counts only where preconfirmations do: %s',
  async (acceptsPreconfirmed) => {
    const opened = open({ acceptsPreconfirmed });
    const transaction = await opened.send();
    opened.include(transaction, 11);
    const result = followIn(opened, [transaction]);
    await time.advance(100);
    expect('end' in result).toBe(acceptsPreconfirmed);
  },
);

test('error: there is nothing to follow', async () => {
  const result = followIn(open(), []);
  await time.settle();
  expect(result.error).toEqual(new Error('There is no transaction to follow.'));
});
