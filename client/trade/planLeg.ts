import { type Address, type Hex, padHex, size, sliceHex, zeroAddress } from 'viem';
import { lensKinds } from '../../contracts/artifacts/lensKinds.ts';
import type { Leg } from './plan.ts';
import type { ChainRouters } from './routers.ts';

/** All v3 forks have one kind, because they share one swap interface. */
const kinds = {
  'uniswap-v2': lensKinds.v2,
  'uniswap-v3': lensKinds.v3,
  algebra: lensKinds.algebra,
  solidly: lensKinds.solidly,
  'balancer-v2': lensKinds.weighted,
  'uniswap-v4': lensKinds.v4,
} as const;

/** `PlanLeg` of contracts/lens/PlanTypes.sol. */
interface PlanLeg {
  kind: bigint;
  pool: Hex;
  tokenIn: Address;
  tokenOut: Address;
  fee: bigint;
  spacing: bigint;
  hooks: Address;
  shareBps: bigint;
}

/** Converts a quote's leg to the form that the executor and the plan lens share. */
export function toPlanLeg(leg: Leg, { poolManager }: ChainRouters): PlanLeg {
  const { dex, pool, poolKey, tokenIn, tokenOut, feePips, shareBps } = leg;
  // A pool id of Balancer's vault is the pool's address and 12 further bytes.
  const isVaultId = dex === 'balancer-v2' && size(pool) === 32;
  const isNative = poolKey?.currency0 === zeroAddress;
  return {
    kind: isNative ? lensKinds.v4Native : kinds[dex],
    pool: poolKey ? poolManager : isVaultId ? sliceHex(pool, 0, 20) : pool,
    tokenIn,
    tokenOut,
    fee: BigInt(poolKey?.fee ?? feePips),
    spacing: BigInt(poolKey?.tickSpacing ?? 0),
    hooks: poolKey?.hooks ?? (isVaultId ? padHex(sliceHex(pool, 20), { size: 20 }) : zeroAddress),
    shareBps: BigInt(shareBps),
  };
}
