import { numberToHex } from 'viem';
import { answerOf, toLensCall } from '../../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../../chain/node.ts';
import { sendWithHeader } from '../../chain/pinBlock.ts';
import type { RpcReply } from '../../chain/rpcEndpoint.ts';
import { RpcTransportError } from '../../errors.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { families } from '../../venues/families.ts';
import type { ChainData } from '../chainData.ts';
import { toFill } from '../plan/decodeExecution.ts';
import { decodeExecutionReply, toExecutionRequests } from '../plan/executePlans.ts';
import type { Flag } from '../quoteTypes.ts';
import type { FilledPlan, Plan } from '../search/planTypes.ts';

/** A plan's output in the next block, 0 if the plan does not fill there. `unread`: the node does not execute there. */
export type NextBlock = { status: 'read'; amountOut: bigint } | { status: 'unread' };

type NextBlockData = Pick<ChainData, 'deployment' | 'funding' | 'lens' | 'feeModules'>;

/** The least time between two timestamps on every chain. Some blocks of Base and Arbitrum share a timestamp. */
const stepSeconds = 1n;

/**
 * Executes a plan at the block of its states, as if the next block had begun. Undefined if no fee of its pools depends on
 * the block; then no request is sent.
 */
export async function readNextBlock(
  data: NextBlockData,
  { plan }: Pick<FilledPlan, 'plan'>,
  states: StateReading,
  node: Node,
): Promise<NextBlock | undefined> {
  try {
    if (!(await dependsOnBlock(data, plan, states, node))) return undefined;
    if (node.memory.blockOverrides === 'no') return { status: 'unread' };
    return await executeNext(data, plan, states, node);
  } catch (error) {
    // The quote is complete without this, so no other node is tried.
    if (error instanceof RpcTransportError || error instanceof NodeRefusedError) return { status: 'unread' };
    throw error;
  }
}

async function dependsOnBlock({ feeModules }: NextBlockData, plan: Plan, states: StateReading, node: Node) {
  const used = new Set(plan.legs.map(({ pool }) => pool.id));
  const fees = states.pools
    .filter(({ ref }) => used.has(ref.id))
    .map(({ ref, state }) => ({ ref, by: families[ref.candidatePool.family].feeByBlock(ref, state) }));
  if (fees.some(({ by }) => by === 'yes')) return true;
  const factories = fees.flatMap(({ ref, by }) => (by === 'module' ? [ref.candidatePool.factory] : []));
  if (factories.length > 0) await feeModules.load(states.block.number, node);
  return factories.some(feeModules.mayHave);
}

async function executeNext(
  data: NextBlockData,
  plan: Plan,
  { block: { number, timestamp } }: StateReading,
  node: Node,
): Promise<NextBlock> {
  const block = numberToHex(number);
  const [prepared] = await toExecutionRequests(data, plan.tokenIn, [{ plan }], block, node);
  if (!prepared) return { status: 'unread' };
  const { method, params } = toLensCall(node, prepared.request);
  const time = timestamp + stepSeconds;
  // On Arbitrum contracts see the number of an Ethereum block, which the next block rarely changes.
  const overrides = {
    time: numberToHex(time),
    ...(!data.deployment.arbSys && { number: numberToHex(number + 1n) }),
  };
  const call = { method, params: [...params, overrides] };
  const [reply] = (await sendWithHeader(node, block, [call])).replies;
  if (!reply) return { status: 'unread' };
  const words = answerOf(reply);
  if (words === undefined) {
    if (refusesOverrides(reply)) node.memory.blockOverrides = 'no';
    return { status: 'unread' };
  }
  const reading = decodeExecutionReply(data, plan.tokenIn, prepared, words);
  // Some nodes ignore parameters that they do not support.
  node.memory.blockOverrides = reading.timestamp === time ? 'yes' : 'no';
  const [execution] = reading.executions;
  if (node.memory.blockOverrides === 'no' || !execution) return { status: 'unread' };
  const isExecuted = ['filled', 'partial', 'reverted'].includes(execution.run.status);
  return isExecuted ? { status: 'read', amountOut: toFill(execution)?.amountOut ?? 0n } : { status: 'unread' };
}

/** JSON-RPC's code for invalid parameters, or a message that names them. */
const refusesOverrides = (reply: RpcReply): boolean =>
  'error' in reply &&
  (reply.error.code === -32_602 || /too many arg|invalid (param|arg)|override/i.test(reply.error.message));

/** @param amountOut of the answer, base units */
export function feeChangesFlags(next: NextBlock | undefined, amountOut: bigint): Flag[] {
  if (!next || (next.status === 'read' && next.amountOut === amountOut)) return [];
  const dependent = 'The fee of a pool of this route depends on the block';
  if (next.status === 'unread') {
    const message = `${dependent}, and the node could not execute the route in the next block.`;
    const facts = { amountOut: amountOut.toString(), nextAmountOut: null, changeBps: null };
    return [{ code: 'FEE_CHANGES', severity: 'info', message, facts }];
  }
  const changeBps = Number(((next.amountOut - amountOut) * 1_000_000n) / amountOut) / 100;
  const outcome =
    next.amountOut === 0n
      ? 'the route does not fill'
      : `it returns ${(Math.abs(changeBps) / 100).toFixed(4)} % ${changeBps < 0 ? 'less' : 'more'}`;
  const facts = { amountOut: amountOut.toString(), nextAmountOut: next.amountOut.toString(), changeBps };
  return [{ code: 'FEE_CHANGES', severity: 'warn', message: `${dependent}. In the next block ${outcome}.`, facts }];
}
