import type { Hex } from 'viem';
import type { z } from 'zod';
import type { RpcEndpoint, RpcReply } from '../../engine/index.ts';
import { createHttpRpcEndpoint, RpcTransportError } from '../rpc/index.ts';
import {
  ChainUnreachableError,
  JsonRpcError,
  type NetworkIdentity,
  type RawSent,
  type RpcRequests,
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

/**
 * After an HTTP error or a reply without JSON to `eth_sendRawTransactionSync`, the node gets `eth_sendRawTransaction` for
 * this long, in milliseconds: a gateway may fail for a moment, or reject the batch.
 */
const syncPauseMs = 300_000;

/** A failed node is used last for this long, so that not every call waits for its timeout. */
const awayMs = 30_000;

/** For requests that only the endpoint's timeout ends. */
const neverAborted = new AbortController().signal;

/** One RPC URL of a chain. */
export interface ChainNode {
  readonly endpoint: RpcEndpoint;
  readonly identity: NetworkIdentity;
  /** Its network id was checked, and matched. */
  isVerified: boolean;
  /** Until then the node is used last, because it failed; milliseconds since the epoch. */
  awayUntil: number;
  /** Until then the node gets single requests, because it rejected a batch; milliseconds since the epoch. */
  apartUntil: number;
  /** Unix milliseconds; until then broadcasts do not await the receipt. Infinity: the node lacks the synchronous method. */
  plainUntil: number;
}

export function openNodes(
  { rpcUrls, watchRpc = (endpoint) => endpoint }: ChainNodes,
  timeoutMs: number,
  identity: NetworkIdentity,
): ChainNode[] {
  return rpcUrls.map((url, index) => ({
    endpoint: watchRpc(
      createHttpRpcEndpoint({ url, label: `RPC ${index + 1} for payments`, timeoutMs, maxBytes }),
      index + 1,
    ),
    identity,
    isVerified: false,
    awayUntil: 0,
    apartUntil: 0,
    plainUntil: 0,
  }));
}

/** @throws {JsonRpcError} @throws {ChainUnreachableError} */
function readResult<T>(reply: RpcReply | undefined, shape: z.ZodType<T>): T {
  if (!reply || !('result' in reply)) {
    const { code = 0, message = '', data } = reply?.error ?? {};
    throw new JsonRpcError(code, message, data);
  }
  const result = shape.safeParse(reply.result);
  if (!result.success) throw new ChainUnreachableError('An RPC for payments returned an invalid result.');
  return result.data;
}

/** @throws {RpcTransportError} @throws {JsonRpcError} @throws {ChainUnreachableError} */
async function send<T>(
  { endpoint }: ChainNode,
  method: string,
  params: readonly unknown[],
  shape: z.ZodType<T>,
): Promise<T> {
  const [reply] = await endpoint.send([{ method, params }], { signal: neverAborted });
  return readResult(reply, shape);
}

/** The network id that the node returns. @throws as `send` */
export const readIdentity = (node: ChainNode): Promise<string> =>
  send(node, node.identity.method, [], node.identity.shape);

/** Checks the node's network id. After a failure the next call checks it again. */
async function prove(node: ChainNode): Promise<void> {
  const requests = [{ method: node.identity.method, params: [] }];
  const [reply] = await node.endpoint.send(requests, { signal: neverAborted });
  acceptIdentity(node, reply);
}

/** @throws {ChainUnreachableError} */
function acceptIdentity(node: ChainNode, reply: RpcReply | undefined): void {
  // An error here, even a revert, must not count as the result of the other call.
  if (!reply || !('result' in reply)) throw new ChainUnreachableError('An RPC for payments hides its network.');
  const { identity } = node;
  node.isVerified = identity.matches(readResult(reply, identity.shape));
  if (!node.isVerified) throw new ChainUnreachableError('An RPC for payments is of another network.');
}

/** Reads the network id in the same batch; undefined if the node does not return it that way. */
async function sendWithIdentity(node: ChainNode, requests: RpcRequests): Promise<{ results: unknown[] } | undefined> {
  if (node.apartUntil > Date.now()) return undefined;
  const calls = [
    { method: node.identity.method, params: [] },
    ...requests.map(([method, params]) => ({ method, params })),
  ];
  const replies = await node.endpoint.send(calls, { signal: neverAborted }).catch((error: unknown) => {
    if (error instanceof RpcTransportError && error.answered) return [];
    throw error;
  });
  const [proof, ...others] = replies;
  // The node rejects batches, possibly only for now.
  if (!proof || !('result' in proof)) {
    node.apartUntil = Date.now() + apartMs;
    return undefined;
  }
  acceptIdentity(node, proof);
  return { results: requests.map(([, , shape], index) => readResult(others[index], shape)) };
}

/** With `isVerified`, the network id is read together with the requests; otherwise only before a node's first request. */
async function sendChecked(node: ChainNode, isVerified: boolean, requests: RpcRequests): Promise<unknown[]> {
  const sendEach = () => Promise.all(requests.map((request) => send(node, ...request)));
  if (!node.isVerified) await prove(node);
  else if (isVerified) {
    const together = await sendWithIdentity(node, requests);
    if (together) return together.results;
    // Waits for both, so that no request outlives a failure of the other.
    const [proof, results] = await Promise.allSettled([prove(node), sendEach()]);
    if (proof.status === 'rejected') throw proof.reason;
    if (results.status === 'rejected') throw results.reason;
    return results.value;
  }
  return sendEach();
}

/** Whether to broadcast with `eth_sendRawTransactionSync`, which awaits the receipt. */
export const takesSync = ({ plainUntil }: ChainNode): boolean => plainUntil <= Date.now();

/** Whether the node failed recently. */
export const isAway = ({ awayUntil }: ChainNode, now = Date.now()): boolean => awayUntil > now;

/** The nodes in the order of use: those that failed recently come last. */
export function inOrderOfUse(nodes: readonly ChainNode[]): ChainNode[] {
  const now = Date.now();
  return [...nodes.filter((node) => !isAway(node, now)), ...nodes.filter((node) => isAway(node, now))];
}

/**
 * Sends requests to a node that serves the expected network. With `isVerified` that is checked at the same time, otherwise
 * once for each node. A node that is unreachable or returns an invalid result is used last for a while.
 *
 * @throws {RpcTransportError} @throws {JsonRpcError} @throws {ChainUnreachableError}
 */
export async function sendToNode(node: ChainNode, isVerified: boolean, requests: RpcRequests): Promise<unknown[]> {
  try {
    const results = await sendChecked(node, isVerified, requests);
    node.awayUntil = 0;
    return results;
  } catch (error) {
    if (error instanceof RpcTransportError || error instanceof ChainUnreachableError)
      node.awayUntil = Date.now() + awayMs;
    throw error;
  }
}

/** By the codes of JSON-RPC and EIP-1474, or by the message. A message must name the method: `header not found` does not. */
const isMethodMissing = (code: number, message: string): boolean =>
  code === -32601 ||
  code === -32004 ||
  (/method|eth_sendRawTransactionSync/i.test(message) &&
    /not (?:supported|available|found|exist|allowed)|unsupported|unknown/i.test(message));

/** Undefined: the node does not have the method. */
async function sendSync(node: ChainNode, raw: Hex): Promise<RawSent | undefined> {
  if (!node.isVerified) await prove(node);
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
    if (isMethodMissing(code, message)) {
      node.plainUntil = Number.POSITIVE_INFINITY;
      return undefined;
    }
    throw new JsonRpcError(code, message, data);
  } catch (error) {
    if (limit.signal.aborted) return { outcome: 'unknown' };
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Broadcasts with `eth_sendRawTransactionSync`, and waits for the receipt for at most three seconds. Undefined: the node
 * does not have the method.
 *
 * @throws {RpcTransportError} @throws {JsonRpcError} @throws {ChainUnreachableError}
 */
export async function sendAndWait(node: ChainNode, raw: Hex): Promise<RawSent | undefined> {
  try {
    return await sendSync(node, raw);
  } catch (error) {
    if (error instanceof RpcTransportError && error.answered) node.plainUntil = Date.now() + syncPauseMs;
    throw error;
  }
}
