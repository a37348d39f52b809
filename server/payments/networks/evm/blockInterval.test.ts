import { toHex } from 'viem';
import { expect, test } from 'vitest';
import { type ChainCall, ChainUnreachableError, JsonRpcError } from '../../chainCall.ts';
import { blocksIn, createBlockInterval } from './blockInterval.ts';

/** A chain at this block. `msOf`: time of each block in milliseconds. */
function chainAt(height: number, msOf: (block: number) => number, withMs = false) {
  const requested: unknown[] = [];
  const call: ChainCall = async (_method, [tag], shape) => {
    requested.push(tag);
    const block = tag === 'latest' ? height : Number(tag);
    const ms = msOf(block);
    return shape.parse({
      number: toHex(block),
      timestamp: toHex(Math.floor(ms / 1_000)),
      ...(withMs && { timestampMs: toHex(ms) }),
    });
  };
  return { call, requested };
}

test.each([
  ['five blocks a second', 200],
  ['four blocks a second', 250],
  ['a block every 1.75 s', 1_750],
  ['a block every two seconds', 2_000],
])('measures the interval of %s from whole seconds', async (_name, blockMs) => {
  const { call, requested } = chainAt(50_000, (block) => 1_700_000_000_400 + block * blockMs);
  const measured = await createBlockInterval(call).readMs();
  expect(Math.abs(measured - blockMs)).toBeLessThanOrEqual(1);
  expect(requested).toEqual(['latest', toHex(49_000)]);
});

test('uses the milliseconds that a node returns', async () => {
  const { call } = chainAt(1_000, (block) => 1_700_000_000_123 + block * 201, true);
  expect(await createBlockInterval(call).readMs()).toBe(201);
});

test('ignores milliseconds that contradict the seconds, and ones of another form', async () => {
  for (const timestampMs of [toHex(5), 'soon', null]) {
    const call: ChainCall = async (_method, [tag], shape) =>
      shape.parse({
        number: toHex(tag === 'latest' ? 1_000 : Number(tag)),
        timestamp: toHex(tag === 'latest' ? 900 : 700),
        timestampMs,
      });
    expect(await createBlockInterval(call).readMs()).toBe(200);
  }
});

test('reads both headers once for concurrent and later callers', async () => {
  const { call, requested } = chainAt(5_000, (block) => block * 200);
  const interval = createBlockInterval(call);
  await Promise.all([interval.readMs(), interval.readMs()]);
  await interval.readMs();
  expect(requested).toHaveLength(2);
});

test.each([
  ['measures a young chain from its first block', 10, 3_000, 3_000],
  ['is at least 1 ms, because all blocks of a local chain may have one timestamp', 500, 0, 1],
  ['is that of the fastest chain on a chain with one block', 0, 2_000, 200],
])('%s', async (_name, height, blockMs, expected) => {
  const { call } = chainAt(height, (block) => 1_700_000_000_000 + block * blockMs);
  expect(await createBlockInterval(call).readMs()).toBe(expected);
});

test('is that of the fastest chain while the node lacks the earlier header: a status must not stay unknown', async () => {
  const { call } = chainAt(50_000, (block) => block * 2_000);
  const answers = [new JsonRpcError(-32_000, 'header not found', undefined), new ChainUnreachableError('no result')];
  for (const error of answers) {
    const lacking: ChainCall = (method, params, shape) =>
      params[0] === 'latest' ? call(method, params, shape) : Promise.reject(error);
    expect(await createBlockInterval(lacking).readMs()).toBe(200);
  }
  const faulty: ChainCall = (method, params, shape) =>
    params[0] === 'latest' ? call(method, params, shape) : Promise.reject(new RangeError('a bug'));
  await expect(createBlockInterval(faulty).readMs()).rejects.toThrow('a bug');
});

test('blocksIn rounds up', () => {
  expect([blocksIn(60, 200), blocksIn(60, 1_750), blocksIn(1, 2_000)]).toEqual([300n, 35n, 1n]);
});
