import { numberToHex, pad } from 'viem';
import { expect, test } from 'vitest';
import { type Chain, ChainUnreachableError, JsonRpcError, type RawSent } from '../../chainCall.ts';
import { createBroadcaster } from './broadcaster.ts';
import type { EvmTransaction } from './evmTransaction.ts';

const transaction: EvmTransaction = { hash: pad('0x7'), raw: '0x02aa', nonce: 3, fromBlock: 1n };
const included = { receipt: { status: '0x1' }, head: numberToHex(5) };

/** A broadcaster on a node that replies, or throws an error. */
function open(reply: RawSent | Error, changes: { onIncluded?: undefined } = {}) {
  const sent: Parameters<Chain['sendRaw']>[] = [];
  const notes: unknown[] = [];
  const lines: object[] = [];
  const log = (facts: object) => void lines.push(facts);
  const broadcaster = createBroadcaster({
    chainId: 8453,
    chain: {
      async sendRaw(...call) {
        sent.push(call);
        if (reply instanceof Error) throw reply;
        return reply;
      },
    },
    logger: { info: log, warn: log, error: log },
    ...(!('onIncluded' in changes) && { onIncluded: (...note: unknown[]) => void notes.push(note) }),
  });
  return { ...broadcaster, sent, notes, lines };
}
const refused = (answer: string) => new JsonRpcError(-32000, answer, undefined);

test('sends the signed bytes, and awaits a receipt only if that is required', async () => {
  const { broadcast, sent, notes, lines } = open({ outcome: 'sent' });
  expect(await broadcast(transaction, false)).toBe('sent');
  expect(await broadcast(transaction, true)).toBe('sent');
  expect(sent).toEqual([
    ['0x02aa', false],
    ['0x02aa', true],
  ]);
  expect(notes).toEqual([]);
  expect(lines).toEqual([]);
});

test('passes on a receipt that the node returned with the broadcast', async () => {
  const { broadcast, notes } = open({ outcome: 'sent', included });
  expect(await broadcast(transaction, true)).toBe('sent');
  expect(notes).toEqual([[transaction.hash, included]]);
  expect(await open({ outcome: 'sent', included }, { onIncluded: undefined }).broadcast(transaction, true)).toBe(
    'sent',
  );
});

test('returns the outcome of a node whose reply timed out', async () => {
  expect(await open({ outcome: 'unknown' }).broadcast(transaction, true)).toBe('unknown');
});

test('the outcome is unknown without a reply', async () => {
  const { broadcast, lines } = open(new ChainUnreachableError('down'));
  expect(await broadcast(transaction, false)).toBe('unknown');
  expect(lines).toEqual([{ chainId: 8453, hash: transaction.hash }]);
});

test.each(['already known', 'Transaction already imported', 'known transaction: 0x12', 'tx already exists in cache'])(
  'a transaction that the node has counts as sent: "%s"',
  async (answer) => {
    const { broadcast, lines } = open(refused(answer));
    expect(await broadcast(transaction, false)).toBe('sent');
    expect(lines).toEqual([]);
  },
);

test.each([
  ['nonce too low: next nonce 5', 'tooLate'],
  ['Transaction nonce is too low.', 'tooLate'],
  ['old nonce', 'tooLate'],
  ['invalid nonce', 'tooLate'],
  ['insufficient funds for gas * price + value', 'rejected'],
  ['replacement transaction underpriced', 'rejected'],
] as const)('the node answers "%s": %s', async (answer, outcome) => {
  const { broadcast, lines } = open(refused(answer));
  expect(await broadcast(transaction, false)).toBe(outcome);
  expect(lines).toEqual([{ chainId: 8453, hash: transaction.hash, code: -32000, answer }]);
});

test("logs at most 120 characters of a node's answer", async () => {
  const { broadcast, lines } = open(refused('x'.repeat(500)));
  await broadcast(transaction, false);
  expect(lines).toEqual([expect.objectContaining({ answer: 'x'.repeat(120) })]);
});

test('error: a fault of our own is not taken for an answer of the node', async () => {
  await expect(open(new TypeError('a bug')).broadcast(transaction, false)).rejects.toThrow('a bug');
});

test.each([
  ['the node accepts it', { outcome: 'sent' }, 0],
  ['the node does not reply', new ChainUnreachableError('down'), 0],
  ['its nonce is used', refused('nonce too low'), 1],
  ['the node rejects it', refused('insufficient funds'), 1],
] as const)('reports a nonce as unused by this transaction: %s', async (_name, reply, times) => {
  const { begin, sent } = open(reply);
  let unused = 0;
  await begin(transaction, () => {
    unused += 1;
  });
  expect(unused).toBe(times);
  expect(sent).toEqual([['0x02aa', true]]);
});

test('a reply is pending until it arrives, also if the broadcast fails', async () => {
  const { begin, pendingReply } = open({ outcome: 'sent' });
  const replied = begin(transaction, () => undefined);
  expect(pendingReply(transaction.hash)).toBe(replied);
  expect(pendingReply(pad('0x8'))).toBeUndefined();
  await replied;
  expect(pendingReply(transaction.hash)).toBeUndefined();

  const failing = open(new TypeError('a bug'));
  await expect(failing.begin(transaction, () => undefined)).rejects.toThrow('a bug');
  expect(failing.pendingReply(transaction.hash)).toBeUndefined();
});
