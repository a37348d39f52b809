import { decodeFunctionData, numberToHex, pad, parseAbi } from 'viem';
import { afterEach, expect, test, vi } from 'vitest';
import { createScriptedChain, type ScriptedResult, twoSeconds } from '../../../../tests/support/scriptedChain.ts';
import { ChainUnreachableError, JsonRpcError } from '../../chainCall.ts';
import { headTag, simulateTransfer, transferData } from './simulateTransfer.ts';

afterEach(() => void vi.useRealTimers());

const secondsAgo = (seconds: number) => BigInt(Math.floor(Date.now() / 1000) - seconds);
const account = pad('0x1', { size: 20 });
const asset = pad('0x2', { size: 20 });
const payment = {
  ...{ from: pad('0x3', { size: 20 }), to: pad('0x4', { size: 20 }), value: 20_000n, validAfter: 5n, validBefore: 9n },
  ...{ nonce: pad('0x5'), signature: '0xabcd' as const },
};

test('default: a transfer is simulated at the latest block', () => {
  expect(headTag(secondsAgo(0))).toBe('latest');
  expect(headTag(secondsAgo(30))).toBe('latest');
});

test('behavior: a transfer is simulated at the pending block if the head is over a minute old', () => {
  expect(headTag(secondsAgo(120))).toBe('pending');
  vi.useFakeTimers({ now: 1_800_000_060_000 });
  expect(headTag(1_800_000_000n)).toBe('latest');
  vi.useFakeTimers({ now: 1_800_000_060_001 });
  expect(headTag(1_800_000_000n)).toBe('pending');
});

test('encodes a transfer with its signature as bytes', () => {
  const abi = parseAbi([
    'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)',
  ]);
  expect(decodeFunctionData({ abi, data: transferData(payment) }).args).toEqual([
    ...[payment.from, payment.to, 20_000n, 5n, 9n, payment.nonce, payment.signature],
  ]);
});

function simulate(results: Record<string, ScriptedResult>, { chainId = 8453, timestamp = secondsAgo(0) } = {}) {
  const { chain, requests } = createScriptedChain({ eth_getCode: '0x', eth_blockNumber: '0x32', ...results });
  const fees = { maxFeePerGas: 7n, maxPriorityFeePerGas: 3n, height: 50n, timestamp };
  return { done: simulateTransfer({ chain, chainId, account, asset, interval: twoSeconds }, payment, fees), requests };
}
const call = {
  from: account,
  to: asset,
  data: transferData(payment),
  gas: '0x61a80',
  maxFeePerGas: '0x7',
  maxPriorityFeePerGas: '0x3',
};

test('estimates with our account, the fees and a limit of 400,000 gas, in one verified batch', async () => {
  const { done, requests } = simulate({ eth_estimateGas: numberToHex(100_000) });
  expect(await done).toEqual({ gas: 110_000n, l1Gas: 0n, isContract: false, head: 50n });
  expect(requests).toEqual([
    { method: 'eth_estimateGas', params: [call, 'latest'], isVerified: true },
    { method: 'eth_getCode', params: [payment.from, 'latest'], isVerified: true },
    { method: 'eth_blockNumber', params: [], isVerified: true },
  ]);
});

test('estimates at the pending block if the head is old', async () => {
  const { done, requests } = simulate({ eth_estimateGas: numberToHex(100_000) }, { timestamp: secondsAgo(600) });
  await done;
  expect(requests[0]?.params[1]).toBe('pending');
});

test('a payer with code has a margin of a quarter', async () => {
  const { done } = simulate({ eth_estimateGas: numberToHex(100_000), eth_getCode: '0xef01' });
  expect(await done).toEqual({ gas: 125_000n, l1Gas: 0n, isContract: true, head: 50n });
});

test.each([
  ['0x', false],
  ['0x60', true],
])('separates the gas of L1 data on Arbitrum from that of a payer with code %s', async (eth_getCode, isContract) => {
  const estimates = ([candidate]: readonly unknown[]) =>
    numberToHex((candidate as { to: string }).to === asset ? 200_000 : 81_000);
  const { done, requests } = simulate({ eth_estimateGas: estimates, eth_getCode }, { chainId: 42161 });
  expect(await done).toEqual({ gas: 250_000n, l1Gas: 60_000n, isContract, head: 50n });
  expect(requests.filter(({ method }) => method === 'eth_estimateGas').map(({ params }) => params)).toEqual([
    [{ ...call, gas: numberToHex(3_000_000) }, 'latest'],
    [{ ...call, gas: numberToHex(3_000_000), to: account }, 'latest'],
  ]);
});

test.each([
  [8453, 20_999, false],
  [8453, 21_000, true],
  [8453, 400_000, true],
  [8453, 400_001, false],
  [42161, 3_000_000, true],
  [42161, 3_000_001, false],
])('on chain %d an estimate of %d gas is possible: %s', async (chainId, gas, isPossible) => {
  const { done } = simulate({ eth_estimateGas: numberToHex(gas) }, { chainId });
  if (isPossible) expect(await done).toHaveProperty('gas');
  else await expect(done).rejects.toThrow(ChainUnreachableError);
});

test('returns a refusal if the token reverts', async () => {
  const revert = new JsonRpcError(3, 'execution reverted: ERC20: transfer amount exceeds balance', undefined);
  expect(await simulate({ eth_estimateGas: revert }).done).toMatchObject({
    reason: 'invalid_exact_evm_insufficient_balance',
  });
});

test.each([
  ['our account lacks the native coin', new JsonRpcError(-32000, 'insufficient funds for gas * price', undefined)],
  ['the node cannot be reached', new ChainUnreachableError('down')],
  ['our code has a fault', Object.assign(new TypeError('a bug'), { isRevert: true })],
])('error: %s', async (_name, error) => {
  await expect(simulate({ eth_estimateGas: error }).done).rejects.toThrow(error);
});
