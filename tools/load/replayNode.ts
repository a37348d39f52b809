/**
 * A process that replays the responses of a recorded node (see recordChain.ts). It mines each transaction at once; the
 * receipt is the recorded one with the transaction's hash, payer, value and nonce. It returns 500 for a request that
 * was not recorded.
 *
 * Usage: replayNode.ts <file with a Recording>. Prints its URL, and on SIGTERM the number of requests by method.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseTransaction,
} from 'viem';
import { multicall3 } from '../../engine/index.ts';
import { exitSelector, probeSelector, stateSelector, unpackCall, unpackWords } from '../../engine/tools/index.ts';
import type { ProxiedCall } from '../../sandbox/index.ts';
import { isGroup, recordsOfGroup, resultBytes } from '../../server/payments/index.ts';
import type { Recording } from './recordChain.ts';
import { replayKey } from './replayKey.ts';
import { createProofReplay } from './replayProof.ts';

/** Gas of one transfer in a group, measured on the sandbox's Base. */
const gasInGroup = 50_000n;
/** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes) */
const selector = 'cf092995';
const wordChars = 64;

const {
  replies,
  settled,
  tokenIn: wrapped,
  tokenOut,
} = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Recording;
const receiptText = replies.eth_getTransactionReceipt ?? '';
/** Mined payments by transaction hash, oldest first. Old ones are dropped, as the service rechecks a payment only once. */
const mined = new Map<Hex, { from: string; value: string; nonce: string }[]>();
const minedLimit = 50_000;

/** Block interval of Base. The first block is the recorded one. */
const blockMs = 2_000;
const startedAt = Date.now();

function blockNumber(): string {
  const { result } = JSON.parse(replies.eth_blockNumber ?? '{}') as { result: string };
  const now = Number(result) + Math.floor((Date.now() - startedAt) / blockMs);
  return JSON.stringify({ jsonrpc: '2.0', id: 0, result: `0x${now.toString(16)}` });
}

/** Number of calls by method, printed at the end. */
const callCounts = new Map<string, number>();
let requests = 0;

const withoutPrefix = (hex: string): string => hex.slice(2);

/** Stores the payments of a signed transaction. @returns its hash */
function mine(raw: Hex): Hex {
  const hash = keccak256(raw);
  const { data = '0x' } = parseTransaction(raw);
  if (mined.size >= minedLimit) mined.delete(mined.keys().next().value ?? '0x');
  if (isGroup(data)) mined.set(hash, recordsOfGroup(data));
  else {
    const words = data.indexOf(selector) + selector.length;
    const word = (index: number) => data.slice(words + index * wordChars, words + (index + 1) * wordChars);
    mined.set(hash, [{ from: word(0).slice(24), value: word(2), nonce: word(5) }]);
  }
  return hash;
}

const recordedReceipt = (JSON.parse(receiptText || '{}') as { result?: { logs: object[] } }).result;

/** The recorded receipt with the logs of this transaction's payments; null if it was not mined. */
function receiptOf(hash: Hex): unknown {
  const payments = mined.get(hash);
  if (!payments || !recordedReceipt) return null;
  const logs = payments.flatMap((payment, index) =>
    recordedReceipt.logs.map((log, at) => ({
      ...(JSON.parse(
        JSON.stringify(log)
          .replaceAll(withoutPrefix(settled.from), payment.from)
          .replaceAll(withoutPrefix(settled.value), payment.value)
          .replaceAll(withoutPrefix(settled.nonce), payment.nonce),
      ) as object),
      logIndex: `0x${(index * recordedReceipt.logs.length + at).toString(16)}`,
    })),
  );
  const text = JSON.stringify({ ...recordedReceipt, logs }).replaceAll(settled.hash, hash);
  return JSON.parse(text);
}

/** Result of the simulation of a group, in which every transfer succeeds. */
function simulateGroup(data: Hex): Hex {
  const word = (value: bigint) => value.toString(16).padStart(wordChars, '0');
  const one = word(1n) + word(gasInGroup) + '0'.repeat(2 * resultBytes - 2 * wordChars);
  return `0x${one.repeat(recordsOfGroup(data).length)}`;
}

const balanceOf = '0x70a08231';
const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[])',
]);

/** Result of a Multicall3 of payers: sufficient balances and unused authorizations. Undefined for any other call. */
function readFunds(data: Hex): Hex | undefined {
  if (!data.includes(balanceOf.slice(2))) return undefined;
  const { args } = decodeFunctionData({ abi: multicallAbi, data });
  if (!args[0][0]?.callData.startsWith(balanceOf)) return undefined;
  const result = args[0].map(({ callData }) => ({
    success: true,
    returnData: numberToHex(callData.startsWith(balanceOf) ? 10n ** 12n : 0n, { size: 32 }),
  }));
  return encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result });
}

/** A response that depends on the request; undefined if the recorded one is valid. */
function computeReply({ method, params }: ProxiedCall): { result: unknown } | undefined {
  if (method === 'eth_sendRawTransaction') return { result: mine(params[0] as Hex) };
  if (method === 'eth_sendRawTransactionSync') return { result: receiptOf(mine(params[0] as Hex)) };
  if (method === 'eth_getTransactionReceipt') return { result: receiptOf(params[0] as Hex) };
  if (method === 'eth_blockNumber') return { result: (JSON.parse(blockNumber()) as { result: string }).result };
  const { to, data = '0x' } = (method === 'eth_call' ? params[0] : {}) as { to?: Hex; data?: Hex };
  if (method !== 'eth_call') return undefined;
  if (!to) return isGroup(data) ? { result: simulateGroup(data) } : undefined;
  const funds = to.toLowerCase() === multicall3 ? readFunds(data) : undefined;
  return funds && { result: funds };
}

/** Whether `computeReply` has a response. Separate from it, because it mines broadcasts. */
const isComputed = (method: string, params: unknown[]): boolean => {
  if (method !== 'eth_call') return /^eth_(sendRawTransaction|getTransactionReceipt|blockNumber)/.test(method);
  const { to, data = '0x' } = params[0] as { to?: Hex; data?: Hex };
  return to ? to.toLowerCase() === multicall3 && readFunds(data) !== undefined : isGroup(data);
};

/** Replies to each call of a batch separately, with a computed or a recorded response. */
function replyToEach(calls: ProxiedCall[]): string | undefined {
  const answers = calls.map((call) => {
    const computed = computeReply(call);
    if (computed) return { jsonrpc: '2.0', id: call.id, ...computed };
    const recorded = replies[replayKey([call])];
    return recorded === undefined ? undefined : { ...(JSON.parse(recorded) as object), id: call.id };
  });
  if (answers.includes(undefined)) return undefined;
  return JSON.stringify(answers.length === 1 ? answers[0] : answers);
}

/** @returns the response body; undefined without a recording */
function answer(calls: ProxiedCall[]): string | undefined {
  const isPayment = calls.every(({ method }) => method !== 'eth_estimateGas' && method !== 'eth_getBlockByNumber');
  const hasComputed = calls.some(({ method, params }) => isComputed(method, params));
  if (isPayment && hasComputed) return replyToEach(calls);
  return withProofs(calls, replies[replayKey(calls)]);
}

/** A recorded answer without packing. */
const plain = (result: Hex): Hex => unpackWords(result) ?? '0x';

/** The last recorded answer of the state lens, about the pair that quotes sell. Checks read another pair. */
const recordedStates = Object.entries(replies)
  .filter(([key]) => !key.includes(exitSelector))
  .map(([key, text]) => ({
    at: key.split(', ').findIndex((call) => call.startsWith(`eth_call ${stateSelector}`)),
    text,
  }))
  .flatMap(({ at, text }) => {
    const parsed = JSON.parse(text) as { result: Hex }[];
    return at >= 0 && Array.isArray(parsed) ? [parsed[at]?.result as Hex] : [];
  })
  .at(-1);
const proofReplay = recordedStates && createProofReplay(plain(recordedStates), wrapped, tokenOut);

/** Replaces the recorded results of the plan lens by those of the requested plans. */
function withProofs(calls: ProxiedCall[], text: string | undefined): string | undefined {
  const isProof = ({ method, params: [call] }: ProxiedCall) =>
    method === 'eth_call' && unpackCall((call as { data?: Hex }).data ?? '0x').startsWith(probeSelector);
  if (text === undefined || !proofReplay || !calls.some(isProof)) return text;
  const parsed = JSON.parse(text) as { result: Hex } | { result: Hex }[];
  for (const [index, reply] of [parsed].flat().entries()) {
    const call = calls[index];
    if (call && isProof(call))
      reply.result = proofReplay(unpackCall((call.params[0] as { data: Hex }).data), plain(reply.result));
  }
  return JSON.stringify(parsed);
}

/** The same call with its lens's calldata unpacked. */
function toUnpacked(call: ProxiedCall): ProxiedCall {
  const [first, ...others] = call.params as [{ data?: Hex }, ...unknown[]];
  if (call.method !== 'eth_call' || !first.data) return call;
  return { ...call, params: [{ ...first, data: unpackCall(first.data) }, ...others] };
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const parsed = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ProxiedCall | ProxiedCall[];
  const calls = (Array.isArray(parsed) ? parsed : [parsed]).map(toUnpacked);
  const text = answer(calls);
  for (const { method } of calls) callCounts.set(method, (callCounts.get(method) ?? 0) + 1);
  requests += 1;
  if (text === undefined) process.stderr.write(`No recording for: ${replayKey(calls)}\n`);
  response.writeHead(text === undefined ? 500 : 200, { 'content-type': 'application/json' }).end(text ?? '{}');
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => {
  const counts = [...callCounts]
    .sort(([, left], [, right]) => right - left)
    .map(([method, count]) => `${method} ${count}`);
  process.stderr.write(`The node received ${requests} requests: ${counts.join(', ')}\n`);
  process.exit(0);
});
