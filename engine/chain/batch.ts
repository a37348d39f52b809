import { type Hex, isHex } from 'viem';
import { RpcTransportError } from '../errors.ts';
import type { BlockRef } from './blockRef.ts';
import { BlockReplacedError, type Node, NodeRefusedError } from './node.ts';
import { sendPinned, sendWithHeader } from './pinBlock.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';
import { sendTogether } from './sendTogether.ts';

type Replies = () => (RpcReply | undefined)[];
type Send<T> = (calls: readonly RpcCall[]) => Promise<{ replies: RpcReply[]; rest: T }>;

/** Calls collected for one HTTP request; each `add` returns a function that reads their replies. */
export function createBatch() {
  const calls: RpcCall[] = [];
  const optional = new Set<number>();
  let replies: (RpcReply | undefined)[] | undefined;
  let lost: string | undefined;
  const add = (added: readonly RpcCall[]): Replies => {
    const from = calls.length;
    calls.push(...added);
    return () => added.map((_, index) => replies?.[from + index]);
  };

  /** Sends all calls. If the response is too large, sends the required calls and, by itself, the first optional one. */
  async function sendAll<T>(send: Send<T>): Promise<T> {
    try {
      const sent = await send(calls);
      replies = sent.replies;
      return sent.rest;
    } catch (error) {
      if (!(error instanceof RpcTransportError && error.tooLarge) || optional.size === 0) throw error;
      lost = 'the response was larger than the limit for one request';
      const [first] = optional;
      const required = calls.filter((_, index) => !optional.has(index));
      const [sent, single] = await Promise.all([send(required), sendUnlessTooLarge(send, calls[first ?? 0])]);
      let next = 0;
      replies = calls.map((_, index) => {
        if (!optional.has(index)) return sent.replies[next++];
        return index === first ? single : undefined;
      });
      return sent.rest;
    }
  }

  return {
    add: (...added: RpcCall[]): Replies => add(added),
    /** Adds a call whose response a token can make large. If it is too large, only this reply is lost. */
    addOptional(call: RpcCall): () => RpcReply | undefined {
      optional.add(calls.length);
      const read = add([call]);
      return () => read()[0];
    },
    get size() {
      return calls.length;
    },
    /** Why optional replies are missing. */
    get lost() {
      return lost;
    },
    /** Sends the calls, at the block of this attempt if one is pinned. @throws as `sendPinned` */
    async send(node: Node): Promise<void> {
      await sendAll(async (some) => ({ replies: await sendPinned(node, some), rest: undefined }));
    },
    /**
     * Sends the calls with a request for the block's header. Returns the header; undefined without calls.
     * @throws {WrongChainError | NodeRefusedError | BlockGoneError | RpcTransportError}
     */
    async sendWithHeader(node: Node, block: Hex | 'latest'): Promise<BlockRef | undefined> {
      if (calls.length === 0) return undefined;
      return sendAll(async (some) => {
        const answered = await sendWithHeader(node, block, some);
        return { replies: answered.replies, rest: answered.header };
      });
    },
    /** Sends calls at any block. A transport failure leaves the replies undefined. Returns its cause in words. */
    trySend(node: Node): Promise<string | undefined> {
      return orCause(async () => {
        if (calls.length > 0) replies = await sendTogether(node, calls);
      });
    },
    /**
     * As `trySend`, at the block of this attempt if one is pinned.
     * @throws {BlockReplacedError}
     */
    trySendPinned(node: Node): Promise<string | undefined> {
      return orCause(async () => {
        replies = await sendPinned(node, calls);
      });
    },
  };
}

/** Whether a node failed or refused a read. If its block was replaced, all earlier reads are of another fork. */
export const isUnread = (error: unknown): boolean =>
  error instanceof RpcTransportError || (error instanceof NodeRefusedError && !(error instanceof BlockReplacedError));

async function orCause(send: () => Promise<void>): Promise<string | undefined> {
  try {
    await send();
    return undefined;
  } catch (error) {
    if (!isUnread(error)) throw error;
    const isTooLarge = error instanceof RpcTransportError && error.tooLarge;
    return isTooLarge ? 'the response was larger than the limit for one request' : 'the request failed';
  }
}

async function sendUnlessTooLarge<T>(send: Send<T>, call: RpcCall | undefined): Promise<RpcReply | undefined> {
  try {
    return call && (await send([call])).replies[0];
  } catch (error) {
    if (error instanceof RpcTransportError && error.tooLarge) return undefined;
    throw error;
  }
}

/** Sends calls in one request. Undefined if the request failed. */
export async function trySend(
  node: Node,
  calls: readonly RpcCall[],
): Promise<readonly (RpcReply | undefined)[] | undefined> {
  const batch = createBatch();
  const replies = batch.add(...calls);
  return (await batch.trySend(node)) === undefined ? replies() : undefined;
}

/** The result, or undefined where the node refused the call. */
export function resultOf(reply: RpcReply | undefined): unknown {
  return reply && 'result' in reply ? reply.result : undefined;
}

/** The first word of a result; undefined if there is none. */
export function wordOf(reply: RpcReply | undefined): bigint | undefined {
  const result = resultOf(reply);
  return isHex(result) && result.length >= 66 ? BigInt(result.slice(0, 66)) : undefined;
}

export type Batch = ReturnType<typeof createBatch>;
