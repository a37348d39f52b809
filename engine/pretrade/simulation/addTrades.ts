import { type Batch, resultOf } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcReply } from '../../chain/rpcEndpoint.ts';
import { noteSimulation, simulatesNow } from '../../chain/simulationMemory.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { sanitizeText } from '../context/sentence.ts';
import { fromSharedSimulation, fromSimulation } from './fromSimulation.ts';
import { planScenarios } from './planScenarios.ts';
import { fromRoundTrip, toRoundTripCall } from './roundTrip.ts';
import type { Scenario, ScenarioResult, SimulationBase, TradePlan } from './simulationTypes.ts';
import { sharesRouter, toSharedSimulation, toSimulation } from './toSimulation.ts';
import { firstWaiting, noWaiting, type Waiting } from './waiting.ts';

export interface TradeQuery {
  plans: readonly TradePlan[];
  base: SimulationBase;
  wrapped: LowerAddress;
  /** Milliseconds since the epoch. */
  now: number;
  /** As in `planScenarios`. Scenarios with the same router then share one simulation. */
  brief?: boolean;
  waiting?: Waiting;
}

/**
 * Adds every simulated trade to a batch. For a node that is known to lack `eth_simulateV1`, adds one call that buys and
 * sells instead.
 */
export function addTrades(
  batch: Batch,
  { plans, base, wrapped, now, brief = false, waiting = firstWaiting }: TradeQuery,
  node: Node,
) {
  const simulates = simulatesNow(node.memory, now);
  const scenarios = planScenarios(plans, base, { brief, waiting: simulates === 'short' ? noWaiting : waiting });
  const [first] = plans;
  if (first && simulates === 'no') {
    const call = toRoundTripCall(first, base);
    const reply = call && batch.add(call);
    return {
      read: (): ScenarioResult[] => [
        ...scenarios.map(({ name }) => unread(name, 'the node does not support eth_simulateV1')),
        fromRoundTrip(first, reply?.()[0]),
      ],
    };
  }
  const groups = brief ? groupByRouter(scenarios) : scenarios.map((scenario) => [scenario]);
  const entries = groups.map((group) => {
    const { call, layout } = toSharedSimulation(group, base, wrapped);
    return { group, layout, reply: batch.addOptional(call) };
  });
  return {
    /** Undefined if a simulation started from a block other than this one. */
    read(blockNumber: bigint): ScenarioResult[] | undefined {
      const results: ScenarioResult[] = [];
      let shown: 'yes' | 'short' | 'no' = 'yes';
      for (const { group, layout, reply } of entries) {
        const answer = reply();
        if (!answer || 'error' in answer) {
          if (isMethodMissing(answer)) {
            shown = 'no';
            noteSimulation(node.memory, shown, now);
          }
          // The simulation assumed a head. If the assumption was wrong, the error is not a refusal by the node.
          if (base.block === 'latest' && !batch.lost) return undefined;
          if (layout.waits !== 'never' && shown === 'yes' && !isGasSpent(answer)) shown = 'short';
          const reason = answer
            ? `the node refused the simulation (${sanitizeText(answer.error.message, 120)})`
            : (batch.lost ?? 'no answer');
          results.push(...group.map(({ name }) => unread(name, reason)));
          continue;
        }
        const { outcomes, firstNumber, isUnfit } = fromSharedSimulation(group, layout, answer.result);
        // geth numbers the first simulated block as head + 1, anvil as the head.
        const offset = firstNumber === null ? 0n : firstNumber - blockNumber;
        if (base.block === 'latest' && (isUnfit || (offset !== 0n && offset !== 1n))) return undefined;
        if (isUnfit) shown = 'no';
        results.push(...outcomes);
      }
      if (entries.length > 0) noteSimulation(node.memory, shown, now);
      return results;
    },
  };
}

/**
 * Adds a separate simulation of each scenario to a batch, as an optional call.
 * @returns a function that decodes the replies
 */
export function addScenarios(
  batch: Batch,
  scenarios: readonly Scenario[],
  base: SimulationBase,
  wrapped: LowerAddress,
): () => ScenarioResult[] {
  const entries = scenarios.map((scenario) => {
    const { call, layout } = toSimulation(scenario, base, wrapped);
    return { scenario, layout, reply: batch.addOptional(call) };
  });
  return () => entries.map(({ scenario, layout, reply }) => fromSimulation(scenario, layout, resultOf(reply())));
}

function groupByRouter(scenarios: readonly Scenario[]): Scenario[][] {
  const groups: Scenario[][] = [];
  for (const scenario of scenarios) {
    const group = groups.find(([first]) => first && sharesRouter(first, scenario));
    if (group) group.push(scenario);
    else groups.push([scenario]);
  }
  return groups;
}

const unread = (name: string, reason: string): ScenarioResult => ({ status: 'unread', name, reason });

/**
 * Whether the token's own calls used up the gas that go-ethereum allows one request (50 M by default). A token must not make a
 * node count as unable to return many blocks.
 */
const isGasSpent = (reply: RpcReply | undefined): boolean =>
  reply !== undefined && 'error' in reply && /intrinsic gas too low: have 0\b/i.test(reply.error.message);

/** JSON-RPC's code for an unknown method, or one of the messages that hosted nodes return instead. */
export function isMethodMissing(reply: RpcReply | undefined): boolean {
  if (!reply || !('error' in reply)) return false;
  const { code, message } = reply.error;
  return (
    code === -32601 ||
    /method.{0,40}(not (found|supported|available|exist|allowed)|does not exist|handler crashed)/i.test(message)
  );
}
