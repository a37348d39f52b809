import { createNodeClient, type SandboxChain } from '../../../sandbox/index.ts';
import type { ProfileChains } from '../profiles/runProfile.ts';
import { startGethProxy } from './gethProxy.ts';
import { startGeth } from './startGeth.ts';
import { toGenesis } from './toGenesis.ts';

/** The sandbox's chains on go-ethereum, with the same addresses, wallets and state. */
export interface GethChains extends ProfileChains {
  close(): Promise<void>;
}

/** A sandbox chain's state of now on go-ethereum. `options.automine`: see `startGethProxy`. */
export async function startGethChain(
  chain: SandboxChain,
  geth: string,
  { isOsaka = false, ...options }: { isOsaka?: boolean; automine?: boolean } = {},
): Promise<{ chain: SandboxChain; close(): Promise<void> }> {
  const genesis = await toGenesis(createNodeClient(chain.rpcUrl), { geth, chainId: chain.chainId, isOsaka });
  const node = await startGeth(geth, genesis);
  const proxy = await startGethProxy(node, { url: chain.rpcUrl, head: genesis.head.number }, options);
  return {
    chain: { ...chain, rpcUrl: proxy.url },
    async close() {
      await proxy.close();
      await node.close();
    },
  };
}

/** Starts one geth for each chain. */
export async function startGethChains(
  { sandbox, chains }: ProfileChains,
  geth: string,
  options: { isOsaka?: boolean } = {},
): Promise<GethChains> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0)) await closer();
  };
  const start = async (name: keyof ProfileChains['chains']) => {
    const started = await startGethChain(chains[name], geth, options);
    closers.push(started.close);
    return started.chain;
  };
  try {
    return {
      sandbox,
      chains: { base: await start('base'), polygon: await start('polygon'), arbitrum: await start('arbitrum') },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
