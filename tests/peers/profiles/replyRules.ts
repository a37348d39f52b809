import { hexNumber } from './lagRules.ts';
import {
  type JsonCall,
  type JsonReply,
  type LogLimits,
  type ProfileRules,
  refusal,
  type Writing,
} from './profileTypes.ts';

/** The refusal of a query for logs, before it reaches the node. */
export function refuseLogs(call: JsonCall, limits: LogLimits | undefined, head: bigint): JsonReply | undefined {
  if (!limits || call.method !== 'eth_getLogs') return undefined;
  const [filter = {}] = call.params as [{ fromBlock?: unknown; toBlock?: unknown; address?: unknown }?];
  const { blocks, addresses } = limits;
  const to = hexNumber(filter.toBlock) ?? head;
  const from = filter.fromBlock === 'earliest' ? 0n : (hexNumber(filter.fromBlock) ?? head);
  if (blocks !== undefined && to - from + 1n > blocks) {
    return refusal(call, -32_600, `You can make eth_getLogs requests with up to a ${blocks} block range.`);
  }
  if (addresses !== undefined && Array.isArray(filter.address) && filter.address.length > addresses) {
    return refusal(call, -32_602, 'exceed max addresses or topics per search position');
  }
  return undefined;
}

/** The reply as the endpoint sends it. */
export function writeReply(
  call: JsonCall,
  reply: JsonReply,
  { logs, writing, nullShare }: ProfileRules,
  random: () => number,
): JsonReply {
  if (!('result' in reply)) return reply;
  if (nullShare !== undefined && random() < nullShare) return { ...reply, result: null };
  const { result } = reply;
  if (logs?.results !== undefined && call.method === 'eth_getLogs' && Array.isArray(result)) {
    if (result.length > logs.results) return refusal(call, -32_005, `query returned more than ${logs.results} results`);
  }
  return writing ? { ...reply, result: write(result, writing, call.method) } : reply;
}

/** Methods whose result is bytes of any length and no quantity or hash. */
const bytesMethods = new Set(['eth_call', 'eth_getCode', 'eth_getStorageAt']);
const bytesFields = new Set(['data', 'input', 'logsBloom', 'returnData', 'extraData', 'nonce', 'topics', 'address']);

function write(value: unknown, writing: Writing, method: string): unknown {
  if (typeof value === 'string') return bytesMethods.has(method) ? value : writeText(value, writing);
  if (Array.isArray(value)) return value.map((item) => write(item, writing, method));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([key]) => !writing.withoutFields?.includes(key));
  return Object.fromEntries(
    entries.map(([key, part]) => [key, bytesFields.has(key) ? part : write(part, writing, method)]),
  );
}

function writeText(text: string, { leadingZero, upperCaseHashes }: Writing): string {
  if (upperCaseHashes && /^0x[0-9a-f]{64}$/.test(text)) return `0x${text.slice(2).toUpperCase()}`;
  return leadingZero && /^0x[0-9a-f]{1,16}$/.test(text) ? `0x0${text.slice(2)}` : text;
}
