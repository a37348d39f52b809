import { setMaxListeners } from 'node:events';
import { formatUnits, type Hex } from 'viem';
import type { CashierTimings, EvmPaymentNetwork, PaymentLogger, SharedKeys } from '../../cashierConfig.ts';
import { ChainUnreachableError, isChainTrouble } from '../../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import type { GasAllowance } from '../../gasAllowance.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import { readLateFate } from '../../readLateFate.ts';
import { untilTold } from '../../untilTold.ts';
import type { SignedAuthorization } from './authorization.ts';
import { readAuthorizationFate } from './authorizationFate.ts';
import { findGasFault, tryAhead } from './contractWallets.ts';
import { createEvmWitness, spentOutcome } from './evmWitness.ts';
import { openKeyAccount } from './keyAccount.ts';
import { quantity } from './nodeAnswers.ts';
import { createRecheck } from './recheckPaid.ts';
import type { TransferRefusal } from './revertReason.ts';
import { affordableGas, type CostReading, capCost, createCostReader } from './settlementCost.ts';
import { type SimulatedTransfer, simulateTransfer, type TransferNode, transferData } from './simulateTransfer.ts';
import { createTransactionSender, type EvmTransaction, type Fees } from './transactionSender.ts';
import { watchTransactions } from './watchTransactions.ts';

/** New transactions for one payment after its nonce went to another one; more means somebody else uses the key. */
const sendLimit = 5;
/** What one settlement takes, rounded up. */
const gasOfTransfer = 120_000n;
/** Calldata of the usual length: a transfer signed by an account without code. */
const usualData: Hex = `0x${'00'.repeat(356)}`;
/** A remote facilitator that settled here before has left no bytes of its own. */
const isOurs = ({ raw }: JournaledTransaction): boolean => raw !== '';
/** The journal of an EVM network holds what our sender wrote. */
const toEvm = (transaction: JournaledTransaction): EvmTransaction => transaction as EvmTransaction;

const toUsd = (microUsd: bigint): string => formatUnits(microUsd, 6);

/** Why nothing is sent. */
type Unsent = Extract<SettleOutcome, { kind: 'refused' | 'unavailable' | 'limited' }>;

/** What one settlement has cost so far. */
interface Spending {
  /** Taken from the contract wallets' budget, in millionths of a US dollar; zero for other payers. */
  held: bigint;
  /** The prices from which `held` was computed. */
  cost?: CostReading;
  /** Fees of transactions that failed on chain, in wei; undefined where the receipt does not contain them. */
  lost: (bigint | undefined)[];
}

/**
 * Settles EIP-3009 payments on one EVM network with a key of ours.
 *
 * An authorization's own nonce can move money once, whatever we send and however often; so sending
 * again is always safe for the payer, and the token's word about that nonce decides every doubt.
 */
export function createEvmFacilitator(
  config: EvmPaymentNetwork & { facilitatorKey: Hex },
  timings: CashierTimings,
  logger: PaymentLogger,
  { sharedKeys, contractWalletGas }: { sharedKeys?: SharedKeys | undefined; contractWalletGas: GasAllowance },
): Facilitator<SignedAuthorization> {
  const { network, chainId, asset } = config;
  const account = openKeyAccount(config.facilitatorKey);
  const witness = createEvmWitness(config, timings);
  const { call, callProven } = witness.chain;
  const costs = createCostReader(callProven, config.pricing);
  const node: TransferNode = { chain: witness.chain, chainId, account: account.address, asset };
  const sender = createTransactionSender({ account, chainId, chain: witness.chain, logger, sharedKeys });
  const closing = new AbortController();
  // Every settlement in flight sleeps on it.
  setMaxListeners(0, closing.signal);
  const recheck = createRecheck({
    network,
    call,
    everyMs: timings.recheckMs,
    logger,
    signal: closing.signal,
  });
  async function sendAgain(transaction: EvmTransaction): Promise<Hex | undefined> {
    return (await sender.resend(transaction)) === 'tooLate' ? undefined : transaction.hash;
  }
  const watch = (transaction: EvmTransaction, block: bigint): void =>
    recheck.add({ hash: transaction.hash, block, sendAgain: () => sendAgain(transaction) });
  const patience = { signal: closing.signal, logger, network };
  let warnedOfOverrides = false;

  /** @throws {ChainUnreachableError} @throws {NodeRefusalError} when there is no verdict on the payment. */
  async function simulate(
    payment: SignedAuthorization,
  ): Promise<(SimulatedTransfer & { fees: Fees }) | TransferRefusal> {
    const fees = await sender.readFees();
    const simulated = await simulateTransfer(node, payment, fees);
    return 'reason' in simulated ? simulated : { ...simulated, fees };
  }

  /**
   * Gas and fees for the transfer, or why it is not sent. Its maximum cost is below the price of the call.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  async function prepare(
    { payment, terms }: SettleTask<SignedAuthorization>,
    spending: Spending,
  ): Promise<{ kind: 'ready'; gas: bigint; fees: Fees } | Unsent> {
    const [simulated, cost] = await Promise.all([simulate(payment), costs.read(transferData(payment))]);
    if ('reason' in simulated) return { kind: 'refused', ...simulated };
    if (cost.kind === 'unreadable') {
      logger.error({ network, unreadable: cost.what }, 'The gas of a settlement cannot be priced');
      return {
        kind: 'unavailable',
        detail: `The cost of gas on that network is unknown: ${cost.what} cannot be read.`,
      };
    }
    const price = BigInt(terms.amount);
    const capped = capCost(chainId, { ...simulated, price, cost });
    if (capped.kind === 'tooDear') {
      const [costUsd, priceUsd] = [toUsd(capped.microUsd), toUsd(price)];
      logger.warn({ network, costUsd, priceUsd }, 'Gas costs more than the call');
      return {
        kind: 'unavailable',
        detail: `Settlement gas would cost up to ${costUsd} USD, and the call costs ${priceUsd} USD.`,
      };
    }
    const ready = { kind: 'ready' as const, gas: simulated.gas, fees: capped.fees };
    if (!simulated.isContract) return ready;
    const stop = await holdContractWallet(payment, simulated, { ...ready, cost, microUsd: capped.microUsd }, spending);
    return stop ?? ready;
  }

  /** Checks a contract wallet before gas is spent on it, and takes the maximum cost from the shared budget. */
  async function holdContractWallet(
    payment: SignedAuthorization,
    simulated: SimulatedTransfer,
    { gas, fees, cost, microUsd }: { gas: bigint; fees: Fees; cost: CostReading; microUsd: bigint },
    spending: Spending,
  ): Promise<Unsent | undefined> {
    const fault = findGasFault(simulated);
    if (fault) return { kind: 'refused', ...fault };
    const ahead = await tryAhead(node, payment, { gas, fees, head: simulated.head });
    if (ahead === 'rejected') {
      return {
        kind: 'refused',
        reason: 'invalid_exact_evm_transaction_simulation_failed',
        detail:
          'The contract wallet accepts this payment now and rejects it in a later block. Pay from another wallet.',
      };
    }
    if (ahead === 'unsupported' && !warnedOfOverrides) {
      warnedOfOverrides = true;
      logger.warn(
        { network },
        'The node does not support block overrides: only the gas budget limits contract wallets',
      );
    }
    const waitMs = await contractWalletGas.take(Number(microUsd));
    if (waitMs !== undefined) {
      return {
        kind: 'limited',
        detail:
          'The hourly gas budget for failed settlements of contract wallets is spent. Wallets without code can still pay.',
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      };
    }
    spending.held += microUsd;
    spending.cost = cost;
    return undefined;
  }

  /** Returns the unspent part to the budget. A success also returns its price, which refills what others spent. */
  async function releaseContractWallet({ held, cost, lost }: Spending, outcome: SettleOutcome, price: bigint) {
    if (held === 0n || outcome.kind === 'unknown') return;
    if (outcome.kind === 'settled') return contractWalletGas.giveBack(Number(held + price));
    const lostMicroUsd = lost.reduce<bigint>(
      (sum, fee) => sum + (cost && fee !== undefined ? cost.toMicroUsd(fee) : held),
      0n,
    );
    if (lostMicroUsd < held) await contractWalletGas.giveBack(Number(held - lostMicroUsd));
  }

  function send(
    task: SettleTask<SignedAuthorization>,
    { gas, fees }: { gas: bigint; fees: Fees },
  ): Promise<EvmTransaction> {
    return sender.send({ to: asset, data: transferData(task.payment), gas, fees }, task.journal);
  }

  /**
   * A rejected simulation does not show whether money moved: if the authorization is used, the transaction that used it
   * decides. While the chain does not show that transaction, the answer must not claim that nothing was charged.
   */
  async function findUse(
    payment: SignedAuthorization,
    refusal: TransferRefusal,
  ): Promise<Extract<SettleOutcome, { kind: 'settled' | 'refused' | 'unknown' }>> {
    try {
      const fate = await witness.readFate(payment);
      if (fate.kind !== 'unused') return fate;
      const isContradicted = refusal.reason === 'invalid_exact_evm_nonce_already_used';
      return isContradicted ? { kind: 'unknown' } : { kind: 'refused', ...refusal };
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'The use of an authorization cannot be read now');
      return { kind: 'unknown' };
    }
  }

  async function verify({ payment }: { payment: SignedAuthorization }): Promise<VerifyOutcome> {
    try {
      await witness.check();
      const simulated = await simulate(payment);
      if (!('reason' in simulated)) return { kind: 'valid' };
      const found = await findUse(payment, simulated);
      if (found.kind === 'refused') return found;
      return found.kind === 'settled' ? { kind: 'used' } : { kind: 'unavailable' };
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be verified');
      return { kind: 'unavailable' };
    }
  }

  async function sendFirst(
    task: SettleTask<SignedAuthorization>,
    spending: Spending,
  ): Promise<EvmTransaction | SettleOutcome> {
    try {
      await witness.check();
      const checkingFunds = task.checkFunds();
      // Awaited below; what `prepare` takes from a budget must be known before this ends.
      checkingFunds.catch(() => undefined);
      const prepared = await prepare(task, spending);
      if (prepared.kind === 'refused') {
        const found = await findUse(task.payment, prepared);
        // We cannot resend a third party's transaction if the chain drops it; the log reports that.
        if (found.kind === 'settled') recheck.add({ hash: found.transaction, sendAgain: async () => undefined });
        return found;
      }
      if (prepared.kind !== 'ready') return prepared;
      return (await checkingFunds) ?? (await send(task, prepared));
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
  }

  /** One round of finding out, with transactions out. Undefined: a new transaction has been sent, look again. */
  async function pursue(
    task: SettleTask<SignedAuthorization>,
    sent: EvmTransaction[],
    spending: Spending,
  ): Promise<SettleOutcome | undefined> {
    const { payment } = task;
    const seen = await watchTransactions({
      call,
      sender,
      account: account.address,
      payment,
      asset,
      sent,
      timings,
      signal: closing.signal,
    });
    const noncesSpent = () => new Set(sent.map(({ nonce }) => nonce)).size;

    /** A wrong count may have put it behind a gap that nobody fills; else it may have become too cheap. */
    async function replace(stuck: EvmTransaction): Promise<EvmTransaction | undefined> {
      if (!(await sender.isStranded(stuck))) {
        const cost = await costs.read(transferData(payment));
        if (cost.kind === 'unreadable') return undefined;
        return sender.reprice(stuck, task.journal, affordableGas(BigInt(task.terms.amount), cost));
      }
      if (noncesSpent() >= sendLimit) return undefined;
      logger.error({ network, hash: stuck.hash }, 'A nonce before that of a payment is missing; sending it anew');
      const prepared = await prepare(task, spending);
      return prepared.kind === 'ready' ? send(task, prepared) : undefined;
    }

    if (seen.kind === 'paid') {
      const ours = sent.find(({ hash }) => hash === seen.transaction);
      if (ours) watch(ours, BigInt(seen.block));
      return { kind: 'settled', transaction: seen.transaction };
    }

    if (seen.kind === 'stuck') {
      const newest = sent.at(-1);
      const next = newest && (await replace(newest));
      if (next) sent.push(next);
      return undefined;
    }
    const sentNow = sent.length > task.sent.filter(isOurs).length;
    // A failure that an earlier refusal counted is not counted again.
    if (seen.kind === 'reverted' && (sentNow || !task.wasRefused)) spending.lost.push(seen.fee);
    const at = seen.kind === 'reverted' ? seen.block : 'latest';
    const fate = await readAuthorizationFate(call, asset, payment, sent[0]?.fromBlock ?? 0n, at);
    if (fate.kind === 'paid') {
      // Somebody was faster: should the chain drop that one, ours pays.
      const ours = sent.at(-1);
      if (ours) recheck.add({ hash: fate.transaction, sendAgain: () => sendAgain(ours) });
      return { kind: 'settled', transaction: fate.transaction };
    }
    if (fate.kind === 'spent') return spentOutcome(fate.spent, payment);
    const simulated = await simulate(payment);
    if ('reason' in simulated) {
      // Used since we looked: the next round's logs tell by whom.
      if (simulated.reason === 'invalid_exact_evm_nonce_already_used') return undefined;
      return { kind: 'refused', ...simulated };
    }
    // What an earlier try left reverted is tried once more; what this try sent is not, or a wallet could make us burn gas.
    if ((seen.kind === 'reverted' && sentNow) || noncesSpent() >= sendLimit) {
      return {
        kind: 'refused',
        reason: 'invalid_exact_evm_transaction_failed',
        detail: 'The transfer failed on chain and moved nothing. Send the same payment again, or sign a new one.',
      };
    }
    const shortage = await task.checkFunds();
    if (shortage) return shortage;
    const prepared = await prepare(task, spending);
    if (prepared.kind !== 'ready') return prepared;
    sent.push(await send(task, prepared));
    return undefined;
  }

  /** What became of a payment that a remote facilitator was asked to settle. */
  async function readForeignFate({ payment, sent }: SettleTask<SignedAuthorization>) {
    return untilTold(() => witness.readFate(payment, sent[0]?.fromBlock ?? 0n), patience);
  }

  /** What a remote facilitator refused it may have settled later: then the token says that it is used. */
  async function heldToChain(task: SettleTask<SignedAuthorization>, refusal: SettleOutcome): Promise<SettleOutcome> {
    const fate = await readForeignFate(task);
    if (!fate) return { kind: 'unknown' };
    return fate.kind === 'settled' ? fate : refusal;
  }

  async function settle(task: SettleTask<SignedAuthorization>): Promise<SettleOutcome> {
    const sent = task.sent.filter(isOurs).map(toEvm);
    if (sent.length === 0 && task.sent.length > 0 && !task.wasRefused) {
      const fate = await readForeignFate(task);
      if (fate?.kind !== 'unused') return fate ?? { kind: 'unknown' };
    }
    const spending: Spending = { held: 0n, lost: [] };
    const outcome = await settleSent(task, sent, spending);
    await releaseContractWallet(spending, outcome, BigInt(task.terms.amount));
    return outcome.kind === 'refused' && spending.lost.length > 0 ? { ...outcome, failedOnChain: true } : outcome;
  }

  async function settleSent(
    task: SettleTask<SignedAuthorization>,
    sent: EvmTransaction[],
    spending: Spending,
  ): Promise<SettleOutcome> {
    if (sent.length === 0) {
      const first = await sendFirst(task, spending);
      if ('kind' in first) return first.kind === 'refused' && task.sent.length > 0 ? heldToChain(task, first) : first;
      sent.push(first);
    }
    return (await untilTold(() => pursue(task, sent, spending), patience)) ?? { kind: 'unknown' };
  }

  return {
    network,
    async start() {
      try {
        await witness.check();
      } catch (error) {
        if (!isChainTrouble(error)) throw error;
        logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
      }
    },
    offerExtra: async () => ({}),
    examine: (payment, terms, nowSeconds) => witness.examine(payment, terms, nowSeconds),
    readFunds: (payment, open) => witness.readFunds(payment, open),
    verify,
    settle,
    readLateFate: (payment, sent) => readLateFate(witness, payment, sent[0]?.fromBlock ?? 0n),
    async readGas() {
      const [balance, { maxFeePerGas }, cost] = await Promise.all([
        call('eth_getBalance', [account.address, 'latest'], quantity),
        sender.readFees(),
        costs.read(usualData),
      ]);
      if (cost.kind === 'unreadable') throw new ChainUnreachableError(`Not read: ${cost.what}.`);
      const settlement = gasOfTransfer * maxFeePerGas + cost.l1Fee;
      return balance / (settlement > 0n ? settlement : 1n);
    },
    async resend(transactions) {
      for (const transaction of transactions
        .filter(isOurs)
        .map(toEvm)
        .toSorted((left, right) => left.nonce - right.nonce)) {
        // Without a node there is no use in the rest; each settlement sends its own again.
        if ((await sender.resend(transaction)) === 'unsure') return;
      }
    },
    watch(paid) {
      // In a block behind the one at which it was signed.
      for (const transaction of paid.filter(isOurs).map(toEvm)) watch(transaction, transaction.fromBlock);
    },
    // Of a remote facilitator's, or anybody's: not to be sent again by us.
    watchForeign: () => undefined,
    close: () => closing.abort(),
  };
}
