import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, type Hex, parseTransaction } from 'viem';
import type { Chain } from '../../chainCall.ts';
import type { PaymentLedger } from '../../ledger/ledgerTypes.ts';
import { shareRead } from '../../shareRead.ts';
import { type Broadcast, type BroadcasterConfig, createBroadcaster } from './broadcaster.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import { type Fees, highest, lowest, readFees } from './fees.ts';
import type { KeyAccount } from './keyAccount.ts';
import { count } from './nodeAnswers.ts';

/** A call to sign; without `to` it creates a contract. */
export interface UnsignedCall {
  to?: Address;
  data: Hex;
  gas: bigint;
  fees: Fees;
}

export interface TransactionSender {
  /** Fees, cached for at most 1.5 s. @throws {ChainUnreachableError} @throws {JsonRpcError} */
  readFees(): Promise<Fees>;
  /**
   * Signs a call with the next nonce, journals it for all its payments and broadcasts it. Once journaled it counts as
   * sent, even if the broadcast fails, because a lost reply and a lost request cannot be distinguished. The reply to a
   * group is awaited for at most 18 ms; afterwards, await `pendingReply`.
   *
   * @throws {ChainUnreachableError} @throws {JsonRpcError} nothing was signed
   * @throws {LedgerOrderError} another replica owns one of the payments; nothing was journaled
   */
  send(call: UnsignedCall, keys: readonly string[]): Promise<EvmTransaction>;
  /**
   * Replaces a transaction with the same call and nonce at current fees. Undefined if the current fees do not
   * require a raise, or the minimum raise would cost more than `maxWei`.
   *
   * @param maxWei maximum cost of the gas, in wei
   * @throws {ChainUnreachableError} @throws {JsonRpcError} nothing was signed
   * @throws {LedgerOrderError} another replica owns one of the payments; nothing was journaled
   */
  reprice(transaction: EvmTransaction, keys: readonly string[], maxWei: bigint): Promise<EvmTransaction | undefined>;
  /**
   * Broadcasts journaled transactions with lower nonces that the node lacks, of any replica: a replica that hangs between
   * journal and broadcast must not delay the others.
   *
   * @returns `isStranded`: a lower nonce is in no journal, so no block can include the transaction
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  fillGap(transaction: EvmTransaction): Promise<{ isStranded: boolean }>;
  /** Resolves when the reply to a broadcast arrives; undefined if it has arrived. */
  pendingReply(hash: Hex): Promise<void> | undefined;
  /** Broadcasts the same bytes again. Resolves with `unknown` if no node replies. */
  resend(transaction: EvmTransaction): Promise<Broadcast>;
  /** Records that a block includes the transaction, so all nonces up to its own are used. */
  noteIncluded(transaction: EvmTransaction): void;
}

/** Cache lifetime of fees. Older fees are usable, because `readFees` doubles the base fee. */
const feesLifeMs = 1_000;
/**
 * Cache lifetime of the transaction count; shorter than the minute for which the journal keeps nonces of ended
 * payments.
 */
const countLifeMs = 20_000;
/**
 * Delay between a group's broadcast and the request for its receipt. Many nodes execute a batch concurrently, so the head
 * in the reply is older than the receipt's block; requesting the receipt early saves a round trip.
 */
const groupReplyMs = 18;
/** Nodes accept a replacement at a price 10 % higher; 12.5 % is safe from rounding. */
const replacementPrice = (price: bigint): bigint => (price * 9n) / 8n + 1n;

interface SenderConfig extends BroadcasterConfig {
  account: KeyAccount;
  chain: Pick<Chain, 'call' | 'callVerified' | 'sendRaw'>;
  ledger: Pick<PaymentLedger, 'journalAll' | 'journalNext' | 'loadOpenTransactions'>;
}

/** The account's id in the journal. */
const nameOf = (chainId: number, { address }: KeyAccount): string => `eip155:${chainId}|${address.toLowerCase()}`;

function sign(
  { account, chainId }: Pick<SenderConfig, 'account' | 'chainId'>,
  { to, data, gas, nonce, fees }: UnsignedCall & { nonce: number },
): EvmTransaction {
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
  return { hash, raw, nonce, account: nameOf(chainId, account), fromBlock: height };
}

/**
 * Signs and broadcasts the transactions of one account.
 *
 * The journal assigns nonces when it records a transaction. No lock is held during a node request, so neither a slow node
 * nor a hanging replica delays another replica. Any replica can broadcast a journaled transaction again, so a nonce is
 * not lost with the process that used it.
 */
export function createTransactionSender(config: SenderConfig): TransactionSender {
  const { account, chainId, chain, ledger } = config;
  const name = nameOf(chainId, account);
  const { broadcast, begin, pendingReply } = createBroadcaster(config);

  /** Verified, because a count that is too high would leave a nonce gap before all new transactions. */
  const readPendingCount = (): Promise<number> =>
    chain.callVerified('eth_getTransactionCount', [account.address, 'pending'], count);

  const readFreshFees = (): Promise<Fees> => readFees(chain, chainId);
  const shareFees = shareRead(readFreshFees, feesLifeMs);
  const counted = shareRead(readPendingCount, countLifeMs);
  /** One above the highest included nonce. Without it the journal would search all nonces since the count was read. */
  let included = 0;
  const forgetCount = (): void => {
    included = 0;
    counted.forget();
  };

  return {
    readFees: shareFees.read,
    async send(unsigned, keys) {
      const from = Math.max(await counted.read(), included);
      // The journal returns the transaction that `sign` returned, hence the cast.
      const transaction = (await ledger.journalNext(keys, { name, from }, (nonce) =>
        sign(config, { ...unsigned, nonce }),
      )) as EvmTransaction;
      const replied = begin(transaction, forgetCount);
      await (keys.length > 1 ? Promise.race([replied, sleep(groupReplyMs)]) : replied);
      return transaction;
    },
    async reprice({ raw, nonce }, keys, maxWei) {
      const { to, data, gas, maxFeePerGas: paidFee = 0n, maxPriorityFeePerGas: paidTip = 0n } = parseTransaction(raw);
      const fees = await readFreshFees();
      // Raise only for a higher base fee. A tip below the current one may be intended: the price of the call limits it.
      const tip = lowest(fees.maxPriorityFeePerGas, replacementPrice(paidTip));
      const wanted = fees.maxFeePerGas - fees.maxPriorityFeePerGas + tip;
      if (!data || !gas || wanted <= paidFee) return undefined;
      const [least, most] = [replacementPrice(paidFee), maxWei / gas];
      if (least > most) return undefined;
      const raised = {
        ...fees,
        maxFeePerGas: lowest(highest(wanted, least), most),
        maxPriorityFeePerGas: replacementPrice(paidTip),
      };
      const transaction = sign(config, { ...(to && { to }), data, gas, nonce, fees: raised });
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
    pendingReply,
    resend: (transaction) => broadcast(transaction, false),
    noteIncluded({ nonce }) {
      included = Math.max(included, nonce + 1);
    },
  };
}
