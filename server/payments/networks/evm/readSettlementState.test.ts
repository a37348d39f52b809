import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  pad,
  parseAbi,
  toFunctionSelector,
} from 'viem';
import { expect, test } from 'vitest';
import { createScriptedChain } from '../../../../tests/support/scriptedChain.ts';
import { ChainUnreachableError, multicall3 } from '../../chainCall.ts';
import { multicallAbi } from './readEvmFunds.ts';
import { readSettlementState, readTokenObstacle } from './readSettlementState.ts';

const asset = pad('0xa5', { size: 20 });
const payTo = pad('0xfe', { size: 20 });
const account = pad('0x1', { size: 20 });
const feed = pad('0xfd', { size: 20 });
const oracle = pad('0x0f', { size: 20 });
const gwei = 10n ** 9n;
const now = 1_800_000_000;
const selectorOf = (name: string) => toFunctionSelector(`function ${name}`);
const blockedAbi = parseAbi(['function isBlacklisted(address) view returns (bool)']);

interface State {
  chainId: number;
  paused: boolean | 'fails';
  blocked: boolean | 'fails';
  balance: bigint;
  /** US dollars for one native coin. */
  coinUsd: bigint;
  l1Fee: bigint | undefined;
  idleGas: number;
  baseFee: bigint;
  tip: bigint;
}
const usual: State = {
  ...{ chainId: 8453, paused: false, blocked: false, balance: 10n ** 18n, coinUsd: 2_000n },
  ...{ l1Fee: undefined, idleGas: 21_000, baseFee: gwei, tip: 2n * gwei },
};

type Result = { success: boolean; returnData: Hex };
const word = (value: bigint | number): Result => ({ success: true, returnData: pad(numberToHex(value)) });
const flag = (value: boolean | 'fails'): Result =>
  value === 'fails' ? { success: false, returnData: '0x' } : word(Number(value));

function open(change: Partial<State> = {}) {
  const state = { ...usual, ...change };
  const resultOf = (target: Address, data: Hex): Result => {
    const called = data.slice(0, 10);
    if (called === selectorOf('paused()')) return flag(state.paused);
    if (called === selectorOf('isBlacklisted(address)')) {
      expect(decodeFunctionData({ abi: blockedAbi, data }).args).toEqual([payTo]);
      return flag(state.blocked);
    }
    if (target.toLowerCase() === multicall3.toLowerCase()) return word(now);
    if (target.toLowerCase() === oracle) return word(state.l1Fee ?? 0n);
    if (called === selectorOf('decimals()')) return word(8);
    const round = [1n, state.coinUsd * 10n ** 8n, 0n, BigInt(now), 1n];
    return { success: true, returnData: `0x${round.map((value) => pad(numberToHex(value)).slice(2)).join('')}` };
  };
  const { chain, requests } = createScriptedChain({
    eth_call([request]: readonly unknown[]) {
      const { to, data } = request as { to: Address; data: Hex };
      expect(to).toBe(multicall3);
      const { args } = decodeFunctionData({ abi: multicallAbi, data });
      const result = (args?.[0] ?? []).map(({ target, callData }) => resultOf(target, callData));
      return encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result });
    },
    eth_getBalance: numberToHex(state.balance),
    eth_getBlockByNumber: { number: '0x7', timestamp: numberToHex(now), baseFeePerGas: numberToHex(state.baseFee) },
    eth_maxPriorityFeePerGas: numberToHex(state.tip),
    eth_estimateGas: numberToHex(state.idleGas),
  });
  const config = {
    ...{ network: `eip155:${state.chainId}`, chainId: state.chainId, asset, payTo },
    pricing: {
      feed: { address: feed, heartbeatSeconds: 60 },
      ...(state.l1Fee !== undefined && { l1FeeOracle: oracle }),
    },
  } as never;
  return { chain, config, requests };
}
function read(change: Partial<State> = {}) {
  const { chain, config } = open(change);
  return readSettlementState(chain, config, account);
}
/** Gas of one settlement at the maximum fee of 4 gwei. */
const feeOfOne = 120_000n * 4n * gwei;

test('reads in one batch how many settlements our account can pay, and what one costs at least', async () => {
  const { chain, config, requests } = open({ balance: 5n * feeOfOne });
  expect(await readSettlementState(chain, config, account)).toEqual({
    obstacle: undefined,
    settlements: 5n,
    // 120,000 gas at twice the base fee and a tip of 0.001 gwei, at 2,000 US dollars.
    gasCost: 480_240n,
  });
  expect(
    requests.map(({ method, params, isVerified }) => [method, params.slice(method === 'eth_call' ? 1 : 0), isVerified]),
  ).toEqual([
    ['eth_call', ['latest'], true],
    ['eth_getBalance', [account, 'latest'], true],
    ['eth_getBlockByNumber', ['latest', false], true],
    ['eth_maxPriorityFeePerGas', [], true],
  ]);
});

test.each([
  [feeOfOne, 1n, undefined],
  [feeOfOne - 1n, 0n, 'no_gas'],
  [2n * feeOfOne - 1n, 1n, undefined],
  [0n, 0n, 'no_gas'],
])('a balance of %d wei pays %d settlements (%s)', async (balance, settlements, obstacle) => {
  expect(await read({ balance })).toMatchObject({ settlements, obstacle });
});

test('adds the fee for L1 data', async () => {
  const l1Fee = 10n ** 13n;
  expect(await read({ l1Fee, balance: feeOfOne + l1Fee })).toMatchObject({ settlements: 1n });
  expect(await read({ l1Fee, balance: feeOfOne + l1Fee - 1n })).toMatchObject({ settlements: 0n });
});

test('adds the gas of L1 data on Arbitrum', async () => {
  const one = 150_000n * 4n * gwei;
  const { chain, config, requests } = open({ chainId: 42161, idleGas: 51_000, balance: one });
  expect(await readSettlementState(chain, config, account)).toMatchObject({ settlements: 1n });
  expect(await read({ chainId: 42161, idleGas: 51_000, balance: one - 1n })).toMatchObject({ settlements: 0n });
  const idle = { from: account, to: account, data: `0x${'5a'.repeat(356)}` };
  expect(requests.at(-1)).toEqual({ method: 'eth_estimateGas', params: [idle, 'latest'], isVerified: true });
});

test('a chain without fees is no reason for an endless number', async () => {
  expect(await read({ baseFee: 0n, tip: 0n, balance: 7n })).toMatchObject({ settlements: 7n, obstacle: undefined });
});

test('an unreadable price is an obstacle, and leaves the number of settlements', async () => {
  expect(await read({ coinUsd: 0n, balance: 3n * feeOfOne })).toEqual({
    obstacle: 'gas_cost_unknown',
    settlements: 3n,
    gasCost: undefined,
  });
});

test.each([
  [{ paused: true, blocked: true, balance: 0n }, 'token_paused'],
  [{ blocked: true, balance: 0n }, 'payee_blocked'],
  [{ coinUsd: 0n, balance: 0n }, 'no_gas'],
  [{ paused: 'fails', blocked: 'fails' }, undefined],
  [{ paused: 'fails', blocked: true }, 'payee_blocked'],
] as const)('with %o the obstacle is %s', async (change, obstacle) => {
  expect((await read(change)).obstacle).toBe(obstacle);
});

test.each([
  [{}, undefined],
  [{ paused: true, blocked: true }, 'token_paused'],
  [{ blocked: true }, 'payee_blocked'],
  [{ paused: 'fails', blocked: 'fails' }, undefined],
] as const)('a remote facilitator has only the obstacles of the token: %o is %s', async (change, obstacle) => {
  const { chain, config, requests } = open({ ...change, balance: 0n });
  expect(await readTokenObstacle(chain, config)).toBe(obstacle);
  expect(requests.map(({ method, isVerified }) => [method, isVerified])).toEqual([['eth_call', true]]);
});

test('error: the state cannot be read', async () => {
  const { chain } = createScriptedChain({ eth_call: '0x' });
  await expect(readTokenObstacle(chain, open().config)).rejects.toThrow(ChainUnreachableError);
});
