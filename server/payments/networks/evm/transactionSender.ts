import { type Address, type Hex, keccak256, parseTransaction } from 'viem';
import type { PaymentLogger, SharedKeys } from '../../cashierConfig.ts';
import { type Chain, ChainUnreachableError, NodeRefusalError } from '../../chainCall.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { KeyAccount } from './keyAccount.ts';
import { count, header, quantity, word } from './nodeAnswers.ts';

export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Of the block that they were read at. */
  height: bigint;
  timestamp: bigint;
}

/** What this sender has journaled is hex. */
export interface EvmTransaction extends JournaledTransaction {
  hash: Hex;
  raw: Hex;
}

export interface TransactionSender {
  /** At most a second old: many payments at once share one look. @throws {ChainUnreachableError} @throws {NodeRefusalError} */
  readFees(): Promise<Fees>;
  /**
   * Signs a call with the next nonce, writes it down, sends it. After `journal` resolved it counts as sent,
   * whatever the node said: a lost reply and a lost request look the same.
   *
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} before anything was signed.
   */
  send(call: { to: Address; data: Hex; gas: bigint; fees: Fees }, journal: Journal): Promise<EvmTransaction>;
  /**
   * The same call with the same nonce at the fees of now; undefined when those are no reason to.
   *
   * @param mostWei what its gas may cost at most; undefined too when the least raise is above that
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} before anything was signed.
   */
  reprice(transaction: EvmTransaction, journal: Journal, mostWei: bigint): Promise<EvmTransaction | undefined>;
  /**
   * Whether a nonce before its own is missing at the node, so that it waits for nothing; the next nonce is then counted anew.
   *
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  isStranded(transaction: EvmTransaction): Promise<boolean>;
  /** The same bytes again. Never throws for what a node answers or does not answer: `unsure` is no answer. */
  resend(transaction: EvmTransaction): Promise<Broadcast>;
}

type Journal = (transaction: JournaledTransaction) => Promise<void>;
type Broadcast = 'sent' | 'unsure' | 'turnedAway' | 'tooLate';

/** A block's time on the fastest of chains; the price that we offer leaves room for six dearer blocks. */
const feesLifeMs = 1_000;
/** 10 gwei, and 2,000 on Polygon, whose coin costs a ten-thousandth: no node may have us give more of our gas away. */
const dearestTip = (chainId: number): bigint => (chainId === 137 ? 2_000n : 10n) * 10n ** 9n;
/** Nodes take a replacement from 10 % above the old price; a little more leaves rounding aside. */
const replacementPrice = (price: bigint): bigint => (price * 9n) / 8n + 1n;
export const lowest = (left: bigint, right: bigint): bigint => (left < right ? left : right);
const highest = (left: bigint, right: bigint): bigint => (left > right ? left : right);

/** Nodes word it differently (geth, reth, erigon, nitro, anvil); each means: the node has these very bytes. */
const alreadyThere = /already known|already imported|known transaction|already exists/i;

/** Somebody else has used the nonce: our count is behind the chain's. */
const tooLow = /nonce too low|nonce is too low|old nonce|invalid nonce/i;

/**
 * The only place where the facilitator's nonces are given out.
 *
 * One at a time, over all processes that share the key: nonce, signature, journal; a process that has the key alone lets
 * journals be written together. The broadcast is outside the queue, so that a node that hangs holds up one payment and
 * not all behind it; nodes keep a nonce that comes early until the one before it is there, and who watches a transaction
 * sends it again until then. Whoever would revert has been turned away by estimateGas before the queue, so no hostile
 * wallet can burn a nonce and leave a gap behind it.
 */
export function createTransactionSender(config: {
  account: KeyAccount;
  chainId: number;
  chain: Pick<Chain, 'call' | 'callProven'>;
  logger: PaymentLogger;
  /** Absent: no other process has the key. */
  sharedKeys?: SharedKeys | undefined;
}): TransactionSender {
  const { account, chainId, logger, sharedKeys } = config;
  const { call, callProven } = config.chain;
  const accountName = `eip155:${chainId}|${account.address.toLowerCase()}`;
  let nextNonce: number | undefined;
  const onTheirWay = new Set<number>();
  /** Below the next one, and given to nobody. */
  let freed: number[] = [];
  let queue: Promise<unknown> = Promise.resolve();

  async function broadcast({ hash, raw }: EvmTransaction): Promise<Broadcast> {
    try {
      await call('eth_sendRawTransaction', [raw], word);
      return 'sent';
    } catch (error) {
      if (error instanceof ChainUnreachableError) {
        logger.warn({ chainId, hash }, 'No reply to a broadcast; the receipt will tell');
        return 'unsure';
      }
      if (!(error instanceof NodeRefusalError)) throw error;
      if (alreadyThere.test(error.answer)) return 'sent';
      logger.warn(
        { chainId, hash, code: error.code, answer: error.answer.slice(0, 120) },
        'A node refused a broadcast',
      );
      return tooLow.test(error.answer) ? 'tooLate' : 'turnedAway';
    }
  }

  /** The count is asked for anew when it was too low, or when nothing stands behind what was turned away. */
  async function broadcastFirst(transaction: EvmTransaction): Promise<void> {
    const { nonce } = transaction;
    const outcome = await broadcast(transaction);
    onTheirWay.delete(nonce);
    if (outcome === 'tooLate' || (outcome === 'turnedAway' && nextNonce === nonce + 1)) nextNonce = undefined;
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

  /** A wrong one would leave all that follow waiting behind a gap. */
  const readPendingCount = (): Promise<number> =>
    callProven('eth_getTransactionCount', [account.address, 'pending'], count);

  async function countNext(): Promise<void> {
    const counted = await readPendingCount();
    // The chain does not know yet of what is just being sent.
    const next = Math.max(counted, ...[...onTheirWay].map((nonce) => nonce + 1));
    freed = freed.filter((nonce) => nonce >= counted && nonce < next);
    nextNonce = next;
  }

  /**
   * Undefined when the count has to be asked for first. Nothing may be awaited between this and `giveNonce`: a nonce
   * that is freed meanwhile would be lost.
   */
  const takeOwnNonce = (): number | undefined => (nextNonce === undefined ? undefined : (freed.shift() ?? nextNonce));

  /** Where others give out nonces of the same account, the journal tells which are taken: the first free one is next. */
  async function readSharedNonce({ takenNonces }: SharedKeys): Promise<number> {
    let nonce = await readPendingCount();
    const taken = new Set(await takenNonces(accountName, nonce));
    while (taken.has(nonce)) nonce += 1;
    return nonce;
  }

  function sign(call: { to: Address; data: Hex; gas: bigint; fees: Fees; nonce: number }): EvmTransaction {
    const { to, data, gas, nonce, fees } = call;
    const { maxFeePerGas, maxPriorityFeePerGas, height } = fees;
    const raw = account.sign({
      type: 'eip1559',
      chainId,
      nonce,
      to,
      data,
      gas,
      value: 0n,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    return { hash: keccak256(raw), raw, nonce, account: accountName, fromBlock: height };
  }

  /** Where the key is this process's alone, the next nonce need not wait until this one is on disk. */
  function giveNonce(nonce: number, written: Promise<void>): Promise<void> {
    nextNonce = Math.max(nextNonce ?? 0, nonce + 1);
    onTheirWay.add(nonce);
    return written.catch((cause: unknown) => {
      onTheirWay.delete(nonce);
      // It was never sent, and those behind it wait for it: the next one takes it.
      if (nextNonce === nonce + 1) nextNonce = nonce;
      else freed.push(nonce);
      throw cause;
    });
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = queue.then(() => (sharedKeys ? sharedKeys.inTurn(accountName, work) : work()));
    queue = turn.catch(() => undefined);
    return turn;
  }

  let shared: { fees: Promise<Fees>; until: number } | undefined;
  function shareFees(): Promise<Fees> {
    if (!shared || Date.now() >= shared.until) {
      const fees = readFees();
      const look = { fees, until: Date.now() + feesLifeMs };
      shared = look;
      fees.catch(() => {
        if (shared === look) shared = undefined;
      });
    }
    return shared.fees;
  }

  return {
    readFees: shareFees,
    async send(call, journal) {
      const { transaction, written } = await inTurn(async () => {
        let nonce = sharedKeys ? await readSharedNonce(sharedKeys) : takeOwnNonce();
        while (nonce === undefined) {
          await countNext();
          nonce = takeOwnNonce();
        }
        const signed = sign({ ...call, nonce });
        const writing = giveNonce(nonce, journal(signed));
        // Others find taken nonces in the journal alone.
        if (sharedKeys) await writing;
        return { transaction: signed, written: writing };
      });
      await written;
      await broadcastFirst(transaction);
      return transaction;
    },
    async reprice({ raw, nonce }, journal, mostWei) {
      const { to, data, gas, maxFeePerGas: paidFee = 0n, maxPriorityFeePerGas: paidTip = 0n } = parseTransaction(raw);
      const fees = await readFees();
      // Only a higher base fee requires a higher price: our tip may have been capped on purpose.
      const tip = lowest(fees.maxPriorityFeePerGas, replacementPrice(paidTip));
      const wanted = fees.maxFeePerGas - fees.maxPriorityFeePerGas + tip;
      if (!to || !data || !gas || wanted <= paidFee) return undefined;
      const [least, most] = [replacementPrice(paidFee), mostWei / gas];
      if (least > most) return undefined;
      const raised = {
        ...fees,
        maxFeePerGas: lowest(highest(wanted, least), most),
        maxPriorityFeePerGas: replacementPrice(paidTip),
      };
      const transaction = sign({ to, data, gas, nonce, fees: raised });
      await journal(transaction);
      await broadcast(transaction);
      return transaction;
    },
    async isStranded({ nonce }) {
      if ((await readPendingCount()) >= nonce) return false;
      nextNonce = undefined;
      return true;
    },
    resend: broadcast,
  };
}
