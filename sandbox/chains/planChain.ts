import type { ChainPlan } from '../chainPlan.ts';
import type { SandboxChainName } from '../sandboxPool.ts';

/** Loads the plan of one chain, without the modules of the other chains. */
export async function planChain(name: SandboxChainName): Promise<ChainPlan> {
  switch (name) {
    case 'base':
      return (await import('./base.ts')).planBase();
    case 'polygon':
      return (await import('./polygon.ts')).planPolygon();
    case 'arbitrum':
      return (await import('./arbitrum.ts')).planArbitrum();
  }
}
