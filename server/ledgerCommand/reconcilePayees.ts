import { decodePaymentResponseHeader } from '@x402/core/http';
import { type Address, encodeFunctionData, erc20Abi, type Hex, pad } from 'viem';
import { type ChainCall, isChainError, toQuantity } from '../payments/chainCall.ts';
import { header, quantity, rawQuantity } from '../payments/networks/evm/nodeAnswers.ts';
import { transferTopic } from '../payments/networks/evm/paidInReceipt.ts';
import { readReceipt } from '../payments/networks/evm/readReceipt.ts';
import { findBlockAt, type IncomingTransfer, readTransfersTo } from '../payments/networks/evm/readTransfersTo.ts';
import { openChain } from '../payments/openChain.ts';
import { type EvmNetworkConfig, isSvm, type PaymentNetworkConfig } from '../payments/paymentConfig.ts';
import type { PaidEntry, PaymentBook, TimeRange } from '../storage/index.ts';

/** The ledger and the token of one network compared. Amounts in raw units of USDC. */
export interface Reconciliation {
  network: string;
  payTo: string;
  /** Undefined if the chain could not be read. */
  blocks?: { first: bigint; last: bigint };
  ledger: { payments: number; units: bigint };
  chain: { transfers: number; units: bigint };
  /** The payee's balance before the first and after the last block; undefined if it could not be read. */
  balance: { before: bigint | undefined; after: bigint | undefined };
  transfersWithoutPayment: IncomingTransfer[];
  paymentsWithoutTransfer: PaidEntry[];
  /** Sentences about what could not be compared. */
  unread: string[];
}

const rpcTimeoutMs = 8_000;
const dayMs = 86_400_000;
/** Receipts that are read for payments whose transfer is not in the range; more are reported as unread. */
const maxReceipts = 500;

function transactionOf({ paymentResponse }: PaidEntry): string | undefined {
  if (paymentResponse === null) return undefined;
  try {
    return decodePaymentResponseHeader(paymentResponse).transaction.toLowerCase();
  } catch {
    return undefined;
  }
}

const keyOf = (transaction: string | undefined, payer: string) => `${transaction}|${payer.toLowerCase()}`;

/** Finds for each transfer a payment with its transaction, payer and amount. Each payment is used once. */
function matchTransfers(entries: readonly PaidEntry[], transfers: readonly IncomingTransfer[]) {
  const open = new Map<string, PaidEntry[]>();
  for (const entry of entries) {
    const key = keyOf(transactionOf(entry), entry.payer);
    open.set(key, [...(open.get(key) ?? []), entry]);
  }
  const matched = new Map<PaidEntry, IncomingTransfer>();
  const unmatched = transfers.filter((transfer) => {
    const candidates = open.get(keyOf(transfer.transaction, transfer.from)) ?? [];
    // An amount that an earlier version did not record fits any transfer of the payer in that transaction.
    const exact = candidates.findIndex(({ amount }) => amount !== null && BigInt(amount) === transfer.units);
    const index = exact >= 0 ? exact : candidates.findIndex(({ amount }) => amount === null);
    const [entry] = index >= 0 ? candidates.splice(index, 1) : [];
    if (entry) matched.set(entry, transfer);
    return entry === undefined;
  });
  return { matched, unmatched };
}

/** Whether the receipt of a payment's transaction contains its transfer, to the payee of that time. */
async function hasTransfer(call: ChainCall, { asset, payTo }: EvmNetworkConfig, entry: PaidEntry): Promise<boolean> {
  const transaction = transactionOf(entry);
  if (!transaction) return false;
  const receipt = await readReceipt(call, transaction as Hex);
  const payee = pad((entry.payTo ?? payTo) as Address).toLowerCase();
  return (receipt?.status === '0x1' ? receipt.logs : []).some(
    ({ address, topics: [topic, from, to], data }) =>
      address.toLowerCase() === asset.toLowerCase() &&
      topic === transferTopic &&
      from?.toLowerCase() === pad(entry.payer as Address).toLowerCase() &&
      to?.toLowerCase() === payee &&
      (entry.amount === null || BigInt(data) === BigInt(entry.amount)),
  );
}

/** The payments among `entries` whose transaction does not pay, and the number that could not be read. */
async function findWithoutTransfer(call: ChainCall, network: EvmNetworkConfig, entries: readonly PaidEntry[]) {
  const missing: PaidEntry[] = [];
  let unread = Math.max(0, entries.length - maxReceipts);
  for (const entry of entries.slice(0, maxReceipts)) {
    try {
      if (!(await hasTransfer(call, network, entry))) missing.push(entry);
    } catch (error) {
      if (!isChainError(error)) throw error;
      unread += 1;
    }
  }
  return { missing, unread };
}

/** Undefined if the node refuses, for example because it does not keep the state of that block. */
async function readBalance(call: ChainCall, { asset, payTo }: EvmNetworkConfig, block: bigint) {
  if (block < 0n) return 0n;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [payTo] });
  try {
    return await call('eth_call', [{ to: asset, data }, toQuantity(block)], quantity);
  } catch (error) {
    if (!isChainError(error)) throw error;
    return undefined;
  }
}

/** The blocks whose time is in the range. @throws {ChainUnreachableError} @throws {JsonRpcError} */
async function readBlocks(call: ChainCall, { from, to }: TimeRange) {
  const { number } = await call('eth_getBlockByNumber', ['latest', false], header);
  const first = await findBlockAt(call, BigInt(Math.ceil(from / 1_000)), number);
  return { first, last: (await findBlockAt(call, BigInt(Math.ceil(to / 1_000)), number)) - 1n };
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, units) => sum + units, 0n);
const recorded = (entries: readonly PaidEntry[]): bigint => sumOf(entries.map(({ amount }) => BigInt(amount ?? 0)));

async function reconcileEvm(network: EvmNetworkConfig, book: PaymentBook, range: TimeRange): Promise<Reconciliation> {
  const { chainId, payTo } = network;
  const { callVerified: call } = openChain(network, rpcTimeoutMs, {
    method: 'eth_chainId',
    shape: rawQuantity,
    matches: (networkId) => Number(networkId) === chainId,
  });
  const blocks = await readBlocks(call, range);
  const { transfers, unread } = await readTransfersTo(call, network, blocks);
  // A payment may have been settled after the day of its first request.
  const wide = await book.paid(network.network, { from: range.from - dayMs, to: range.to + dayMs });
  const { matched, unmatched } = matchTransfers(wide, transfers);
  const isInRange = ({ createdAt }: PaidEntry) => createdAt >= range.from && createdAt < range.to;
  const open = wide.filter((entry) => isInRange(entry) && !matched.has(entry));
  const without = await findWithoutTransfer(call, network, open);
  const counted = [...matched.keys(), ...without.missing];
  const unknownAmounts = counted.filter(({ amount }) => amount === null).length;
  return {
    ...{ network: network.network, payTo, blocks },
    ledger: { payments: counted.length, units: recorded(counted) },
    chain: { transfers: transfers.length, units: sumOf(transfers.map(({ units }) => units)) },
    balance: {
      before: await readBalance(call, network, blocks.first - 1n),
      after: await readBalance(call, network, blocks.last),
    },
    transfersWithoutPayment: unmatched,
    paymentsWithoutTransfer: without.missing,
    unread: [
      ...unread.map(({ first, last }) => `No node returned the transfers of blocks ${first} to ${last}.`),
      ...(without.unread > 0 ? [`The receipts of ${without.unread} payments were not read.`] : []),
      ...(unknownAmounts > 0 ? [`${unknownAmounts} payments of an earlier version have no recorded amount.`] : []),
    ],
  };
}

async function unreadable(
  { network, payTo }: PaymentNetworkConfig,
  book: PaymentBook,
  range: TimeRange,
  cause: string,
) {
  const entries = await book.paid(network, range);
  return {
    ...{ network, payTo, ledger: { payments: entries.length, units: recorded(entries) } },
    ...{ chain: { transfers: 0, units: 0n }, balance: { before: undefined, after: undefined } },
    ...{ transfersWithoutPayment: [], paymentsWithoutTransfer: [], unread: [cause] },
  };
}

/**
 * Compares the payments of the ledger with the transfers to the payee, on each network. Reads only.
 * @param range its start must be the time of a block that the nodes have
 */
export function reconcilePayees(
  networks: readonly PaymentNetworkConfig[],
  book: PaymentBook,
  range: TimeRange,
): Promise<Reconciliation[]> {
  return Promise.all(
    networks.map(async (network) => {
      if (isSvm(network)) return unreadable(network, book, range, 'Transfers on Solana are not compared.');
      try {
        return await reconcileEvm(network, book, range);
      } catch (error) {
        if (!isChainError(error)) throw error;
        return unreadable(network, book, range, `The chain could not be read: ${error.message}`);
      }
    }),
  );
}
