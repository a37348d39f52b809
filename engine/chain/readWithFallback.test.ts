import { expect, test } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import { LensRefusedError } from './lensCall.ts';
import { NodeRefusedError } from './node.ts';
import { readWithFallback } from './readWithFallback.ts';

/** A node whose lens fails with `failure.now`, and the sources of its reads. */
function setup() {
  const failure: { now: Error | undefined; quoters?: Error } = { now: new LensRefusedError('no overrides') };
  const node = testNode({ chain: 'base', send: async () => [] });
  const clock = { now: 1_000_000 };
  const reads: string[] = [];
  const read = () =>
    readWithFallback(node, {
      lens: async () => {
        reads.push('lens');
        if (failure.now) throw failure.now;
        return 'by lens';
      },
      quoters: async () => {
        reads.push('quoters');
        if (failure.quoters) throw failure.quoters;
        return 'by quoters';
      },
      now: () => clock.now,
    });
  return { failure, node, clock, reads, read };
}

test('reads with the lens while it runs', async () => {
  const { failure, node, read, reads } = setup();
  failure.now = undefined;
  expect(await read()).toEqual({ value: 'by lens', source: 'lens' });
  expect([reads, node.memory.readMode]).toEqual([['lens'], undefined]);
});

test('reads with quoters if the node refuses the lens, and tries the lens again after a minute', async () => {
  const { failure, node, clock, read, reads } = setup();
  expect(await read()).toEqual({ value: 'by quoters', source: 'quoters' });
  expect(node.memory).toMatchObject({ readMode: 'quoters', readModeSince: clock.now });
  clock.now += 59_999;
  expect((await read()).source).toBe('quoters');
  expect(reads).toEqual(['lens', 'quoters', 'quoters']);
  clock.now += 1;
  failure.now = undefined;
  expect((await read()).source).toBe('lens');
});

test('each refusal of the lens begins a new minute', async () => {
  const { clock, read, reads } = setup();
  await read();
  clock.now += 60_000;
  await read();
  clock.now += 59_999;
  await read();
  expect(reads).toEqual(['lens', 'quoters', 'lens', 'quoters', 'quoters']);
});

test('another failure of the lens is thrown, without quoters', async () => {
  const { failure, node, read, reads } = setup();
  failure.now = new NodeRefusedError('rate limit');
  await expect(read()).rejects.toBe(failure.now);
  expect([reads, node.memory.readMode]).toEqual([['lens'], undefined]);
});

test('a failure of the quoters is thrown, and the lens is tried at the next read', async () => {
  const { failure, node, read, reads } = setup();
  failure.quoters = new NodeRefusedError('no quoters');
  await expect(read()).rejects.toBe(failure.quoters);
  expect(node.memory.readMode).toBeUndefined();
  await expect(read()).rejects.toBe(failure.quoters);
  expect(reads).toEqual(['lens', 'quoters', 'lens', 'quoters']);
});
