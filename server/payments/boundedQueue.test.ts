import { expect, test } from 'vitest';
import { createBoundedQueue } from './boundedQueue.ts';

/** A task that runs until the test calls `end`. */
function createTask() {
  let end: (value: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

test('runs the maximum at once and the other tasks in order; a failed task counts as ended', async () => {
  const queue = createBoundedQueue(2, 60_000);
  const [first, second] = [createTask(), createTask()];
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

test('a task that exceeds the timeout no longer counts, and its result is still returned', async () => {
  const queue = createBoundedQueue(1, 50);
  const slow = createTask();
  const late = queue.run(slow.work);
  expect(await queue.run(async () => 'next')).toBe('next');
  const another = createTask();
  const running = queue.run(another.work);
  slow.end('late');
  expect(await late).toBe('late');
  // The late end of `slow` must not start a second task.
  const waiting = queue.run(async () => 'waited');
  expect(queue.state().length).toBe(1);
  another.end('another');
  expect(await Promise.all([running, waiting])).toEqual(['another', 'waited']);
});
