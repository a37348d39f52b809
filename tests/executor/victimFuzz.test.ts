import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  parseUnits,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { fund, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { poolOf } from '../client/handmadeQuote.ts';
import { seeded } from '../engine/market.ts';
import { findWallet } from '../support/findWallet.ts';
import { balanceOf, executorAddress, heldByExecutor, senderOn } from './openMarket.ts';
import { executeCall, kinds, type LegInput, probeCall } from './plans.ts';
import { type Call, callbackData, erc20Call, placePuppet, words } from './puppets.ts';

// A victim executes random plans over pools, managers and tokens of an attacker, who makes several calls in each of them.
// A bystander has unlimited allowances for the executor and by Permit2.

let sandbox: Sandbox;
let chain: SandboxChain;
let victim: Address;
let bystander: Address;
let attacker: Address;
let byVictim: Awaited<ReturnType<typeof senderOn>>;
let byAttacker: Awaited<ReturnType<typeof senderOn>>;
const amountIn = parseUnits('1', 18);
const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  victim = findWallet(sandbox.wallets, 'trader').address;
  bystander = findWallet(sandbox.wallets, 'stranger').address;
  attacker = `0x${'a7'.repeat(20)}`;
  byVictim = await senderOn(chain, victim);
  byAttacker = await senderOn(chain, attacker);
  const byBystander = await senderOn(chain, bystander);
  const approve = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)']);
  for (const token of [chain.wrappedNative, chain.usdc]) {
    await fund(chain, token, bystander, 10n ** 9n);
    for (const sender of [byVictim, byBystander]) {
      for (const spender of [executorAddress, permit2])
        await sender.send(erc20Call(token, 'approve', spender, maxUint256));
      const args = [token, executorAddress, 2n ** 160n - 1n, 2 ** 47] as const;
      await sender.send({ to: permit2, data: encodeFunctionData({ abi: approve, args }) });
    }
  }
}, 300_000);
afterAll(() => sandbox?.close());

type Puppet = Awaited<ReturnType<typeof placePuppet>>;
interface Dice {
  random: () => number;
  pick: <T>(list: readonly T[]) => T;
}
interface Stage {
  pool: Puppet;
  other: Puppet;
  token: Puppet;
}

const honestLeg = (): LegInput => {
  const [tokenIn, tokenOut] = [chain.wrappedNative, chain.usdc];
  return { kind: kinds.v3, pool: poolOf(chain, 'uniswap-v3', tokenIn, tokenOut).pool as Address, tokenIn, tokenOut };
};

/** Up to two hostile legs; the honest one sells the rest. */
function hostileLegs({ random, pick }: Dice, { pool, other, token }: Stage) {
  const [weth, usdc] = [chain.wrappedNative, chain.usdc];
  return Array.from({ length: Math.floor(random() * 3) }, () => ({
    kind: BigInt(Math.floor(random() * 10)),
    pool: pick([pool, pool, other]).address,
    ...pick([
      { tokenIn: weth, tokenOut: usdc },
      { tokenIn: weth, tokenOut: token.address },
      { tokenIn: token.address, tokenOut: usdc },
    ]),
    shareBps: pick([1n, 2_500n, 5_000n]),
  }));
}

const legWords = parseAbiParameters(
  'uint256, address, address, address, uint256, int256, address, uint256, uint256, address',
);

/** A manager's callback with the data that the executor passed to `unlock`. */
function unlockCall(leg: ReturnType<typeof hostileLegs>[number], sold: bigint, receiver: Address): Call {
  const { kind, pool, tokenIn, tokenOut, shareBps } = leg;
  const args = [kind, pool, tokenIn, tokenOut, 3000n, 0n, zeroAddress, shareBps, sold, receiver] as const;
  const data = encodeAbiParameters(legWords, args);
  const { abi } = executorArtifact;
  return { to: executorAddress, data: encodeFunctionData({ abi, functionName: 'unlockCallback', args: [data] }) };
}

/** Calls that the attacker's contracts make while the executor calls them. */
function movesOf({ pick }: Dice, { other }: Stage, legs: ReturnType<typeof hostileLegs>, sold: bigint): Call[] {
  const [weth, usdc] = [chain.wrappedNative, chain.usdc];
  const small = { tokenIn: weth, tokenOut: usdc, amountIn: 1_000n, native: weth, legs: [honestLeg()] };
  const pull = (from: Address): Call => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [from, attacker, 1n] });
    return { to: weth, data };
  };
  const abi = parseAbi(['function transferFrom(address from, address to, uint160 amount, address token)']);
  const callbacks = [sold, pick([0n, 1n, sold * 2n, maxUint256])];
  return [
    ...callbacks.map((owed) => ({ to: executorAddress, data: callbackData(owed) })),
    ...legs.map((leg) => unlockCall(leg, sold, pick([victim, executorAddress]))),
    executeCall({ plan: small, to: attacker }),
    probeCall([small], [bystander]),
    pull(bystander),
    pull(victim),
    { to: permit2, data: encodeFunctionData({ abi, args: [bystander, attacker, 1n, weth] }) },
    other.call('move()'),
    erc20Call(usdc, 'transfer', victim, pick([1n, 10n ** 9n])),
    erc20Call(usdc, 'transfer', executorAddress, 5n),
    erc20Call(weth, 'transfer', executorAddress, 5n),
  ];
}

async function teach({ random, pick }: Dice, { pool, other, token }: Stage, moves: readonly Call[], sold: bigint) {
  const some = () => Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(moves));
  const deltas = [0n, 1n, -5n, -(10n ** 9n), ((10n ** 9n) << 128n) | BigInt.asUintN(128, -sold)];
  const swaps = [
    'swap(address,bool,int256,uint160,bytes)',
    'swap(uint256,uint256,address,bytes)',
    'swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)',
    'unlock(bytes)',
  ];
  for (const place of [pool, other]) {
    for (const name of swaps) await place.teach(name, some(), words(pick(deltas), pick([1n, -5n, -(10n ** 9n)])));
    const reserve = pick([0n, 1n, await balanceOf(chain, chain.wrappedNative, place.address)]);
    await place.teach('getReserves()', [], words(reserve, 10n, 0n));
    await place.teach('getAmountOut(uint256,address)', some(), words(5n));
    await place.teach('move()', [{ to: executorAddress, data: callbackData(sold) }]);
  }
  await token.teach('balanceOf(address)', [], words(10n ** 20n));
  await token.teach('transfer(address,uint256)', some(), words(1n));
}

test('a victim of hostile pools loses at most amountIn, gets at least its minimum, and no other account pays', async () => {
  const random = seeded(Number(process.env.FUZZ_SEED ?? 11));
  const dice: Dice = { random, pick: (list) => list[Math.floor(random() * list.length)] as (typeof list)[number] };
  const { pick } = dice;
  const [tokenIn, tokenOut] = [chain.wrappedNative, chain.usdc];
  const place = (number: number) => placePuppet(byAttacker, number);
  const stage: Stage = { pool: await place(0xf1), other: await place(0xf2), token: await place(0xf3) };
  for (const { address } of [stage.pool, stage.other])
    for (const asset of [tokenIn, tokenOut]) await fund(chain, asset, address, 10n ** 10n);
  const owners = [victim, victim, bystander, bystander];
  const read = () => Promise.all(owners.map((owner, index) => balanceOf(chain, index % 2 ? tokenOut : tokenIn, owner)));
  const counted = { executed: 0, reverted: 0 };
  const limit = Number(process.env.FUZZED_PLANS ?? 100);
  for (let turn = 0; turn < limit; turn++) {
    const amount = pick([amountIn, amountIn / 3n]);
    const hostile = hostileLegs(dice, stage);
    const sold = pick([amount, amount / 4n, amount / 2n, amount / 10_000n]);
    const moves = movesOf(dice, stage, hostile, sold);
    // An honest leg that sells the rest, or a half before hostile legs.
    const legs = pick([
      [...hostile, honestLeg()],
      [{ ...honestLeg(), shareBps: 5_000n }, ...hostile],
    ]);
    const common = { tokenIn, tokenOut, amountIn: amount, native: tokenIn };
    const plan = { ...common, payment: pick([0n, 1n]), legs };
    const min = pick([1n, 10n ** 8n]);
    const before = await read();
    await byVictim.restored(async () => {
      await teach(dice, stage, moves, sold);
      const { ok } = await byVictim.send(executeCall({ plan, to: victim, min }));
      counted[ok ? 'executed' : 'reverted'] += 1;
      const changes = (await read()).map((balance, index) => balance - (before[index] ?? 0n));
      expect([changes[0], changes[2], changes[3]]).toEqual([ok ? -amount : 0n, 0n, 0n]);
      expect(changes[1]).toBeGreaterThanOrEqual(ok ? min : 0n);
      // Only the multiples of 5 that the attacker's own calls sent to the executor may stay there.
      for (const held of await heldByExecutor(chain)) expect(held).toMatch(/^[1-9]?[05] /);
    });
  }
  console.log(`${JSON.stringify(counted)} of ${limit} plans of a victim`);
  expect(counted.executed).toBeGreaterThan(limit / 20);
}, 600_000);
