import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChainUnavailableError, DeadlineExceededError, RpcTransportError } from '../errors.ts';
import { NodeRefusedError } from './node.ts';
import { createNodes } from './nodes.ts';
import { createPace } from './pace.ts';
import type { RpcEndpoint } from './rpcEndpoint.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => vi.useRealTimers());

const header = {
  number: '0x7',
  timestamp: '0x6b49d200',
  hash: `0x${'1'.repeat(64)}`,
  parentHash: `0x${'2'.repeat(64)}`,
};
type Send = RpcEndpoint['send'];
const answers: Send = async (calls) =>
  calls.map(({ method }) => ({ result: method === 'eth_chainId' ? '0x2105' : header }));
const fails: Send = () => Promise.reject(new RpcTransportError('connection refused'));
const hangs: Send = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new RpcTransportError('aborted')));
  });

/** Nodes over endpoints that send like this; `send` may be replaced. */
function setup(
  sends: readonly Send[],
  { pace, deadlineMs = 4_000 }: { pace?: RpcEndpoint['pace']; deadlineMs?: number } = {},
) {
  const current = [...sends];
  const endpoints = sends.map((send, index) => ({
    label: `base-${index + 1}`,
    ...(pace && { pace }),
    send: ((...args) => (current[index] ?? send)(...args)) as Send,
  }));
  const seen: bigint[] = [];
  const nodes = createNodes({
    ...{ chain: 'base', endpoints, now: Date.now, deadlineMs },
    probe: async () => undefined,
    pace: { saw: ({ number }) => seen.push(number) },
  });
  /** The error of a read that sends one call. */
  const failRead = async () => {
    const error = nodes
      .read((node) => node.send([{ method: 'eth_call', params: [] }]))
      .catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(deadlineMs);
    return error;
  };
  return { nodes, current, failRead, seen };
}

test('the state of a node has its measurements, and no failure before the first', async () => {
  const { nodes, seen } = setup([answers]);
  expect(nodes.states()).toMatchObject([
    { position: 1, isCircuitOpen: false, failuresInARow: 0, latencyMs: undefined, headAgeMs: undefined },
  ]);
  await nodes.reach(0);
  expect(nodes.states()[0]).toMatchObject({ latencyMs: 0, headAgeMs: 0, isQuotersOnly: false, failure: undefined });
  expect(seen).toEqual([7n]);
});

test('the message of a failure is reported until a success', async () => {
  const { nodes, current, failRead } = setup([fails]);
  await failRead();
  expect(nodes.states()[0]).toMatchObject({ failuresInARow: 1, isCircuitOpen: false, failure: 'connection refused' });
  current[0] = answers;
  await nodes.reach(0);
  expect(nodes.states()[0]).toMatchObject({ failuresInARow: 0, failure: undefined });
});

test('an open circuit, a node without the lens and a budget are reported', async () => {
  const pace = createPace(Date.now, { perSecond: 500, of: 'units' });
  const { nodes, failRead } = setup([fails], { pace });
  await failRead();
  await failRead();
  expect(nodes.states()[0]).toMatchObject({
    isCircuitOpen: true,
    budget: { perSecond: 500, of: 'units', isLearnt: false },
  });
  await nodes.readEach(async ({ memory }) => {
    memory.readMode = 'quoters';
  });
  expect(nodes.states()[0]).toMatchObject({ isQuotersOnly: true });
});

test('the chain is degraded while one of two circuits is open, and while a node cannot answer checks', async () => {
  const { nodes, current } = setup([fails, answers]);
  await nodes.reach(0);
  expect(nodes.state(7n)).toEqual({ status: 'degraded', blockNumber: 7n });
  current[0] = answers;
  await nodes.readEach((node) => node.send([{ method: 'eth_call', params: [] }]));
  expect(nodes.state(null)).toEqual({ status: 'ok', blockNumber: null });
  await nodes.readEach(async ({ label, memory }) => {
    memory.pastBlocks = label === 'base-2' ? 'no' : 'yes';
  });
  expect(nodes.state(null).status).toBe('degraded');
});

test('while all nodes are out, the shortest pause is reported, and that of the endpoint if it is longer', async () => {
  const pace = createPace(Date.now);
  const { nodes, failRead } = setup([fails, fails], { pace });
  await failRead();
  expect(nodes.state(null)).toEqual({ status: 'down', retryAfterSeconds: 2 });
  pace.limited(9_000);
  expect(nodes.state(null)).toEqual({ status: 'down', retryAfterSeconds: 9 });
  await expect(nodes.read(async () => 'never')).rejects.toThrow('Try again in 9 s.');
});

test('reach requests a header again after a failed request, and shares it between callers', async () => {
  const { nodes, current, seen } = setup([fails]);
  const failures = [nodes.reach(0), nodes.reach(0)].map((each) => each.catch((error: unknown) => error));
  await vi.advanceTimersByTimeAsync(4_000);
  for (const failure of failures) expect(await failure).toBeInstanceOf(ChainUnavailableError);
  current[0] = answers;
  await nodes.reach(0);
  await nodes.reach(1_000);
  expect(seen).toEqual([7n]);
  vi.advanceTimersByTime(1_001);
  await nodes.reach(1_000);
  expect(seen).toEqual([7n, 7n]);
});

test('an error that is not of a node is thrown as it is, and tried at no other node', async () => {
  const { nodes } = setup([answers, answers]);
  const wrong = new RangeError('wrong');
  let reads = 0;
  const read = () => {
    reads += 1;
    return Promise.reject(wrong);
  };
  await expect(nodes.read(read)).rejects.toBe(wrong);
  expect([reads, nodes.state(null).status]).toEqual([1, 'ok']);
});

test('the errors have the failure of the node as their cause', async () => {
  const unavailable = await setup([fails]).failRead();
  expect(unavailable).toBeInstanceOf(ChainUnavailableError);
  expect((unavailable as Error).cause).toMatchObject({ message: 'connection refused' });
  const late = await setup([hangs]).failRead();
  expect(late).toBeInstanceOf(DeadlineExceededError);
  expect((late as Error).cause).toMatchObject({ name: 'DeadlineError' });
});

describe('a read at a single node counts as one failure', () => {
  test.each([
    ['if it does not answer in time', [hangs], 'base-1 did not answer in time.'],
    ['with the message of the last attempt', [fails], 'connection refused'],
  ])('%s', async (_, sends, message) => {
    const { nodes, failRead } = setup(sends);
    await failRead();
    expect(nodes.states()[0]).toMatchObject({ failuresInARow: 1, failure: message });
  });

  test('also if it failed and then hangs until the deadline', async () => {
    const { nodes, current, failRead } = setup([fails]);
    setTimeout(() => {
      current[0] = hangs;
    }, 50);
    await failRead();
    expect(nodes.states()[0]).toMatchObject({ failuresInARow: 1, failure: 'connection refused' });
  });

  test('but not if its calls wait for the budget', async () => {
    const pace = createPace(Date.now, { perSecond: 10, of: 'units' });
    pace.spend(200);
    const { nodes, failRead } = setup([hangs], { pace });
    expect(await failRead()).toBeInstanceOf(DeadlineExceededError);
    expect(nodes.states()[0]).toMatchObject({ failuresInARow: 0 });
  });

  test('nor if its second attempt waits for the budget until the deadline', async () => {
    const pace = createPace(Date.now, { perSecond: 10, of: 'units' });
    const { nodes, failRead } = setup([fails], { pace });
    setTimeout(() => pace.spend(200), 50);
    expect(await failRead()).toBeInstanceOf(DeadlineExceededError);
    expect(nodes.states()[0]).toMatchObject({ failuresInARow: 0 });
  });

  test('and a refusal, which is not tried again, counts once too', async () => {
    const { nodes } = setup([answers]);
    const refuse = () => Promise.reject(new NodeRefusedError('no method'));
    await expect(nodes.read(refuse)).rejects.toThrow(ChainUnavailableError);
    expect(nodes.states()[0]).toMatchObject({ failuresInARow: 1, failure: 'no method' });
  });
});

test('of several nodes, the failures of the first and the last round count, those between are one outage', async () => {
  const { nodes, failRead } = setup([fails, fails]);
  await failRead();
  expect(nodes.states().map(({ failuresInARow }) => failuresInARow)).toEqual([2, 2]);
});

test('a node that is alone gets the time that its budget needs; of several, the next one is used', async () => {
  const busy = createPace(Date.now, { perSecond: 100, of: 'units' });
  busy.spend(200);
  const alone = setup([answers], { pace: busy });
  const read = alone.nodes.read((node) => node.send([{ method: 'eth_call', params: [] }]));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await read).toEqual([{ result: header }]);
  busy.spend(200);
  const endpoints = [
    { label: 'base-1', pace: busy, send: answers },
    { label: 'base-2', send: answers },
  ];
  const two = createNodes({
    ...{ chain: 'base', endpoints, now: Date.now, deadlineMs: 4_000 },
    probe: async () => undefined,
  });
  const used: string[] = [];
  await two.read((node) => {
    used.push(node.label);
    return node.send([{ method: 'eth_call', params: [] }]);
  });
  expect(used).toEqual(['base-1', 'base-2']);
});

test('the units of a read count for its product until it ends', async () => {
  const pace = createPace(Date.now, { perSecond: 400, of: 'units' });
  const { nodes } = setup([answers], { pace });
  await nodes.read(async (node) => {
    await nodes.reach(60_000, 'check').catch(() => undefined);
    return node.send(Array.from({ length: 10 }, () => ({ method: 'eth_call', params: [] })));
  }, 'check');
  // One check was admitted, and none runs: another one and its 1,200 units fit.
  await nodes.reach(60_000, 'check');
  await expect(nodes.reach(60_000, 'check')).rejects.toThrow('is used up');
});

test('one open circuit of two does not make the chain down', async () => {
  const { nodes, current } = setup([fails, answers]);
  for (let count = 0; count < 2; count += 1)
    await nodes.readEach((node) => node.send([{ method: 'eth_call', params: [] }]));
  expect(nodes.states().map(({ isCircuitOpen }) => isCircuitOpen)).toEqual([true, false]);
  expect(nodes.state(7n)).toEqual({ status: 'degraded', blockNumber: 7n });
  current[1] = fails;
  for (let count = 0; count < 3; count += 1)
    await nodes.readEach((node) => node.send([{ method: 'eth_call', params: [] }]));
  // 16 s and 4 s: the node that may be used first counts.
  expect(nodes.state(7n)).toEqual({ status: 'down', retryAfterSeconds: 4 });
});

test('a call without a product uses no part of the budget', async () => {
  const pace = createPace(Date.now, { perSecond: 400, of: 'units' });
  const { nodes } = setup([answers], { pace });
  for (let count = 0; count < 5; count += 1) await nodes.reach(60_000);
  await nodes.reach(60_000, 'check');
});

test('the units that a read has sent no longer count for its product', async () => {
  const pace = createPace(Date.now, { perSecond: 10_000, of: 'units' });
  const slow = createPace(Date.now, { perSecond: 500, of: 'units' });
  const { nodes } = setup([answers], { pace: { ...slow, turn: pace.turn, waitMs: pace.waitMs } });
  await nodes.read(async (node) => {
    const isFree = () =>
      nodes.reach(60_000, 'check').then(
        () => true,
        () => false,
      );
    expect(await isFree()).toBe(false);
    await node.send(Array.from({ length: 40 }, () => ({ method: 'eth_call', params: [] })));
    expect(await isFree()).toBe(true);
  }, 'check');
});
