import { type Address, parseUnits } from 'viem';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import type { TokenPlan } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';

interface HonestTokenPlan {
  symbol: string;
  name: string;
  decimals: number;
  usd: number;
  about: string;
  /** Address of the real token that this one replaces. */
  address?: Address;
}

/** Whole tokens that the market maker holds initially. */
export const makerStock = '1000000000000';

/** A standard ERC-20 whose whole supply the market maker holds. */
export function honestToken({ name, address, ...plan }: HonestTokenPlan, maker: Address): TokenPlan {
  const at = address ?? derivedAddress(plan.symbol);
  const args = [name, plan.symbol, plan.decimals, maker, parseUnits(makerStock, plan.decimals)];
  return { ...plan, address: at, placement: { address: at, creation: creationCode(honestTokenArtifact, args) } };
}
