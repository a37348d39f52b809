import { type ChainName, chainFacts, chainNames } from '../../client/chains/index.ts';
import type { Provider } from './findWallets.ts';
import { walletCode } from './walletErrors.ts';

interface WalletChain {
  chainName: string;
  /** A public node, for wallets that do not know the chain yet. */
  rpcUrl: string;
  /** The symbol of the native coin. */
  coin: string;
}

const names: Record<ChainName, Omit<WalletChain, 'coin'>> = {
  base: { chainName: 'Base', rpcUrl: 'https://mainnet.base.org' },
  polygon: { chainName: 'Polygon', rpcUrl: 'https://polygon-rpc.com' },
  arbitrum: { chainName: 'Arbitrum One', rpcUrl: 'https://arb1.arbitrum.io/rpc' },
};

/** What wallets need of a chain, by chain id. */
export const chains: Readonly<Record<number, WalletChain>> = Object.fromEntries(
  chainNames.map((chain) => {
    const { chainId, nativeSymbol } = chainFacts[chain];
    return [chainId, { ...names[chain], coin: nativeSymbol }];
  }),
);

/** Error of a wallet that does not have the chain (EIP-3085). */
const unknownChain = 4902;

/** Switches a wallet to a chain, and adds the chain if the wallet lacks it. */
export async function switchChain(provider: Provider, id: number): Promise<void> {
  const chainId = `0x${id.toString(16)}`;
  const chain = chains[id];
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    if (walletCode(error) !== unknownChain || !chain) throw error;
    const { chainName, rpcUrl, coin } = chain;
    const nativeCurrency = { name: coin, symbol: coin, decimals: 18 };
    await provider.request({
      method: 'wallet_addEthereumChain',
      params: [{ chainId, chainName, rpcUrls: [rpcUrl], nativeCurrency }],
    });
  }
}
