import { numberToHex, pad } from 'viem';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createScriptedChain, type ScriptedResult, twoSeconds } from '../../../../tests/support/scriptedChain.ts';
import { ChainUnreachableError, JsonRpcError } from '../../chainCall.ts';
import { findGasFault, simulateLaterBlocks } from './contractWallets.ts';
import { transferData } from './simulateTransfer.ts';

const now = 1_800_000_000n;
beforeEach(() => void vi.useFakeTimers({ now: Number(now) * 1_000 }));
afterEach(() => void vi.useRealTimers());

const account = pad('0x1', { size: 20 });
const asset = pad('0x2', { size: 20 });
const payment = {
  ...{ from: pad('0x3', { size: 20 }), to: pad('0x4', { size: 20 }), value: 20_000n, validAfter: 0n },
  ...{ validBefore: now + 100n, nonce: pad('0x5'), signature: '0xabcd' as const },
};

interface Override {
  number: string;
  time: string;
}
type CallParams = readonly [{ data: string }, string, object, Override];

/** A node that supports block overrides. `transfer`: its result for the transfer in one of the later blocks. */
function simulate({
  transfer = () => '0x',
  seen = ({ number, time }) => `0x${word(number)}${word(time)}`,
  validBefore = payment.validBefore,
  timestamp = now,
  height = 50n,
}: {
  transfer?: (block: Override) => ScriptedResult;
  seen?: (block: Override) => ScriptedResult;
  validBefore?: bigint;
  timestamp?: bigint;
  height?: bigint;
} = {}) {
  const blocks: [number: number, secondsFromNow: number][] = [];
  const calls: CallParams[] = [];
  const { chain } = createScriptedChain({
    eth_call(params: readonly unknown[]) {
      const call = params as CallParams;
      const [{ data }, , , block] = call;
      if (data === '0x435f524260205260405ff3') {
        const result = seen(block);
        if (result instanceof Error) throw result;
        return result;
      }
      calls.push(call);
      blocks.push([Number(block.number), Number(BigInt(block.time) - now)]);
      const result = transfer(block);
      if (result instanceof Error) throw result;
      return result;
    },
  });
  const fees = { maxFeePerGas: 7n, maxPriorityFeePerGas: 3n, height, timestamp };
  const done = simulateLaterBlocks(
    { chain, chainId: 8453, account, asset, interval: twoSeconds },
    { ...payment, validBefore },
    { gas: 150_000n, fees, head: 50n },
  );
  return { done, blocks, calls };
}
const word = (quantity: string) => pad(numberToHex(BigInt(quantity))).slice(2);
const revert = new JsonRpcError(3, 'execution reverted', '0x');

test('accepts a transfer that succeeds in each of the blocks that may include it', async () => {
  const { done, blocks, calls } = simulate();
  expect(await done).toBe('accepted');
  expect(blocks).toEqual([
    [51, 2],
    [52, 4],
    [53, 6],
    [54, 8],
    [58, 16],
  ]);
  const [first] = calls;
  expect(first).toEqual([
    {
      from: account,
      to: asset,
      data: transferData(payment),
      gas: '0x249f0',
      maxFeePerGas: '0x7',
      maxPriorityFeePerGas: '0x3',
    },
    'latest',
    {},
    { number: '0x33', time: numberToHex(now + 2n) },
  ]);
});

test('rejects a transfer that reverts in one of the blocks only', async () => {
  expect(await simulate({ transfer: ({ number }) => (number === '0x36' ? revert : '0x') }).done).toBe('rejected');
});

test('simulates no block at or after the end of the authorization', async () => {
  const { done, blocks } = simulate({ validBefore: now + 8n });
  expect(await done).toBe('accepted');
  expect(blocks.map(([number]) => number)).toEqual([51, 52, 53]);
});

test('rejects an authorization that expires before the next block', async () => {
  const { done, blocks } = simulate({ validBefore: now + 2n });
  expect(await done).toBe('rejected');
  expect(blocks).toEqual([]);
});

test.each([
  ['a head that is 59 s old', now - 59n, -57],
  ['a head that is 60 s old', now - 60n, 2],
  ['a head of the future', now + 5n, 7],
])('the timestamps follow %s', async (_name, timestamp, first) => {
  const { done, blocks } = simulate({ timestamp });
  await done;
  expect(blocks[0]).toEqual([51, first]);
});

test('adds the time of the blocks since the fees were read', async () => {
  const { done, blocks } = simulate({ height: 47n });
  await done;
  expect(blocks[0]).toEqual([51, 8]);
});

test.each([
  ['another number', ({ time }: Override) => `0x${word('0x32')}${word(time)}`],
  ['another time', ({ number }: Override) => `0x${word(number)}${word('0x1')}`],
  ['nothing', () => '0x'],
])('is unsupported if the node simulates a block with %s', async (_name, seen) => {
  expect(await simulate({ seen }).done).toBe('unsupported');
});

test.each([-32601, -32602])('is unsupported if the node rejects the parameters with %d', async (code) => {
  expect(await simulate({ seen: () => new JsonRpcError(code, 'too many arguments', undefined) }).done).toBe(
    'unsupported',
  );
});

test.each([
  ['cannot be reached', new ChainUnreachableError('down')],
  ['has an error that is no revert', new JsonRpcError(-32000, 'header not found', undefined)],
  ['shows a fault of our own', Object.assign(new TypeError('a bug'), { code: -32601 })],
])('error: has no result if the node %s', async (_name, error) => {
  await expect(simulate({ transfer: () => error }).done).rejects.toThrow(error);
});

test.each([
  [200_000n, 0n, undefined],
  [200_001n, 0n, 200_001n],
  [250_000n, 50_000n, undefined],
  [250_001n, 50_000n, 200_001n],
])('a limit of %d gas, of which L1 data needs %d: needs too much (%s)', (gas, l1Gas, named) => {
  const fault = findGasFault({ gas, l1Gas, isContract: true, head: 1n });
  expect(fault).toEqual(
    named === undefined
      ? undefined
      : {
          reason: 'invalid_exact_evm_transaction_simulation_failed',
          detail: `A transfer from this contract wallet needs up to ${named} gas; the limit is 200000. Pay from another wallet.`,
        },
  );
});
