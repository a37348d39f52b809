import type { RequestHandler } from 'express';
import { type ChainName, type Engine, executorRelease, type PoolIndexState } from '../../engine/index.ts';
import { type HealthBody, serviceVersion } from '../../router/index.ts';
import type { ClockSkew } from '../clockWatch.ts';
import { describeNode } from '../describeNode.ts';
import type { PaymentService } from '../payments/index.ts';
import { describePoolIndex, type PoolIndexes } from '../poolIndexes.ts';
import type { StoreProbe } from '../storage/index.ts';
import type { WorkInProgress } from '../workInProgress.ts';
import { sendJson, toJsonResponse } from './errorResponse.ts';

export const sandboxNotice = 'SANDBOX: local chains, worthless money, real code.';

export interface HealthDeps {
  engine: Engine;
  mode: HealthBody['mode'];
  paymentService: Pick<PaymentService, 'gasLeft' | 'settlement'>;
  paymentNetworks: readonly string[];
  work: WorkInProgress;
  storeProbe: StoreProbe;
  clockSkew: () => ClockSkew | undefined;
  poolIndexes: PoolIndexes['states'];
}

/** Liveness, from memory, without an RPC request. It starts a write to the database if the last one is old. The body contains neither URLs nor keys. */
export function health(deps: HealthDeps): RequestHandler {
  return (_req, res) =>
    sendJson(
      res,
      // 503 makes load balancers stop sending requests here.
      deps.work.isDraining ? toJsonResponse(503, { status: 'draining' }) : toJsonResponse(200, healthOf(deps)),
    );
}

/** The body of `GET /health` and of the MCP tool `health`. */
export function healthOf(deps: Omit<HealthDeps, 'work'>): HealthBody {
  const { engine, mode, paymentService, paymentNetworks, storeProbe } = deps;
  const indexes = deps.poolIndexes();
  const clock = deps.clockSkew();
  // Not awaited: a database that hangs must not delay the response, or a supervisor restarts the process.
  void storeProbe.check();
  const { isAvailable } = storeProbe;
  return {
    status: isAvailable && !clock ? 'ok' : 'degraded',
    version: serviceVersion,
    mode,
    ...(mode === 'sandbox' && { notice: sandboxNotice }),
    chains: Object.fromEntries(engine.chains.map((chain) => [chain, toChainHealth(chain, engine, indexes[chain])])),
    executor: executorRelease,
    database: isAvailable ? 'ok' : 'unavailable',
    ...(clock && { clock }),
    payment: {
      networks: [...paymentNetworks],
      settlement: paymentService.settlement(),
      gas: Object.fromEntries(Object.entries(paymentService.gasLeft()).map(([network, { state }]) => [network, state])),
    },
  };
}

function toChainHealth(
  chain: ChainName,
  engine: Engine,
  index: PoolIndexState | undefined,
): NonNullable<HealthBody['chains']['base']> {
  const poolIndex = index && describePoolIndex(index);
  const state = engine.chainState(chain);
  const limits = engine.nodeStates(chain).flatMap((node) => {
    const described = describeNode(node);
    return described ? [`${chain}-${node.position} ${described}`] : [];
  });
  return {
    status: state.status,
    blockNumber: state.status === 'down' ? null : (state.blockNumber?.toString() ?? null),
    executor: engine.executorState(chain),
    lenses: engine.lensState(chain),
    ...(limits.length > 0 && { limits }),
    ...(poolIndex !== undefined && { poolIndex }),
  };
}
