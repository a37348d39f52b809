import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbiParameters,
  parseUnits,
  zeroAddress,
} from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { fund, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { poolOf } from '../client/handmadeQuote.ts';
import { findWallet } from '../support/findWallet.ts';
import { balanceOf, executorAddress, senderOn } from './openMarket.ts';
import { executeCall, kinds, type LegInput, type PlanInput } from './plans.ts';
import { erc20Call, errorOf, placePuppet, words } from './puppets.ts';

// Attacks by a singleton's manager that an adversary owns.

let sandbox: Sandbox;
let chain: SandboxChain;
let victim: Address;
let attacker: Address;
let byVictim: Awaited<ReturnType<typeof senderOn>>;
let byAttacker: Awaited<ReturnType<typeof senderOn>>;
let weth: Address;
let usdc: Address;
const amountIn = parseUnits('1', 18);

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

test('a manager that calls back with a leg of its own cannot take another token or another amount', async () => {
  await byVictim.restored(async () => {
    const manager = await placePuppet(byAttacker, 0xc7);
    await fund(chain, usdc, manager.address, 10n);
    const leg = { ...honestLeg(), kind: kinds.v4, pool: manager.address };
    const abi = parseAbiParameters(
      'uint256, address, address, address, uint256, int256, address, uint256, uint256, address',
    );
    const dataOf = (tokenIn: Address, tokenOut: Address, amount: bigint) => {
      const fields = [leg.kind, leg.pool, tokenIn, tokenOut, 3000n, 0n, zeroAddress, 10_000n, amount, victim] as const;
      const args = [encodeAbiParameters(abi, fields)] as const;
      const data = encodeFunctionData({ abi: executorArtifact.abi, functionName: 'unlockCallback', args });
      return { to: executorAddress, data };
    };
    const [charged, paid] = [BigInt.asUintN(128, -amountIn), 5n];
    // The deltas of both orders of the tokens: the sold one is charged, the other one is paid.
    const swap = 'swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)';
    const delta = weth < usdc ? (charged << 128n) | paid : (paid << 128n) | charged;
    await manager.teach(swap, [], words(delta));
    await manager.teach('take(address,address,uint256)', [erc20Call(usdc, 'transfer', victim, 5n)]);
    const before = await holdings(victim);
    const input = { plan: planOf([leg]), to: victim };
    const forged = [
      dataOf(weth, usdc, amountIn + 1n),
      dataOf(weth, usdc, amountIn * 1000n),
      dataOf(usdc, weth, amountIn),
    ];
    for (const callback of forged) {
      await manager.teach('unlock(bytes)', [callback]);
      expect(await errorOf(byVictim, victim, input)).toBe('PartialFill');
    }
    const accomplice = await placePuppet(byAttacker, 0xc8);
    await accomplice.teach('relay()', [dataOf(weth, usdc, amountIn)]);
    await manager.teach('unlock(bytes)', [accomplice.call('relay()')]);
    expect(await errorOf(byVictim, victim, input)).toBe('PartialFill');
    // With the executor's own data, the manager is paid and the victim gets what it accepted as minimum.
    await manager.teach('unlock(bytes)', [forged[0] as never, dataOf(weth, usdc, amountIn)]);
    expect((await byVictim.send(executeCall(input))).ok).toBe(true);
    expect(await holdings(victim)).toEqual([(before[0] ?? 0n) - amountIn, (before[1] ?? 0n) + 5n]);
  });
});

// Documented: the executor's code must not be an account's own code.
test('known limit: an account that delegates to the executor by EIP-7702 loses its native coin to anyone', async () => {
  await byVictim.restored(async () => {
    const [manager, coin, token] = [
      await placePuppet(byAttacker, 0xe1),
      await placePuppet(byAttacker, 0xe2),
      await placePuppet(byAttacker, 0xe3),
    ];
    await byVictim.node.call('anvil_setCode', [victim, `0xef0100${executorAddress.slice(2)}`]);
    const stolen = parseUnits('100', 18);
    const [tokenIn, tokenOut] = [token.address, coin.address];
    const legs = [{ kind: kinds.v4Native, pool: manager.address, tokenIn, tokenOut, fee: 0n }];
    const leg = [kinds.v4Native, manager.address, tokenIn, tokenOut, 0n, 0n, zeroAddress, 10_000n] as const;
    const unlocked = encodeAbiParameters(
      [
        ...(['uint256', 'address', 'address', 'address', 'uint256', 'int256', 'address', 'uint256'] as const).map(
          (type) => ({ type }),
        ),
        { type: 'uint256' },
        { type: 'address' },
      ],
      [...leg, 1n, attacker] as never,
    );
    const callback = encodeFunctionData({
      abi: executorArtifact.abi,
      functionName: 'unlockCallback',
      args: [unlocked],
    });
    await manager.teach('unlock(bytes)', [{ to: victim, data: callback }]);
    // The coin is currency0: its delta is in the upper half.
    const swapV4 = 'swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)';
    await manager.teach(swapV4, [], words((stolen << 128n) | BigInt.asUintN(128, -1n)));
    await token.teach('balanceOf(address)', [], words(10n ** 30n));
    await token.teach('transferFrom(address,address,uint256)', [], words(1n));
    await coin.teach('balanceOf(address)', [], words(0n));
    await coin.teach('deposit()', [coin.replyLater('balanceOf(address)', words(stolen))]);
    await coin.teach('transfer(address,uint256)', [], words(1n));
    const plan = { tokenIn, tokenOut, amountIn: 1n, native: tokenOut, legs };
    const { data } = executeCall({ plan, to: attacker });
    expect((await byAttacker.send({ to: victim, data })).ok).toBe(true);
    expect(BigInt(await byVictim.node.call<Hex>('eth_getBalance', [coin.address, 'latest']))).toBe(stolen);
  });
});
