import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
} from 'viem';
import { type RpcCall, type RpcEndpoint, type RpcReply, RpcTransportError } from '../../engine/index.ts';

/**
 * Result of a read. `refused`: the contract reverted, or its result does not match the signature. `unread`: the node
 * returned no result.
 */
export type Answer<T> =
  | { status: 'answered'; value: T }
  | { status: 'refused'; why: string }
  | { status: 'unread'; why: string };

/** Reads one chain at one block. Sends calls made in the same turn of the event loop in batches. */
export interface ChainReader {
  block: { number: bigint; timestamp: bigint };
  /** Whether the address has code. */
  hasCode(address: Address): Promise<Answer<boolean>>;
  /** Calls a view function by its signature. T is the type of its output, an array if there are several outputs. */
  call<T>(to: Address, signature: string, args?: readonly unknown[]): Promise<Answer<T>>;
}

interface PendingCall {
  call: RpcCall;
  settle: (answer: Answer<unknown>) => void;
}

/** Most calls of one batch. A node that refuses a batch gets half as many from then on. */
const callsPerRequest = 20;

/**
 * Creates a reader pinned to the latest block.
 * @param timeoutMs limit of each request in milliseconds
 * @throws {RpcTransportError} the latest block cannot be read
 */
export async function createChainReader(endpoint: RpcEndpoint, timeoutMs = 20_000): Promise<ChainReader> {
  const send: Send = (calls) => endpoint.send(calls, { signal: AbortSignal.timeout(timeoutMs) });
  const [head] = await send([{ method: 'eth_getBlockByNumber', params: ['latest', false] }]);
  if (!head || !('result' in head) || !head.result)
    throw new RpcTransportError(`${endpoint.label} has no latest block.`);
  const { number, timestamp } = head.result as { number: Hex; timestamp: Hex };
  let pending: PendingCall[] = [];
  let batchLimit = callsPerRequest;

  const flush = async () => {
    const all = pending;
    pending = [];
    for (let at = 0; at < all.length; ) {
      const part = all.slice(at, at + batchLimit);
      const calls = part.map(({ call }) => call);
      let replies = await trySend(send, calls);
      if (part.length > 1 && isBatchRefused(replies)) {
        batchLimit = Math.min(batchLimit, Math.ceil(part.length / 2));
        continue;
      }
      if (replies instanceof RpcTransportError) replies = await trySend(send, calls);
      for (const [index, { settle }] of part.entries()) {
        settle(toAnswer(replies instanceof RpcTransportError ? replies : replies[index]));
      }
      at += part.length;
    }
  };
  const read = (method: string, subject: unknown) =>
    new Promise<Answer<unknown>>((settle) => {
      if (pending.length === 0) setImmediate(flush);
      pending.push({ call: { method, params: [subject, number] }, settle });
    });

  return {
    block: { number: BigInt(number), timestamp: BigInt(timestamp) },
    async hasCode(address) {
      const answer = await read('eth_getCode', address);
      if (answer.status !== 'answered') return answer;
      return { status: 'answered', value: typeof answer.value === 'string' && answer.value.length > 2 };
    },
    async call<T>(to: Address, signature: string, args: readonly unknown[] = []): Promise<Answer<T>> {
      const functionName = signature.slice(0, signature.indexOf('('));
      const abi: Abi = parseAbi([`function ${signature}`] as readonly string[]);
      const data = encodeFunctionData({ abi, functionName, args });
      const answer = await read('eth_call', { to, data, gas: numberToHex(10_000_000) });
      if (answer.status !== 'answered') return answer;
      try {
        return {
          status: 'answered',
          value: decodeFunctionResult({ abi, functionName, data: answer.value as Hex }) as T,
        };
      } catch (cause) {
        return { status: 'refused', why: `no ${functionName} (${(cause as Error).name})` };
      }
    },
  };
}

type Send = (calls: readonly RpcCall[]) => Promise<RpcReply[]>;

const trySend = (send: Send, calls: readonly RpcCall[]): Promise<RpcReply[] | RpcTransportError> =>
  send(calls).catch((error: unknown) => {
    if (error instanceof RpcTransportError) return error;
    throw error;
  });

/** Whether the node answered a batch as a whole with an error, or each call with an error about batches. */
const isBatchRefused = (replies: RpcReply[] | RpcTransportError): boolean =>
  replies instanceof RpcTransportError
    ? replies.answered
    : replies.some((reply) => 'error' in reply && /batch/i.test(reply.error.message));

function toAnswer(reply: RpcReply | RpcTransportError | undefined): Answer<unknown> {
  if (reply === undefined) return { status: 'unread', why: 'no reply' };
  if (reply instanceof RpcTransportError) return { status: 'unread', why: reply.message };
  if ('result' in reply) return { status: 'answered', value: reply.result };
  const { code, message } = reply.error;
  // geth returns code 3 for a revert; other nodes only mention it in the message.
  if (code === 3 || /revert/i.test(message)) return { status: 'refused', why: message };
  return { status: 'unread', why: `${code} ${message}` };
}
