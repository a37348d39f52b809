import type { Hex } from 'viem';
import { z } from 'zod';
import type { RpcReply } from '../../engine/index.ts';
import { createHttpRpcEndpoint, RpcTransportError } from '../rpc/index.ts';
import type { PaymentNetworkConfig } from './paymentConfig.ts';

/** The chain could not be read. The message contains no URL. */
export class ChainUnreachableError extends Error {
  override readonly name = 'ChainUnreachableError';
}

/** A node returned an error. */
export class NodeRefusalError extends Error {
  override readonly name = 'NodeRefusalError';
  /** The contract reverted: code 3 (geth) or -32015 (OpenEthereum); other nodes only say so in the message. */
  readonly isRevert: boolean;
  constructor(
    readonly code: number,
    readonly answer: string,
    readonly data: unknown,
  ) {
    super(`The node answered error ${code}.`);
    this.isRevert = code === 3 || code === -32015 || /execution reverted|^reverted/i.test(answer);
  }
}

/** Whether an error comes from the nodes, not from our code. */
export const isChainTrouble = (error: unknown): error is ChainUnreachableError | NodeRefusalError =>
  error instanceof ChainUnreachableError || error instanceof NodeRefusalError;

/**
 * One JSON-RPC call. A result that does not match `shape` counts as a failure, and the next node is used.
 *
 * @throws {ChainUnreachableError} @throws {NodeRefusalError}
 */
export type ChainCall = <T>(method: string, params: readonly unknown[], shape: z.ZodType<T>) => Promise<T>;

/** The largest response that payments read is the receipt of a group. */
const maxBytes = 2 * 1024 * 1024;

const transactionHash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
/** Longer than a block of any offered chain; after that, the receipt is polled. */
const syncPatienceMs = 3_000;

/** How to read which network a node serves. */
interface NetworkIdentity {
  method: 'eth_chainId' | 'getGenesisHash';
  shape: z.ZodType<string>;
  isRight(answer: string): boolean;
}

export interface Chain {
  call: ChainCall;
  /**
   * The same, with the node's network id read in the same request (or beside it, if the node takes no batches). For reads
   * that decide whether money moves: a node may have been switched to another network since it was first checked.
   */
  callProven: ChainCall;
  /** Several proven calls, in one batch where the node supports it. If one gets no answer, all go to the next node. */
  callAllProven: <const Answers extends readonly unknown[]>(
    ...questions: { [Index in keyof Answers]: Question<Answers[Index]> }
  ) => Promise<Answers>;
  /**
   * Broadcasts a signed transaction. With `awaitReceipt`, a node that has `eth_sendRawTransactionSync` (EIP-7966) replies
   * once the transaction is included, for at most three seconds; the receipt may be preconfirmed.
   *
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  sendRaw(raw: Hex, awaitReceipt: boolean): Promise<RawSent>;
  /** The network id of each URL; undefined: not readable now. */
  readIdentities(): Promise<(string | undefined)[]>;
}

/** What a broadcast returned; `unsure`: no reply in time. */
export interface RawSent {
  outcome: 'sent' | 'unsure';
  /** As the node returned it, with the number of its `latest` block from the same request. */
  included?: { receipt: unknown; head: unknown };
}

/** Method, parameters and shape of the answer of one call. */
type Question<T> = readonly [method: string, params: readonly unknown[], shape: z.ZodType<T>];

type Questions = readonly Question<unknown>[];

/** The nodes of a network's configuration. */
type ChainNodes = Pick<PaymentNetworkConfig, 'rpcUrls' | 'watchRpc'>;

/** A failed node is used last for this long, so that not every call waits for its timeout. */
const awayMs = 30_000;
/** A node that rejected a batch gets single requests for this long; the rejection may be temporary. */
const apartMs = 60_000;

/**
 * Calls one chain over several RPC URLs. It uses the next one when a node is unreachable or returns an error or an invalid
 * result, never after a revert. A node is only used after its network id was checked.
 *
 * Errors contain neither URL nor key, so they can be logged.
 */
export function openChain(
  { rpcUrls, watchRpc = (endpoint) => endpoint }: ChainNodes,
  timeoutMs: number,
  identity: NetworkIdentity,
): Chain {
  const { signal } = new AbortController();
  const nodes = rpcUrls.map((url, index) => ({
    endpoint: watchRpc(
      createHttpRpcEndpoint({ url, label: `RPC ${index + 1} for payments`, timeoutMs, maxBytes }),
      index + 1,
    ),
    isRight: false,
    awayUntil: 0,
    apartUntil: 0,
    /** It has returned that there is no `eth_sendRawTransactionSync`. */
    lacksSync: false,
  }));
  type Node = (typeof nodes)[number];

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
    { endpoint }: Node,
    method: string,
    params: readonly unknown[],
    shape: z.ZodType<T>,
  ): Promise<T> {
    const [reply] = await endpoint.send([{ method, params }], { signal });
    return readAnswer(reply, shape);
  }

  /** Not cached on failure: the next call checks the node again. */
  async function prove(node: Node): Promise<void> {
    const [reply] = await node.endpoint.send([{ method: identity.method, params: [] }], { signal });
    acceptProof(node, reply);
  }

  /** @throws {ChainUnreachableError} */
  function acceptProof(node: Node, reply: RpcReply | undefined): void {
    // An error here, even a revert, must not count as the result of the other call.
    if (!reply || !('result' in reply)) throw new ChainUnreachableError('An RPC for payments hides its network.');
    node.isRight = identity.isRight(readAnswer(reply, identity.shape));
    if (!node.isRight) throw new ChainUnreachableError('An RPC for payments is of another network.');
  }

  /** Both in one request; undefined if the node does not return its network id that way. */
  async function askTogether(node: Node, questions: Questions): Promise<{ answers: unknown[] } | undefined> {
    if (node.apartUntil > Date.now()) return undefined;
    const calls = [
      { method: identity.method, params: [] },
      ...questions.map(([method, params]) => ({ method, params })),
    ];
    const replies = await node.endpoint.send(calls, { signal }).catch((error: unknown) => {
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

  async function askKnown(node: Node, isProven: boolean, questions: Questions): Promise<unknown[]> {
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

  async function askInOrder(isProven: boolean, questions: Questions): Promise<unknown[]> {
    let trouble: ChainUnreachableError | NodeRefusalError | undefined;
    const now = Date.now();
    const inOrder = [...nodes.filter((node) => node.awayUntil <= now), ...nodes.filter((node) => node.awayUntil > now)];
    for (const node of inOrder) {
      try {
        const answers = await askKnown(node, isProven, questions);
        node.awayUntil = 0;
        return answers;
      } catch (error) {
        if (error instanceof NodeRefusalError) {
          if (error.isRevert) throw error;
          trouble = error;
          continue;
        }
        if (!(error instanceof RpcTransportError) && !(error instanceof ChainUnreachableError)) throw error;
        node.awayUntil = Date.now() + awayMs;
        // An error that a node returned is more specific than an unreachable node.
        if (!(trouble instanceof NodeRefusalError))
          trouble = new ChainUnreachableError(`${questions[0]?.[0]}: ${error.message}`);
      }
    }
    throw trouble ?? new ChainUnreachableError('There is no RPC for payments.');
  }

  const askOne =
    (isProven: boolean): ChainCall =>
    async <T>(...question: Question<T>) => {
      const [answer] = await askInOrder(isProven, [question]);
      return answer as T;
    };

  /** Undefined: the node does not have the method. */
  async function sendAndWait(node: Node, raw: Hex): Promise<RawSent | undefined> {
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

  async function sendRaw(raw: Hex, awaitReceipt: boolean): Promise<RawSent> {
    const node = nodes.find(({ awayUntil }) => awayUntil <= Date.now());
    if (awaitReceipt && node && !node.lacksSync) {
      try {
        if (!node.isRight) await prove(node);
        const sent = await sendAndWait(node, raw);
        if (sent) return sent;
      } catch (error) {
        // The other nodes, or this one with the plain method, may accept the same bytes.
        if (!(error instanceof RpcTransportError) && !isChainTrouble(error)) throw error;
        // The node responds, and rejects batches.
        if (error instanceof RpcTransportError && error.answered) node.lacksSync = true;
      }
    }
    await askInOrder(false, [['eth_sendRawTransaction', [raw], transactionHash]]);
    return { outcome: 'sent' };
  }

  return {
    call: askOne(false),
    sendRaw,
    callProven: askOne(true),
    callAllProven: async (...questions) => (await askInOrder(true, questions as unknown as Questions)) as never,
    readIdentities: () =>
      Promise.all(
        nodes.map((node) =>
          ask(node, identity.method, [], identity.shape).catch((error) => {
            if (error instanceof RpcTransportError || isChainTrouble(error)) return undefined;
            throw error;
          }),
        ),
      ),
  };
}

export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;
