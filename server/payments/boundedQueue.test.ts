import { expect, test } from 'vitest';
import { createBoundedQueue } from './boundedQueue.ts';

const timeoutMs = 50;

/** Work that ends when the test resolves it. */
function holdable() {
  let end: (value: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

test('runs the maximum at once and the others in their order; a failure frees its place', async () => {
  const queue = createBoundedQueue(2, 60_000);
  const [first, second] = [holdable(), holdable()];
  const begun: number[] = [];
  const results = [
    queue.run(first.work),
    queue.run(second.work),
    queue.run(async () => {
      begun.push(3);
      throw new RangeError('three');
    }),
    queue.run(async () => {
      begun.push(4);
      return 'four';
    }),
  ];
  expect(queue.state().length).toBe(2);
  expect(begun).toEqual([]);
  first.end('one');
  expect((await Promise.allSettled(results.slice(2))).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(begun).toEqual([3, 4]);
  expect(queue.state()).toEqual({ length: 0, oldestMs: 0 });
  second.end('two');
  expect(await Promise.all(results.slice(0, 2))).toEqual(['one', 'two']);
});

test('a task that exceeds the time limit frees its place and keeps its result', async () => {
  const queue = createBoundedQueue(1, timeoutMs);
  const slow = holdable();
  const late = queue.run(slow.work);
  expect(await queue.run(async () => 'next')).toBe('next');
  const another = holdable();
  const running = queue.run(another.work);
  slow.end('late');
  expect(await late).toBe('late');
  // The late end frees no second place.
  const behind = queue.run(async () => 'behind');
  expect(queue.state().length).toBe(1);
  another.end('another');
  expect(await Promise.all([running, behind])).toEqual(['another', 'behind']);
});
