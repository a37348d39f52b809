import type { SandboxChainName } from '../sandboxPool.ts';
import type { Sandbox, SandboxChain, SandboxToken, SandboxWallet } from '../sandboxTypes.ts';

/** Finders for tests; a missing item throws with its name. */
export function chainOf(sandbox: Sandbox, name: SandboxChainName): SandboxChain {
  return found(sandbox.chains[name], name);
}

export function walletOf(sandbox: Sandbox, role: SandboxWallet['role']): SandboxWallet {
  return found(
    sandbox.wallets.find((wallet) => wallet.role === role),
    role,
  );
}

export function tokenOf(chain: SandboxChain, symbol: string): SandboxToken {
  return found(
    chain.tokens.find((token) => token.symbol === symbol),
    symbol,
  );
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new TypeError(`The sandbox has no ${name}.`);
  return value;
}
