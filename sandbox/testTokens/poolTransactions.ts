import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256, parseAbi, parseUnits } from 'viem';
import { singletonVaultArtifact } from '../../contracts/artifacts/testTokens/SingletonVault.ts';
import type { Action, ChainPlan, PoolSeed, VenuePlan } from '../chainPlan.ts';
import { makerAddress } from '../market/maker.ts';
import { nativeCurrency } from '../market/seedPools.ts';
import { transferOf } from '../tokens/erc20.ts';
import { customPoolVenue, refusingPluginAddress } from './algebraPools.ts';
import { type CounterAsset, findCounterAsset } from './counterAssets.ts';
import { type CreatedToken, deployerAddress } from './createTokens.ts';
import { refusingVenue } from './refusingHook.ts';
import type { Transaction } from './sendTransactions.ts';
import type { PoolDefinition } from './testTokenTypes.ts';

const routerAbi = parseAbi([
  'function addLiquidityETH(address token, uint256 amount, uint256 least, uint256 leastEther, address to, uint256 deadline) payable',
  'function addLiquidity(address a, address b, uint256 amountA, uint256 amountB, uint256 leastA, uint256 leastB, address to, uint256 deadline)',
]);

/** Address of the Balancer vault. With test tokens, the sandbox's Base has SingletonVault.sol there. */
export const vaultAddress: Address = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';

/** The transactions that create one pool: first the deployer's, then the market maker's. */
export interface PoolWork {
  token: CreatedToken;
  counter: CounterAsset;
  venueName: string;
  deployerTransactions: Transaction[];
  open: readonly Action[];
  /** The pool's id, or the call that returns its address. */
  locate: ReturnType<VenuePlan['locate']>;
  fill: (pool: Hex) => readonly Action[];
}

interface PoolPlan {
  plan: ChainPlan;
  created: readonly CreatedToken[];
  router: Address;
}

/** @throws {TypeError} the chain plan lacks the venue or the counter-asset */
export function planPool(pool: PoolDefinition, token: CreatedToken, { plan, created, router }: PoolPlan): PoolWork {
  const whole = pool.kind === 'router' || pool.kind === 'venue' ? pool : { ...wholePool, counter: 'WETH' };
  const counter = findCounterAsset(whole.counter, plan, created);
  const amount = (token.supply * BigInt(Math.round(whole.tokenShare * 10_000))) / 10_000n;
  const counterAmount = parseUnits(whole.counterAmount, counter.decimals);
  const common = { token, counter, open: [], fill: () => [] };
  switch (pool.kind) {
    case 'vault':
      return {
        ...common,
        venueName: 'vault',
        locate: { id: vaultAddress, key: noKey },
        deployerTransactions: [approve(token.address, vaultAddress), joinVault(token.address, amount, counterAmount)],
      };
    case 'router': {
      const seed = seedOf(token, counter, amount, counterAmount, {});
      const isEther = counter.address === plan.wrappedNative;
      return {
        ...common,
        venueName: 'uniswap-v2',
        locate: findVenue(plan, 'uniswap-v2').locate(seed),
        deployerTransactions: [
          approve(token.address, router),
          ...(isEther ? [] : [approve(counter.address, router)]),
          addLiquidity(router, token.address, isEther ? undefined : counter.address, amount, counterAmount),
        ],
      };
    }
    default: {
      const venue = venueOf(pool, plan);
      const seed = seedOf(token, counter, amount, counterAmount, shapeOf(pool));
      return {
        token,
        counter,
        venueName: venue.venue,
        deployerTransactions: [transferOf(token.address, makerAddress, amount) as Transaction],
        open: venue.open(seed),
        locate: venue.locate(seed),
        fill: (address) => venue.fill(seed, address),
      };
    }
  }
}

const wholePool = { counterAmount: '30', tokenShare: 0.8 };
const noKey = { currency0: nativeCurrency, currency1: nativeCurrency, fee: 0, tickSpacing: 0, hooks: nativeCurrency };

type VenuePool = Exclude<PoolDefinition, { kind: 'vault' | 'router' }>;

function venueOf(pool: VenuePool, plan: ChainPlan): VenuePlan {
  switch (pool.kind) {
    case 'refusing-hook':
      return refusingVenue(findVenue(plan, 'uniswap-v4'));
    case 'custom-pool':
      return customPoolVenue(findVenue(plan, 'quickswap-v4'), pool.refusesSales && refusingPluginAddress);
    case 'venue':
      return findVenue(plan, pool.venue);
  }
}

const shapeOf = (pool: VenuePool) => (pool.kind === 'venue' ? pool : { native: pool.kind === 'refusing-hook' });

function findVenue(plan: ChainPlan, name: string): VenuePlan {
  const venue = plan.venues.find((candidate) => candidate.venue === name);
  if (!venue) throw new TypeError(`A test token needs a pool on ${name}, which ${plan.name} does not have.`);
  return venue;
}

function seedOf(
  { address, definition }: CreatedToken,
  counter: CounterAsset,
  amount: bigint,
  counterAmount: bigint,
  {
    tier,
    native = false,
    hook,
    above = false,
  }: { tier?: number; native?: boolean; hook?: 'takes-fee'; above?: boolean },
): PoolSeed {
  const counterAddress = native ? nativeCurrency : counter.address;
  const tokenFirst = address.toLowerCase() < counterAddress.toLowerCase();
  return {
    venue: '',
    pair: [definition.symbol, counter.symbol],
    // Without effect: the amounts are set, and there are no further positions.
    usd: 1,
    token0: tokenFirst ? address : counterAddress,
    token1: tokenFirst ? counterAddress : address,
    amount0: tokenFirst ? amount : counterAmount,
    amount1: tokenFirst ? counterAmount : amount,
    ...(tier === undefined ? {} : { tier }),
    ...(hook === undefined ? {} : { hook }),
    // Factors of token0's price in token1. A higher price of the token is a lower factor if it is token1.
    ...(above ? { range: tokenFirst ? [1.5, 3] : [1 / 3, 1 / 1.5] } : {}),
  };
}

function approve(token: Address, spender: Address): Transaction {
  return {
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, maxUint256] }),
  };
}

function addLiquidity(
  router: Address,
  token: Address,
  counter: Address | undefined,
  amount: bigint,
  counterAmount: bigint,
): Transaction {
  if (counter === undefined) {
    const args = [token, amount, 0n, 0n, deployerAddress, maxUint256] as const;
    const data = encodeFunctionData({ abi: routerAbi, functionName: 'addLiquidityETH', args });
    return { to: router, data, value: counterAmount };
  }
  const args = [token, counter, amount, counterAmount, 0n, 0n, deployerAddress, maxUint256] as const;
  return { to: router, data: encodeFunctionData({ abi: routerAbi, functionName: 'addLiquidity', args }) };
}

function joinVault(token: Address, amount: bigint, value: bigint): Transaction {
  const { abi } = singletonVaultArtifact;
  return { to: vaultAddress, value, data: encodeFunctionData({ abi, functionName: 'join', args: [token, amount] }) };
}
