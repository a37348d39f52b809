import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  keccak256,
  numberToHex,
  parseAbi,
  toHex,
  zeroAddress,
} from 'viem';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import type { PoolSeed, VenuePlan } from '../chainPlan.ts';
import { positionsOf, startPrice } from '../market/concentratedMaths.ts';
import { creationCode } from '../placement/creationCode.ts';
import { operatorAddress } from '../placement/operator.ts';
import { published } from '../published/published.ts';
import type { SandboxPool } from '../sandboxPool.ts';

const abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function initialize(PoolKey key, uint160 price) returns (int24)',
  'function setManager(address)',
  'function setFee(uint24)',
]);

export interface UniswapV4Options {
  poolManager: Address;
  quoter: Address;
  stateView: Address;
  maker: Address;
}

type PoolKey = NonNullable<SandboxPool['key']>;

const spacings: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };
const dynamicFee = 0x800000;
const dynamicFeePips = 1200;

/** The low 14 bits of a hook's address are its permissions. */
const hooks: Record<NonNullable<PoolSeed['hook']>, Address> = {
  // afterSwap, afterSwapReturnsDelta: takes 1.23 % of the swap's output.
  'takes-fee': hookAddress('takes-fee', (1n << 6n) | (1n << 2n)),
  // afterInitialize, beforeSwap: sets the pool's fee before each swap.
  'dynamic-fee': hookAddress('dynamic-fee', (1n << 12n) | (1n << 7n)),
};

function hookAddress(name: string, permissions: bigint): Address {
  const random = BigInt(keccak256(toHex(`truefill sandbox hook: ${name}`))) & ((1n << 160n) - 1n);
  return getAddress(numberToHex(((random >> 14n) << 14n) | permissions, { size: 20 }));
}

/** Uniswap v4: the pool manager, its quoter and state view, and two hooks from its test suite. */
export function uniswapV4({ poolManager, quoter, stateView, maker }: UniswapV4Options): VenuePlan {
  return {
    venue: 'uniswap-v4',
    swap: { kind: 'v4', manager: poolManager },
    placements: [
      { address: poolManager, creation: creationCode(published.uniswapV4PoolManager(), [operatorAddress]) },
      { address: quoter, creation: creationCode(published.uniswapV4Quoter(), [poolManager]) },
      { address: stateView, creation: creationCode(published.uniswapV4StateView(), [poolManager]) },
      { address: hooks['takes-fee'], creation: creationCode(published.uniswapV4FeeTakingHook(), [poolManager]) },
      { address: hooks['dynamic-fee'], creation: creationCode(published.uniswapV4DynamicFeeHook()) },
    ],
    setup: [
      {
        to: hooks['dynamic-fee'],
        data: encodeFunctionData({ abi, functionName: 'setManager', args: [poolManager] }),
      },
      {
        to: hooks['dynamic-fee'],
        data: encodeFunctionData({ abi, functionName: 'setFee', args: [dynamicFeePips] }),
      },
    ],
    open: (seed) => [
      {
        to: poolManager,
        data: encodeFunctionData({ abi, functionName: 'initialize', args: [poolKey(seed), startPrice(seed)] }),
      },
    ],
    locate: (seed) => ({ id: poolId(poolKey(seed)), key: poolKey(seed) }),
    fill: (seed) => {
      const key = poolKey(seed);
      return positionsOf(seed, key.tickSpacing).map(({ lower, upper, liquidity }) => {
        const salt = numberToHex(0, { size: 32 });
        const params = { tickLower: lower, tickUpper: upper, liquidityDelta: liquidity, salt };
        return {
          to: maker,
          data: encodeFunctionData({
            abi: marketMakerArtifact.abi,
            functionName: 'addV4Liquidity',
            args: [poolManager, key, params],
          }),
        };
      });
    },
  };
}

function poolKey({ token0, token1, tier = 3000, hook }: PoolSeed): PoolKey {
  return {
    currency0: token0,
    currency1: token1,
    fee: hook === 'dynamic-fee' ? dynamicFee : tier,
    tickSpacing: spacings[tier] ?? 60,
    hooks: hook ? hooks[hook] : zeroAddress,
  };
}

function poolId(key: PoolKey) {
  const types = [
    { type: 'address' },
    { type: 'address' },
    { type: 'uint24' },
    { type: 'int24' },
    { type: 'address' },
  ] as const;
  return keccak256(encodeAbiParameters(types, [key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks]));
}
