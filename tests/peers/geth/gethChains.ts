import { createNodeClient } from '../../../sandbox/index.ts';
import type { ProfileChains } from '../profiles/runProfile.ts';
import { startGethProxy } from './gethProxy.ts';
import { startGeth } from './startGeth.ts';
import { toGenesis } from './toGenesis.ts';

/** The sandbox's chains on go-ethereum, with the same addresses, wallets and state. */
export interface GethChains extends ProfileChains {
  close(): Promise<void>;
}

/** Starts one geth for each chain, with its state of now. */
export async function startGethChains(
  { sandbox, chains }: ProfileChains,
  geth: string,
  { isOsaka = false }: { isOsaka?: boolean } = {},
): Promise<GethChains> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  const start = async <Name extends keyof ProfileChains['chains']>(name: Name) => {
    const chain = chains[name];
    const genesis = await toGenesis(createNodeClient(chain.rpcUrl), { geth, chainId: chain.chainId, isOsaka });
    const node = await startGeth(geth, genesis);
    closers.push(node.close);
    const proxy = await startGethProxy(node, chain.rpcUrl, genesis.head.number);
    closers.push(proxy.close);
    return { ...chain, rpcUrl: proxy.url };
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
