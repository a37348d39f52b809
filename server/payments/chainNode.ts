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

/** The part of a network's configuration that concerns its nodes. */
export type ChainNodes = Pick<PaymentNetworkConfig, 'rpcUrls' | 'watchRpc'>;

/** Bound of a response. The largest response that payments read is the receipt of a group. */
const maxBytes = 2 * 1024 * 1024;

/** Timeout of a synchronous broadcast, longer than a block of any offered chain. Afterwards the receipt is polled. */
const syncTimeoutMs = 3_000;

/** A node that rejected a batch gets single requests for this long; the rejection may be temporary. */
const unbatchedMs = 60_000;

/**
 * After an HTTP error or a non-JSON reply to `eth_sendRawTransactionSync`, the node gets `eth_sendRawTransaction` for
 * this long: a gateway may fail temporarily, or reject the batch.
 */
const syncPauseMs = 300_000;

/** A failed node is used last for this long, so that not every call waits for its timeout. */
const failedMs = 30_000;

/** Signal of requests that only the endpoint's timeout ends. */
const neverAborted = new AbortController().signal;

/** One RPC URL of a chain. */
export interface ChainNode {
  readonly endpoint: RpcEndpoint;
  readonly identity: NetworkIdentity;
  /** The network id was read and is the expected one. */
  isVerified: boolean;
  /** Unix milliseconds until which the node is used last, because it failed. */
  failedUntil: number;
  /** Unix milliseconds until which the node gets single requests, because it rejected a batch. */
  batchDisabledUntil: number;
  /** Unix milliseconds until which broadcasts do not await the receipt. Infinity: the node lacks the synchronous method. */
  syncSendDisabledUntil: number;
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
    failedUntil: 0,
    batchDisabledUntil: 0,
    syncSendDisabledUntil: 0,
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

/** The network id that the node returns. @throws the errors of `send` */
export const readIdentity = (node: ChainNode): Promise<string> =>
  send(node, node.identity.method, [], node.identity.shape);

/** Reads and verifies the node's network id. @throws {RpcTransportError} @throws {ChainUnreachableError} */
async function verifyIdentity(node: ChainNode): Promise<void> {
  const requests = [{ method: node.identity.method, params: [] }];
  const [reply] = await node.endpoint.send(requests, { signal: neverAborted });
  acceptIdentity(node, reply);
}

/** @throws {ChainUnreachableError} */
function acceptIdentity(node: ChainNode, reply: RpcReply | undefined): void {
  // Not a JsonRpcError: callers would attribute it to their own requests.
  if (!reply || !('result' in reply)) throw new ChainUnreachableError('An RPC for payments returned no network id.');
  const { identity } = node;
  node.isVerified = identity.matches(readResult(reply, identity.shape));
  if (!node.isVerified) throw new ChainUnreachableError('An RPC for payments serves another network.');
}

/** Sends the requests and the read of the network id in one batch; undefined if the node rejects batches. */
async function sendWithIdentity(node: ChainNode, requests: RpcRequests): Promise<{ results: unknown[] } | undefined> {
  if (node.batchDisabledUntil > Date.now()) return undefined;
  const calls = [
    { method: node.identity.method, params: [] },
    ...requests.map(([method, params]) => ({ method, params })),
  ];
  const replies = await node.endpoint.send(calls, { signal: neverAborted }).catch((error: unknown) => {
    if (error instanceof RpcTransportError && error.answered) return [];
    throw error;
  });
  const [identity, ...others] = replies;
  if (!identity || !('result' in identity)) {
    node.batchDisabledUntil = Date.now() + unbatchedMs;
    return undefined;
  }
  acceptIdentity(node, identity);
  return { results: requests.map(([, , shape], index) => readResult(others[index], shape)) };
}

/** With `withIdentity`, the network id is read together with the requests; otherwise only before a node's first request. */
async function sendChecked(node: ChainNode, withIdentity: boolean, requests: RpcRequests): Promise<unknown[]> {
  const sendEach = () => Promise.all(requests.map((request) => send(node, ...request)));
  if (!node.isVerified) await verifyIdentity(node);
  else if (withIdentity) {
    const batch = await sendWithIdentity(node, requests);
    if (batch) return batch.results;
    // Waits for both, so that no request outlives a failure of the other.
    const [identity, results] = await Promise.allSettled([verifyIdentity(node), sendEach()]);
    if (identity.status === 'rejected') throw identity.reason;
    if (results.status === 'rejected') throw results.reason;
    return results.value;
  }
  return sendEach();
}

/** Whether to broadcast with `eth_sendRawTransactionSync`, which awaits the receipt. */
export const acceptsSync = ({ syncSendDisabledUntil }: ChainNode): boolean => syncSendDisabledUntil <= Date.now();

export const hasFailedRecently = ({ failedUntil }: ChainNode, now = Date.now()): boolean => failedUntil > now;

/** The nodes in the order of use: those that failed recently come last. */
export function inOrderOfUse(nodes: readonly ChainNode[]): ChainNode[] {
  const now = Date.now();
  const [ready, failed] = [
    nodes.filter((node) => !hasFailedRecently(node, now)),
    nodes.filter((node) => hasFailedRecently(node, now)),
  ];
  return [...ready, ...failed];
}

/**
 * Sends requests to a node, and verifies that it serves the expected network: with `withIdentity` in the same batch,
 * otherwise before the node's first request. A node that is unreachable or returns an invalid result is used last for 30 s.
 *
 * @throws {RpcTransportError} @throws {JsonRpcError} @throws {ChainUnreachableError}
 */
export async function sendToNode(node: ChainNode, withIdentity: boolean, requests: RpcRequests): Promise<unknown[]> {
  try {
    const results = await sendChecked(node, withIdentity, requests);
    node.failedUntil = 0;
    return results;
  } catch (error) {
    if (error instanceof RpcTransportError || error instanceof ChainUnreachableError)
      node.failedUntil = Date.now() + failedMs;
    throw error;
  }
}

/** Matches the codes of JSON-RPC and EIP-1474, or a message that names the method; `header not found` does not match. */
const isMethodMissing = (code: number, message: string): boolean =>
  code === -32601 ||
  code === -32004 ||
  (/method|eth_sendRawTransactionSync/i.test(message) &&
    /not (?:supported|available|found|exist|allowed)|unsupported|unknown/i.test(message));

/** Undefined: the node lacks the method. */
async function sendSync(node: ChainNode, raw: Hex): Promise<RawSent | undefined> {
  if (!node.isVerified) await verifyIdentity(node);
  // Most nodes execute a batch in order, so they read the head after the inclusion.
  const requests = [
    { method: 'eth_sendRawTransactionSync', params: [raw] },
    { method: 'eth_blockNumber', params: [] },
  ];
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), syncTimeoutMs);
  try {
    const [reply, head] = await node.endpoint.send(requests, { signal: limit.signal });
    if (reply && 'result' in reply) {
      const hasHead = head && 'result' in head;
      return { outcome: 'sent', ...(hasHead && { included: { receipt: reply.result, head: head.result } }) };
    }
    const { code = 0, message = '', data } = reply?.error ?? {};
    // EIP-7966: the node accepted the transaction, but no block has included it yet.
    if (code === 4) return { outcome: 'sent' };
    if (isMethodMissing(code, message)) {
      node.syncSendDisabledUntil = Number.POSITIVE_INFINITY;
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
 * Broadcasts with `eth_sendRawTransactionSync`, and waits for the receipt for at most three seconds. Returns undefined
 * if the node lacks the method.
 *
 * @throws {RpcTransportError} @throws {JsonRpcError} @throws {ChainUnreachableError}
 */
export async function sendAndWait(node: ChainNode, raw: Hex): Promise<RawSent | undefined> {
  try {
    return await sendSync(node, raw);
  } catch (error) {
    if (error instanceof RpcTransportError && error.answered) node.syncSendDisabledUntil = Date.now() + syncPauseMs;
    throw error;
  }
}
