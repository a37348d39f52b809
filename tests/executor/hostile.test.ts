import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  maxUint256,
  numberToHex,
  parseUnits,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executorDeployment } from '../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { puppetArtifact } from '../../contracts/artifacts/sandbox/Puppet.ts';
import { fund, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { NodeCallError } from '../../sandbox/rpc/nodeClient.ts';
import { poolOf } from '../client/handmadeQuote.ts';
import { seeded } from '../engine/market.ts';
import { findWallet } from '../support/findWallet.ts';
import { balanceOf, executorAddress, heldByExecutor, senderOn } from './openMarket.ts';
import {
  decodeProbe,
  type ExecuteInput,
  executeCall,
  kinds,
  type LegInput,
  type PlanInput,
  probeCall,
} from './plans.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
let victim: Address;
let attacker: Address;
let byVictim: Awaited<ReturnType<typeof senderOn>>;
let byAttacker: Awaited<ReturnType<typeof senderOn>>;
let weth: Address;
let usdc: Address;
const puppet = getAddress(`0x${'b0'.repeat(20)}`);
const amountIn = parseUnits('1', 18);

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  [weth, usdc] = [chain.wrappedNative, chain.usdc];
  victim = findWallet(sandbox.wallets, 'trader').address;
  attacker = findWallet(sandbox.wallets, 'stranger').address;
  byVictim = await senderOn(chain, victim);
  byAttacker = await senderOn(chain, attacker);
  await byVictim.node.call('anvil_setCode', [puppet, puppetArtifact.runtime]);
  // A victim with unlimited allowances, which the service never builds.
  for (const token of [weth, usdc]) await byVictim.send({ to: token, data: approveData(executorAddress, maxUint256) });
  for (const account of [attacker, puppet]) await fund(chain, weth, account, amountIn * 10n);
  await byAttacker.send({ to: weth, data: approveData(executorAddress, maxUint256) });
}, 300_000);
afterAll(() => sandbox?.close());

const approveData = (spender: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] });

const leg = (venue: string, kind: bigint, shareBps = 10_000n): LegInput => ({
  kind,
  pool: poolOf(chain, venue, weth, usdc).pool as Address,
  tokenIn: weth,
  tokenOut: usdc,
  shareBps,
});
const planOf = (legs: readonly LegInput[], more: Partial<PlanInput> = {}): PlanInput => ({
  tokenIn: weth,
  tokenOut: usdc,
  amountIn,
  native: weth,
  legs,
  ...more,
});
const honest = () => planOf([leg('uniswap-v3', kinds.v3)]);
const puppetLeg = (kind: bigint, shareBps = 10_000n): LegInput => ({
  ...leg('uniswap-v3', kind, shareBps),
  pool: puppet,
});

const teach = (signature: string, to: Address, data: Hex, reply: Hex = '0x') =>
  byAttacker.send({
    to: puppet,
    data: encodeFunctionData({
      abi: puppetArtifact.abi,
      functionName: 'teach',
      args: [signature === '' ? '0x00000000' : toFunctionSelector(signature), to, data, reply],
    }),
  });
const words = (...values: bigint[]) =>
  `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}` as Hex;
const countOf = async (name: 'succeeded' | 'failed') => {
  const data = encodeFunctionData({ abi: puppetArtifact.abi, functionName: name });
  return Number(await byVictim.node.call<Hex>('eth_call', [{ to: puppet, data }, 'latest']));
};

/** Name of the error with which a call reverts; undefined if it succeeds. */
async function errorOf(from: Address, input: ExecuteInput): Promise<string | undefined> {
  const { to, data, value } = executeCall(input);
  const call = { from, to, data, value: numberToHex(value), gas: numberToHex(15_000_000) };
  try {
    await byVictim.node.call('eth_call', [call, 'latest']);
    return undefined;
  } catch (error) {
    if (!(error instanceof NodeCallError)) throw error;
    const found = error.data as Hex | undefined;
    if (!found || found === '0x') return 'no data';
    try {
      return decodeErrorResult({ abi: executorArtifact.abi, data: found }).errorName;
    } catch {
      return found;
    }
  }
}

const holdings = async (owner: Address) => [await balanceOf(chain, weth, owner), await balanceOf(chain, usdc, owner)];

test('the deployed code has the hash of the release', async () => {
  for (const { address, codeHash } of [executorDeployment.executor, ...executorDeployment.families]) {
    const { codeHash: found } = await byVictim.node.call<{ codeHash: Hex }>('eth_getProof', [address, [], 'latest']);
    expect(found).toBe(codeHash);
  }
});

test('rejects a plan that could charge more than amountIn, pay no one or leave tokens in the executor', async () => {
  const good = leg('uniswap-v3', kinds.v3);
  const back = { ...good, tokenIn: usdc, tokenOut: weth };
  const cases: [string, ExecuteInput][] = [
    ['Expired', { plan: honest(), to: victim, deadline: 1n }],
    ['NoMinimum', { plan: honest(), to: victim, min: 0n }],
    ['BelowMinimum', { plan: honest(), to: victim, min: 2n ** 100n }],
    ['BadReceiver', { plan: honest(), to: zeroAddress }],
    ['BadReceiver', { plan: honest(), to: executorAddress }],
    ['BadValue', { plan: honest(), to: victim, value: 1n }],
    ['BadValue', { plan: { ...honest(), payment: 2n }, to: victim, value: amountIn - 1n }],
    ['BadPlan', { plan: planOf([]), to: victim }],
    ['BadPlan', { plan: planOf([good], { amountIn: 0n }), to: victim }],
    ['BadPlan', { plan: planOf([good], { tokenOut: weth }), to: victim }],
    ['BadPlan', { plan: planOf([good, back]), to: victim }],
    ['BadPlan', { plan: planOf([good], { payment: 3n }), to: victim }],
    ['BadPlan', { plan: planOf([good], { nativeOut: true }), to: victim }],
    ['BadPlan', { plan: planOf([good], { payment: 2n, native: usdc }), to: victim, value: amountIn }],
    ['BadPlan', { plan: planOf([{ ...good, pool: executorAddress }]), to: victim }],
    ['BadPlan', { plan: planOf([{ ...good, kind: 10n }]), to: victim }],
    ['BadPlan', { plan: planOf([{ ...good, tokenIn: puppet }]), to: victim }],
    ['BadShares', { plan: planOf([{ ...good, shareBps: 10_001n }, good]), to: victim }],
    ['BadShares', { plan: planOf([{ ...good, shareBps: 9_000n }, { ...good, shareBps: 9_000n }, good]), to: victim }],
  ];
  for (const [error, input] of cases) expect([error, await errorOf(victim, input)]).toEqual([error, error]);
  expect(await errorOf(victim, { plan: honest(), to: victim })).toBeUndefined();
});

test('a pool that charges too much, pays nothing, or only reports a fill gets nothing', async () => {
  const swap = 'swap(address,bool,int256,uint160,bytes)';
  const callback = (owed: bigint) =>
    `${toFunctionSelector('uniswapV3SwapCallback(int256,int256,bytes)')}${words(owed, 0n, 96n, 0n).slice(2)}` as Hex;
  const before = await holdings(victim);
  const attempt = () => errorOf(victim, { plan: planOf([puppetLeg(kinds.v3)]), to: victim });
  await teach(swap, executorAddress, callback(amountIn), words(amountIn, maxUint256));
  expect(await attempt()).toBe('PaysNothing');
  // The puppet ignores that its callback failed, so nothing is paid.
  await teach(swap, executorAddress, callback(amountIn + 1n), words(amountIn, maxUint256));
  expect(await attempt()).toBe('PartialFill');
  await teach(swap, zeroAddress, '0x', words(amountIn, maxUint256));
  expect(await attempt()).toBe('PartialFill');
  await teach('unlock(bytes)', executorAddress, callback(amountIn), words(32n, 0n));
  expect(await errorOf(victim, { plan: planOf([puppetLeg(kinds.v4)]), to: victim })).toBe('PartialFill');
  expect(await holdings(victim)).toEqual(before);
});

test('a receiver and a pool cannot enter the executor again while it executes a plan', async () => {
  await byVictim.restored(async () => {
    await byVictim.node.call('anvil_impersonateAccount', [puppet]);
    await byVictim.node.call('anvil_setBalance', [puppet, numberToHex(10n ** 20n)]);
    const approval = { from: puppet, to: weth, data: approveData(executorAddress, maxUint256), gas: '0xfffff' };
    await byVictim.node.call('eth_sendTransactionSync', [approval]);
    const price = 'getAmountOut(uint256,address)';
    const again = executeCall({ plan: honest(), to: puppet });
    const payment = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [victim, 5n] });
    await teach(price, again.to, again.data, words(5n));
    await teach('swap(uint256,uint256,address,bytes)', usdc, payment);
    // The same call succeeds outside of an execution.
    await byAttacker.send({ to: puppet, data: `${toFunctionSelector(price)}${words(0n, 5n).slice(2)}` });
    expect([await countOf('succeeded'), await countOf('failed')]).toEqual([1, 0]);
    const split = planOf([puppetLeg(kinds.solidly, 1n), leg('uniswap-v3', kinds.v3)]);
    const executeSplit = async () => {
      await teach('getReserves()', zeroAddress, '0x', words(await balanceOf(chain, weth, puppet), 1n, 0n));
      expect((await byVictim.send(executeCall({ plan: split, to: victim }))).ok).toBe(true);
    };
    // The pool pays, and its other call fails.
    await executeSplit();
    expect([await countOf('succeeded'), await countOf('failed')]).toEqual([2, 1]);
    const probe = probeCall([honest()], [victim]);
    await teach(price, probe.to, probe.data, words(5n));
    await executeSplit();
    expect([await countOf('succeeded'), await countOf('failed')]).toEqual([3, 2]);
    // The native coin runs the receiver's code.
    await teach('', again.to, again.data);
    const [pool, tokenIn, tokenOut] = [leg('uniswap-v3', kinds.v3).pool, usdc, weth];
    const buy = planOf([{ kind: kinds.v3, pool, tokenIn, tokenOut }], { tokenIn, tokenOut, amountIn: 10n ** 8n });
    expect((await byVictim.send(executeCall({ plan: { ...buy, nativeOut: true }, to: puppet }))).ok).toBe(true);
    expect([await countOf('succeeded'), await countOf('failed')]).toEqual([3, 3]);
    expect(await heldByExecutor(chain)).toEqual([]);
  });
});

test('a call from a stranger moves no token and a frame cannot be called from outside', async () => {
  const before = await holdings(victim);
  const data = words(amountIn, 0n, 96n, 0n).slice(2);
  for (const name of ['uniswapV3SwapCallback', 'pancakeV3SwapCallback', 'algebraSwapCallback']) {
    const selector = toFunctionSelector(`${name}(int256,int256,bytes)`);
    expect((await byAttacker.send({ to: executorAddress, data: `${selector}${data}` as Hex })).ok).toBe(false);
  }
  const abi = executorArtifact.abi;
  const unlock = encodeFunctionData({ abi, functionName: 'unlockCallback', args: [words(amountIn, 0n)] });
  await byAttacker.send({ to: executorAddress, data: unlock });
  const { data: probe } = probeCall([honest()], [victim]);
  const frame = `${toFunctionSelector(abi.find((item) => 'name' in item && item.name === 'frame') as never)}${probe.slice(10)}`;
  expect((await byAttacker.send({ to: executorAddress, data: frame as Hex })).ok).toBe(false);
  expect((await byAttacker.send({ to: executorAddress, data: '0x', value: 1n })).ok).toBe(false);
  expect(await holdings(victim)).toEqual(before);
});

test('a probe in a mined transaction returns the fill and moves nothing', async () => {
  const before = await holdings(victim);
  const plans = [honest(), planOf([puppetLeg(kinds.v3)]), honest()];
  const call = probeCall(plans, [victim, victim, attacker]);
  expect((await byAttacker.send(call)).ok).toBe(true);
  expect(await holdings(victim)).toEqual(before);
  const data = await byVictim.node.call<Hex>('eth_call', [{ ...call, gas: numberToHex(15_000_000) }, 'latest']);
  const fills = decodeProbe(data, plans);
  const sold = await byVictim.restored(async () => {
    await byVictim.send(executeCall({ plan: honest(), to: victim }));
    return (await balanceOf(chain, usdc, victim)) - (before[1] ?? 0n);
  });
  expect(fills.map(({ received }) => received)).toEqual([sold, 0n, sold]);
  expect(fills[0]?.legs).toEqual([{ amountIn, arrived: amountIn, nominal: sold, amountOut: sold }]);
});

test('random plans of an attacker move none of another account’s tokens and leave nothing in the executor', async () => {
  const random = seeded(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const tokens = [weth, usdc, puppet];
  const pools = [...chain.pools.slice(0, 12).map(({ pool }) => pool.slice(0, 42) as Address), puppet, weth, victim];
  const before = await holdings(victim);
  let mined = 0;
  const random256 = () => pick([0n, 1n, amountIn / 7n, amountIn, maxUint256, 2n ** 255n]);
  await teach('getReserves()', zeroAddress, '0x', words(1n, 1n, 0n));
  await teach('getAmountOut(uint256,address)', zeroAddress, '0x', words(5n));
  await teach('balanceOf(address)', zeroAddress, '0x', words(10n ** 30n));
  await teach('transferFrom(address,address,uint256)', executorAddress, '0x', words(1n));
  await teach('transfer(address,uint256)', executorAddress, '0x', words(1n));
  const limit = Number(process.env.FUZZED_PLANS ?? 150);
  for (let turn = 0; turn < limit; turn++) {
    const swap = pick([
      'swap(address,bool,int256,uint160,bytes)',
      'swap(uint256,uint256,address,bytes)',
      'unlock(bytes)',
    ]);
    const steal = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [victim, attacker, amountIn],
    });
    const callback = `${toFunctionSelector('f(int256,int256,bytes)')}${words(random256(), random256(), 96n, 0n).slice(2)}`;
    await teach(swap, pick([executorAddress, weth]), pick([steal, callback as Hex]), words(random256(), random256()));
    // Half of the plans are valid but for their pools, and end with an honest leg that pays enough.
    const isValid = random() < 0.5;
    const hostile = Array.from({ length: Math.floor(random() * 3) }, () => ({
      kind: BigInt(Math.floor(random() * (isValid ? 10 : 11))),
      pool: pick(isValid ? [puppet, puppet, ...pools] : pools),
      tokenIn: isValid ? weth : pick(tokens),
      tokenOut: isValid ? pick([usdc, puppet]) : pick(tokens),
      shareBps: pick(isValid ? [0n, 1n, 2_500n, 5_000n] : [0n, 1n, 5_000n, 10_000n, 20_000n, maxUint256]),
    }));
    const legs = [...hostile, leg('uniswap-v3', kinds.v3)];
    const payment = pick([0n, 0n, 0n, 1n, 2n]);
    const size = pick([1n, amountIn / 10n, amountIn / 3n]);
    const tokenOut = isValid ? usdc : pick([usdc, puppet, weth]);
    const plan = { ...planOf(legs), amountIn: size, payment, tokenOut, nativeOut: !isValid && random() < 0.2 };
    const value = payment === 2n ? size : 0n;
    const to = pick([attacker, victim, puppet, weth]);
    const received = await byAttacker.restored(async () => {
      const { ok } = await byAttacker.send(executeCall({ plan, to, value }));
      const after = await holdings(victim);
      if (to !== victim) expect(after).toEqual(before);
      for (const [index, amount] of after.entries()) expect(amount).toBeGreaterThanOrEqual(before[index] ?? 0n);
      expect(await heldByExecutor(chain)).toEqual([]);
      return ok;
    });
    if (received) mined += 1;
  }
  console.log(`${mined} of ${limit} random plans executed`);
  expect(mined).toBeGreaterThan(limit / 10);
}, 300_000);
