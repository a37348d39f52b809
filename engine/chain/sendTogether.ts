import { RpcTransportError } from '../errors.ts';
import type { Node } from './node.ts';
import { pause } from './pause.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { inParts } from './words.ts';

/** Pauses before calls of a block that the node does not have yet are sent again: about two seconds together. */
const pausesMs = [50, 100, 200, 400, 600, 800];
/** How nodes report a block that another node behind the same URL already returned. The wording differs. */
const notThereYet = /header not found|unknown block|block not found|beyond current head|not available yet/i;
/** A batch's remaining replies if the earlier ones filled the response (go-ethereum, -32003). */
const replyTooLarge = -32_003;

/**
 * Sends calls as one batch, or as several if the node limits batches. A block that is not there yet is requested again
 * after a pause: one URL may serve several nodes, some of them a block behind.
 * @throws {RpcTransportError}
 */
export async function sendTogether(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  const replies = await sendInBatches(node, calls);
  await resend(node, calls, replies, (_, reply) => calls.length > 1 && isTooLarge(reply));
  for (const pauseMs of pausesMs) {
    if (!calls.some((call, index) => isMissing(call, replies[index]))) break;
    await pause(pauseMs);
    await resend(node, calls, replies, isMissing);
  }
  return replies;
}

/** Replaces the selected replies. */
async function resend(
  node: Node,
  calls: readonly RpcCall[],
  replies: RpcReply[],
  isSelected: (call: RpcCall, reply: RpcReply | undefined) => boolean,
): Promise<void> {
  const selected = calls.flatMap((call, index) => (isSelected(call, replies[index]) ? [{ call, index }] : []));
  if (selected.length === 0) return;
  const areTooLarge = selected.some(({ index }) => isTooLarge(replies[index]));
  const some = selected.map(({ call }) => call);
  if (areTooLarge) node.memory.maxReplyBytes ??= JSON.stringify(replies).length;
  const again = areTooLarge ? await sendSingly(node, some) : await sendInBatches(node, some);
  for (const [at, { index }] of selected.entries()) {
    const reply = again[at];
    if (reply) replies[index] = reply;
  }
}

/** The limit of a node's batches is learnt by halving a batch that it refuses, and remembered. */
async function sendInBatches(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  const { memory } = node;
  if (calls.length < 2) return node.send(calls);
  if (memory.maxReplyBytes !== undefined && calls.some(isLarge)) return sendLargeSingly(node, calls);
  if (calls.length > memory.maxBatch) return sendParts(node, calls, memory.maxBatch);
  try {
    const replies = await node.send(calls);
    memory.provenBatch = Math.max(memory.provenBatch, calls.length);
    return replies;
  } catch (error) {
    // A batch of this size worked before, so its size is not the cause.
    const isRefused = error instanceof RpcTransportError && error.answered && calls.length > memory.provenBatch;
    if (!isRefused) throw error;
    const half = Math.ceil(calls.length / 2);
    const replies = await sendParts(node, calls, half);
    memory.maxBatch = Math.min(memory.maxBatch, half);
    return replies;
  }
}

/** A node that refused a response as too large gets the calls with large replies one by one. */
async function sendLargeSingly(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  const others = calls.filter((call) => !isLarge(call));
  const [small, ...large] = await Promise.all([
    others.length > 0 ? sendInBatches(node, others) : [],
    ...calls.filter(isLarge).map((call) => node.send([call])),
  ]);
  const rest = [...small];
  const singles = large.flat();
  return calls.flatMap((call) => (isLarge(call) ? singles : rest).shift() ?? []);
}

const isLarge = ({ method }: RpcCall) => method === 'eth_simulateV1' || method === 'eth_getLogs';

async function sendParts(node: Node, calls: readonly RpcCall[], size: number): Promise<RpcReply[]> {
  return (await Promise.all(inParts(calls, size).map((part) => sendInBatches(node, part)))).flat();
}

async function sendSingly(node: Node, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  return (await Promise.all(calls.map((call) => node.send([call])))).flat();
}

const isTooLarge = (reply: RpcReply | undefined): boolean =>
  reply !== undefined && 'error' in reply && reply.error.code === replyTooLarge;

function isMissing({ method }: RpcCall, reply: RpcReply | undefined): boolean {
  if (!reply) return false;
  if ('error' in reply) return notThereYet.test(reply.error.message);
  return method === 'eth_getBlockByNumber' && reply.result === null;
}
