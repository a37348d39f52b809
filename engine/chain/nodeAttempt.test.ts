import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RpcTransportError, WrongChainError } from '../errors.ts';
import type { AbortReason } from './firstAnswer.ts';
import { BlockGoneError, CodeUnreadError, LensOverrunError, type Node, NodeRefusedError } from './node.ts';
import {
  type ConfiguredNode,
  createAttempts,
  fail,
  isNodeFailure,
  isRetryable,
  newConfiguredNode,
} from './nodeAttempt.ts';
import { createPace } from './pace.ts';
import type { RpcEndpoint } from './rpcEndpoint.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => vi.useRealTimers());

const signal = new AbortController().signal;
const configured = (label = 'base-1', more: Partial<RpcEndpoint> = {}): ConfiguredNode =>
  newConfiguredNode({ label, send: async (calls) => calls.map(() => ({ result: label })), ...more }, Date.now, 8_000);
/** A block this many seconds and blocks behind the newest one. */
const blockBehind = (seconds: number, blocks = seconds) => ({
  ...{ number: BigInt(1_000 - blocks), timestamp: BigInt(1_800_000_000 - seconds) },
  ...({ hash: '0x', parentHash: '0x' } as const),
});
const throwing = (error: unknown) => () => Promise.reject(error);

test('a read gets a new node without a block, and its result counts as a response', async () => {
  const one = configured();
  const seen: bigint[] = [];
  const attempt = createAttempts('base', [one], Date.now, { saw: ({ number }) => seen.push(number) });
  const nodes: Node[] = [];
  const read = async (node: Node) => {
    nodes.push(node);
    expect(node.block).toBeUndefined();
    await node.send([{ method: 'eth_call', params: [] }]);
    node.block = blockBehind(0);
    await vi.advanceTimersByTimeAsync(120);
    return 'answer';
  };
  expect(await attempt(one, read, { signal })).toBe('answer');
  await attempt(one, read, { signal });
  expect(nodes[0]).toMatchObject({ chain: 'base', label: 'base-1', hashes: { proven: false } });
  expect(nodes[0]?.memory).toBe(one.memory);
  expect(nodes[0]?.hashes).toBe(nodes[1]?.hashes);
  expect([one.health.latencyMs(), one.health.head?.block.number, seen]).toEqual([120, 1_000n, [1_000n, 1_000n]]);
});

test('a read without a block leaves the head as it was', async () => {
  const one = configured();
  const seen: unknown[] = [];
  const attempt = createAttempts('base', [one], Date.now, { saw: (block) => seen.push(block) });
  expect(await attempt(one, async () => 'answer', { signal })).toBe('answer');
  expect([one.health.head, seen]).toEqual([undefined, []]);
});

test('the node sends with the signal of the attempt, reports its units, and how long calls wait', async () => {
  const signals: AbortSignal[] = [];
  const endpoint: Partial<RpcEndpoint> = {
    pace: createPace(Date.now, { perSecond: 100, of: 'units' }),
    async send(calls, options) {
      signals.push(options.signal);
      return calls.map(() => ({ result: 'reply' }));
    },
  };
  const one = configured('base-1', endpoint);
  const units: number[] = [];
  const attempt = createAttempts('base', [one], Date.now);
  const replies = await attempt(
    one,
    async (node) => {
      expect(node.backlogMs?.()).toBe(0);
      const sent = await node.send([{ method: 'eth_call', params: [] }]);
      one.endpoint.pace?.spend(100);
      expect(node.backlogMs?.()).toBe(460);
      return sent;
    },
    { signal, onSent: (count) => units.push(count) },
  );
  expect([replies, units, signals]).toEqual([[{ result: 'reply' }], [26], [signal]]);
  const plain = configured();
  expect(await createAttempts('base', [plain], Date.now)(plain, async (node) => node.backlogMs?.(), { signal })).toBe(
    0,
  );
});

test('a block far behind that of another node is refused; its own older head does not count', async () => {
  const [one, other] = [configured(), configured('base-2')];
  const attempt = createAttempts('base', [one, other], Date.now);
  const readAt = (node: ConfiguredNode, seconds: number) =>
    attempt(
      node,
      async (at) => {
        await at.send([{ method: 'eth_call', params: [] }]);
        at.block = blockBehind(seconds);
      },
      { signal },
    );
  await readAt(one, 0);
  await readAt(one, 60);
  await readAt(other, 0);
  await expect(readAt(one, 60)).rejects.toThrow('base-1 is at block 940, far behind another node.');
  expect([one.health.circuit.failures(), other.health.circuit.failures()]).toEqual([1, 0]);
});

describe('a block that is gone', () => {
  test('is read again once, at another block', async () => {
    const one = configured();
    const blocks: unknown[] = [];
    const attempt = createAttempts('base', [one], Date.now);
    const read = async (node: Node) => {
      blocks.push(node.block);
      node.block = blockBehind(0);
      if (blocks.length === 1) throw new BlockGoneError('reorganised');
      return 'answer';
    };
    expect(await attempt(one, read, { signal })).toBe('answer');
    expect([blocks, one.health.circuit.failures()]).toEqual([[undefined, undefined], 0]);
  });

  test('twice fails, and keeps what is known of the node’s capabilities', async () => {
    const one = configured();
    one.memory.probedAt = 7;
    const attempt = createAttempts('base', [one], Date.now);
    await expect(attempt(one, throwing(new BlockGoneError('reorganised')), { signal })).rejects.toThrow(BlockGoneError);
    expect([one.health.circuit.failures(), one.memory.probedAt]).toEqual([1, 7]);
  });
});

test.each([
  ['a refusal', new NodeRefusedError('no method'), 1, undefined],
  ['an overrun', new LensOverrunError('out of gas'), 0, 7],
  ['a code that was not read', new CodeUnreadError('no code'), 0, 7],
  ['a transport failure', new RpcTransportError('refused'), 1, 7],
  ['another chain', new WrongChainError('base', 'base-1', 8453, 1), 1, undefined],
  ['an error that is not the node’s', new RangeError('wrong'), 0, 7],
])('%s: counts as a failure, and forgets capabilities', async (_, error, failures, probedAt) => {
  const one = configured();
  one.memory.probedAt = 7;
  await expect(createAttempts('base', [one], Date.now)(one, throwing(error), { signal })).rejects.toBe(error);
  expect([one.health.circuit.failures(), one.memory.probedAt]).toEqual([failures, probedAt]);
});

test.each([
  ['a transport failure', new RpcTransportError('refused'), 0],
  ['a block that is gone', new BlockGoneError('reorganised'), 0],
  ['a refusal', new NodeRefusedError('no method'), 1],
])('%s that will be tried again at the node: %s', async (_, error, failures) => {
  const one = configured();
  const attempt = createAttempts('base', [one], Date.now);
  await expect(attempt(one, throwing(error), { signal, willRetry: true })).rejects.toBe(error);
  expect(one.health.circuit.failures()).toBe(failures);
});

describe('an aborted attempt', () => {
  /** Fails with the error after the abort, 300 ms after the start. */
  async function abortedWith(reason: AbortReason, error: Error): Promise<ConfiguredNode> {
    const one = configured();
    const aborting = new AbortController();
    const read = async () => {
      await vi.advanceTimersByTimeAsync(300);
      aborting.abort(reason);
      throw error;
    };
    await expect(createAttempts('base', [one], Date.now)(one, read, { signal: aborting.signal })).rejects.toBe(error);
    return one;
  }

  test('that another node overtook counts as latency, not as a failure', async () => {
    const { health } = await abortedWith('superseded', new RpcTransportError('aborted'));
    expect([health.latencyMs(), health.circuit.failures(), health.answeredAt()]).toEqual([300, 0, undefined]);
  });

  test('that waited for the budget until the deadline is no failure', async () => {
    const { health } = await abortedWith('deadline', new RpcTransportError('in time', { limited: true }));
    expect([health.latencyMs(), health.circuit.failures()]).toEqual([undefined, 0]);
  });

  test('that had no reply until the deadline is a failure', async () => {
    expect((await abortedWith('deadline', new RpcTransportError('aborted'))).health.circuit.failures()).toBe(1);
  });

  test('a limit before the abort is a failure', async () => {
    const one = configured();
    const limited = new RpcTransportError('HTTP 429', { limited: true });
    await expect(createAttempts('base', [one], Date.now)(one, throwing(limited), { signal })).rejects.toBe(limited);
    expect(one.health.circuit.failures()).toBe(1);
  });
});

test('a failure is recorded with its message and the pause that the endpoint asked for', () => {
  const one = configured();
  fail(one, new RpcTransportError('base-1 returned HTTP 429.', { retryAfterMs: 4_000 }));
  expect([one.health.failure, one.health.circuit.openMs()]).toEqual(['base-1 returned HTTP 429.', 4_000]);
  const other = configured();
  fail(other, new WrongChainError('base', 'base-1', 8453, 1));
  expect(other.health.circuit.openMs()).toBe(60_000);
  fail(other, 'no error');
  expect(other.health.failure).toBeUndefined();
});

test('what is known of a node is forgotten once its circuit opens', () => {
  const one = configured();
  one.memory.checked = true;
  fail(one, new RpcTransportError('refused'));
  expect(one.memory.checked).toBe(true);
  fail(one, new RpcTransportError('refused'));
  expect(one.memory.checked).toBe(false);
});

test.each([
  [new RpcTransportError('refused'), true, true],
  [new BlockGoneError('reorganised'), true, true],
  [new NodeRefusedError('no method'), false, true],
  [new WrongChainError('base', 'base-1', 8453, 1), false, true],
  [new RangeError('wrong'), false, false],
])('%s: may be tried again at the node: %s; another node may answer: %s', (error, retryable, ofNode) => {
  expect([isRetryable(error), isNodeFailure(error)]).toEqual([retryable, ofNode]);
});
