import { type Address, encodeFunctionData, maxUint256, parseAbi, parseUnits, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routersOf } from '../../client/trade/routers.ts';
import { fund, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { poolOf } from '../client/handmadeQuote.ts';
import { tokenOf } from '../engine/market.ts';
import { findWallet } from '../support/findWallet.ts';
import { balanceOf, executorAddress, heldByExecutor, senderOn } from './openMarket.ts';
import { type ExecuteInput, executeCall, kinds, type LegInput } from './plans.ts';
import { type Call, callbackData, erc20Call, errorOf, placePuppet, words } from './puppets.ts';

// A contract owes the receiver tokenOut, and anyone may make it pay: OpenZeppelin's VestingWallet.release, Sablier's
// withdraw, reward claims for another account. Pools and hooks use the payment to hide that they paid nothing.

let sandbox: Sandbox;
let chain: SandboxChain;
let victim: Address;
let attacker: Address;
let byVictim: Awaited<ReturnType<typeof senderOn>>;
let byAttacker: Awaited<ReturnType<typeof senderOn>>;
const amountIn = parseUnits('1', 18);

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  victim = findWallet(sandbox.wallets, 'trader').address;
  attacker = findWallet(sandbox.wallets, 'stranger').address;
  byVictim = await senderOn(chain, victim);
  byAttacker = await senderOn(chain, attacker);
  await byVictim.send(erc20Call(chain.wrappedNative, 'approve', executorAddress, maxUint256));
}, 300_000);
afterAll(() => sandbox?.close());

/** A contract that owes the victim an amount and pays when anyone calls `release()`. */
async function openVesting(token: Address, owed: bigint) {
  const vesting = await placePuppet(byAttacker, 0xb1);
  await fund(chain, token, vesting.address, owed);
  await vesting.teach('release()', [erc20Call(token, 'transfer', victim, owed)]);
  return vesting.call('release()');
}

/** The hooked pool of WETH and USDC, whose hook the attacker owns. */
function hookedLeg(): LegInput & { hooks: Address } {
  const [tokenIn, tokenOut] = [chain.wrappedNative, chain.usdc];
  const pool = chain.pools.find(({ key, token0, token1 }) => {
    const tokens = [token0, token1].map((token) => token.toLowerCase());
    const hasBoth = tokens.includes(tokenIn.toLowerCase()) && tokens.includes(tokenOut.toLowerCase());
    return key && hasBoth && key.fee === 500 && BigInt(key.hooks) % 2n ** 14n === 0x44n;
  });
  if (!pool?.key) throw new TypeError('The chain has no hooked pool of WETH and USDC.');
  const { fee, tickSpacing, hooks } = pool.key;
  const { poolManager } = routersOf('base');
  return {
    kind: kinds.v4,
    pool: poolManager,
    tokenIn,
    tokenOut,
    fee: BigInt(fee),
    spacing: BigInt(tickSpacing),
    hooks,
  };
}

const afterSwap = 'afterSwap(address,(address,address,uint24,int24,address),(bool,int256,uint160),int256,bytes)';
const takeAbi = parseAbi(['function take(address currency, address to, uint256 amount)']);

/** Makes the pool's hook keep `amount` of the swap's USDC for the attacker, and call `further`. */
async function corruptHook({ hooks, pool }: { hooks: Address; pool: Address }, amount: bigint, further: Call) {
  const hook = await placePuppet(byAttacker, hooks);
  const take = { to: pool, data: encodeFunctionData({ abi: takeAbi, args: [chain.usdc, attacker, amount] }) };
  const selector = BigInt(toFunctionSelector(afterSwap)) << 224n;
  await hook.teach(afterSwap, [take, further], words(selector, amount));
}

async function executed(input: ExecuteInput) {
  const tokens = [input.plan.tokenIn, input.plan.tokenOut, chain.usdc];
  const read = (owner: Address) => Promise.all(tokens.map((token) => balanceOf(chain, token, owner)));
  const before = { victim: await read(victim), attacker: await read(attacker) };
  const { ok } = await byVictim.send(executeCall(input));
  const after = { victim: await read(victim), attacker: await read(attacker) };
  const gained = (who: 'victim' | 'attacker') => after[who].map((amount, i) => amount - (before[who][i] ?? 0n));
  return { ok, victim: gained('victim'), attacker: gained('attacker') };
}

test('a hook of the first leg cannot replace its output by a payment that the receiver is owed', async () => {
  await byVictim.restored(async () => {
    const oak = tokenOf(chain, 'OAK').address;
    const hooked = hookedLeg();
    const pool = poolOf(chain, 'uniswap-v2', oak, chain.usdc).pool as Address;
    const second: LegInput = { kind: kinds.v2, pool, tokenIn: chain.usdc, tokenOut: oak };
    const plan = {
      tokenIn: hooked.tokenIn,
      tokenOut: oak,
      amountIn,
      native: chain.wrappedNative,
      legs: [hooked, second],
    };
    const honest = await byVictim.restored(() => executed({ plan, to: victim }));
    expect(honest.ok).toBe(true);
    const quoted = honest.victim[1] ?? 0n;
    // The hook keeps most of the USDC, about 3,000, and makes the vesting pay what it owes the victim.
    const release = await openVesting(oak, quoted);
    await corruptHook(hooked, parseUnits('2500', 6), release);
    const robbed = await executed({ plan, to: victim, min: quoted });
    expect(robbed.ok).toBe(false);
    expect(robbed.attacker).toEqual([0n, 0n, 0n]);
    expect(await heldByExecutor(chain)).toEqual([]);
  });
});

test('a hook of the last leg cannot replace more than 5 % of its output by a payment that the receiver is owed', async () => {
  await byVictim.restored(async () => {
    const hooked = hookedLeg();
    const plan = {
      tokenIn: hooked.tokenIn,
      tokenOut: chain.usdc,
      amountIn,
      native: chain.wrappedNative,
      legs: [hooked],
    };
    const honest = await byVictim.restored(() => executed({ plan, to: victim }));
    const quoted = honest.victim[1] ?? 0n;
    await corruptHook(hooked, quoted / 2n, await openVesting(chain.usdc, quoted / 2n));
    expect(await errorOf(byVictim, victim, { plan, to: victim, min: quoted - 10n })).toBe('ReceivesTooMuch');
  });
});

// A pool whose code the attacker wrote reports any output, so this holds until outputs pass through the executor.
test('known limit: a pool contract of the attacker replaces its output by a payment that the receiver is owed', async () => {
  await byVictim.restored(async () => {
    const owed = parseUnits('3000', 6);
    const release = await openVesting(chain.usdc, owed);
    const pool = await placePuppet(byAttacker, 0xb2);
    const charge = { to: executorAddress, data: callbackData(amountIn) };
    await pool.teach('swap(address,bool,int256,uint160,bytes)', [charge, release], words(-owed, -owed));
    const [tokenIn, tokenOut] = [chain.wrappedNative, chain.usdc];
    const legs = [{ kind: kinds.v3, pool: pool.address, tokenIn, tokenOut }];
    const plan = { tokenIn, tokenOut, amountIn, native: tokenIn, legs };
    const robbed = await executed({ plan, to: victim, min: owed });
    expect(robbed).toMatchObject({ ok: true, victim: [-amountIn, owed, owed] });
    expect(await balanceOf(chain, tokenIn, pool.address)).toBe(amountIn);
  });
});
