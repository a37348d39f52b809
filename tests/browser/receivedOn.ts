import type { Sandbox, SandboxChain } from '../../sandbox/index.ts';
import { usdcOf } from '../support/buyer.ts';

/** The USDC of payTo on Base, in base units: it shows what was charged. */
export function receivedOn({ chains, wallets }: Pick<Sandbox, 'chains' | 'wallets'>): Promise<bigint> {
  const payTo = wallets.find(({ role }) => role === 'payTo')?.address as `0x${string}`;
  return usdcOf(chains.base as SandboxChain, payTo);
}
