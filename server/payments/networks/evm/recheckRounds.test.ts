import { afterEach, expect, test } from 'vitest';
import { useVirtualTime, type VirtualTime } from '../../../../tests/support/virtualTime.ts';
import { type ChainCall, JsonRpcError } from '../../chainCall.ts';
import type { PaidOnChain } from '../../recheck.ts';
import { createRecheck } from './recheckPaid.ts';

// The rounds of the recheck, with a clock that the tests move.

const paid = (hash: `0x${string}`): PaidOnChain => ({
  hash,
  key: hash,
  block: 0n,
  readStatus: async () => ({ kind: 'open' }),
  again: { id: hash, send: async () => true },
});

let time: VirtualTime | undefined;
afterEach(() => time?.restore());

/** A header of a chain with a block every two seconds. */
const headerAt = (block: bigint) => ({
  number: `0x${block.toString(16)}`,
  timestamp: `0x${(block * 2n).toString(16)}`,
});

/** Rechecks every second on a node that the test changes. Receipts are found by hash. */
function open() {
  const clock = useVirtualTime(0);
  time = clock;
  const node = {
    head: 100n,
    receipts: new Map<unknown, object>(),
    fault: undefined as Error | undefined,
    receiptFault: undefined as Error | undefined,
    delayMs: 0,
  };
  const requests: unknown[] = [];
  const lines: string[] = [];
  const lost: string[] = [];
  const facts: object[] = [];
  const write = (given: object, message: string) => {
    facts.push(given);
    lines.push(message);
  };
  const closing = new AbortController();
  const call: ChainCall = async (method, [hash], shape) => {
    const isHead = method === 'eth_getBlockByNumber';
    requests.push(isHead ? 'head' : hash);
    if (node.delayMs > 0) await clock.sleep(node.delayMs);
    if (node.fault) throw node.fault;
    if (node.receiptFault && !isHead) throw node.receiptFault;
    return shape.parse(isHead ? headerAt(node.head) : (node.receipts.get(hash) ?? null));
  };
  const recheck = createRecheck({
    ...{ network: 'eip155:8453', call, everyMs: 1_000, signal: closing.signal, onLost: (key) => void lost.push(key) },
    logger: { info: write, warn: write, error: write },
  });
  const include = (hash: string, block: bigint, status = '0x1') =>
    node.receipts.set(hash, { status, transactionHash: hash, blockNumber: `0x${block.toString(16)}`, logs: [] });
  /** Reads a head, and another one eight seconds later. */
  async function passFirstAge(): Promise<void> {
    await clock.advance(1_000);
    node.head += 4n;
    await clock.advance(1_000);
  }
  return { node, requests, lines, facts, lost, closing, recheck, include, advance: clock.advance, passFirstAge };
}
const hash = `0x${'0a'.repeat(32)}` as const;

test('sends no request while nothing is watched, and reads no receipt before eight seconds have passed on the chain', async () => {
  const { recheck, requests, advance, node } = open();
  await advance(5_000);
  expect(requests).toEqual([]);
  recheck.add({ ...paid(hash), block: 97n });
  await advance(1_000);
  expect(requests).toEqual(['head']);
  node.head = 103n;
  await advance(1_000);
  expect(requests).toEqual(['head', 'head']);
  node.head = 104n;
  await advance(1_000);
  expect(requests).toEqual(['head', 'head', 'head', hash]);
});

test('counts the time from the first head if the block is not known', async () => {
  const { recheck, requests, advance, node, include } = open();
  include(hash, 100n);
  recheck.add({ ...paid(hash), block: undefined });
  await advance(1_000);
  node.head = 103n;
  await advance(1_000);
  expect(requests).toEqual(['head', 'head']);
  node.head = 104n;
  await advance(1_000);
  expect(requests.at(-1)).toBe(hash);
});

test('counts 64 seconds from the head at which the receipt was found in another block', async () => {
  const { recheck, requests, advance, node, include, passFirstAge } = open();
  include(hash, 99n);
  recheck.add({ ...paid(hash), block: 90n });
  await passFirstAge();
  node.head = 135n;
  await advance(1_000);
  expect(requests.filter((each) => each === hash)).toHaveLength(1);
  node.head = 136n;
  await advance(3_000);
  expect(requests.filter((each) => each === hash)).toHaveLength(2);
  // Nothing is watched any more.
  const { length } = requests;
  await advance(3_000);
  expect(requests).toHaveLength(length);
});

test.each([
  ['failed', '0x0', undefined],
  ['does not contain the payment', '0x1', () => false],
])('broadcasts a payment again whose transaction %s', async (_name, status, isPaidIn) => {
  const { recheck, passFirstAge, include, lines, lost } = open();
  include(hash, 90n, status);
  let sent = 0;
  const again = { id: hash, send: async () => ++sent > 0 };
  recheck.add({ ...paid(hash), block: 90n, again, ...(isPaidIn && { isPaidIn }) });
  await passFirstAge();
  expect([sent, lines, lost]).toEqual([1, ['The chain has dropped a payment that was served'], []]);
});

test('a receipt that contains the payment counts, whatever its status', async () => {
  const { recheck, passFirstAge, include, lines } = open();
  include(hash, 90n, '0x0');
  recheck.add({ ...paid(hash), block: 90n, isPaidIn: () => true });
  await passFirstAge();
  expect(lines).toEqual([]);
});

test('a payment that was sent again is rechecked after eight more seconds', async () => {
  const { recheck, advance, passFirstAge, node, requests } = open();
  recheck.add({ ...paid(hash), block: 90n });
  await passFirstAge();
  node.head = 107n;
  await advance(3_000);
  expect(requests.filter((each) => each === hash)).toHaveLength(1);
  node.head = 108n;
  await advance(1_000);
  expect(requests.filter((each) => each === hash)).toHaveLength(2);
});

/** Rechecks a dropped payment twice, eight seconds apart, with these results of status and broadcast. */
async function recheckTwice(statuses: ('open' | 'expired')[], sendings: boolean[]) {
  const opened = open();
  opened.recheck.add({
    ...paid(hash),
    block: 90n,
    readStatus: async () => ({ kind: statuses.shift() ?? 'open' }),
    again: { id: hash, send: async () => sendings.shift() ?? true },
  });
  await opened.passFirstAge();
  expect(opened.lost).toEqual([]);
  opened.node.head += 4n;
  await opened.advance(1_000);
  return opened;
}

test.each([
  ['cannot be sent twice', ['open', 'open'], [false, false], [hash]],
  ['has expired twice', ['expired', 'expired'], [], [hash]],
  ['cannot be sent, and then expires', ['open', 'expired'], [false], [hash]],
  ['is sent in between', ['open', 'open'], [false, true], []],
  ['cannot be sent once', ['open', 'open'], [true, false], []],
] as const)('a payment that %s is lost: %s', async (_name, statuses, sendings, lost) => {
  const opened = await recheckTwice([...statuses], [...sendings]);
  expect(opened.lost).toEqual(lost);
  expect(opened.lines.includes('A payment that was served is lost: its nonce is taken, or it has expired')).toBe(
    lost.length > 0,
  );
  opened.node.head += 4n;
  const { length } = opened.requests;
  await opened.advance(1_000);
  expect(opened.requests.length - length).toBe(lost.length > 0 ? 0 : 2);
});

test('an expired payment is not broadcast', async () => {
  const { recheck, passFirstAge } = open();
  let sent = 0;
  const send = async () => ++sent > 0;
  recheck.add({
    ...paid(hash),
    block: 90n,
    readStatus: async () => ({ kind: 'expired' }),
    again: { id: hash, send },
  });
  await passFirstAge();
  expect(sent).toBe(0);
});

test('a failed broadcast is forgotten when another transaction has paid', async () => {
  const opened = open();
  const other = `0x${'0b'.repeat(32)}`;
  const statuses = [
    { kind: 'open' },
    { kind: 'settled', transaction: other },
    { kind: 'open' },
    { kind: 'open' },
  ] as const;
  let index = 0;
  opened.recheck.add({
    ...paid(hash),
    block: 90n,
    readStatus: async () => statuses[index++] ?? { kind: 'open' },
    again: { id: hash, send: async () => false },
  });
  await opened.passFirstAge();
  for (let step = 0; step < 2; step += 1) {
    opened.node.head += 4n;
    await opened.advance(1_000);
  }
  expect(opened.lost).toEqual([]);
  opened.node.head += 4n;
  await opened.advance(1_000);
  expect(opened.lost).toEqual([hash]);
});

test('payments of one transaction share its receipt and its broadcast in a round', async () => {
  const { recheck, advance, passFirstAge, requests, node } = open();
  let sent = 0;
  const again = { id: hash, send: async () => ++sent > 0 };
  for (const key of ['a', 'b', 'c']) recheck.add({ ...paid(hash), key, block: 90n, again });
  await passFirstAge();
  expect([requests, sent]).toEqual([['head', 'head', hash], 1]);
  node.head += 4n;
  await advance(1_000);
  expect([requests.length, sent]).toEqual([5, 2]);
});

test('rechecks more than sixteen payments in one round', async () => {
  const { recheck, passFirstAge, requests } = open();
  for (let index = 0; index < 40; index += 1)
    recheck.add({ ...paid(`0x${index.toString(16).padStart(64, '0')}`), block: 90n });
  await passFirstAge();
  expect(requests).toHaveLength(42);
});

test('a receipt that cannot be read is logged with its cause', async () => {
  const { recheck, passFirstAge, node, facts } = open();
  recheck.add({ ...paid(hash), block: 90n });
  node.receiptFault = new JsonRpcError(-32000, 'pruned', undefined);
  await passFirstAge();
  expect(facts).toEqual([{ network: 'eip155:8453', cause: node.receiptFault.message }]);
});

test('a dropped and a lost payment are logged with network and hash', async () => {
  const { facts } = await recheckTwice(['expired', 'expired'], []);
  expect(facts).toEqual(Array(3).fill({ network: 'eip155:8453', hash }));
});

test('a node that fails is asked again in the next round', async () => {
  const { recheck, advance, requests, node, lines } = open();
  node.fault = new JsonRpcError(-32000, 'busy', undefined);
  recheck.add({ ...paid(hash), block: 90n });
  await advance(2_000);
  expect(requests).toEqual(['head', 'head']);
  expect(lines).toEqual(Array(2).fill('Served payments cannot be rechecked; retrying in the next round'));
});

test('a fault of our own is logged as one, and the next round runs', async () => {
  const { recheck, advance, node, lines, requests } = open();
  node.fault = new TypeError('a bug');
  recheck.add({ ...paid(hash), block: 90n });
  await advance(2_000);
  expect(lines).toEqual(Array(2).fill('The recheck of served payments failed'));
  expect(requests).toHaveLength(2);
});

test('no round starts while another one runs', async () => {
  const { recheck, advance, node, requests } = open();
  node.delayMs = 3_500;
  recheck.add({ ...paid(hash), block: 99n });
  await advance(4_000);
  expect(requests).toEqual(['head']);
  await advance(1_000);
  expect(requests).toEqual(['head', 'head']);
});

test('stops when the service closes', async () => {
  const { recheck, advance, closing, requests } = open();
  recheck.add(paid(hash));
  closing.abort();
  await advance(5_000);
  expect(requests).toEqual([]);
});
