import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChainUnavailableError, DeadlineExceededError, RpcTransportError } from '../errors.ts';
import { BlockGoneError, BlockReplacedError, CodeUnreadError, LensOverrunError, type Node } from './node.ts';
import { createNodes, readAtBlock } from './nodes.ts';
import type { RpcEndpoint } from './rpcEndpoint.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

type Behaviour = { afterMs: number } | 'fails' | 'hangs';

/** Nodes over endpoints with the given behaviours, and the labels of used endpoints in order. */
function setup(behaviours: Record<string, Behaviour>, deadlineMs = 8_000) {
  const used: string[] = [];
  const probed: string[] = [];
  const ended: string[] = [];
  const endpoints = Object.keys(behaviours).map(
    (label): RpcEndpoint => ({
      label,
      send: (_calls, { signal }) =>
        new Promise((resolve, reject) => {
          const behaviour = behaviours[label];
          signal.addEventListener('abort', () => {
            ended.push(label);
            reject(new RpcTransportError(`${label} was aborted.`));
          });
          if (behaviour === 'fails') reject(new RpcTransportError(`${label} is down.`));
          else if (behaviour !== undefined && behaviour !== 'hangs') {
            setTimeout(() => resolve([{ result: label }]), behaviour.afterMs);
          }
        }),
    }),
  );
  const answerOf = async (node: Node) => {
    const [reply] = await node.send([{ method: 'eth_chainId', params: [] }]);
    return reply && 'result' in reply ? reply.result : undefined;
  };
  const nodes = createNodes({
    chain: 'base',
    endpoints,
    now: Date.now,
    deadlineMs,
    async probe(node) {
      probed.push(node.label);
      await answerOf(node);
    },
  });
  const startRead = async () => {
    const answer = nodes.read((node) => {
      used.push(node.label);
      return answerOf(node);
    });
    answer.catch(() => {});
    return { answer };
  };
  /** Advances time until the answer arrives, and returns the label of its endpoint. */
  const readLabel = async () => {
    const { answer } = await startRead();
    await vi.advanceTimersByTimeAsync(deadlineMs);
    return answer;
  };
  return { nodes, used, probed, ended, startRead, readLabel };
}

test('uses only the first node while it responds within its hedge delay', async () => {
  const { used, readLabel } = setup({ a: { afterMs: 20 }, b: { afterMs: 20 } });
  for (let times = 0; times < 10; times += 1) expect(await readLabel()).toBe('a');
  expect(new Set(used)).toEqual(new Set(['a']));
});

test('sends a hedged request to the second node after the p95 of the first; the first answer aborts the other', async () => {
  const behaviours: Record<string, Behaviour> = { a: { afterMs: 40 }, b: { afterMs: 60 } };
  const { used, ended, startRead, readLabel } = setup(behaviours);
  for (let times = 0; times < 20; times += 1) await readLabel();
  used.length = 0;
  ended.length = 0;

  behaviours.a = 'hangs';
  const { answer } = await startRead();
  await vi.advanceTimersByTimeAsync(39);
  expect(used).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  expect(used).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(60);
  expect(await answer).toBe('b');
  expect(ended).toContain('a');
});

test('sends no hedged request to a node that cannot run the lens before the first node used its share of the deadline', async () => {
  const behaviours: Record<string, Behaviour> = { a: { afterMs: 40 }, b: { afterMs: 40 } };
  const { nodes, used, startRead, readLabel } = setup(behaviours, 9_000);
  for (let times = 0; times < 20; times += 1) await readLabel();
  const marking = nodes.readEach(async (node) => {
    if (node.label === 'b') node.memory.readMode = 'quoters';
    return node.send([]);
  });
  await vi.advanceTimersByTimeAsync(40);
  await marking;
  used.length = 0;
  behaviours.a = 'hangs';
  const { answer } = await startRead();
  await vi.advanceTimersByTimeAsync(4_499);
  expect(used).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  expect(used).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(40);
  expect(await answer).toBe('b');
});

test('uses a third node only after the second has failed or its share of the deadline has passed', async () => {
  const behaviours: Record<string, Behaviour> = { a: { afterMs: 40 }, b: { afterMs: 40 }, c: { afterMs: 40 } };
  const { used, startRead, readLabel } = setup(behaviours, 9_000);
  for (let times = 0; times < 20; times += 1) await readLabel();
  used.length = 0;
  behaviours.a = 'hangs';
  behaviours.b = 'hangs';
  const { answer } = await startRead();
  await vi.advanceTimersByTimeAsync(40);
  expect(used).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(used).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(1);
  expect(used).toEqual(['a', 'b', 'c']);
  await vi.advanceTimersByTimeAsync(40);
  expect(await answer).toBe('c');
});

test('uses the next node at once after a failure', async () => {
  const { used, startRead } = setup({ a: 'fails', b: { afterMs: 5 } });
  const { answer } = await startRead();
  await vi.advanceTimersByTimeAsync(5);
  expect(await answer).toBe('b');
  expect(used).toEqual(['a', 'b']);
});

test('ranks a faster node first, regardless of the configured order', async () => {
  const { nodes, used, readLabel } = setup({ slow: { afterMs: 400 }, quick: { afterMs: 20 } });
  const both = nodes.readEach((node) => node.send([]));
  await vi.advanceTimersByTimeAsync(400);
  await both;
  expect(await readLabel()).toBe('quick');
  expect(used).toEqual(['quick']);
});

test('ranks a node after a failure last, probes it in the background and restores it', async () => {
  const behaviours: Record<string, Behaviour> = { a: 'fails', b: { afterMs: 20 } };
  const { nodes, used, probed, readLabel } = setup(behaviours);
  expect(await readLabel()).toBe('b');
  expect(nodes.state(null)).toMatchObject({ status: 'degraded' });
  behaviours.a = { afterMs: 20 };
  used.length = 0;
  probed.length = 0;
  expect(await readLabel()).toBe('b');
  expect(used).toEqual(['b']);
  expect(probed).toContain('a');
  expect(nodes.state(null)).toMatchObject({ status: 'ok' });
});

test('probes an idle node at most every 15 s', async () => {
  const { probed, readLabel } = setup({ a: { afterMs: 1 }, b: { afterMs: 1 } }, 1_000);
  for (let seconds = 0; seconds < 33; seconds += 1) await readLabel();
  expect(probed).toEqual(['b', 'b', 'b']);
});

test('retries at the same node on a newer block after BlockGoneError: once at once, then after pauses', async () => {
  const { nodes } = setup({ a: { afterMs: 1 } });
  const tries: (bigint | undefined)[] = [];
  const read = (failures: number) =>
    nodes.read(async (node) => {
      tries.push(node.block?.number);
      node.block = { number: BigInt(tries.length), hash: '0x', parentHash: '0x', timestamp: 0n };
      if (tries.length <= failures) throw new BlockGoneError('reorganised');
      return node.block.number;
    });
  expect(await read(1)).toBe(2n);
  expect(tries).toEqual([undefined, undefined]);
  expect(nodes.state(null)).toMatchObject({ status: 'ok' });
  tries.length = 0;
  const later = read(3);
  await vi.advanceTimersByTimeAsync(99);
  expect(tries).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(await later).toBe(4n);
  tries.length = 0;
  const never = expect(read(100)).rejects.toThrow(ChainUnavailableError);
  await vi.advanceTimersByTimeAsync(8_000);
  await never;
});

test.each([
  [['a', 'b'], 'rejects after each node was asked once'],
  [['a'], 'is answered by the other node'],
])('a read at a block that %j do not have %s, and no node failed', async (without, _) => {
  const { nodes } = setup({ a: { afterMs: 1 }, b: { afterMs: 1 } });
  const block = { number: 7n, hash: '0x', parentHash: '0x', timestamp: 0n } as const;
  const seen: unknown[] = [];
  const read = readAtBlock(nodes, block, async (node) => {
    seen.push([node.label, node.block]);
    if (without.includes(node.label)) throw new BlockReplacedError('reorganised');
    return node.label;
  });
  if (without.includes('b')) await expect(read).rejects.toThrow(BlockReplacedError);
  else expect(await read).toBe('b');
  expect(seen).toEqual([
    ['a', block],
    ['b', block],
  ]);
  expect(nodes.states().map(({ failuresInARow }) => failuresInARow)).toEqual([0, 0]);
});

test('throws ChainUnavailableError when all nodes fail, and without a request while all circuits are open', async () => {
  const { nodes, used, startRead } = setup({ a: 'fails', b: 'fails' });
  const { answer } = await startRead();
  await vi.advanceTimersByTimeAsync(3_500);
  await expect(answer).rejects.toThrow(ChainUnavailableError);
  // Once, and again after each pause.
  expect(used.join('')).toBe('ab'.repeat(5));
  expect(nodes.state(null)).toMatchObject({ status: 'down' });
  used.length = 0;
  const now = nodes.read(() => Promise.resolve('never'));
  await expect(now).rejects.toThrow(ChainUnavailableError);
  expect(used).toEqual([]);
});

test('throws DeadlineExceededError and aborts all requests when all nodes hang', async () => {
  const { readLabel, ended, nodes } = setup({ a: 'hangs', b: 'hangs' });
  await expect(readLabel()).rejects.toThrow(DeadlineExceededError);
  expect(ended).toEqual(expect.arrayContaining(['a', 'b']));
  expect(nodes.state(null)).toMatchObject({ status: 'degraded' });
});

test('reach sends no request after a recent answer, and concurrent calls share one request', async () => {
  const behaviours: Record<string, Behaviour> = { a: { afterMs: 1 } };
  const { nodes, readLabel, ended } = setup(behaviours, 1_000);
  await readLabel();
  await nodes.reach(60_000);
  behaviours.a = 'hangs';
  const all = [nodes.reach(10), nodes.reach(10), nodes.reach(10)];
  for (const each of all) each.catch(() => {});
  await vi.advanceTimersByTimeAsync(1_000);
  for (const each of all) await expect(each).rejects.toThrow(DeadlineExceededError);
  expect(ended).toEqual(['a']);
});

test.each([
  ['a lens that runs out of gas', LensOverrunError],
  ['a result that is no code', CodeUnreadError],
])('%s fails the read on every node, and counts as a failure of none', async (what, Refusal) => {
  const { nodes } = setup({ A: { afterMs: 10 }, B: { afterMs: 20 } });
  const overrun = async (node: Node) => {
    await node.send([]);
    throw new Refusal(`${node.label}: ${what}`);
  };
  for (let count = 0; count < 10; count += 1) {
    const answer = nodes.read(overrun);
    answer.catch(() => {});
    await vi.advanceTimersByTimeAsync(8_000);
    await expect(answer).rejects.toBeInstanceOf(ChainUnavailableError);
  }
  expect(nodes.states().map(({ isCircuitOpen, failuresInARow }) => [isCircuitOpen, failuresInARow])).toEqual([
    [false, 0],
    [false, 0],
  ]);
});

test.each<Behaviour>(['fails', 'hangs'])(
  'two reads at a single node that %s open its circuit, although each is retried',
  async (how) => {
    const { nodes, startRead } = setup({ a: how }, 3_000);
    for (let times = 0; times < 2; times += 1) {
      const { answer } = await startRead();
      const failure = expect(answer).rejects.toThrow();
      await vi.advanceTimersByTimeAsync(3_000);
      await failure;
      expect(nodes.state(null).status).toBe(times === 0 ? 'degraded' : 'down');
    }
  },
);

test('a read that sends nothing does not close the circuit of its node', async () => {
  const { nodes, readLabel } = setup({ a: 'fails' });
  await expect(readLabel()).rejects.toThrow(ChainUnavailableError);
  const before = nodes.states();
  expect(before[0]?.failuresInARow).toBe(1);
  expect(await nodes.read(async () => 'known')).toBe('known');
  expect(nodes.states()).toEqual(before);
});
