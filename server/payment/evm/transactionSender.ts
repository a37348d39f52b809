import { type Address, type Hex, keccak256, parseTransaction } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { PaymentLogger } from '../cashierConfig.ts';
import { type ChainCall, ChainUnreachableError, NodeRefusalError } from '../chainCall.ts';
import type { JournaledTransaction } from '../ledger/ledgerTypes.ts';

export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Of the block that they were read at. */
  height: bigint;
}

/** What this sender has journaled is hex. */
export interface EvmTransaction extends JournaledTransaction {
  hash: Hex;
  raw: Hex;
}

export interface TransactionSender {
  /** @throws {ChainUnreachableError} @throws {NodeRefusalError} */
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
   * @throws {ChainUnreachableError} @throws {NodeRefusalError} before anything was signed.
   */
  reprice(transaction: EvmTransaction, journal: Journal): Promise<EvmTransaction | undefined>;
  /** The same bytes again. Never throws for what a node answers or does not answer: `unsure` is no answer. */
  resend(transaction: EvmTransaction): Promise<Broadcast>;
}

type Journal = (transaction: JournaledTransaction) => Promise<void>;
type Broadcast = 'sent' | 'unsure' | 'turnedAway';

/** Nodes take a replacement from 10 % above the old price; a little more leaves rounding aside. */
const replacementPrice = (price: bigint): bigint => (price * 9n) / 8n + 1n;
const highest = (left: bigint, right: bigint): bigint => (left > right ? left : right);

/** Nodes word it differently (geth, reth, erigon, nitro, anvil); each means: the node has these very bytes. */
const alreadyThere = /already known|already imported|known transaction|already exists/i;

/**
 * The only place where the facilitator's nonces are given out.
 *
 * One at a time: nonce, signature, journal, broadcast. Whoever would revert has been turned away by
 * estimateGas before the queue, so no hostile wallet can burn a nonce and leave a gap behind it.
 */
export function createTransactionSender(config: {
  account: PrivateKeyAccount;
  chainId: number;
  call: ChainCall;
  logger: PaymentLogger;
}): TransactionSender {
  const { account, chainId, call, logger } = config;
  let nextNonce: number | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function broadcast({ hash, raw }: EvmTransaction): Promise<Broadcast> {
    try {
      await call<Hex>('eth_sendRawTransaction', [raw]);
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
      return 'turnedAway';
    }
  }

  /** Twice the base fee covers six full blocks in a row; the tip is what the node suggests. */
  async function readFees(): Promise<Fees> {
    const [block, tip] = await Promise.all([
      call<{ number: Hex; baseFeePerGas?: Hex }>('eth_getBlockByNumber', ['latest', false]),
      call<Hex>('eth_maxPriorityFeePerGas', []),
    ]);
    const maxPriorityFeePerGas = BigInt(tip);
    const maxFeePerGas = 2n * BigInt(block.baseFeePerGas ?? '0x0') + maxPriorityFeePerGas;
    return { maxFeePerGas, maxPriorityFeePerGas, height: BigInt(block.number) };
  }

  async function readNonce(): Promise<number> {
    return Number(await call<Hex>('eth_getTransactionCount', [account.address, 'pending']));
  }

  async function signAndSend(
    call: { to: Address; data: Hex; gas: bigint; fees: Fees; nonce: number },
    journal: Journal,
  ): Promise<{ transaction: EvmTransaction; broadcast: Broadcast }> {
    const { to, data, gas, nonce, fees } = call;
    const { maxFeePerGas, maxPriorityFeePerGas, height } = fees;
    const raw = await account.signTransaction({
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
    const transaction = { hash: keccak256(raw), raw, nonce, fromBlock: height };
    await journal(transaction);
    return { transaction, broadcast: await broadcast(transaction) };
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  }

  return {
    readFees,
    send: (call, journal) =>
      inTurn(async () => {
        const nonce = nextNonce ?? (await readNonce());
        const sent = await signAndSend({ ...call, nonce }, journal);
        // Nonce too low, no gas money, underpriced …: our own count may be wrong, so the chain is asked next time.
        nextNonce = sent.broadcast === 'turnedAway' ? undefined : nonce + 1;
        return sent.transaction;
      }),
    async reprice({ raw, nonce }, journal) {
      const { to, data, gas, maxFeePerGas: paidFee = 0n, maxPriorityFeePerGas: paidTip = 0n } = parseTransaction(raw);
      const fees = await readFees();
      if (!to || !data || !gas || fees.maxFeePerGas <= paidFee) return undefined;
      const raised = {
        ...fees,
        maxFeePerGas: highest(fees.maxFeePerGas, replacementPrice(paidFee)),
        maxPriorityFeePerGas: highest(fees.maxPriorityFeePerGas, replacementPrice(paidTip)),
      };
      return (await inTurn(() => signAndSend({ to, data, gas, nonce, fees: raised }, journal))).transaction;
    },
    resend: broadcast,
  };
}
