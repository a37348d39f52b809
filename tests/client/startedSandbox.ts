import type { SandboxBody } from '../../router/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { startServer } from '../../server/startServer.ts';
import { findWallet } from '../support/findWallet.ts';

export interface StartedSandbox {
  url: string;
  sandbox: SandboxBody;
  /** The key of a funded wallet. */
  keyOf(role: string): `0x${string}`;
  /** The address of the first token on Base whose description contains the words. */
  tokenThat(words: string): string;
  close(): Promise<void>;
}

/** Starts the whole service on local chains, like `npm start`. */
export async function startedSandbox(): Promise<StartedSandbox> {
  const server = await startServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_ADDRESS: '10000' }));
  const sandbox = (await (await fetch(`${server.url}/sandbox`)).json()) as SandboxBody;
  return {
    url: server.url,
    sandbox,
    keyOf: (role) => findWallet(sandbox.wallets, role).privateKey as `0x${string}`,
    tokenThat(words) {
      const token = sandbox.tokens.find(({ chain, about }) => chain === 'base' && about.includes(words));
      if (!token) throw new Error(`No token on Base is described by: ${words}`);
      return token.address;
    },
    close: () => server.close(),
  };
}
