import {
  type ExecutableLeg,
  executeRoute,
  type SandboxChain,
  type SandboxWallet,
  TransactionRevertedError,
} from '../../sandbox/index.ts';
import { andPutBack } from './market.ts';

/** The legs without their amounts: each sells its share. For a market that moved since the quote. */
export const byShares = (legs: readonly ExecutableLeg[]): ExecutableLeg[] => legs.map(({ amountIn: _, ...leg }) => leg);

/** The truth: what one transaction through the route pays, or undefined when it cannot be made. */
export async function executed(
  chain: SandboxChain,
  legs: readonly ExecutableLeg[],
  amountIn: bigint,
  wallet: SandboxWallet,
): Promise<{ received: bigint; spent: bigint } | undefined> {
  return andPutBack(chain, () =>
    executeRoute(chain, { legs, amountIn, wallet }).catch((error: unknown) => {
      if (error instanceof TransactionRevertedError) return undefined;
      throw error;
    }),
  );
}
