import type { Hex } from 'viem';
import type { z } from 'zod';
import type { RpcEndpoint, RpcReply } from '../../engine/index.ts';
import { createHttpRpcEndpoint, RpcTransportError } from '../rpc/index.ts';
import {
  ChainUnreachableError,
  type NetworkIdentity,
  NodeRefusalError,
  type Questions,
  type RawSent,
} from './chainCall.ts';
import type { PaymentNetworkConfig } from './paymentConfig.ts';

/** The nodes of a network's configuration. */
export type ChainNodes = Pick<PaymentNetworkConfig, 'rpcUrls' | 'watchRpc'>;

/** The largest response that payments read is the receipt of a group. */
const maxBytes = 2 * 1024 * 1024;

/** Longer than a block of any offered chain; after that, the receipt is polled. */
const syncPatienceMs = 3_000;

/** A node that rejected a batch gets single requests for this long; the rejection may be temporary. */
const apartMs = 60_000;

/** One RPC URL of a chain. */
export interface ChainNode {
  readonly endpoint: RpcEndpoint;
  readonly identity: NetworkIdentity;
  readonly signal: AbortSignal;
  /** Its network id was checked, and matched. */
  isRight: boolean;
  awayUntil: number;
  apartUntil: number;
  /** It has returned that there is no `eth_sendRawTransactionSync`. */
  lacksSync: boolean;
}

export function openNodes(
  { rpcUrls, watchRpc = (endpoint) => endpoint }: ChainNodes,
  timeoutMs: number,
  identity: NetworkIdentity,
): ChainNode[] {
  const { signal } = new AbortController();
  return rpcUrls.map((url, index) => ({
    endpoint: watchRpc(
      createHttpRpcEndpoint({ url, label: `RPC ${index + 1} for payments`, timeoutMs, maxBytes }),
      index + 1,
    ),
    identity,
    signal,
    isRight: false,
    awayUntil: 0,
    apartUntil: 0,
    lacksSync: false,
  }));
}

/** @throws {NodeRefusalError} @throws {ChainUnreachableError} */
function readAnswer<T>(reply: RpcReply | undefined, shape: z.ZodType<T>): T {
  if (!reply || !('result' in reply)) {
    const { code = 0, message = '', data } = reply?.error ?? {};
    throw new NodeRefusalError(code, message, data);
  }
  const answer = shape.safeParse(reply.result);
  if (!answer.success) throw new ChainUnreachableError('An RPC for payments returned an invalid result.');
  return answer.data;
}

/** @throws {RpcTransportError} @throws {NodeRefusalError} @throws {ChainUnreachableError} */
async function ask<T>(
  { endpoint, signal }: ChainNode,
  method: string,
  params: readonly unknown[],
  shape: z.ZodType<T>,
): Promise<T> {
  const [reply] = await endpoint.send([{ method, params }], { signal });
  return readAnswer(reply, shape);
}

/** The network id that the node returns. @throws as `ask` */
export const readIdentity = (node: ChainNode): Promise<string> =>
  ask(node, node.identity.method, [], node.identity.shape);

/** Not cached on failure: the next call checks the node again. */
async function prove(node: ChainNode): Promise<void> {
  const [reply] = await node.endpoint.send([{ method: node.identity.method, params: [] }], {
    signal: node.signal,
  });
  acceptProof(node, reply);
}

/** @throws {ChainUnreachableError} */
function acceptProof(node: ChainNode, reply: RpcReply | undefined): void {
  // An error here, even a revert, must not count as the result of the other call.
  if (!reply || !('result' in reply)) throw new ChainUnreachableError('An RPC for payments hides its network.');
  const { identity } = node;
  node.isRight = identity.isRight(readAnswer(reply, identity.shape));
  if (!node.isRight) throw new ChainUnreachableError('An RPC for payments is of another network.');
}

/** Both in one request; undefined if the node does not return its network id that way. */
async function askTogether(node: ChainNode, questions: Questions): Promise<{ answers: unknown[] } | undefined> {
  if (node.apartUntil > Date.now()) return undefined;
  const calls = [
    { method: node.identity.method, params: [] },
    ...questions.map(([method, params]) => ({ method, params })),
  ];
  const replies = await node.endpoint.send(calls, { signal: node.signal }).catch((error: unknown) => {
    if (error instanceof RpcTransportError && error.answered) return [];
    throw error;
  });
  const [proof, ...answers] = replies;
  // The node rejects batches, possibly only for now.
  if (!proof || !('result' in proof)) {
    node.apartUntil = Date.now() + apartMs;
    return undefined;
  }
  acceptProof(node, proof);
  return { answers: questions.map(([, , shape], index) => readAnswer(answers[index], shape)) };
}

/**
 * Asks a node, after its network id was checked.
 * @throws {RpcTransportError} @throws {NodeRefusalError} @throws {ChainUnreachableError}
 */
export async function askNode(node: ChainNode, isProven: boolean, questions: Questions): Promise<unknown[]> {
  const askEach = () => Promise.all(questions.map((question) => ask(node, ...question)));
  if (!node.isRight) await prove(node);
  else if (isProven) {
    const together = await askTogether(node, questions);
    if (together) return together.answers;
    // Waits for both, so that no request outlives a failure of the other.
    const [proof, answers] = await Promise.allSettled([prove(node), askEach()]);
    if (proof.status === 'rejected') throw proof.reason;
    if (answers.status === 'rejected') throw answers.reason;
    return answers.value;
  }
  return askEach();
}

/**
 * Broadcasts with `eth_sendRawTransactionSync`. Undefined: the node does not have the method.
 * @throws {RpcTransportError} @throws {NodeRefusalError} @throws {ChainUnreachableError}
 */
export async function sendAndWait(node: ChainNode, raw: Hex): Promise<RawSent | undefined> {
  if (!node.isRight) await prove(node);
  // Most nodes work through a batch in order, so the head is read after the inclusion.
  const requests = [
    { method: 'eth_sendRawTransactionSync', params: [raw] },
    { method: 'eth_blockNumber', params: [] },
  ];
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), syncPatienceMs);
  try {
    const [reply, head] = await node.endpoint.send(requests, { signal: limit.signal });
    if (reply && 'result' in reply) {
      const isRead = head && 'result' in head;
      return { outcome: 'sent', ...(isRead && { included: { receipt: reply.result, head: head.result } }) };
    }
    const { code = 0, message = '', data } = reply?.error ?? {};
    // EIP-7966: the node has the transaction, and no block has it yet.
    if (code === 4) return { outcome: 'sent' };
    if (
      code === -32601 ||
      /not (?:supported|available|found|exist|allowed)|unsupported|unknown method/i.test(message)
    ) {
      node.lacksSync = true;
      return undefined;
    }
    throw new NodeRefusalError(code, message, data);
  } catch (error) {
    if (limit.signal.aborted) return { outcome: 'unsure' };
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
