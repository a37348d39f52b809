import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { admit, toSeconds, unableOf } from './admission.ts';
import { newConfiguredNode } from './nodeAttempt.ts';
import { createNodes } from './nodes.ts';
import { createPace } from './pace.ts';
import type { RpcBudget, RpcEndpoint } from './rpcEndpoint.ts';
import { noteSimulation } from './simulationMemory.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

const header = { number: '0x7', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'2'.repeat(64)}`, timestamp: '0x1' };

const endpointOf = (label: string, more: Partial<RpcEndpoint> = {}): RpcEndpoint => ({
  label,
  send: async (calls) =>
    calls.map(({ method }) => ({
      result: method === 'eth_chainId' ? '0x2105' : method === 'eth_call' ? '0x' : header,
    })),
  ...more,
});

const configuredOf = (count: number, budget?: RpcBudget) =>
  Array.from({ length: count }, (_, index) =>
    newConfiguredNode(endpointOf(`base-${index + 1}`, { pace: createPace(Date.now, budget) }), Date.now, 8_000),
  );

/** Nodes of which some cannot simulate, as their capability test finds. */
function nodesOf(labels: readonly string[], unable: Set<string>, more: Partial<RpcEndpoint> = {}) {
  const tested: string[] = [];
  const nodes = createNodes({
    chain: 'base',
    endpoints: labels.map((label) => endpointOf(label, more)),
    now: Date.now,
    deadlineMs: 8_000,
    probe: async () => undefined,
    async probeCapabilities({ label, memory }) {
      tested.push(label);
      noteSimulation(memory, unable.has(label) ? 'no' : 'yes', Date.now());
      memory.probedAt = Date.now();
    },
  });
  return { nodes, tested };
}

test('a check is refused before the charge while no node can simulate; quotes are admitted', async () => {
  const unable = new Set(['base-1']);
  const { nodes, tested } = nodesOf(['base-1'], unable);
  await expect(nodes.reach(0, 'check')).rejects.toThrow('base-1 cannot run eth_simulateV1. Try again in 600 s.');
  await nodes.reach(0, 'quote');
  expect(nodes.state(7n, 'check')).toMatchObject({ status: 'down', retryAfterSeconds: 600 });
  expect(nodes.state(7n, 'quote')).toMatchObject({ status: 'degraded' });
  expect(tested).toEqual(['base-1']);
});

test('the refusal names what the node lacks', async () => {
  for (const [lack, words] of [
    [{ readMode: 'quoters' }, 'refuses state overrides'],
    [{ pastBlocks: 'no' }, 'refuses calls of past blocks'],
  ] as const) {
    const nodes = createNodes({
      chain: 'base',
      endpoints: [endpointOf('base-1')],
      now: Date.now,
      deadlineMs: 8_000,
      probe: async () => undefined,
      probeCapabilities: async ({ memory }) => void Object.assign(memory, lack, { probedAt: Date.now() }),
    });
    await expect(nodes.reach(0, 'check')).rejects.toThrow(`base-1 ${words}. Try again in`);
  }
});

test('capabilities are read again after ten minutes, so an updated node is used', async () => {
  const unable = new Set(['base-1']);
  const { nodes, tested } = nodesOf(['base-1'], unable);
  await expect(nodes.reach(0, 'check')).rejects.toThrow('cannot run eth_simulateV1');
  unable.clear();
  vi.advanceTimersByTime(599_000);
  await expect(nodes.reach(0, 'check')).rejects.toThrow('Try again in 1 s');
  vi.advanceTimersByTime(1_000);
  await nodes.reach(0, 'check');
  expect(tested).toEqual(['base-1', 'base-1']);
});

test('a check is read from the node that can simulate', async () => {
  const { nodes } = nodesOf(['base-1', 'base-2'], new Set(['base-1']));
  await nodes.reach(0, 'check');
  expect(await nodes.read(async ({ label }) => label, 'check')).toBe('base-2');
  expect(await nodes.read(async ({ label }) => label, 'quote')).toBe('base-1');
});

test('while a budget is used up, new calls are refused until the admitted ones can be sent', async () => {
  const pace = createPace(Date.now, { perSecond: 400, of: 'units' });
  const { nodes } = nodesOf(['base-1'], new Set(), { pace });
  await nodes.reach(0, 'check');
  // Two first checks of 1,200 units need six seconds, of which the deadline leaves as many; a third does not fit.
  await nodes.reach(0, 'check');
  const refusal = await nodes.reach(0, 'check').then(
    () => undefined,
    (error: { retryAfterSeconds: number; message: string }) => error,
  );
  expect(refusal).toMatchObject({
    message: expect.stringContaining('The request budget of the RPC of base is used up.'),
    retryAfterSeconds: 3,
  });
  // An answer that ends frees its part.
  await nodes.read(async (node) => node.send([]), 'check');
  await nodes.reach(0, 'check');
});

test('a budget that allows no check at all refuses checks, not quotes', async () => {
  const pace = createPace(Date.now, { perSecond: 100, of: 'units' });
  const { nodes } = nodesOf(['base-1'], new Set(), { pace });
  await expect(nodes.reach(0, 'check')).rejects.toThrow('Try again in 60 s');
  await nodes.reach(0, 'quote');
});

test('a refusal states when the first of the nodes is tested again, and names all of them', async () => {
  const { nodes } = nodesOf(['base-1', 'base-2'], new Set(['base-1', 'base-2']));
  await expect(nodes.reach(0, 'check')).rejects.toThrow(
    'base-1 cannot run eth_simulateV1; base-2 cannot run eth_simulateV1. Try again in 600 s.',
  );
  const all = configuredOf(2);
  for (const [index, { memory }] of all.entries())
    Object.assign(memory, { readMode: 'quoters', probedAt: Date.now() - 100_000 * (index + 1) });
  expect(unableOf(all, 'check', Date.now())).toMatchObject({ retryAfterSeconds: 400 });
  all[0]?.health.failed();
  all[0]?.health.failed();
  expect(unableOf(all, 'check', Date.now())?.reason).toBe('base-2 refuses state overrides.');
  all[1]?.health.failed();
  all[1]?.health.failed();
  // While all circuits are open, their pause is the reason.
  expect(unableOf(all, 'check', Date.now())).toBeUndefined();
});

test('a call is counted at the node that is free first, and only at one that can answer it', () => {
  const all = configuredOf(3, { perSecond: 400, of: 'units' });
  const [first, second, unable] = all;
  Object.assign(unable?.memory ?? {}, { readMode: 'quoters' });
  const waits = () => all.map(({ workload }) => workload.untilAdmitted('check'));
  for (let count = 0; count < 2; count += 1) admit('base', all, 'check', Date.now());
  expect(waits()).toEqual([3_000, 0, 0]);
  for (let count = 0; count < 2; count += 1) admit('base', all, 'check', Date.now());
  expect(waits()).toEqual([3_000, 3_000, 0]);
  const job = second?.workload.begin('check');
  job?.spent(1_100);
  expect(() => admit('base', all, 'check', Date.now())).toThrow('Try again in 1 s.');
  first?.health.failed();
  first?.health.failed();
  expect(() => admit('base', all, 'check', Date.now())).toThrow('Try again in 1 s.');
});

test.each([
  [0, 1],
  [1_000, 1],
  [1_001, 2],
])('%i ms are %i s: rounded up, at least one', (ms, expected) => {
  expect(toSeconds(ms)).toBe(expected);
});
