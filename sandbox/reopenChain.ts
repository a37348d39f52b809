import { findVenue, locatePools } from './buildChain.ts';
import type { Action, Placement, PoolPlan, TokenPlan } from './chainPlan.ts';
import { planChain } from './chains/planChain.ts';
import { toMakerTransactions } from './market/maker.ts';
import { seedPool } from './market/seedPools.ts';
import { stockWallets } from './market/stockWallets.ts';
import { createOperator } from './placement/operator.ts';
import { placeContracts } from './placement/placeContracts.ts';
import { createNodeClient, type NodeClient } from './rpc/nodeClient.ts';
import type { SandboxChain, SandboxWallet } from './sandboxTypes.ts';

/** A running chain with its builder. */
export interface OpenChain {
  /** Places contracts at chosen addresses, replacing existing code; storage stays. */
  place(placements: readonly Placement[]): Promise<void>;
  /** Executes calls as the market maker, which holds the stock of every token. */
  perform(actions: readonly Action[]): Promise<void>;
  /** Adds tokens, pools and wallet funds; returns the chain with these in its lists. */
  list(market: { tokens: readonly TokenPlan[]; pools: readonly PoolPlan[] }): Promise<SandboxChain>;
}

/** Continues building a chain that `startSandbox` returned. */
export async function reopenChain(chain: SandboxChain, wallets: readonly SandboxWallet[]): Promise<OpenChain> {
  const node = createNodeClient(chain.rpcUrl);
  const plan = await planChain(chain.name);
  // Create a new operator each time: a reverted snapshot may have reset its nonce.
  const place = (placements: readonly Placement[]) =>
    withoutAutomine(node, async () => placeContracts(node, await createOperator(node), placements));
  const perform = (actions: readonly Action[]) =>
    withoutAutomine(node, async () => (await createOperator(node)).send(toMakerTransactions(actions)));
  return {
    place,
    perform,
    async list({ tokens, pools }) {
      await place(tokens.flatMap(({ placement }) => placement ?? []));
      const known = [...plan.tokens, ...tokens];
      const markets = pools.map((pool) => ({
        venue: findVenue(plan, pool.venue),
        seed: seedPool(pool, known, plan.wrappedNative),
      }));
      await perform(markets.flatMap(({ venue, seed }) => venue.open(seed)));
      const located = await locatePools(plan, node, markets);
      await perform(markets.flatMap(({ venue, seed }, index) => venue.fill(seed, located[index]?.pool ?? '0x')));
      await perform(stockWallets({ ...plan, tokens }, wallets));
      const listed = tokens.map(({ symbol, address, decimals, about }) => ({
        chain: chain.name,
        symbol,
        address,
        decimals,
        about,
      }));
      return { ...chain, tokens: [...chain.tokens, ...listed], pools: [...chain.pools, ...located] };
    },
  };
}

/**
 * The operator mines its own transactions. With automine on, anvil would also mine an empty block for each of them, at a
 * time when the caller already reads the chain.
 */
async function withoutAutomine<T>(node: NodeClient, work: () => Promise<T>): Promise<T> {
  const isAutomining = await node.call<boolean>('anvil_getAutomine');
  if (isAutomining) await node.call('evm_setAutomine', [false]);
  try {
    return await work();
  } finally {
    if (isAutomining) await node.call('evm_setAutomine', [true]);
  }
}
