import { type Address, parseEther, parseUnits } from 'viem';
import type { Action, ChainPlan, TokenPlan } from '../chainPlan.ts';
import type { SandboxWallet } from '../sandboxTypes.ts';
import { transferOf } from '../tokens/erc20.ts';

/** Balance of each token in USD. The docs state the demo wallet's USDC balance. */
const tokenUsd: Partial<Record<SandboxWallet['role'], number>> = { demo: 1_000, trader: 50_000_000 };
const demoUsdc = '10000';

const nativeWhole: Record<SandboxWallet['role'], string> = {
  demo: '100',
  trader: '10000',
  facilitator: '1000',
  payTo: '0',
  stranger: '0',
};

/** Native balance of a wallet at the start, in wei. */
export function startingNative(role: SandboxWallet['role']): bigint {
  return parseEther(nativeWhole[role]);
}

/** The maker's transfers that fund the wallets. */
export function stockWallets(
  plan: Pick<ChainPlan, 'tokens' | 'usdc' | 'wrappedNative'>,
  wallets: readonly SandboxWallet[],
): Action[] {
  return wallets.flatMap(({ role, address }) =>
    plan.tokens.flatMap((token) => {
      if (!token.placement && token.address !== plan.usdc && token.address !== plan.wrappedNative) return [];
      const amount = startingAmount(token, role, plan.usdc);
      return amount > 0n ? transferOf(token.address, address, amount) : [];
    }),
  );
}

function startingAmount(token: TokenPlan, role: SandboxWallet['role'], usdc: Address): bigint {
  if (role === 'demo' && token.address === usdc) return parseUnits(demoUsdc, 6);
  const usd = tokenUsd[role];
  return usd === undefined ? 0n : parseUnits((usd / token.usd).toFixed(6), token.decimals);
}
