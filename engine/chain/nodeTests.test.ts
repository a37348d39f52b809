import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RpcTransportError } from '../errors.ts';
import { createAttempts, newConfiguredNode } from './nodeAttempt.ts';
import { createNodeTests } from './nodeTests.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

/** Nodes whose tests end when `end` is called. `lacking`: labels of nodes that cannot simulate. */
function setup({ labels = ['a', 'b'], lacking = [] as string[], hasProbe = true, error = undefined as unknown } = {}) {
  const all = labels.map((label) => newConfiguredNode({ label, send: async () => [] }, Date.now, 8_000));
  const probed: string[] = [];
  const tested: string[] = [];
  const waiting: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => waiting.push(resolve));
  const tests = createNodeTests({
    ...{ all, attempt: createAttempts('base', all, Date.now), now: Date.now, deadlineMs: 8_000 },
    async probe(node) {
      probed.push(node.label);
      await wait();
      await node.send([{ method: 'eth_call', params: [] }]);
      if (error) throw error;
    },
    ...(hasProbe && {
      async probeCapabilities({ label, memory }) {
        tested.push(label);
        await wait();
        Object.assign(memory, { simulates: lacking.includes(label) ? 'no' : 'yes', simulatesSince: Date.now() });
        memory.probedAt = Date.now();
      },
    }),
  });
  /** Ends the running tests. */
  const end = async () => {
    for (const resolve of waiting.splice(0)) resolve();
    await vi.advanceTimersByTimeAsync(0);
  };
  const [a, b] = all as [(typeof all)[number], (typeof all)[number]];
  return { all, a, b, tests, probed, tested, end };
}

test('probes nodes other than the used one that had no contact for 15 s', async () => {
  const { a, b, tests, probed, end } = setup();
  tests.probeIdle(a);
  await end();
  expect(probed).toEqual(['b']);
  vi.advanceTimersByTime(14_999);
  tests.probeIdle(a);
  expect(probed).toEqual(['b']);
  vi.advanceTimersByTime(1);
  tests.probeIdle(a);
  expect(probed).toEqual(['b', 'b']);
  expect(b.probing).toBe(true);
  tests.probeIdle(a);
  expect(probed).toHaveLength(2);
  await end();
  expect(b.probing).toBe(false);
});

test('probes a failed node at once, but not while its circuit is open', async () => {
  const { a, b, tests, probed, end } = setup();
  b.health.failed();
  b.health.failed();
  tests.probeIdle(a);
  expect(probed).toEqual([]);
  vi.advanceTimersByTime(b.health.circuit.openMs());
  tests.probeIdle(a);
  await end();
  expect([probed, b.health.circuit.failures()]).toEqual([['b'], 0]);
});

test.each([
  ['of the node', new RpcTransportError('refused')],
  ['that is not the node’s', new RangeError('wrong')],
])('a failed probe with an error %s counts as one failure', async (_, error) => {
  const { a, b, tests, end } = setup({ error });
  tests.probeIdle(a);
  await end();
  expect([b.health.circuit.failures(), b.probing]).toEqual([1, false]);
});

/** Whether the work has ended. */
async function hasEnded(work: Promise<void>): Promise<boolean> {
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return isDone;
}

test('a check waits for the test of capabilities until a node is known to be able; a quote does not', async () => {
  const { tests, tested, end } = setup();
  expect(await hasEnded(tests.refreshCapabilities('quote'))).toBe(true);
  expect(tested).toEqual(['a', 'b']);
  const check = tests.refreshCapabilities('check');
  expect(await hasEnded(check)).toBe(false);
  expect(tested).toEqual(['a', 'b']);
  await end();
  await check;
});

test('a check does not wait for old capabilities while another node is able', async () => {
  const { a, b, tests, tested, end } = setup();
  a.memory.probedAt = Date.now();
  b.memory.probedAt = Date.now() - 600_000;
  expect(await hasEnded(tests.refreshCapabilities('check'))).toBe(true);
  expect(tested).toEqual(['b']);
  await end();
});

test('a check waits if the nodes that were tested cannot answer it', async () => {
  const { a, b, tests, tested, end } = setup({ lacking: ['a'] });
  Object.assign(a.memory, { probedAt: Date.now(), readMode: 'quoters' });
  b.memory.probedAt = undefined;
  const check = tests.refreshCapabilities('check');
  expect(await hasEnded(check)).toBe(false);
  expect(tested).toEqual(['b']);
  await end();
  await check;
});

test('nodes whose circuit is open are not tested, and each node has one test at a time', async () => {
  const { a, b, tests, tested, end } = setup();
  a.health.failed();
  a.health.failed();
  void tests.refreshCapabilities('quote');
  void tests.refreshCapabilities('quote');
  expect(tested).toEqual(['b']);
  await end();
  expect(b.capabilityTest).toBeUndefined();
});

test('without a test nothing is read', async () => {
  const { tests, a } = setup({ hasProbe: false });
  expect(await hasEnded(tests.refreshCapabilities('check'))).toBe(true);
  expect(a.capabilityTest).toBeUndefined();
});
