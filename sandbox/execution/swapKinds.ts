import type { SwapKind } from '../chainPlan.ts';
import { planChain } from '../chains/planChain.ts';
import type { SandboxChainName } from '../sandboxPool.ts';

const cached = new Map<SandboxChainName, Promise<ReadonlyMap<string, SwapKind>>>();

/** Swap parameters of each venue, from the plan that the chain was built from. */
export function swapKinds(chain: SandboxChainName): Promise<ReadonlyMap<string, SwapKind>> {
  const found =
    cached.get(chain) ?? planChain(chain).then(({ venues }) => new Map(venues.map(({ venue, swap }) => [venue, swap])));
  cached.set(chain, found);
  return found;
}
