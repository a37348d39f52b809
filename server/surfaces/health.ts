import type { RequestHandler } from 'express';
import type { ChainState, Engine } from '../../engine/index.ts';
import { type HealthBody, serviceVersion } from '../../router/index.ts';
import type { Cashier } from '../payment/index.ts';
import type { WorkInProgress } from '../workInProgress.ts';

export const sandboxNotice = 'SANDBOX: local chains, worthless money, real code.';

/** Liveness, from memory: asks no RPC and names neither URL nor key. */
export function health(deps: {
  engine: Engine;
  mode: HealthBody['mode'];
  cashier: Pick<Cashier, 'gas'>;
  paymentNetworks: readonly string[];
  work: WorkInProgress;
}): RequestHandler {
  const { engine, mode, cashier, paymentNetworks, work } = deps;
  return (_req, res) => {
    if (work.isDraining) {
      // Balancers send nobody here any more.
      res.status(503).json({ status: 'draining' });
      return;
    }
    const body: HealthBody = {
      status: 'ok',
      version: serviceVersion,
      mode,
      ...(mode === 'sandbox' && { notice: sandboxNotice }),
      chains: Object.fromEntries(engine.chains.map((chain) => [chain, toChainHealth(engine.chainState(chain))])),
      payment: { networks: [...paymentNetworks], gas: cashier.gas() },
    };
    res.setHeader('Cache-Control', 'no-store');
    res.json(body);
  };
}

function toChainHealth(state: ChainState): NonNullable<HealthBody['chains']['base']> {
  return {
    status: state.status,
    blockNumber: state.status === 'down' ? null : (state.blockNumber?.toString() ?? null),
  };
}
