import type { SandboxChainName } from '../sandboxPool.ts';
import type { Sandbox, SandboxChain, SandboxToken, SandboxWallet } from '../sandboxTypes.ts';

/** @throws {TypeError} the sandbox has no such chain */
export function chainOf(sandbox: Sandbox, name: SandboxChainName): SandboxChain {
  return found(sandbox.chains[name], name);
}

/** @throws {TypeError} the sandbox has no wallet of this role */
export function walletOf(sandbox: Sandbox, role: SandboxWallet['role']): SandboxWallet {
  return found(
    sandbox.wallets.find((wallet) => wallet.role === role),
    role,
  );
}

/** @throws {TypeError} the chain has no token with this symbol */
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
