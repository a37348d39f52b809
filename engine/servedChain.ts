import { lensDeployment } from '../contracts/artifacts/lensDeployment.ts';
import { createBlockPace } from './chain/blockPace.ts';
import { readCapabilities } from './chain/capabilities.ts';
import type { ChainName } from './chain/chains.ts';
import { createDeploymentMemory, type DeploymentMemory } from './chain/deploymentMemory.ts';
import { createLensCaller } from './chain/lensCall.ts';
import type { Node } from './chain/node.ts';
import { createNodes, type Nodes } from './chain/nodes.ts';
import { readWithFallback } from './chain/readWithFallback.ts';
import type { EnginePorts } from './engineTypes.ts';
import { lowerAddresses } from './lowerAddress.ts';
import { createPoolHints } from './pools/poolHints.ts';
import { createPairMemory } from './pools/poolLocations.ts';
import { createStateSource } from './pools/readPools.ts';
import { createSimulationProbe } from './pretrade/simulation/probeSimulation.ts';
import type { ChainData } from './quote/chainData.ts';
import { createFundingMemory } from './quote/funding/fundingMemory.ts';
import { createFeeModules } from './quote/market/feeModules.ts';
import { createPoolSearcher } from './quote/market/foundPools.ts';
import { createMarketMemory } from './quote/market/marketMemory.ts';
import { emptyExecution } from './quote/plan/executePlans.ts';
import { readTogether } from './quote/quoters/readTogether.ts';
import {
  type BuiltTransaction,
  buildTransaction,
  type TransactionOrder,
} from './quote/transaction/buildTransaction.ts';
import { createExecutorMemory } from './quote/transaction/executorState.ts';
import { deployments } from './venues/deployments/deployments.ts';
import { toCandidatePools } from './venues/families.ts';
import type { VenueRow } from './venues/venueTypes.ts';

/** A chain that the engine serves: its venues, its nodes and its latest block. */
export interface ServedChain {
  data: ChainData;
  nodes: Nodes;
  /** The latest block at which an answer was read. */
  head: { block: bigint | null };
  /** The self-test: chain id, whether the lens runs there, the head, and what else the node can do. */
  probe(node: Node): Promise<void>;
  executor: DeploymentMemory;
  /** Of the lenses that only read states. */
  lenses: DeploymentMemory;
  /** @throws {TransactionOrderError} */
  buildTransaction(order: TransactionOrder): BuiltTransaction;
}

export function createServedChain(chain: ChainName, ports: EnginePorts): ServedChain {
  const { now, deadlineMs, rpc, extraV4Shapes = {}, extraVenues = {} } = ports;
  const deployment = deployments[chain];
  const venues = [...deployment.venues, ...lowerAddresses<VenueRow[]>([...(extraVenues[chain] ?? [])])];
  const candidatePools = toCandidatePools(venues, extraV4Shapes[chain]);
  const lenses = createDeploymentMemory(lensDeployment.lenses, now);
  const lens = createLensCaller(lenses);
  const weightedIndex = ports.poolIndexes?.[chain];
  const index = weightedIndex ?? (chain === 'base' ? ports.pretrade?.pools : undefined);
  const hints = createPoolHints({ sources: ports.poolHints?.[chain] ?? [], index, candidatePools, deployment, now });
  const executor = createExecutorMemory(now, ports.withdrawnExecutors);
  const data: ChainData = {
    deployment,
    candidatePools,
    lens,
    states: createStateSource(deployment, candidatePools, lens, { now, pairs: createPairMemory(now) }),
    funding: createFundingMemory(now),
    markets: createMarketMemory(now),
    found: createPoolSearcher({ deployment, candidatePools, now, index, weightedIndex, hints }),
    hints,
    feeModules: createFeeModules(now, candidatePools),
    pace: createBlockPace(),
    executor,
    oldBlockMs: ports.oldBlockMs,
  };
  const head: ServedChain['head'] = { block: null };
  const probe = async (node: Node) => {
    await readWithFallback(node, {
      lens: () => lens.test(node, emptyExecution(deployment)),
      quoters: () => readTogether(node, [], { arbSys: deployment.arbSys, block: 'latest' }),
      now,
    });
    head.block = node.block?.number ?? head.block;
  };
  // Checks are served on Base only.
  const simulation = chain === 'base' ? createSimulationProbe(now) : undefined;
  const probeCapabilities = async (node: Node) => {
    await probe(node);
    await readCapabilities(node, now(), simulation);
    if (node.block) await data.feeModules.load(node.block.number, node);
  };
  const endpoints = rpc[chain] ?? [];
  const nodes = createNodes({ chain, endpoints, now, deadlineMs, probe, probeCapabilities, pace: data.pace });
  const { wrappedNative, chainId } = deployment;
  const standIns = ports.standInFactories?.[chain] ?? new Set<string>();
  const facts = { chain, chainId, venues, wrappedNative, standIns, isRefused: executor.isRefused };
  return {
    ...{ data, nodes, head, probe: probeCapabilities, executor, lenses },
    buildTransaction: (order) => buildTransaction(order, { ...facts, now: now() }),
  };
}
