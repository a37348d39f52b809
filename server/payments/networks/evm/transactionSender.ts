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
  /** At most one and a half seconds old: concurrent payments share one read. @throws {ChainUnreachableError} @throws {JsonRpcError} */
  readFees(): Promise<Fees>;
  /**
   * Signs a call with the next nonce, journals it for all its payments, broadcasts it. Once journaled it counts as sent,
   * whatever the node returns: a lost reply and a lost request look the same. A group's reply is awaited for some
   * milliseconds only; `pendingReply` has the rest.
   *
   * @throws {ChainUnreachableError} @throws {JsonRpcError} before anything was signed.
   */
  send(call: UnsignedCall, keys: readonly string[]): Promise<EvmTransaction>;
  /**
   * The same call with the same nonce at current fees; undefined when those do not require it.
   *
   * @param mostWei the most that its gas may cost; undefined too when the least raise is above that
   * @throws {ChainUnreachableError} @throws {JsonRpcError} before anything was signed.
   */
  reprice(transaction: EvmTransaction, keys: readonly string[], mostWei: bigint): Promise<EvmTransaction | undefined>;
  /**
   * Broadcasts the journaled transactions before this one that the node lacks, whichever replica signed them: a replica
   * that hangs between journal and broadcast must not delay the others.
   *
   * @returns whether a nonce before its own is in no journal, so that no node can include it
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  fillGap(transaction: EvmTransaction): Promise<{ isStranded: boolean }>;
  /** Resolves when the reply to a broadcast arrives; undefined if it has arrived. */
  pendingReply(hash: Hex): Promise<void> | undefined;
  /** Broadcasts the same bytes again. Never throws for what a node returns: `unknown` is no reply. */
  resend(transaction: EvmTransaction): Promise<Broadcast>;
  /** A block contains the transaction, so nonces up to its own are used. */
  noteIncluded(transaction: EvmTransaction): void;
}

/** A block's time on the fastest of chains; the price that we offer leaves room for six dearer blocks. */
const feesLifeMs = 1_000;
/** Well below the minute for which the journal keeps the nonces of ended payments. */
const countLifeMs = 20_000;
/**
 * Delay between a group's broadcast and the request for its receipt. Many nodes execute a batch concurrently, so the head
 * beside a receipt in the reply is too old; requesting the receipt early saves a round trip.
 */
const groupReplyMs = 25;
/** Nodes take a replacement from 10 % above the old price; a little more leaves rounding aside. */
const replacementPrice = (price: bigint): bigint => (price * 9n) / 8n + 1n;

interface SenderConfig extends BroadcasterConfig {
  account: KeyAccount;
  chain: Pick<Chain, 'call' | 'callVerified' | 'sendRaw'>;
  ledger: Pick<PaymentLedger, 'journalAll' | 'journalNext' | 'loadOpenTransactions'>;
}

/** The account's name in the journal. */
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
 * The journal gives out nonces, in the step that records the transaction. No lock is held during a node request, so
 * neither a slow node nor a replica that hangs delays another replica. A journaled transaction can be broadcast again
 * by any replica, so a nonce is never lost with the process that took it.
 */
export function createTransactionSender(config: SenderConfig): TransactionSender {
  const { account, chainId, chain, ledger } = config;
  const name = nameOf(chainId, account);
  const { broadcast, begin, pendingReply } = createBroadcaster(config);

  /** A wrong count would leave all that follow waiting behind a gap. */
  const readPendingCount = (): Promise<number> =>
    chain.callVerified('eth_getTransactionCount', [account.address, 'pending'], count);

  const readFreshFees = (): Promise<Fees> => readFees(chain, chainId);
  const shareFees = shareRead(readFreshFees, feesLifeMs);
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
        sign(config, { ...unsigned, nonce }),
      )) as EvmTransaction;
      const replied = begin(transaction, forgetCount);
      await (keys.length > 1 ? Promise.race([replied, sleep(groupReplyMs)]) : replied);
      return transaction;
    },
    async reprice({ raw, nonce }, keys, mostWei) {
      const { to, data, gas, maxFeePerGas: paidFee = 0n, maxPriorityFeePerGas: paidTip = 0n } = parseTransaction(raw);
      const fees = await readFreshFees();
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
