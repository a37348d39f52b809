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
  /** A real token's address, where this one stands in for it. */
  address?: Address;
}

/** Whole tokens that the market maker starts with. */
export const makerStock = '1000000000000';

/** An ERC-20 of our own that does what it says; the market maker holds all of it. */
export function honestToken({ name, address, ...plan }: HonestTokenPlan, maker: Address): TokenPlan {
  const at = address ?? derivedAddress(plan.symbol);
  const args = [name, plan.symbol, plan.decimals, maker, parseUnits(makerStock, plan.decimals)];
  return { ...plan, address: at, placement: { address: at, creation: creationCode(honestTokenArtifact, args) } };
}
