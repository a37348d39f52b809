import { getAddress, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { type FirstTransfer, type RpcReply, RpcTransportError, VendorUnavailableError } from '../ports.ts';
import { transferTopic } from '../transport/transferTopic.ts';
import { confirmFirstTransfer } from './confirmFirstTransfer.ts';

const token = getAddress(`0x${'aa'.repeat(20)}`);
const stranger = getAddress(`0x${'bb'.repeat(20)}`);
const sender = getAddress(`0x${'cc'.repeat(20)}`);
const transactionHash = `0x${'11'.repeat(32)}` as const;
const options = { signal: new AbortController().signal };

const truth: FirstTransfer = {
  blockNumber: 700n,
  timestamp: 1_700_000_000,
  sender,
  transactionHash,
  source: 'explorer',
};
const log = { address: token.toLowerCase(), topics: [transferTopic], blockNumber: '0x2bc', transactionHash };
const replies = {
  eth_getBlockByNumber: { number: '0x2bc', hash: `0x${'22'.repeat(32)}`, timestamp: numberToHex(truth.timestamp) },
  eth_getLogs: [log] as unknown,
  eth_getTransactionReceipt: { logs: [log] } as unknown,
  eth_getTransactionByHash: { hash: transactionHash, from: sender } as unknown,
};

/** What becomes of a claim before a chain that answers as given; an Error stands for a refusal. */
function ask(claim: FirstTransfer | null, chain: Partial<Record<keyof typeof replies, unknown>> = {}) {
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

test('default: what the chain bears out is passed on', async () => {
  expect(await ask(truth)).toEqual(truth);
  expect(await ask({ ...truth, transactionHash: null })).toEqual({ ...truth, transactionHash: null });
});

test('behavior: logs of the block or the receipt are enough, and the chain’s sender fills a gap', async () => {
  expect(await ask(truth, { eth_getLogs: refused })).toEqual(truth);
  const pruned = { eth_getTransactionReceipt: null, eth_getTransactionByHash: null };
  expect(await ask(truth, pruned)).toEqual(truth);
  expect(await ask({ ...truth, sender: null })).toEqual(truth);
});

test('behavior: a source that knows none is not asked for proof', async () => {
  expect(await ask(null)).toBeNull();
});

test.each([
  ['an older time than the block’s', { timestamp: 1_400_000_000 }, {}],
  ['another sender', { sender: stranger }, {}],
  ['a block that is not there', {}, { eth_getBlockByNumber: null }],
  [
    'a block in which the token did not move',
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
  ['a node that tells nothing', {}, { eth_getLogs: refused, eth_getTransactionReceipt: refused }],
  ['a node that tells nonsense', {}, { eth_getLogs: 'logs', eth_getTransactionReceipt: 7 }],
])('error: VendorUnavailableError: unconfirmed for %s', async (_what, claim, chain) => {
  expect(await ask({ ...truth, ...claim }, chain)).toBe('explorer unconfirmed');
});

test('error: VendorUnavailableError: unconfirmed when the chain cannot be read', async () => {
  const send = async () => {
    throw new RpcTransportError('gone');
  };
  const source = { label: 'explorer', fetchFirstTransfer: async () => truth };
  const asked = confirmFirstTransfer(source, [{ label: 'chain', send }]).fetchFirstTransfer(token, options);
  await expect(asked).rejects.toMatchObject({ name: 'VendorUnavailableError', fault: 'unconfirmed' });
});
