import { type Hex, keccak256 } from 'viem';
import {
  falsifyCallBlock,
  falsifyChainId,
  falsifyHeader,
  type ProxiedCall,
  type RpcFault,
} from '../../sandbox/index.ts';
import { failing, rewriting } from '../rpcFaults/rewriteReplies.ts';
import type { NamedFault, NodeFaultRule } from './faultInjector.ts';
import type { PayChain } from './payments.ts';
import type { Random } from './random.ts';

const named = (name: string, fault: RpcFault): NamedFault<RpcFault> => ({ name, fault });

const broadcasts = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync', 'sendTransaction'];
const broadcastIn = (calls: readonly ProxiedCall[]): ProxiedCall | undefined =>
  calls.find(({ method }) => broadcasts.includes(method));
export const isBroadcast = (calls: readonly ProxiedCall[]): boolean => broadcastIn(calls) !== undefined;

/** Faults that any node can have. */
function anyFault(random: Random): NamedFault<RpcFault> {
  return random.pick([
    named('drops the request', { kind: 'drop' }),
    named('loses the reply', { kind: 'loseReply' }),
    named('truncates the reply', { kind: 'truncate' }),
    named('closes the connection mid-reply', { kind: 'halfClose' }),
    named('is slow', { kind: 'delay', ms: random.between(50, 2_500) }),
    named('returns 500', { kind: 'status', status: 500, body: 'oops' }),
    named('returns 429', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
    named('returns HTML', { kind: 'html' }),
    named('hangs', { kind: 'hang' }),
    named('returns an oversized reply', { kind: 'flood', bytes: 12_000_000 }),
    named(
      'returns null',
      rewriting(() => null),
    ),
    named('refuses', {
      kind: 'rewrite',
      reply: () => '{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"limit"}}',
    }),
  ]);
}

/** Faults of EVM nodes only. */
const evmFault = (random: Random): NamedFault<RpcFault> =>
  random.pick([
    named('returns empty bytes', {
      kind: 'rewrite',
      reply: (text) => text.replace(/"result":"0x[0-9a-f]+"/, '"result":"0x"'),
    }),
    named(
      'returns a wrong block timestamp',
      falsifyHeader((header) => ({ ...header, timestamp: '0x1' })),
    ),
    named(
      'returns a wrong block number',
      falsifyCallBlock(2, (block) => block + 1n),
    ),
    named('reports another chain id', falsifyChainId(1)),
  ]);

/** Injects random faults into a share of the requests. */
export const intermittent =
  (random: Random, chain: PayChain, share: number): NodeFaultRule =>
  () => {
    if (!random.chance(share)) return undefined;
    return chain !== 'solana' && random.chance(0.3) ? evmFault(random) : anyFault(random);
  };

/** Drops every request. */
export const unreachable: NodeFaultRule = () => named('is unreachable', { kind: 'drop' });

/** Delays every request. */
export const slow =
  (random: Random): NodeFaultRule =>
  () =>
    named('is slow', { kind: 'delay', ms: random.between(500, 4_000) });

/** Errors that nodes return for a transaction that they have accepted. */
const broadcastErrors = [
  { code: -32000, message: 'already known' },
  { code: -32000, message: 'nonce too low' },
  { code: -32000, message: 'replacement transaction underpriced' },
  { code: -32000, message: 'insufficient funds for gas * price + value' },
  { code: -32603, message: 'Internal error' },
  { code: -32003, message: 'Transaction signature verification failure' },
  { code: 3, message: 'execution reverted' },
];

/** Returns a transaction hash without forwarding the transaction. */
function discardBroadcast(calls: readonly ProxiedCall[], broadcast: ProxiedCall): RpcFault {
  const result = broadcast.method === 'sendTransaction' ? '1'.repeat(87) : keccak256(broadcast.params[0] as Hex);
  const replies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: result }));
  return { kind: 'status', status: 200, body: JSON.stringify(replies.length > 1 ? replies : replies[0]) };
}

/** Injects faults into 80 % of the broadcasts. */
export const mishandlesBroadcasts =
  (random: Random): NodeFaultRule =>
  (calls) => {
    const broadcast = broadcastIn(calls);
    if (!broadcast || random.chance(0.2)) return undefined;
    return random.pick([
      named(
        'accepts a transaction and returns an error',
        failing(() => true, random.pick(broadcastErrors)),
      ),
      named('accepts a transaction and loses the reply', { kind: 'loseReply' }),
      named('discards a transaction', discardBroadcast(calls, broadcast)),
      named('delays a transaction', { kind: 'delay', ms: random.between(2_000, 7_000) }),
    ]);
  };

/** Accepts transactions but returns no receipts, as a load balancer with a lagging node would. */
export const lagging: NodeFaultRule = (calls) => {
  const receiptMethods = ['eth_getTransactionReceipt', 'getSignatureStatuses'];
  if (!calls.some(({ method }) => receiptMethods.includes(method))) return undefined;
  return named(
    'returns no receipt yet',
    rewriting(({ method, params }, result) => {
      if (method === 'eth_getTransactionReceipt') return null;
      return method === 'getSignatureStatuses'
        ? { ...(result as object), value: (params[0] as string[]).map(() => null) }
        : result;
    }),
  );
};

/** Solana only: reports included transactions as `processed` and not as `confirmed`. */
export const unconfirmed: NodeFaultRule = (calls) =>
  calls.some(({ method }) => method === 'getSignatureStatuses')
    ? named(
        'reports no confirmation yet',
        rewriting(({ method }, result) => {
          if (method !== 'getSignatureStatuses') return result;
          const { value, ...rest } = result as { value: (object | null)[] };
          return { ...rest, value: value.map((status) => status && { ...status, confirmationStatus: 'processed' }) };
        }),
      )
    : undefined;

const zeroWord = `0x${'00'.repeat(32)}`;

/** Replies of a node of another network whose block number is far ahead. */
const otherNetworkReplies: Record<string, (result: unknown) => unknown> = {
  eth_chainId: () => '0x1',
  eth_getTransactionReceipt: () => null,
  eth_getTransactionCount: () => '0xffff',
  eth_getLogs: () => [],
  eth_getCode: () => '0x',
  eth_call: () => zeroWord,
  getGenesisHash: () => 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  getSignatureStatuses: (result) => ({ ...(result as object), value: [null] }),
  getSignaturesForAddress: () => [],
  getBlockHeight: () => 300_000_000,
  getSlot: () => 300_000_000,
  isBlockhashValid: (result) => ({ ...(result as object), value: false }),
  getAccountInfo: (result) => ({ ...(result as object), value: null }),
  simulateTransaction: (result) => ({ ...(result as object), value: { err: 'BlockhashNotFound', logs: [] } }),
};

/** Replaces replies by those of another network. */
export const wrongNetwork: NodeFaultRule = () =>
  named(
    'serves another network',
    rewriting(({ method }, result) => otherNetworkReplies[method]?.(result) ?? result),
  );
