import { type ChainName, createPace, type Pace, type RpcBudget } from '../../engine/index.ts';

/** The pace of each RPC URL. The engine, the vendors and the payments share one URL's budget. */
export interface Paces {
  of(url: string): Pace;
}

/** Budgets are in the order of the URLs of their chain; a missing one is learnt. */
export function createPaces(
  rpcUrls: Partial<Record<ChainName, readonly string[]>>,
  rpcBudgets: Partial<Record<ChainName, readonly RpcBudget[]>>,
  now: () => number,
): Paces {
  const paces = new Map<string, Pace>();
  for (const [chain, urls] of Object.entries(rpcUrls) as [ChainName, readonly string[]][]) {
    for (const [index, url] of urls.entries()) {
      if (!paces.has(url)) paces.set(url, createPace(now, rpcBudgets[chain]?.[index]));
    }
  }
  return {
    of(url) {
      const pace = paces.get(url) ?? createPace(now);
      paces.set(url, pace);
      return pace;
    },
  };
}
