import { numberToHex } from 'viem';
import type { Known, Node, NodeMemory } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { sendTogether } from './sendTogether.ts';
import { simulatesNow } from './simulationMemory.ts';

/** The calls that truefill sells, as far as they need different things of a node. */
export type Product = 'quote' | 'check';

/** What a node can do, as far as known. */
export interface NodeCapabilities {
  overrides: Known;
  simulation: Known | 'short';
  pastBlocks: Known;
  /** Blocks that one request for logs may cover; 0: none; undefined: no limit is known. */
  logRange: number | undefined;
  /** Calls in a batch; undefined: no limit is known. */
  maxBatch: number | undefined;
  /** Gas of a call; undefined: no limit is known. */
  gasCap: number | undefined;
  /** Bytes of a response; undefined: no limit is known. */
  maxReplyBytes: number | undefined;
}

export const capabilitiesOf = (memory: NodeMemory, now: number): NodeCapabilities => ({
  overrides: memory.readMode === undefined ? 'unknown' : memory.readMode === 'quoters' ? 'no' : 'yes',
  simulation: simulatesNow(memory, now),
  pastBlocks: memory.pastBlocks,
  logRange: memory.logRange,
  maxBatch: Number.isFinite(memory.maxBatch) ? memory.maxBatch : undefined,
  gasCap: memory.gasCap === undefined ? undefined : Number(memory.gasCap),
  maxReplyBytes: memory.maxReplyBytes,
});

/** Capabilities are read again after this time, in milliseconds. */
export const capabilitiesMs = 600_000;

export const needsProbe = ({ probedAt }: NodeMemory, now: number): boolean =>
  probedAt === undefined || now - probedAt >= capabilitiesMs;

/** Why a node cannot answer this call, for a sentence after its label; undefined if it can, or nothing is known. */
export function lackOf(memory: NodeMemory, product: Product, now: number): string | undefined {
  if (product === 'quote') return undefined;
  if (memory.readMode === 'quoters') return 'refuses state overrides';
  if (simulatesNow(memory, now) === 'no') return 'cannot run eth_simulateV1';
  return memory.pastBlocks === 'no' ? 'refuses calls of past blocks' : undefined;
}

/** Creates a simulation that shows whether a node can run those of a check. Nodes are tested concurrently. */
export type SimulationProbe = (
  block: NonNullable<Node['block']>,
  baseFee: bigint,
) => {
  call: RpcCall;
  /** Records the reply in the node's memory. */
  note(node: Pick<Node, 'memory'>, reply: RpcReply | undefined): void;
};

/** Answers are complete within so many blocks, also where a chain has five a second. */
const pastDistance = 32n;
/** No contract emits logs from this address, so the reply is small. */
const silent = '0x00000000000000000000000000000000000000d1';

/**
 * Reads what a node can do, after its self-test read a block. One request.
 * @throws {RpcTransportError}
 */
export async function readCapabilities(
  node: Node,
  now: number,
  createProbe: SimulationProbe | undefined,
): Promise<void> {
  const { block, memory } = node;
  if (!block) return;
  const past = block.number > pastDistance ? block.number - pastDistance : block.number / 2n;
  const calls: RpcCall[] = [
    { method: 'eth_call', params: [{ to: silent }, numberToHex(past)] },
    {
      method: 'eth_getLogs',
      params: [{ address: silent, fromBlock: '0x0', toBlock: numberToHex(block.number) }],
    },
  ];
  const simulation = createProbe?.(block, memory.baseFee ?? 0n);
  if (simulation) calls.push(simulation.call);
  const [pastReply, logReply, simulated] = await sendTogether(node, calls);
  memory.pastBlocks = toKnown(pastReply);
  // The next quote that needs them tries again.
  memory.blockOverrides = 'unknown';
  memory.logRange = toLogRange(logReply);
  simulation?.note(node, simulated);
  memory.probedAt = now;
}

/** How nodes refuse a block whose state they do not keep, or which the customer's plan excludes. */
const noState = /missing trie|histor|archiv|prun|not available|header not found|unknown block/i;

function toKnown(reply: RpcReply | undefined): Known {
  if (!reply) return 'unknown';
  if ('result' in reply) return 'yes';
  return noState.test(reply.error.message) ? 'no' : 'unknown';
}

/** Undefined if the node returned the logs of all blocks. */
function toLogRange(reply: RpcReply | undefined): number | undefined {
  if (!reply || 'result' in reply) return undefined;
  const stated = [...reply.error.message.matchAll(/\d[\d,_]*/g)].map(([text]) => Number(text.replace(/[,_]/g, '')));
  const range = stated.find((value) => value > 0 && value <= 1_000_000);
  return range ?? 0;
}
