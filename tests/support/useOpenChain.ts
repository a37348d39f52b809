import { afterAll, beforeAll } from 'vitest';
import type { ChainName } from '../../engine/index.ts';
import {
  type OpenChain,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { findWallet } from './findWallet.ts';

/** Starts a local chain for the tests of a file, which add tokens and pools with its builder. */
export function useOpenChain(name: ChainName) {
  let sandbox: Sandbox;
  let chain: SandboxChain;
  let builder: OpenChain;
  beforeAll(async () => {
    sandbox = await startSandbox({ chains: [name] });
    chain = sandbox.chains[name] as SandboxChain;
    builder = await reopenChain(chain, sandbox.wallets);
  });
  afterAll(() => sandbox?.close());
  return {
    /** The chain as it started, without the additions. */
    get chain(): SandboxChain {
      return chain;
    },
    get builder(): OpenChain {
      return builder;
    },
    get trader(): SandboxWallet {
      return findWallet(sandbox.wallets, 'trader');
    },
    walletOf: (role: string): SandboxWallet => findWallet(sandbox.wallets, role),
  };
}
