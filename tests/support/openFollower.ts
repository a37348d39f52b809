import { numberToHex, pad } from 'viem';
import type { EvmTransaction } from '../../server/payments/networks/evm/evmTransaction.ts';
import type { Fees } from '../../server/payments/networks/evm/fees.ts';
import { createTransactionFollower, type Follower } from '../../server/payments/networks/evm/followTransactions.ts';
import { openKeyAccount } from '../../server/payments/networks/evm/keyAccount.ts';
import { createTransactionSender } from '../../server/payments/networks/evm/transactionSender.ts';
import { defaultTimings } from '../../server/payments/paymentConfig.ts';
import { createScriptedChain, twoSeconds } from './scriptedChain.ts';
import { keyOf, startMs } from './signedPayments.ts';
import type { VirtualTime } from './virtualTime.ts';

const account = openKeyAccount(keyOf(7));
const fees: Fees = { maxFeePerGas: 300n, maxPriorityFeePerGas: 100n, height: 5n, timestamp: 0n };
export const call = { to: pad('0x1', { size: 20 }), data: '0x01', gas: 100_000n, fees } as const;

/** A follower and a sender on a node that includes nothing by itself. */
export function openFollower(time: VirtualTime, { acceptsPreconfirmed = false } = {}) {
  const node = {
    head: 10,
    /** Transactions of the account in blocks, and those the node knows. */
    count: 7,
    pending: 7,
    baseFee: 100,
    receipts: new Map<string, object>(),
    fault: undefined as Error | undefined,
    /** The reply to a broadcast. */
    reply: async (): Promise<{ outcome: 'sent' | 'unknown' }> => ({ outcome: 'sent' }),
    journalFault: undefined as Error | undefined,
    open: [] as EvmTransaction[],
  };
  const log: [ms: number, method: string, params: unknown][] = [];
  const lines: object[] = [];
  const journaled: (readonly string[])[] = [];
  const closing = new AbortController();
  const seen = (method: string, params: unknown) => void log.push([time.now() - startMs, method, params]);
  const on = (method: string, result: (params: readonly unknown[]) => unknown) => (params: readonly unknown[]) => {
    seen(method, params);
    if (node.fault) throw node.fault;
    return result(params);
  };
  const { chain } = createScriptedChain({
    eth_blockNumber: on('eth_blockNumber', () => numberToHex(node.head)),
    eth_getTransactionReceipt: on('eth_getTransactionReceipt', ([hash]) => node.receipts.get(hash as string) ?? null),
    eth_getTransactionCount: on('eth_getTransactionCount', ([, tag]) =>
      numberToHex(tag === 'pending' ? node.pending : node.count),
    ),
    eth_getBlockByNumber: on('eth_getBlockByNumber', () => ({
      number: numberToHex(node.head),
      timestamp: '0x1',
      baseFeePerGas: numberToHex(node.baseFee),
    })),
    eth_maxPriorityFeePerGas: on('eth_maxPriorityFeePerGas', () => '0x64'),
  });
  const write = (facts: object, message: string) => void lines.push({ ...facts, message });
  const logger = { info: write, warn: write, error: write };
  const sender = createTransactionSender({
    account,
    chainId: 8453,
    chain: {
      ...chain,
      sendRaw(raw, awaitReceipt) {
        seen('sendRaw', [raw, awaitReceipt]);
        return node.reply();
      },
    },
    ledger: {
      journalNext: async (_keys, { from }, sign) => sign(from),
      async journalAll(keys) {
        if (node.journalFault) throw node.journalFault;
        journaled.push(keys);
      },
      loadOpenTransactions: async () => node.open,
    },
    logger,
  });
  const follower = createTransactionFollower({
    ...{ network: 'eip155:8453', chain, sender, account: account.address, acceptsPreconfirmed, interval: twoSeconds },
    ...{ timings: defaultTimings, logger, signal: closing.signal },
  });
  /** The times at which a method was called, in milliseconds since the start. */
  const timesOf = (method: string) => log.filter(([, name]) => name === method).map(([ms]) => ms);
  const paramsOf = (method: string) => log.filter(([, name]) => name === method).map(([, , params]) => params);
  const include = ({ hash }: EvmTransaction, block = node.head) =>
    node.receipts.set(hash, { status: '0x1', transactionHash: hash, blockNumber: numberToHex(block), logs: [] });
  /** Sends a transaction, after which the log is empty. */
  async function send(): Promise<EvmTransaction> {
    const sent = await sender.send(call, ['a']);
    log.length = 0;
    return sent;
  }
  return { node, log, lines, journaled, closing, sender, follower, timesOf, paramsOf, include, send };
}

export const payer = (key: string, affordable: bigint | undefined = 10n ** 15n): Follower => ({
  key,
  affordableWei: async () => affordable,
});
/** Follows, and keeps the end in `ended`. */
export function followIn({ follower }: ReturnType<typeof openFollower>, sent: EvmTransaction[], member = payer('a')) {
  const result: { end?: object; error?: unknown } = {};
  follower.follow(sent, member).then(
    (end) => {
      result.end = end;
    },
    (error) => {
      result.error = error;
    },
  );
  return result;
}
