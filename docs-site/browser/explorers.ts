/** The payment networks and their block explorers, by CAIP-2 id. */
const explorers: Record<string, { network: string; name: string; transaction: (hash: string) => string }> = {
  'eip155:8453': { network: 'Base', name: 'Basescan', transaction: (hash) => `https://basescan.org/tx/${hash}` },
  'eip155:137': {
    network: 'Polygon',
    name: 'Polygonscan',
    transaction: (hash) => `https://polygonscan.com/tx/${hash}`,
  },
  'eip155:42161': { network: 'Arbitrum', name: 'Arbiscan', transaction: (hash) => `https://arbiscan.io/tx/${hash}` },
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': {
    network: 'Solana',
    name: 'Solscan',
    transaction: (hash) => `https://solscan.io/tx/${hash}`,
  },
};

const find = (network: string) => (Object.hasOwn(explorers, network) ? explorers[network] : undefined);

/** The name of a network; an unknown one keeps its CAIP-2 id. */
export const networkName = (network: string): string => find(network)?.network ?? network;

/** A transaction hash of an EVM chain, or a signature of Solana. Other values get no link. */
const transactionPattern = /^(?:0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{80,90})$/;

/** Where a settlement can be looked up; undefined for an unknown network or a malformed hash. */
export function explorerLink(network: string, transaction: string): { name: string; url: string } | undefined {
  const explorer = find(network);
  if (!explorer || !transactionPattern.test(transaction)) return undefined;
  return { name: explorer.name, url: explorer.transaction(transaction) };
}

/** Whether this page is of a sandbox. Its chains have the ids of real ones, but no explorer or wallet reaches them. */
export const isSandbox = (): boolean => document.querySelector('p.sandbox') !== null;
