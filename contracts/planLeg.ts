import { type Address, type Hex, padHex, size, sliceHex, zeroAddress } from 'viem';
import { lensKinds } from './artifacts/lensKinds.ts';

/** Families with one kind of swap. The look-ups of a family's kinds differ, its swaps do not. */
const swapKinds = {
  'uniswap-v2': lensKinds.v2,
  'uniswap-v3': lensKinds.v3,
  algebra: lensKinds.algebra,
  solidly: lensKinds.solidly,
  'balancer-v2': lensKinds.weighted,
  'uniswap-v4': lensKinds.v4,
} as const;

/** The parts of a quote's leg that its swap needs. */
interface QuotedLeg {
  dex: keyof typeof swapKinds;
  pool: Hex;
  tokenIn: Address;
  tokenOut: Address;
  feePips: number;
  shareBps: number;
  poolKey?: { currency0: Address; fee: number; tickSpacing: number; hooks: Address };
}

/** Converts a quote's leg to `PlanLeg` of `lens/PlanTypes.sol`, which the executor and its probe share. */
export function toPlanLeg(leg: QuotedLeg, poolManager: Address) {
  const { dex, pool, poolKey, tokenIn, tokenOut, feePips, shareBps } = leg;
  // A pool id of Balancer's vault is the pool's address and 12 further bytes.
  const isVaultId = dex === 'balancer-v2' && size(pool) === 32;
  return {
    kind: poolKey?.currency0 === zeroAddress ? lensKinds.v4Native : swapKinds[dex],
    pool: poolKey ? poolManager : isVaultId ? sliceHex(pool, 0, 20) : pool,
    tokenIn,
    tokenOut,
    fee: BigInt(poolKey?.fee ?? feePips),
    spacing: BigInt(poolKey?.tickSpacing ?? 0),
    hooks: poolKey?.hooks ?? (isVaultId ? padHex(sliceHex(pool, 20), { size: 20 }) : zeroAddress),
    shareBps: BigInt(shareBps),
  };
}
