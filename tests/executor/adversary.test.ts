import {
  type Address,
  encodeFunctionData,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
  parseUnits,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routersOf } from '../../client/trade/routers.ts';
import { executorDeployment } from '../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { fund, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { poolOf } from '../client/handmadeQuote.ts';
import { findWallet } from '../support/findWallet.ts';
import { balanceOf, executorAddress, heldByExecutor, senderOn } from './openMarket.ts';
import { decodeProbe, executeCall, kinds, type LegInput, type PlanInput, probeCall } from './plans.ts';
import { callbackData, erc20Call, errorOf, placePuppet, words } from './puppets.ts';

// Attacks by an adversary that owns tokens, pools, managers and the other calls of a transaction.

let sandbox: Sandbox;
let chain: SandboxChain;
let victim: Address;
let attacker: Address;
let byVictim: Awaited<ReturnType<typeof senderOn>>;
let byAttacker: Awaited<ReturnType<typeof senderOn>>;
let weth: Address;
let usdc: Address;
const amountIn = parseUnits('1', 18);
const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const swapV3 = 'swap(address,bool,int256,uint160,bytes)';

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  [weth, usdc] = [chain.wrappedNative, chain.usdc];
  victim = findWallet(sandbox.wallets, 'trader').address;
  attacker = findWallet(sandbox.wallets, 'stranger').address;
  byVictim = await senderOn(chain, victim);
  byAttacker = await senderOn(chain, attacker);
  for (const token of [weth, usdc]) await byVictim.send(erc20Call(token, 'approve', executorAddress, maxUint256));
}, 300_000);
afterAll(() => sandbox?.close());

const honestLeg = (): LegInput => {
  const pool = poolOf(chain, 'uniswap-v3', weth, usdc).pool as Address;
  return { kind: kinds.v3, pool, tokenIn: weth, tokenOut: usdc };
};
const planOf = (legs: readonly LegInput[], more: Partial<PlanInput> = {}): PlanInput => {
  return { tokenIn: weth, tokenOut: usdc, amountIn, native: weth, legs, ...more };
};
const holdings = async (owner: Address) => [await balanceOf(chain, weth, owner), await balanceOf(chain, usdc, owner)];

/** A contract that trades for itself: it holds WETH and approved the executor. */
async function openTrader(place: number) {
  const trader = await placePuppet(byAttacker, place);
  await fund(chain, weth, trader.address, amountIn * 4n);
  await trader.teach('start()', [erc20Call(weth, 'approve', executorAddress, maxUint256)]);
  await byAttacker.send(trader.call('start()'));
  return trader;
}

/** The leg that sells WETH as the native coin in Uniswap v4. */
function nativeLeg(): LegInput {
  const pool = chain.pools.find(({ key, token1 }) => key?.currency0 === zeroAddress && token1 === usdc);
  if (!pool?.key) throw new TypeError('The chain has no v4 pool of the native coin and USDC.');
  const { fee, tickSpacing, hooks } = pool.key;
  const { poolManager } = routersOf('base');
  const key = { fee: BigInt(fee), spacing: BigInt(tickSpacing), hooks };
  return { kind: kinds.v4Native, pool: poolManager, tokenIn: weth, tokenOut: usdc, ...key };
}

test('a sale of the native coin in v4 succeeds although an earlier call of the transaction synced another currency', async () => {
  await byVictim.restored(async () => {
    const trader = await openTrader(0xc1);
    const swap = executeCall({ plan: planOf([nativeLeg()]), to: trader.address });
    await trader.teach('start()', [swap]);
    await byAttacker.send(trader.call('start()'));
    expect(await trader.counts()).toEqual([2, 0]);
    const data = encodeFunctionData({ abi: parseAbi(['function sync(address currency)']), args: [usdc] });
    await trader.teach('start()', [{ to: routersOf('base').poolManager, data }, swap]);
    await byAttacker.send(trader.call('start()'));
    expect(await trader.counts()).toEqual([4, 0]);
  });
});

test('after an execution, no pool of it can call back, and the next execution of the transaction is unaffected', async () => {
  await byVictim.restored(async () => {
    const trader = await openTrader(0xc2);
    const pool = await placePuppet(byAttacker, 0xc3);
    await fund(chain, usdc, pool.address, 10n);
    const charge = { to: executorAddress, data: callbackData(amountIn) };
    const pay = erc20Call(usdc, 'transfer', trader.address, 5n);
    await pool.teach(swapV3, [charge, charge, pay], words(-5n, -5n));
    await pool.teach('again()', [charge]);
    const hostile = { ...honestLeg(), pool: pool.address };
    const swap = executeCall({ plan: planOf([hostile]), to: trader.address });
    const honest = executeCall({ plan: planOf([honestLeg()]), to: trader.address });
    await trader.teach('start()', [swap, pool.call('again()'), honest, pool.call('again()')]);
    await byAttacker.send(trader.call('start()'));
    // The approval, then four calls of which none fails; of the pool's callbacks only the first one succeeds.
    expect(await trader.counts()).toEqual([5, 0]);
    expect(await pool.counts()).toEqual([2, 3]);
    expect(await balanceOf(chain, weth, pool.address)).toBe(amountIn);
    expect(await balanceOf(chain, weth, trader.address)).toBe(amountIn * 2n);
    expect(await heldByExecutor(chain)).toEqual([]);
  });
});

test('a pool cannot be paid through the callback of another pool', async () => {
  await byVictim.restored(async () => {
    const [pool, other] = [await placePuppet(byAttacker, 0xc4), await placePuppet(byAttacker, 0xc5)];
    await other.teach('start()', [{ to: executorAddress, data: callbackData(amountIn) }]);
    await pool.teach(swapV3, [other.call('start()')], words(amountIn, amountIn));
    await fund(chain, usdc, pool.address, 10n);
    const before = await holdings(victim);
    const plan = planOf([{ ...honestLeg(), pool: pool.address }]);
    expect(await errorOf(byVictim, victim, { plan, to: victim })).toBe('PartialFill');

    await byVictim.send(executeCall({ plan, to: victim }));
    expect(await holdings(victim)).toEqual(before);
    expect(await other.counts()).toEqual([0, 0]);
  });
});

test("another account's allowance of Permit2 pays for nothing", async () => {
  await byVictim.restored(async () => {
    await byVictim.send(erc20Call(weth, 'approve', permit2, maxUint256));
    const abi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)']);
    const args = [weth, executorAddress, 2n ** 160n - 1n, 2 ** 47] as const;
    await byVictim.send({ to: permit2, data: encodeFunctionData({ abi, args }) });
    const before = await holdings(victim);
    const plan = planOf([honestLeg()], { payment: 1n });
    expect((await byAttacker.send(executeCall({ plan, to: attacker }))).ok).toBe(false);
    // In a probe the victim pays, and nothing of it persists although the pool keeps the payment.
    const pool = await placePuppet(byAttacker, 0xc6);
    await pool.teach(swapV3, [{ to: executorAddress, data: callbackData(amountIn) }], words(amountIn, amountIn));
    const probed = [plan, planOf([{ ...honestLeg(), pool: pool.address }])];
    await byVictim.send(erc20Call(weth, 'approve', executorAddress, maxUint256));
    expect((await byAttacker.send(probeCall(probed, [victim, victim]))).ok).toBe(true);
    expect(await holdings(victim)).toEqual(before);
    expect(await balanceOf(chain, weth, pool.address)).toBe(0n);
    expect((await byVictim.send(executeCall({ plan, to: victim }))).ok).toBe(true);
  });
});

test('the executor, Permit2, the vault and the families are harmless as token, pool, wrapped coin and receiver', async () => {
  const [family] = executorDeployment.families;
  const places = [executorAddress, permit2, family.address, routersOf('base').poolManager, weth, victim];
  const before = await holdings(victim);
  await byVictim.restored(async () => {
    for (const place of places) {
      for (let kind = 0n; kind < 10n; kind++) {
        const hostile = { ...honestLeg(), kind, pool: place };
        const plans = [
          planOf([{ ...hostile, shareBps: 0n }, honestLeg()]),
          planOf([hostile]),
          planOf([{ ...hostile, tokenIn: place }], { tokenIn: place }),
          planOf([{ ...hostile, tokenOut: place }, { ...hostile, tokenIn: place }, honestLeg()]),
          planOf([{ ...hostile, tokenOut: place }], { tokenOut: place }),
          planOf([hostile], { native: place }),
        ];
        for (const plan of plans)
          await byAttacker.send(executeCall({ plan, to: place === executorAddress ? attacker : place }));
      }
    }
    const after = await holdings(victim);
    // Only as receiver the victim's balance may grow.
    for (const [index, amount] of after.entries()) expect(amount).toBeGreaterThanOrEqual(before[index] ?? 0n);
    expect(await heldByExecutor(chain)).toEqual([]);
  });
}, 300_000);

test('no selector that the executor calls is one of its own functions', () => {
  const own = executorArtifact.abi.flatMap((item) => (item.type === 'function' ? [item.name] : []));
  expect(own.sort()).toEqual(['execute', 'frame', 'msgSender', 'probe', 'swapLeg', 'sweepToken', 'unlockCallback']);
  const called = [
    'transfer(address,uint256)',
    'transferFrom(address,address,uint256)',
    'transferFrom(address,address,uint160,address)',
    'approve(address,uint256)',
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
    'deposit()',
    'withdraw(uint256)',
    'settle()',
    'sync(address)',
    'take(address,address,uint256)',
    'unlock(bytes)',
    swapV3,
    'swap(uint256,uint256,address,bytes)',
    'getReserves()',
    'getAmountOut(uint256,address)',
    'balanceOf(address)',
  ].map((signature) => toFunctionSelector(signature));
  const selectors = executorArtifact.abi.flatMap((item) =>
    item.type === 'function' ? [toFunctionSelector(item)] : [],
  );
  expect(selectors.filter((selector) => called.includes(selector))).toEqual([]);
});

test('a family that is missing, or has other code, is not called', async () => {
  const [family] = executorDeployment.families;
  const plan = planOf([{ ...honestLeg(), kind: kinds.weighted }]);
  for (const code of ['0x', '0x00', '0x60205ff3'] as const) {
    await byVictim.restored(async () => {
      await byVictim.node.call('anvil_setCode', [family.address, code]);
      expect(await errorOf(byVictim, victim, { plan, to: victim })).toBe('FamilyMissing');
    });
  }
});

test('tokens, pools and managers that return or revert with a megabyte do not stop the other plans of a probe', async () => {
  await byVictim.restored(async () => {
    const bombs: Hex[] = ['0x620f42405ff3', '0x620f42405ffd', '0x5b5f56'];
    const places = bombs.map((_, index) => numberToHex(0xd0 + index, { size: 20 }));
    for (const [index, code] of bombs.entries()) await byVictim.node.call('anvil_setCode', [places[index], code]);
    const hostile = places.flatMap((place) =>
      [kinds.v2, kinds.v3, kinds.solidly, kinds.v4].flatMap((kind) => [
        planOf([{ ...honestLeg(), kind, pool: place }]),
        planOf([{ ...honestLeg(), kind, tokenIn: place }], { tokenIn: place }),
      ]),
    );
    const plans = [...hostile, planOf([honestLeg()])];
    const call = probeCall(
      plans,
      plans.map(() => victim),
    );
    const { data, to } = call;
    const gas = numberToHex(30_000_000);
    const answer = await byVictim.node.call<Hex>('eth_call', [{ to, data, gas }, 'latest']);
    const fills = decodeProbe(answer, plans);
    expect(fills.slice(0, -1).filter(({ received }) => received > 0n)).toEqual([]);
    expect(fills.at(-1)?.received).toBeGreaterThan(0n);
  });
});

test('tokens and coin that others leave in the executor change no other execution', async () => {
  await byVictim.restored(async () => {
    const clean = await byVictim.restored(async () => {
      expect((await byVictim.send(executeCall({ plan: planOf([nativeLeg()]), to: victim }))).ok).toBe(true);
      return holdings(victim);
    });
    await byVictim.node.call('anvil_setBalance', [executorAddress, numberToHex(amountIn)]);
    for (const token of [weth, usdc]) await fund(chain, token, executorAddress, 10n ** 6n);
    await byVictim.send(executeCall({ plan: planOf([nativeLeg()]), to: victim }));
    expect(await holdings(victim)).toEqual(clean);
    const paid = planOf([honestLeg()], { payment: 2n });
    expect((await byVictim.send(executeCall({ plan: paid, to: victim, value: amountIn }))).ok).toBe(true);
    expect((await heldByExecutor(chain)).sort()).toEqual(
      [`${numberToHex(amountIn)} native`, '1000000 USDC', '1000000 WETH'].sort(),
    );
  });
});
