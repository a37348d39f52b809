import { getAddress, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import {
  type FirstTransfer,
  type RpcReply,
  RpcTransportError,
  toLowerAddress,
  VendorUnavailableError,
} from '../ports.ts';
import { transferTopic } from '../transport/transferTopic.ts';
import { confirmFirstTransfer } from './confirmFirstTransfer.ts';

const token = toLowerAddress(`0x${'aa'.repeat(20)}`);
const stranger = toLowerAddress(`0x${'bb'.repeat(20)}`);
const sender = toLowerAddress(`0x${'cc'.repeat(20)}`);
const transactionHash = `0x${'11'.repeat(32)}` as const;
const options = { signal: new AbortController().signal };

const actual: FirstTransfer = {
  blockNumber: 700n,
  timestamp: 1_700_000_000,
  sender,
  transactionHash,
  source: 'explorer',
};
const log = { address: getAddress(token), topics: [transferTopic], blockNumber: '0x2bc', transactionHash };
const replies = {
  eth_getBlockByNumber: { number: '0x2bc', hash: `0x${'22'.repeat(32)}`, timestamp: numberToHex(actual.timestamp) },
  eth_getLogs: [log] as unknown,
  eth_getTransactionReceipt: { logs: [log] } as unknown,
  eth_getTransactionByHash: { hash: transactionHash, from: sender } as unknown,
};

/** Confirms a claim against a chain with the given replies; an Error becomes a JSON-RPC error. */
function confirm(claim: FirstTransfer | null, chain: Partial<Record<keyof typeof replies, unknown>> = {}) {
  const answers: Record<string, unknown> = { ...replies, ...chain };
  const source = { label: 'explorer', fetchFirstTransfer: async () => claim };
  const endpoint = {
    label: 'chain',
    send: async (calls: readonly { method: string }[]): Promise<RpcReply[]> =>
      calls.map(({ method }) => {
        const result = answers[method];
        return result instanceof Error ? { error: { code: -32000, message: result.message } } : { result };
      }),
  };
  return confirmFirstTransfer(source, [endpoint])
    .fetchFirstTransfer(token, options)
    .catch((error: unknown) => (error instanceof VendorUnavailableError ? `${error.vendor} ${error.fault}` : error));
}
const refused = new Error('pruned');

test('returns a claim that the chain confirms', async () => {
  expect(await confirm(actual)).toEqual(actual);
  expect(await confirm({ ...actual, transactionHash: null })).toEqual({ ...actual, transactionHash: null });
});

test('accepts logs of the block or the receipt alone, and adds a missing sender', async () => {
  expect(await confirm(actual, { eth_getLogs: refused })).toEqual(actual);
  const pruned = { eth_getTransactionReceipt: null, eth_getTransactionByHash: null };
  expect(await confirm(actual, pruned)).toEqual(actual);
  expect(await confirm({ ...actual, sender: null })).toEqual(actual);
});

test('returns null when the source has no transfer', async () => {
  expect(await confirm(null)).toBeNull();
});

test.each([
  ['a timestamp before the block’s', { timestamp: 1_400_000_000 }, {}],
  ['another sender', { sender: stranger }, {}],
  ['a missing block', {}, { eth_getBlockByNumber: null }],
  [
    'a block without a transfer of the token',
    {},
    { eth_getLogs: [], eth_getTransactionReceipt: { logs: [{ ...log, address: stranger }] } },
  ],
  [
    'another transaction',
    { transactionHash: `0x${'33'.repeat(32)}` as const },
    { eth_getTransactionReceipt: null, eth_getTransactionByHash: null },
  ],
  [
    'a receipt of another block',
    {},
    { eth_getLogs: [], eth_getTransactionReceipt: { logs: [{ ...log, blockNumber: '0x2bd' }] } },
  ],
  ['a node that returns errors', {}, { eth_getLogs: refused, eth_getTransactionReceipt: refused }],
  ['a node that returns malformed results', {}, { eth_getLogs: 'logs', eth_getTransactionReceipt: 7 }],
])('throws VendorUnavailableError (unconfirmed) for %s', async (_case, claim, chain) => {
  expect(await confirm({ ...actual, ...claim }, chain)).toBe('explorer unconfirmed');
});

test('throws VendorUnavailableError (unconfirmed) when the chain cannot be read', async () => {
  const send = async () => {
    throw new RpcTransportError('unreachable');
  };
  const source = { label: 'explorer', fetchFirstTransfer: async () => actual };
  const confirmed = confirmFirstTransfer(source, [{ label: 'chain', send }]).fetchFirstTransfer(token, options);
  await expect(confirmed).rejects.toMatchObject({ name: 'VendorUnavailableError', fault: 'unconfirmed' });
});
