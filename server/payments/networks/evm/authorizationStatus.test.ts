import { encodeFunctionData, type Hex, pad, parseAbi, toEventSelector, toHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { type ChainCall, ChainUnreachableError, JsonRpcError } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { readAuthorizationStatus } from './authorizationStatus.ts';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const payment: SignedAuthorization = {
  from: '0x1111111111111111111111111111111111111111',
  to: '0x2222222222222222222222222222222222222222',
  value: 20_000n,
  validAfter: 0n,
  validBefore: 9n,
  nonce: `0x${'ab'.repeat(32)}`,
  signature: '0x',
};

/** The searched hour has 15,000 blocks. */
const interval = { readMs: async () => 240 };

/** A node without logs. `usedFrom`: the block in which the authorization was used; undefined if it was not. */
function nodeAt(height: bigint, usedFrom?: bigint) {
  const methods: string[] = [];
  const isUsedAt = (block: unknown = 'latest') =>
    usedFrom !== undefined && (block === 'latest' || BigInt(String(block)) >= usedFrom);
  const call: ChainCall = async (method, params, shape) => {
    methods.push(method);
    const results: Record<string, unknown> = {
      eth_call: `0x${(isUsedAt(params[1]) ? '1' : '0').padStart(64, '0')}`,
      eth_blockNumber: toHex(height),
      eth_getLogs: [],
    };
    return shape.parse(results[method]);
  };
  return { call, methods };
}

test('returns unused without reading logs', async () => {
  const { call, methods } = nodeAt(10n);
  expect(await readAuthorizationStatus(call, usdc, payment, 5n, 'latest', interval)).toEqual({ kind: 'unused' });
  expect(methods).toEqual(['eth_call']);
});

test('error: ChainUnreachableError, after one log request, when the authorization is used and its log is missing', async () => {
  const { call, methods } = nodeAt(9_000n, 70n);
  await expect(readAuthorizationStatus(call, usdc, payment, 64n, 'latest', interval)).rejects.toThrow(
    ChainUnreachableError,
  );
  expect(methods.filter((method) => method === 'eth_getLogs')).toHaveLength(1);
});

test.each([undefined, 99_000n])(
  'behavior: spent when the authorization was used before the searched blocks (since: %s)',
  async (since) => {
    const { call, methods } = nodeAt(100_000n, 8_000n);
    expect(await readAuthorizationStatus(call, usdc, payment, since, 'latest', interval)).toEqual({
      kind: 'spent',
      spent: { usedBefore: 85_000n },
    });
    expect(methods.filter((method) => method === 'eth_getLogs')).toHaveLength(1);
  },
);

test('splits the range into at most eight requests when the node rejects long ranges', async () => {
  const { call: unlimitedCall, methods } = nodeAt(100_000n, 8_000n);
  const spans: bigint[] = [];
  const call: ChainCall = async (method, params, shape) => {
    if (method === 'eth_getLogs') {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
      const span = BigInt(toBlock) - BigInt(fromBlock) + 1n;
      spans.push(span);
      if (span > 2_000n) throw new JsonRpcError(-32_005, 'range too large', undefined);
    }
    return unlimitedCall(method, params, shape);
  };
  expect(await readAuthorizationStatus(call, usdc, payment, undefined, 'latest', interval)).toMatchObject({
    kind: 'spent',
  });
  expect(spans).toEqual([15_001n, ...Array(7).fill(2_000n), 1_001n]);
  expect(methods.filter((method) => method === 'eth_getLogs')).toHaveLength(8);
});

test('error: ChainUnreachableError without a log request when the block height is impossible', async () => {
  const { call, methods } = nodeAt(2n ** 255n, 70n);
  await expect(readAuthorizationStatus(call, usdc, payment, 5n, 'latest', interval)).rejects.toThrow(
    /impossible block height/,
  );
  expect(methods).not.toContain('eth_getLogs');
});

test('searches from a minute before `since`, also beyond the usual range', async () => {
  const { call } = nodeAt(100_000n, 40_000n);
  expect(await readAuthorizationStatus(call, usdc, payment, 50_000n, 'latest', interval)).toEqual({
    kind: 'spent',
    spent: { usedBefore: 49_750n },
  });
});

test.each([
  ['Base, 200 ms', 200, 18_000n, 300n],
  ['Arbitrum, 250 ms', 250, 14_400n, 240n],
  ['Polygon, 1.75 s', 1_750, 2_058n, 64n],
])('searches an hour, and a minute before `since`, on %s', async (_chain, blockMs, hour, minute) => {
  const paced = { readMs: async () => blockMs };
  const searchedFrom = async (since: bigint | undefined) => {
    const status = await readAuthorizationStatus(nodeAt(9_000_000n, 5n).call, usdc, payment, since, 'latest', paced);
    return status.kind === 'spent' && 'usedBefore' in status.spent && status.spent.usedBefore;
  };
  expect(await searchedFrom(undefined)).toBe(9_000_000n - hour);
  expect(await searchedFrom(8_900_000n)).toBe(8_900_000n - minute);
});

test('searches 2,000 blocks where the latest ones took hours, as on a chain that mines on demand', async () => {
  const { call } = nodeAt(100_000n, 8_000n);
  const idle = { readMs: async () => 3_600_000 };
  expect(await readAuthorizationStatus(call, usdc, payment, undefined, 'latest', idle)).toEqual({
    kind: 'spent',
    spent: { usedBefore: 98_000n },
  });
});

const transaction: Hex = `0x${'cd'.repeat(32)}`;
const topicOf = (name: string) => toEventSelector(`${name}(address,bytes32)`);
const logOf = (name: string) => ({
  address: usdc,
  topics: [topicOf(name), pad(payment.from), payment.nonce],
  data: '0x',
  logIndex: '0x0',
  transactionHash: transaction,
});
const transferOf = (to: Hex) => ({
  ...logOf('AuthorizationUsed'),
  topics: [toEventSelector('Transfer(address,address,uint256)'), pad(payment.from), pad(to)],
  data: pad(toHex(payment.value)),
  logIndex: '0x1',
});

/** A node at block 100,000 whose transaction in block 90,500 has these logs. It rejects ranges above `longest` blocks. */
function nodeWith(logs: readonly ReturnType<typeof logOf>[], longest = 100_000n, refusal: Error = tooLong) {
  const requests: [method: string, params: readonly unknown[]][] = [];
  const call: ChainCall = async (method, params, shape) => {
    requests.push([method, params]);
    const [filter] = params as [{ fromBlock: Hex; toBlock: Hex }];
    if (method === 'eth_getLogs') {
      if (BigInt(filter.toBlock) - BigInt(filter.fromBlock) >= longest) throw refusal;
      const isInRange = BigInt(filter.fromBlock) <= 90_500n && BigInt(filter.toBlock) >= 90_500n;
      return shape.parse(isInRange ? logs.slice(0, 1) : []);
    }
    const results: Record<string, unknown> = {
      eth_call: pad('0x1'),
      eth_blockNumber: toHex(100_000),
      eth_getTransactionReceipt: { status: '0x1', transactionHash: transaction, blockNumber: toHex(90_500), logs },
    };
    return shape.parse(results[method]);
  };
  return { call, requests, logRequests: () => requests.filter(([method]) => method === 'eth_getLogs') };
}
const tooLong = new JsonRpcError(-32_005, 'range too large', undefined);
const used = logOf('AuthorizationUsed');

describe('the transaction that used the authorization', () => {
  test.each([
    ['paid, by a transfer to payTo', [used, transferOf(payment.to)], { kind: 'paid', transaction }],
    [
      'spent, by a transfer to another recipient',
      [used, transferOf(usdc)],
      { kind: 'spent', spent: { transaction, use: { kind: 'moved', to: usdc, value: 20_000n } } },
    ],
    [
      'spent, by a cancellation',
      [logOf('AuthorizationCanceled')],
      { kind: 'spent', spent: { transaction, use: { kind: 'cancelled' } } },
    ],
  ])('%s', async (_name, logs, status) => {
    expect(await readAuthorizationStatus(nodeWith(logs).call, usdc, payment, undefined, 'latest', interval)).toEqual(
      status,
    );
  });

  test('error: ChainUnreachableError while its receipt does not contain the use', async () => {
    const other = { ...used, topics: [...used.topics.slice(0, 2), transaction] };
    const { call } = nodeWith([other]);
    await expect(readAuthorizationStatus(call, usdc, payment, undefined, 'latest', interval)).rejects.toThrow(
      ChainUnreachableError,
    );
  });

  test('is requested by token, payer and nonce', async () => {
    const { call, requests } = nodeWith([used, transferOf(payment.to)]);
    await readAuthorizationStatus(call, usdc, payment, undefined, 'latest', interval);
    const abi = parseAbi(['function authorizationState(address, bytes32) view returns (bool)']);
    const topics = [[used.topics[0], topicOf('AuthorizationCanceled')], pad(payment.from), payment.nonce];
    expect(requests).toEqual([
      ['eth_call', [{ to: usdc, data: encodeFunctionData({ abi, args: [payment.from, payment.nonce] }) }, 'latest']],
      ['eth_blockNumber', []],
      ['eth_getLogs', [{ address: usdc, fromBlock: toHex(85_000), toBlock: toHex(100_000), topics }]],
      ['eth_getTransactionReceipt', [transaction]],
    ]);
  });
});

test('searches the newest part first, and stops at the part with the use', async () => {
  const { call, logRequests } = nodeWith([used, transferOf(payment.to)], 2_000n);
  expect(await readAuthorizationStatus(call, usdc, payment, undefined, 'latest', interval)).toMatchObject({
    kind: 'paid',
  });
  const ranges = logRequests().map(([, [filter]]) => {
    const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
    return [Number(fromBlock), Number(toBlock)];
  });
  const parts = [100_000, 98_000, 96_000, 94_000, 92_000].map((to) => [to - 1_999, to]);
  expect(ranges).toEqual([[85_000, 100_000], ...parts]);
});

test('error: a fault of our own is not taken for a long range', async () => {
  const { call, logRequests } = nodeWith([used], 2_000n, new TypeError('a bug'));
  await expect(readAuthorizationStatus(call, usdc, payment, undefined, 'latest', interval)).rejects.toThrow('a bug');
  expect(logRequests()).toHaveLength(1);
});

test.each([
  [1_999n, 1],
  [2_000n, 3],
])('a node at block %d that rejects every range receives %d log requests', async (height, count) => {
  const { call: usual, methods } = nodeAt(height, 0n);
  let rejected = 0;
  const call: ChainCall = (method, params, shape) => {
    if (method !== 'eth_getLogs' || rejected++ > 0) return usual(method, params, shape);
    throw tooLong;
  };
  await readAuthorizationStatus(call, usdc, payment, undefined, 'latest', interval).catch(() => undefined);
  expect(1 + methods.filter((method) => method === 'eth_getLogs').length).toBe(count);
});

test('no part of a divided search exceeds 2,000 blocks, nor skips one', async () => {
  // 16,000 blocks before the head: the last part has a single block.
  const { call, logRequests } = nodeWith([used], 2_000n);
  const early: ChainCall = (method, params, shape) => {
    const result = call(method, params, shape);
    return method === 'eth_getLogs' ? result.then(() => shape.parse([])) : result;
  };
  await readAuthorizationStatus(early, usdc, payment, 84_250n, 'latest', interval).catch(() => undefined);
  const ranges = logRequests().map(([, [filter]]) => filter as { fromBlock: Hex; toBlock: Hex });
  const spans = ranges.map(({ fromBlock, toBlock }) => [Number(fromBlock), Number(toBlock)]);
  expect(spans.slice(-2)).toEqual([
    [84_001, 86_000],
    [84_000, 84_000],
  ]);
});
