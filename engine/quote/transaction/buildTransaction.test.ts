import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  erc20Abi,
  getAddress,
  keccak256,
  parseAbiParameters,
} from 'viem';
import { describe, expect, test } from 'vitest';
import { executorDeployment } from '../../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../../contracts/artifacts/executor/Executor.ts';
import { lensKinds } from '../../../contracts/artifacts/lensKinds.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import {
  buildTransaction,
  type SwapLeg,
  type TransactionFacts,
  type TransactionOrder,
  TransactionOrderError,
} from './buildTransaction.ts';

const { wrappedNative, venues, chainId } = deployments.base;
const weth = getAddress(wrappedNative);
const usdc = getAddress(deployments.base.usdc);
const other: Address = `0x${'12'.repeat(20)}`;
const zero: Address = `0x${'0'.repeat(40)}`;
const receiver = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const nowSeconds = 1_800_000_000;

/** Uniswap's pool of WETH and USDC with a fee of 0.05 % on Base. */
const leg: SwapLeg = {
  ...{ dex: 'uniswap-v3', venue: 'uniswap-v3', pool: '0xd0b53D9277642d899DF5C87A3966A349A798F224' },
  ...{ tokenIn: weth, tokenOut: usdc, feePips: 500, shareBps: 10_000 },
};
const back: SwapLeg = { ...leg, tokenIn: usdc, tokenOut: weth };
const order: TransactionOrder = {
  ...{ tokenIn: weth, tokenOut: usdc, amountIn: 10n ** 18n, amountOut: 3_000_000_001n, legs: [leg] },
  ...{ receiver, slippageBps: 50, deadline: BigInt(nowSeconds + 60) },
};
const facts: TransactionFacts = {
  ...{ chain: 'base', chainId, venues, wrappedNative, standIns: new Set(), now: nowSeconds * 1_000 },
  isRefused: () => false,
};
const build = (change: Partial<TransactionOrder> = {}, more: Partial<TransactionFacts> = {}) =>
  buildTransaction({ ...order, ...change }, { ...facts, ...more });
/** The plan, the minimum, the receiver and the deadline, decoded with the ABI of the compiled executor. */
function argumentsOf(change: Partial<TransactionOrder> = {}) {
  const { functionName, args } = decodeFunctionData({ abi: executorArtifact.abi, data: build(change).data });
  if (functionName !== 'execute') throw new TypeError(`The call is ${functionName}.`);
  return args;
}
/** The dotted path of the field that is rejected. */
function pathOf(change: Partial<TransactionOrder>, more: Partial<TransactionFacts> = {}): string | undefined {
  try {
    build(change, more);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(TransactionOrderError);
    return (error as TransactionOrderError).path;
  }
}

test('calls execute of the executor with the plan, for the receiver until the deadline', () => {
  const { data: _, ...built } = build();
  const executor = getAddress(executorDeployment.executor.address);
  expect(built).toMatchObject({ chainId: 8453, to: executor, value: 0n, warnings: [] });
  expect(built.executor).toEqual({ address: executor, codeHash: executorDeployment.executor.codeHash });
  const [plan, minAmountOut, to, deadline] = argumentsOf();
  expect(plan).toEqual({
    ...{ tokenIn: weth, tokenOut: usdc, amountIn: order.amountIn, native: weth },
    ...{ payment: 0n, nativeOut: false, permit: '0x' },
    legs: [
      {
        ...{ kind: BigInt(lensKinds.v3), pool: leg.pool, tokenIn: weth, tokenOut: usdc },
        ...{ fee: 500n, spacing: 0n, hooks: zero, shareBps: 10_000n },
      },
    ],
  });
  expect([minAmountOut, to, deadline]).toEqual([built.minAmountOut, receiver, order.deadline]);
});

test('approves exactly the amount that is sold, for the executor alone', () => {
  const [approval, ...others] = build().approvals;
  expect(others).toEqual([]);
  const spender = getAddress(executorDeployment.executor.address);
  expect(approval).toMatchObject({ token: weth, to: weth, spender, amount: order.amountIn });
  const call = decodeFunctionData({ abi: erc20Abi, data: approval?.data ?? '0x' });
  expect(call).toEqual({ functionName: 'approve', args: [spender, order.amountIn] });
});

test.each([
  [0, 3_000_000_001n, 3_000_000_001n],
  [50, 3_000_000_001n, 2_985_000_001n],
  [9_999, 3_000_000_001n, 300_001n],
  [9_999, 10_000n, 1n],
  [9_999, 1n, 1n],
])('the minimum at %i bps of %i is %i, rounded up', (slippageBps, amountOut, expected) => {
  expect(build({ slippageBps, amountOut }).minAmountOut).toBe(expected);
});

test('a minimum of 0 is rejected', () => {
  expect(pathOf({ slippageBps: 10_000 })).toBe('slippageBps');
});

const middle: SwapLeg = { ...leg, dex: 'uniswap-v2', venue: 'alienbase-v2', pool: other, feePips: 1_600 };
const throughOther = [
  { ...middle, tokenOut: other },
  { ...middle, tokenIn: other },
];

test.each<[string, Partial<TransactionOrder>, string]>([
  ['no leg', { legs: [] }, 'route'],
  ['nothing bought', { amountOut: 0n }, 'route'],
  ['the token itself', { tokenOut: weth }, 'tokenOut'],
  ['the token itself in capitals', { tokenOut: `0x${weth.slice(2).toUpperCase()}` }, 'tokenOut'],
  ['nothing sold', { amountIn: 0n }, 'amountIn'],
  ['more than 256 bits sold', { amountIn: 2n ** 256n }, 'amountIn'],
  ['more than 256 bits bought', { amountOut: 2n ** 256n }, 'amountOut'],
  ['a deadline now', { deadline: BigInt(nowSeconds) }, 'deadline'],
  ['the receiver 0x0', { receiver: zero }, 'receiver'],
  ['the executor as receiver', { receiver: executorDeployment.executor.address }, 'receiver'],
  ['a leg that sells an unknown token', { legs: [leg, { ...leg, tokenIn: other }] }, 'route.legs.1.tokenIn'],
  ['a leg before the one that buys its token', { legs: throughOther.toReversed() }, 'route.legs.0.tokenIn'],
  ['a leg that sells tokenOut', { legs: [leg, { ...back, tokenOut: other }] }, 'route.legs.1.tokenIn'],
  [
    'a leg that buys tokenIn',
    { legs: [throughOther[0] ?? leg, { ...middle, tokenIn: other, tokenOut: weth }] },
    'route.legs.1.tokenOut',
  ],
  ['a leg that buys what it sells', { legs: [{ ...leg, tokenOut: weth }] }, 'route.legs.0.tokenOut'],
  [
    'a leg that buys what it sells after another',
    { legs: [throughOther[0] ?? leg, { ...middle, tokenIn: other, tokenOut: other }] },
    'route.legs.1.tokenOut',
  ],
  ['no leg that buys tokenOut', { legs: [throughOther[0] ?? leg] }, 'route'],
])('rejects %s', (_, change, path) => {
  expect(pathOf(change)).toBe(path);
});

test('accepts the limits: 2^256 - 1 base units, and a deadline one second later', () => {
  const most = 2n ** 256n - 1n;
  expect(build({ amountIn: most, amountOut: most, slippageBps: 0 }).minAmountOut).toBe(most);
  expect(pathOf({ deadline: BigInt(nowSeconds + 1) })).toBeUndefined();
  expect(pathOf({ deadline: BigInt(nowSeconds + 1) }, { now: nowSeconds * 1_000 + 999 })).toBeUndefined();
  expect(pathOf({ deadline: BigInt(nowSeconds + 1) }, { now: nowSeconds * 1_000 + 1_000 })).toBe('deadline');
});

test('accepts a route over another token, and a split', () => {
  expect(argumentsOf({ legs: throughOther })[0].legs).toHaveLength(2);
  const half = { ...leg, shareBps: 5_000 };
  expect(argumentsOf({ legs: [half, half] })[0].legs.map(({ shareBps }) => shareBps)).toEqual([5_000n, 5_000n]);
});

describe('a token that refuses the executor', () => {
  test('is rejected if the quote has the flag', () => {
    expect(pathOf({ isRouterDependent: true })).toBe('route');
  });

  test('is rejected if this process knows it, for exactly these tokens', () => {
    const asked: string[][] = [];
    const isRefused: TransactionFacts['isRefused'] = (...tokens) => asked.push(tokens) > 0;
    expect(pathOf({}, { isRefused })).toBe('route');
    expect(asked).toEqual([[toLowerAddress(weth), toLowerAddress(usdc)]]);
  });
});

/** A v4 pool of the native coin and USDC. Its id is keccak256(abi.encode(key)), as in v4's Initialize event. */
function v4With(hooks: Address) {
  const key = { currency0: zero, currency1: usdc, fee: 500, tickSpacing: 10, hooks };
  const types = parseAbiParameters('address, address, uint24, int24, address');
  const pool = keccak256(encodeAbiParameters(types, [zero, usdc, key.fee, key.tickSpacing, hooks]));
  return { ...leg, dex: 'uniswap-v4', venue: 'uniswap-v4', pool, poolKey: key } satisfies SwapLeg;
}
const v4 = v4With(zero);
const vaultId = `0x${'ab'.repeat(32)}` as const;

test.each<[string, Partial<SwapLeg>, string]>([
  ['a key on v3', { poolKey: v4.poolKey }, 'poolKey'],
  ['an address of a v4 pool', { ...v4, pool: other }, 'pool'],
  ['an id of a v3 pool', { pool: vaultId }, 'pool'],
  ['an address of a Balancer pool', { dex: 'balancer-v2', venue: 'balancer-v2', pool: other }, 'pool'],
  ['an unknown venue', { venue: 'my-venue' }, 'venue'],
  ['another pool', { pool: other }, 'pool'],
  ['an id of another v4 pool', { ...v4, pool: vaultId }, 'pool'],
])('rejects a leg with %s', (_, change, field) => {
  expect(pathOf({ legs: [{ ...leg, ...change }] })).toBe(`route.legs.0.${field}`);
});

test('rejects a v4 pool without its key', () => {
  const { poolKey: _, ...without } = v4;
  expect(pathOf({ legs: [without] })).toBe('route.legs.0.poolKey');
});

test('an id of a Balancer pool is accepted with a warning that names it', () => {
  const legs: SwapLeg[] = [{ ...leg, dex: 'balancer-v2', venue: 'balancer-v2', pool: vaultId }];
  const polygon = { chain: 'polygon', venues: deployments.polygon.venues } as const;
  expect(build({ legs }, polygon).warnings).toEqual([expect.stringContaining(vaultId)]);
});

test('a v4 pool is swapped at the pool manager, with its key and the native kind', () => {
  const manager = venues.find((row) => row.family === 'uniswap-v4')?.manager;
  const [swap] = argumentsOf({ legs: [v4] })[0].legs;
  expect(swap).toMatchObject({ kind: BigInt(lensKinds.v4Native), fee: 500n, spacing: 10n, hooks: zero });
  expect(toLowerAddress(swap?.pool ?? zero)).toBe(manager);
  expect(build({ legs: [v4] }).warnings).toEqual([]);
});

/** The last bits of a hook's address are its permissions: before swap is 1 << 7, before initialize 1 << 13. */
const [swapHook, otherHook] = ['0080', '2000'].map((bits): Address => `0x${'1'.repeat(36)}${bits}`);

test.each([
  ['acts on swaps', swapHook, [expect.stringContaining('0080')]],
  ['does not act on swaps', otherHook, []],
])('a hook that %s is warned about only then', (_, hooks = zero, expected) => {
  const hooked = v4With(hooks);
  expect(build({ legs: [hooked] }).warnings).toEqual(expected);
  expect(toLowerAddress(argumentsOf({ legs: [hooked] })[0].legs[0]?.hooks ?? zero)).toBe(hooks);
});
