import type { ChainPlan } from '../chainPlan.ts';
import type { SandboxChainName } from '../sandboxPool.ts';

/** Loads the plan of one chain; the other chains' modules stay unloaded. */
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
