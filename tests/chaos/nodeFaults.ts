import { type Hex, keccak256 } from 'viem';
import { lieAboutChain, lieAboutHeader, lieInsideCalls, type ProxiedCall, type RpcFault } from '../../sandbox/index.ts';
import { failing, rewriting } from '../rpcFaults/rewriteReplies.ts';
import type { Dice } from './dice.ts';
import type { PayChain } from './payments.ts';
import type { Named, NodeSpell } from './spells.ts';

const named = (name: string, fault: RpcFault): Named<RpcFault> => ({ name, fault });

const broadcasts = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync', 'sendTransaction'];
const broadcastIn = (calls: readonly ProxiedCall[]): ProxiedCall | undefined =>
  calls.find(({ method }) => broadcasts.includes(method));
export const isBroadcast = (calls: readonly ProxiedCall[]): boolean => broadcastIn(calls) !== undefined;

/** What any node may do to any request. */
function anyFault(dice: Dice): Named<RpcFault> {
  return dice.pick([
    named('drops the request', { kind: 'drop' }),
    named('loses the reply', { kind: 'loseReply' }),
    named('cuts the reply', { kind: 'truncate' }),
    named('closes in the middle', { kind: 'halfClose' }),
    named('is slow', { kind: 'delay', ms: dice.between(50, 2_500) }),
    named('answers 500', { kind: 'status', status: 500, body: 'oops' }),
    named('answers 429', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
    named('answers a web page', { kind: 'html' }),
    named('hangs', { kind: 'hang' }),
    named('floods', { kind: 'flood', bytes: 12_000_000 }),
    named(
      'answers nothing',
      rewriting(() => null),
    ),
    named('refuses', {
      kind: 'rewrite',
      reply: () => '{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"limit"}}',
    }),
  ]);
}

/** What only nodes of EVM chains can do. */
const evmFault = (dice: Dice): Named<RpcFault> =>
  dice.pick([
    named('answers empty bytes', {
      kind: 'rewrite',
      reply: (text) => text.replace(/"result":"0x[0-9a-f]+"/, '"result":"0x"'),
    }),
    named(
      'lies about the time',
      lieAboutHeader((header) => ({ ...header, timestamp: '0x1' })),
    ),
    named(
      'lies about the block',
      lieInsideCalls(2, (block) => block + 1n),
    ),
    named('says it is of another chain', lieAboutChain(1)),
  ]);

/** A share of the requests fails, each in another way. */
export const nowAndThen =
  (dice: Dice, chain: PayChain, share: number): NodeSpell =>
  () => {
    if (!dice.chance(share)) return undefined;
    return chain !== 'solana' && dice.chance(0.3) ? evmFault(dice) : anyFault(dice);
  };

/** No request is answered at all. */
export const dead: NodeSpell = () => named('is dead', { kind: 'drop' });

/** Every request takes its time. */
export const slow =
  (dice: Dice): NodeSpell =>
  () =>
    named('is slow', { kind: 'delay', ms: dice.between(500, 4_000) });

/** Words that nodes have for a transaction that they have taken all the same. */
const refusals = [
  { code: -32000, message: 'already known' },
  { code: -32000, message: 'nonce too low' },
  { code: -32000, message: 'replacement transaction underpriced' },
  { code: -32000, message: 'insufficient funds for gas * price + value' },
  { code: -32603, message: 'Internal error' },
  { code: -32003, message: 'Transaction signature verification failure' },
  { code: 3, message: 'execution reverted' },
];

/** Says that it has it, and has forgotten it. */
function forget(calls: readonly ProxiedCall[], called: ProxiedCall): RpcFault {
  const told = called.method === 'sendTransaction' ? '1'.repeat(87) : keccak256(called.params[0] as Hex);
  const replies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: told }));
  return { kind: 'status', status: 200, body: JSON.stringify(replies.length > 1 ? replies : replies[0]) };
}

/** Nothing goes wrong but what is sent to the chain. */
export const careless =
  (dice: Dice): NodeSpell =>
  (calls) => {
    const called = broadcastIn(calls);
    if (!called || dice.chance(0.2)) return undefined;
    return dice.pick([
      named(
        'takes a transaction and answers an error',
        failing(() => true, dice.pick(refusals)),
      ),
      named('takes a transaction and loses the reply', { kind: 'loseReply' }),
      named('forgets a transaction', forget(calls, called)),
      named('holds a transaction back', { kind: 'delay', ms: dice.between(2_000, 7_000) }),
    ]);
  };

/** It has what is sent to it, and does not show it for a while: what is asked goes to one that lags behind. */
export const lagging: NodeSpell = (calls) => {
  const hides = ['eth_getTransactionReceipt', 'getSignatureStatuses'];
  if (!calls.some(({ method }) => hides.includes(method))) return undefined;
  return named(
    'shows no receipt yet',
    rewriting(({ method, params }, told) => {
      if (method === 'eth_getTransactionReceipt') return null;
      return method === 'getSignatureStatuses'
        ? { ...(told as object), value: (params[0] as string[]).map(() => null) }
        : told;
    }),
  );
};

/** Solana only: what has landed is not voted for yet. */
export const unconfirmed: NodeSpell = (calls) =>
  calls.some(({ method }) => method === 'getSignatureStatuses')
    ? named(
        'has not confirmed it yet',
        rewriting(({ method }, told) => {
          if (method !== 'getSignatureStatuses') return told;
          const { value, ...rest } = told as { value: (object | null)[] };
          return { ...rest, value: value.map((status) => status && { ...status, confirmationStatus: 'processed' }) };
        }),
      )
    : undefined;

const zeroWord = `0x${'00'.repeat(32)}`;

/** Answers of a node of another network to what payments ask: it knows nothing of ours, and is far ahead. */
const elsewhere: Record<string, (told: unknown) => unknown> = {
  eth_chainId: () => '0x1',
  eth_getTransactionReceipt: () => null,
  eth_getTransactionCount: () => '0xffff',
  eth_getLogs: () => [],
  eth_getCode: () => '0x',
  eth_call: () => zeroWord,
  getGenesisHash: () => 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  getSignatureStatuses: (told) => ({ ...(told as object), value: [null] }),
  getSignaturesForAddress: () => [],
  getBlockHeight: () => 300_000_000,
  getSlot: () => 300_000_000,
  isBlockhashValid: (told) => ({ ...(told as object), value: false }),
  getAccountInfo: (told) => ({ ...(told as object), value: null }),
  simulateTransaction: (told) => ({ ...(told as object), value: { err: 'BlockhashNotFound', logs: [] } }),
};

/** Whoever answers is of another network, in every word. */
export const ofAnotherNetwork: NodeSpell = () =>
  named(
    'is of another network',
    rewriting(({ method }, told) => elsewhere[method]?.(told) ?? told),
  );
