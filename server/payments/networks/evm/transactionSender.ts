import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, type Hex, parseTransaction } from 'viem';
import { type Chain, ChainUnreachableError, NodeRefusalError, type RawSent } from '../../chainCall.ts';
import type { JournaledTransaction, PaymentLedger } from '../../ledger/ledgerTypes.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import { shareRead } from '../../shareRead.ts';
import type { KeyAccount } from './keyAccount.ts';
import { count, header, quantity } from './nodeAnswers.ts';

export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Of the block that they were read at. */
  height: bigint;
  timestamp: bigint;
}

/** Bytes and hash of this sender's transactions are hex. */
export interface EvmTransaction extends JournaledTransaction {
  hash: Hex;
  raw: Hex;
}

/** A call to sign; without `to` it creates a contract. */
export interface UnsignedCall {
  to?: Address;
  data: Hex;
  gas: bigint;
  fees: Fees;
}

export interface TransactionSender {
  /** At most one and a half seconds old: concurrent payments share one read. @throws {ChainUnreachableError} @throws {NodeRefusalError} */
  readFees(): Promise<Fees>;
  /**
   * Signs a call with the next nonce, journals it for all its payments, broadcasts it. Once journaled it counts as sent,
   * whatever the node returns: a lost reply and a lost request look the same. A group's reply is awaited for some
   * milliseconds only; `pendingBroadcast` has the rest.
   *
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} before anything was signed.
   */
  send(call: UnsignedCall, keys: readonly string[]): Promise<EvmTransaction>;
  /**
   * The same call with the same nonce at current fees; undefined when those do not require it.
   *
   * @param mostWei the most that its gas may cost; undefined too when the least raise is above that
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} before anything was signed.
   */
  reprice(transaction: EvmTransaction, keys: readonly string[], mostWei: bigint): Promise<EvmTransaction | undefined>;
  /**
   * Broadcasts the journaled transactions before this one that the node lacks, whichever replica signed them: a replica
   * that hangs between journal and broadcast must not delay the others.
   *
   * @returns whether a nonce before its own is in no journal, so that no node can include it
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  fillGap(transaction: EvmTransaction): Promise<{ isStranded: boolean }>;
  /** Resolves with the pending reply to a broadcast; undefined if the reply has arrived. */
  pendingBroadcast(hash: Hex): Promise<void> | undefined;
  /** Broadcasts the same bytes again. Never throws for what a node returns: `unsure` is no reply. */
  resend(transaction: EvmTransaction): Promise<Broadcast>;
  /** A block contains the transaction, so nonces up to its own are used. */
  noteIncluded(transaction: EvmTransaction): void;
}

type Broadcast = 'sent' | 'unsure' | 'rejected' | 'tooLate';

/** A block's time on the fastest of chains; the price that we offer leaves room for six dearer blocks. */
const feesLifeMs = 1_000;
/** Well below the minute for which the journal keeps the nonces of ended payments. */
const countLifeMs = 20_000;
/**
 * Delay between a group's broadcast and the request for its receipt. Many nodes execute a batch concurrently, so the head
 * beside a receipt in the reply is too old; requesting the receipt early saves a round trip.
 */
const groupReplyMs = 25;
/** 10 gwei, and 2,000 on Polygon, whose coin is cheap: limits the tip that a node can suggest. */
const dearestTip = (chainId: number): bigint => (chainId === 137 ? 2_000n : 10n) * 10n ** 9n;
/** Nodes take a replacement from 10 % above the old price; a little more leaves rounding aside. */
const replacementPrice = (price: bigint): bigint => (price * 9n) / 8n + 1n;
export const lowest = (left: bigint, right: bigint): bigint => (left < right ? left : right);
const highest = (left: bigint, right: bigint): bigint => (left > right ? left : right);

/** Messages of geth, reth, erigon, nitro and anvil for a transaction that the node already has. */
const alreadyThere = /already known|already imported|known transaction|already exists/i;

/** Another transaction has used the nonce: our count is behind the chain's. */
const tooLow = /nonce too low|nonce is too low|old nonce|invalid nonce/i;

/**
 * Signs and broadcasts the transactions of one account.
 *
 * The journal gives out nonces, in the step that records the transaction. No lock is held during a node request, so
 * neither a slow node nor a replica that hangs delays another replica. A journaled transaction can be broadcast again
 * by any replica, so a nonce is never lost with the process that took it.
 */
export function createTransactionSender(config: {
  account: KeyAccount;
  chainId: number;
  chain: Pick<Chain, 'call' | 'callProven' | 'sendRaw'>;
  logger: PaymentLogger;
  ledger: Pick<PaymentLedger, 'journalAll' | 'journalNext' | 'loadOpenTransactions'>;
  /** Called with what a node returned for a transaction that it has included. */
  onIncluded?(hash: Hex, included: NonNullable<RawSent['included']>): void;
}): TransactionSender {
  const { account, chainId, logger, ledger } = config;
  const { call, callProven, sendRaw } = config.chain;
  const name = `eip155:${chainId}|${account.address.toLowerCase()}`;

  async function broadcast({ hash, raw }: EvmTransaction, awaitReceipt: boolean): Promise<Broadcast> {
    try {
      const { outcome, included } = await sendRaw(raw, awaitReceipt);
      if (included) config.onIncluded?.(hash, included);
      return outcome;
    } catch (error) {
      if (error instanceof ChainUnreachableError) {
        logger.warn({ chainId, hash }, 'No reply to a broadcast; its receipt will show the outcome');
        return 'unsure';
      }
      if (!(error instanceof NodeRefusalError)) throw error;
      if (alreadyThere.test(error.answer)) return 'sent';
      logger.warn(
        { chainId, hash, code: error.code, answer: error.answer.slice(0, 120) },
        'A node refused a broadcast',
      );
      return tooLow.test(error.answer) ? 'tooLate' : 'rejected';
    }
  }

  /** Twice the base fee covers six full blocks in a row; the tip is what the node suggests. */
  async function readFees(): Promise<Fees> {
    const [block, tip] = await Promise.all([
      // Where a search for what is signed now will begin.
      callProven('eth_getBlockByNumber', ['latest', false], header),
      call('eth_maxPriorityFeePerGas', [], quantity),
    ]);
    const maxPriorityFeePerGas = lowest(tip, dearestTip(chainId));
    const maxFeePerGas = 2n * (block.baseFeePerGas ?? 0n) + maxPriorityFeePerGas;
    return { maxFeePerGas, maxPriorityFeePerGas, height: block.number, timestamp: block.timestamp };
  }

  /** A wrong count would leave all that follow waiting behind a gap. */
  const readPendingCount = (): Promise<number> =>
    callProven('eth_getTransactionCount', [account.address, 'pending'], count);

  function sign({ to, data, gas, nonce, fees }: UnsignedCall & { nonce: number }): EvmTransaction {
    const { maxFeePerGas, maxPriorityFeePerGas, height } = fees;
    const { raw, hash } = account.sign({
      type: 'eip1559',
      chainId,
      nonce,
      ...(to && { to }),
      data,
      gas,
      value: 0n,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    return { hash, raw, nonce, account: name, fromBlock: height };
  }

  const broadcasts = new Map<Hex, Promise<void>>();
  function beginBroadcast(transaction: EvmTransaction): Promise<void> {
    const { hash } = transaction;
    const ended = broadcast(transaction, true)
      .then((outcome) => {
        if (outcome === 'tooLate' || outcome === 'rejected') forgetCount();
      })
      .finally(() => broadcasts.delete(hash));
    broadcasts.set(hash, ended);
    return ended;
  }

  const shareFees = shareRead(readFees, feesLifeMs);
  const counted = shareRead(readPendingCount, countLifeMs);
  /** Above the highest nonce seen in a block. Without it the journal would search all nonces of the count's lifetime. */
  let included = 0;
  const forgetCount = (): void => {
    included = 0;
    counted.forget();
  };

  return {
    readFees: shareFees.read,
    async send(unsigned, keys) {
      const from = Math.max(await counted.read(), included);
      // The journal returns what was signed here.
      const transaction = (await ledger.journalNext(keys, { name, from }, (nonce) =>
        sign({ ...unsigned, nonce }),
      )) as EvmTransaction;
      const replied = beginBroadcast(transaction);
      await (keys.length > 1 ? Promise.race([replied, sleep(groupReplyMs)]) : replied);
      return transaction;
    },
    async reprice({ raw, nonce }, keys, mostWei) {
      const { to, data, gas, maxFeePerGas: paidFee = 0n, maxPriorityFeePerGas: paidTip = 0n } = parseTransaction(raw);
      const fees = await readFees();
      // Only a higher base fee requires a higher price: our tip may have been capped on purpose.
      const tip = lowest(fees.maxPriorityFeePerGas, replacementPrice(paidTip));
      const wanted = fees.maxFeePerGas - fees.maxPriorityFeePerGas + tip;
      if (!data || !gas || wanted <= paidFee) return undefined;
      const [least, most] = [replacementPrice(paidFee), mostWei / gas];
      if (least > most) return undefined;
      const raised = {
        ...fees,
        maxFeePerGas: lowest(highest(wanted, least), most),
        maxPriorityFeePerGas: replacementPrice(paidTip),
      };
      const transaction = sign({ ...(to && { to }), data, gas, nonce, fees: raised });
      await ledger.journalAll(keys, transaction);
      await broadcast(transaction, false);
      return transaction;
    },
    async fillGap({ nonce }) {
      const from = await readPendingCount();
      if (from >= nonce) return { isStranded: false };
      const open = (await ledger.loadOpenTransactions(name, { from, below: nonce })) as EvmTransaction[];
      for (const transaction of open) await broadcast(transaction, false);
      if (open.length === nonce - from) return { isStranded: false };
      forgetCount();
      return { isStranded: true };
    },
    pendingBroadcast: (hash) => broadcasts.get(hash),
    resend: (transaction) => broadcast(transaction, false),
    noteIncluded({ nonce }) {
      included = Math.max(included, nonce + 1);
    },
  };
}
