import {
  type ExecutableLeg,
  executeRoute,
  type SandboxChain,
  type SandboxWallet,
  TransactionRevertedError,
} from '../../sandbox/index.ts';
import { withChainRestored } from './market.ts';

/** The legs without their amounts, so that each sells its share: for a market that moved since the quote. */
export const byShares = (legs: readonly ExecutableLeg[]): ExecutableLeg[] => legs.map(({ amountIn: _, ...leg }) => leg);

/** Output and input of one mined transaction through the route; undefined if it reverts. Restores the chain. */
export async function executed(
  chain: SandboxChain,
  legs: readonly ExecutableLeg[],
  amountIn: bigint,
  wallet: SandboxWallet,
): Promise<{ received: bigint; spent: bigint } | undefined> {
  return withChainRestored(chain, () =>
    executeRoute(chain, { legs, amountIn, wallet }).catch((error: unknown) => {
      if (error instanceof TransactionRevertedError) return undefined;
      throw error;
    }),
  );
}
