import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSettlementQueue } from './settlementQueue.ts';

/** A queue with the groups that it sent; the test ends a group's transaction by `end()`. */
function open() {
  const groups: { tasks: readonly number[]; end(): void }[] = [];
  const queue = createSettlementQueue<number, string>(async (tasks) => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    groups.push({ tasks, end });
    return { results: tasks.map(async (task) => `sent ${task}`), ended };
  });
  return { queue, groups, sizes: () => groups.map(({ tasks }) => tasks.length) };
}
const settle = async () => {
  for (let n = 0; n < 5; n += 1) await turn();
};

test('sends a payment at once if no group is in flight', async () => {
  const { queue, sizes } = open();
  expect(await queue.add(1)).toBe('sent 1');
  expect(sizes()).toEqual([1]);
});

test('groups concurrent payments; payments that arrive while a group is in flight form the next group', async () => {
  const { queue, groups, sizes } = open();
  for (const task of [1, 2, 3]) void queue.add(task);
  await settle();
  for (const task of [4, 5]) void queue.add(task);
  await settle();
  expect(sizes()).toEqual([3]);
  expect(queue.state()).toMatchObject({ length: 2 });
  groups[0]?.end();
  await settle();
  expect(sizes()).toEqual([3, 2]);
  expect(queue.state()).toEqual({ length: 0, oldestMs: 0 });
});

test('sends a full group although another group is in flight', async () => {
  const { queue, sizes } = open();
  void queue.add(0);
  await settle();
  for (let task = 1; task <= 130; task += 1) void queue.add(task);
  await settle();
  expect(sizes()).toEqual([1, 64, 64]);
  expect(queue.state()).toMatchObject({ length: 2 });
});

test.each([
  { count: 63, groups: [1] },
  { count: 64, groups: [1, 64] },
])('while a payment is in flight, sends $count more as the groups $groups', async ({ count, groups }) => {
  const { queue, sizes } = open();
  void queue.add(0);
  await settle();
  for (let task = 1; task <= count; task += 1) void queue.add(task);
  await settle();
  expect(sizes()).toEqual(groups);
  expect(queue.state().oldestMs).toBeLessThan(60_000);
});

test('sends two full groups at once', async () => {
  const { queue, sizes } = open();
  for (let task = 1; task <= 128; task += 1) void queue.add(task);
  await settle();
  expect(sizes()).toEqual([64, 64]);
});

test('a failed send rejects only the payments of its group', async () => {
  let sends = 0;
  const queue = createSettlementQueue<number, number>(async (tasks) => {
    sends += 1;
    if (sends === 1) throw new Error('full');
    return { results: tasks.map(async (task) => task), ended: Promise.resolve() };
  });
  await expect(queue.add(1)).rejects.toThrow('full');
  expect(await queue.add(2)).toBe(2);
});

test('a group whose send hangs delays the next one only until the timeout', async () => {
  const queue = createSettlementQueue<number, number>(async (tasks) => {
    if (tasks.includes(1)) await new Promise(() => undefined);
    return { results: tasks.map(async (task) => task), ended: Promise.resolve() };
  }, 20);
  void queue.add(1);
  await settle();
  expect(await queue.add(2)).toBe(2);
});
