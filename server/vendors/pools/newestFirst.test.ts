import { encodeAbiParameters, type Hex, numberToHex, parseAbiParameters } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { poolEventsOf } from '../../../engine/index.ts';
import { type HostedRules, startHostedNode } from '../../../tests/support/hostedNode.ts';
import { openTemporaryStores } from '../../../tests/support/temporaryStores.ts';
import type { Stores } from '../../storage/index.ts';
import { type IndexedCreation, RpcTransportError, toLowerAddress } from '../ports.ts';
import { createPoolIndexer, type PoolIndexer } from './poolIndexer.ts';

// The index reads the newest blocks first, keeps up with the head, and can be interrupted at any request.

const firstBlock = 4_000;
const events = poolEventsOf('polygon');
const word = (value: number): Hex => numberToHex(value, { size: 32 });
const token = toLowerAddress(numberToHex(1, { size: 20 }));
let head = 20_000;
/** Blocks from this one on belong to another fork. */
let forkedFrom = Number.POSITIVE_INFINITY;
const hash = (block: number): Hex => word(block >= forkedFrom ? 2 ** 40 + block : block + 1);

/** A pair of the token in each hundredth block; on the other fork one block later. */
function logs(from: number, to: number) {
  const blocks = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  return blocks
    .filter((block) => block >= firstBlock && (block >= forkedFrom ? block - 1 : block) % 100 === 0)
    .map((block) => ({
      address: '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c',
      topics: ['0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9', word(1), word(2 ** 30 + block)],
      data: encodeAbiParameters(parseAbiParameters('address, uint256'), [numberToHex(block, { size: 20 }), 1n]),
      blockNumber: numberToHex(block),
      blockHash: hash(block),
      transactionHash: word(block),
    }));
}

let stores: Stores;
let running: PoolIndexer | undefined;
beforeEach(async () => {
  head = 20_000;
  forkedFrom = Number.POSITIVE_INFINITY;
  stores = await openTemporaryStores();
});
afterEach(async () => {
  await running?.close();
  await stores.close();
});

const store = () => stores.facts('polygon').poolIndex;

function start(rules: HostedRules = {}, everyMs = 5, now = Date.now) {
  const node = startHostedNode({ firstBlock, head: () => head, range: 1_000, batches: true, hash, logs, ...rules });
  const limits = { pauseMs: 0, everyMs };
  const index = createPoolIndexer({ endpoints: [node], store: store(), events, limits, now, onFault: () => undefined });
  running = index;
  return { node, index };
}

const untilComplete = (index: PoolIndexer) =>
  vi.waitUntil(
    () => {
      const { status, target, blocksLeft } = index.state();
      return status === 'complete' && target === head - 64 && blocksLeft === 0;
    },
    { timeout: 20_000 },
  );

/** The blocks of the token's pools in the index. */
const blocksOf = async () => (await store().loadPools(events.scope, token, 200)).map(({ blockNumber }) => blockNumber);
const expected = (last: number) => logs(0, last).map(({ blockNumber }) => Number(blockNumber));

test('reads the newest blocks first, then backwards to the first factory', async () => {
  const { node, index } = start();
  await untilComplete(index);
  const read = node.ranges.slice(1).filter(({ isRefused }) => !isRefused);
  expect(read.map(({ from }) => from)).toEqual(read.map(({ from }) => from).toSorted((a, b) => b - a));
  expect(read[0]).toMatchObject({ from: head - 64 - 999, size: 1_000 });
  expect(read.at(-1)?.from).toBe(firstBlock);
  expect(await blocksOf()).toEqual(expected(head - 64));
});

test('while it reads, it returns the newest pools and reports the blocks that are left', async () => {
  let requests = 0;
  const onSend = () => {
    requests += 1;
    if (requests > 24) throw new RpcTransportError('polygon-1 cannot be reached.');
  };
  const { index } = start({ onSend });
  await vi.waitUntil(() => index.state().status === 'failing', { timeout: 20_000 });
  const found = await index.load(token);
  expect(found?.newest.to).toBe(BigInt(head - 64));
  expect(found?.scannedTo).toBe(BigInt(firstBlock - 1));
  expect(found?.creations.map(({ blockNumber }) => blockNumber)).toEqual(
    expected(head - 64).filter((block) => block >= Number(found?.newest.from)),
  );
  const { blocksLeft, percent, target } = index.state();
  expect(blocksLeft).toBe(Number(found?.newest.from) - firstBlock);
  expect(percent).toBe(Math.floor((100 * (head - 63 - (blocksLeft ?? 0))) / (head - 63)));
  expect(target).toBe(head - 64);
});

test('continues at both ends after it was interrupted at any request', async () => {
  for (let allowed = 1; allowed <= 40; allowed += 3) {
    await stores.close();
    stores = await openTemporaryStores();
    head = 20_000;
    let requests = 0;
    const onSend = () => {
      requests += 1;
      if (requests > allowed) throw new RpcTransportError('polygon-1 cannot be reached.');
    };
    const first = start({ onSend }, 60_000);
    await vi.waitUntil(() => requests > allowed || first.index.state().status === 'complete', { timeout: 20_000 });
    await first.index.close();
    // While the service is stopped, the chain grows by more than one range.
    head = 23_000;
    const second = start();
    second.index.wake();
    await untilComplete(second.index);
    await second.index.close();
    expect([allowed, await blocksOf()]).toEqual([allowed, expected(head - 64)]);
    expect(await store().loadRanges(events.scope)).toEqual([{ from: 0, to: head - 64 }]);
    // The first pass after the probe begins at the new head.
    const read = second.node.ranges.filter(({ isRefused }) => !isRefused);
    expect((read[0]?.from ?? 0) + (read[0]?.size ?? 0) - 1).toBe(head - 64);
  }
});

test.each([
  ['complete', Number.POSITIVE_INFINITY],
  ['incomplete', 24],
])('a reorganisation near the head replaces its pools in an index that is %s', async (_name, allowed) => {
  let requests = 0;
  const onSend = () => {
    requests += 1;
    if (requests > allowed) throw new RpcTransportError('polygon-1 cannot be reached.');
  };
  const first = start({ onSend });
  await vi.waitUntil(() => ['complete', 'failing'].includes(first.index.state().status));
  await first.index.close();
  forkedFrom = head - 500;
  head += 200;
  const second = start();
  await untilComplete(second.index);
  expect(await blocksOf()).toEqual(expected(head - 64));
  expect((await blocksOf()).at(-1)).toBe(20_101);
  expect(await store().loadRanges(events.scope)).toEqual([{ from: 0, to: head - 64 }]);
});

const day = 86_400_000;
const otherScope = '0x11111111ff';
const otherPool: IndexedCreation = {
  ...{ factory: token, id: token, currency0: token, currency1: token, fee: 0, tickSpacing: 0, hooks: token },
  ...{ event: 'pair', blockNumber: 5 },
};

/** An index with a clock that the test sets. `somePasses` waits until it has run some more passes. */
function startAtTime() {
  const clock = { time: Date.now(), sent: 0 };
  const onSend = () => {
    clock.sent += 1;
  };
  const { index } = start({ onSend }, 5, () => clock.time);
  index.wake();
  const somePasses = async () => {
    const before = clock.sent;
    await vi.waitUntil(() => clock.sent > before + 4, { timeout: 20_000 });
  };
  return { clock, index, somePasses };
}

test('deletes what another release indexed if it did not change for a day of a complete index', async () => {
  await store().save(otherScope, undefined, { from: 0, to: 9, hash: word(1) }, [otherPool]);
  const { clock, index, somePasses } = startAtTime();
  await untilComplete(index);
  await somePasses();
  clock.time += day - 1;
  await somePasses();
  expect(await store().loadPools(otherScope, token, 5)).toHaveLength(1);
  clock.time += day / 24;
  await expect.poll(() => store().loadRanges(otherScope), { timeout: 20_000 }).toEqual([]);
  expect(await store().loadPools(otherScope, token, 5)).toEqual([]);
  expect(await blocksOf()).toEqual(expected(head - 64));
});

test('an older release that has run for days does not delete what a newer one writes', async () => {
  const { clock, index, somePasses } = startAtTime();
  await untilComplete(index);
  clock.time += 3 * day;
  await somePasses();
  for (let to = 9; to < 60; to += 10) {
    const at = to === 9 ? undefined : { block: to - 10, hash: word(to - 10) };
    await store().save(otherScope, at, { from: to - 9, to, hash: word(to) }, to === 9 ? [otherPool] : []);
    await somePasses();
    clock.time += day;
    await somePasses();
  }
  expect(await store().loadRanges(otherScope)).toEqual([{ from: 0, to: 59 }]);
  expect(await store().loadPools(otherScope, token, 5)).toHaveLength(1);
});

test('keeps up with the head', async () => {
  const { index } = start();
  await untilComplete(index);
  head += 2_500;
  await untilComplete(index);
  expect(await blocksOf()).toEqual(expected(head - 64));
});
