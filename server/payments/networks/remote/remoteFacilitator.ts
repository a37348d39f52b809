import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWith } from '../../../time/endWith.ts';
import type { CashierTimings, PaymentLogger, RemoteFacilitator } from '../../cashierConfig.ts';
import { isChainTrouble } from '../../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { PaymentWitness } from '../../paymentWitness.ts';
import { readLateFate } from '../../readLateFate.ts';
import type { Recheck } from '../../recheck.ts';
import { untilTold } from '../../untilTold.ts';
import {
  createFacilitatorClient,
  type FacilitatorQuestion,
  FacilitatorUnansweredError,
  type SettleAnswer,
} from './facilitatorClient.ts';

/** What is particular to a family of networks. */
export interface RemoteFamily<Payment> {
  witness: PaymentWitness<Payment>;
  payerOf(payment: Payment): string;
  sameWallet(left: string, right: string): boolean;
  /** What names a transaction there. */
  transactionPattern: RegExp;
  /** Whether wallets must be told a fee payer that only the facilitator can name. */
  needsFeePayer: boolean;
  /** Where the chain may drop what has paid: looks for it. */
  openRecheck?: (signal: AbortSignal) => Recheck;
}

type Question<Payment> = Pick<SettleTask<Payment>, 'payment' | 'envelope' | 'terms'>;

/** How one request to settle ended. */
type Asked =
  | Extract<SettleOutcome, { kind: 'settled' | 'refused' }>
  /** It may have been done, or may yet be. */
  | { kind: 'unsure' }
  | { kind: 'neverArrived' };

/** Codes go into a header of ours, so they must look like codes. */
const toReason = (reason: string | null | undefined): string =>
  reason && reason.length <= 80 && /^[a-z]+(_[a-z0-9]+)+$/.test(reason) ? reason : 'facilitator_refused';

/**
 * Reasons that come from looking at the payment before anything is sent. The others may stand for a transaction that
 * is on its way, and `already used` for one that has arrived.
 */
const isBeforeSending = (reason: string): boolean =>
  /^invalid_|^insufficient_funds$/.test(reason) && !/already_used|transaction_failed|transaction_state/.test(reason);

/** We have looked at the signature and the terms ourselves; some facilitators say so of a node that is down. */
const contradictsUs = (reason: string): boolean =>
  /_signature(_invalid)?$|_address$|^unsupported_|invalid_network$|_network_mismatch$/.test(reason);

type Refused = Extract<SettleOutcome, { kind: 'refused' }>;

/** Facilitator errors for a payment that was already settled or used. */
const isUseReason = (reason: string): boolean => /already_used|duplicate_settlement/.test(reason);

const refused = (reason: string): Refused => ({
  kind: 'refused',
  reason,
  detail: `The facilitator does not settle this payment (${reason}). Sign a new one.`,
});

/** Asked of an RPC in the meantime: a hung request must not keep us from seeing that the money has moved. */
const pollMs = 2_000;

/** So often one is asked for a settlement that the chain has dropped, before it is given up. */
const againLimit = 20;

/** A second apart: our node may be blocks behind the one that a facilitator looks at. */
const looksBeforeRefusal = 3;

/**
 * Settles payments of one network through a facilitator elsewhere: verify, then settle.
 *
 * Its word is taken for what it can be held to: a refusal that comes from looking and that the chain does not belie, a
 * settlement of this payer on this network. Whatever else it answers, or does not, is doubt; the chain, seen through our
 * own RPC, decides it. Before it is asked to settle, the ledger knows. Asking again is safe: a payment moves money once,
 * whoever sends it.
 */
export function createRemoteFacilitator<Payment>(
  config: { network: string; remote: RemoteFacilitator },
  family: RemoteFamily<Payment>,
  timings: CashierTimings,
  logger: PaymentLogger,
): Facilitator<Payment> {
  const { network } = config;
  const { witness, payerOf, sameWallet, transactionPattern, needsFeePayer } = family;
  const client = createFacilitatorClient(config.remote, timings);
  const closing = new AbortController();
  const { signal } = closing;
  setMaxListeners(0, signal);
  const patience = { signal, logger, network };
  const recheck = family.openRecheck?.(signal);

  const questionOf = ({ envelope, terms }: Question<Payment>): FacilitatorQuestion => ({
    x402Version: 2,
    paymentPayload: JSON.parse(envelope.canonicalPayload),
    paymentRequirements: terms,
  });
  const isPayer = (told: string | null | undefined, payment: Payment): boolean =>
    typeof told === 'string' && sameWallet(told, payerOf(payment));

  async function askToVerify(task: Question<Payment>): Promise<Exclude<VerifyOutcome, { kind: 'used' }>> {
    try {
      const { isValid, invalidReason, payer } = await client.verify(questionOf(task), signal);
      const reason = toReason(invalidReason);
      if (isValid && (!payer || isPayer(payer, task.payment))) return { kind: 'valid' };
      if (!isValid && !contradictsUs(reason)) return refused(reason);
      logger.error({ network, isValid, reason }, 'The facilitator contradicts what we have seen of a payment');
    } catch (error) {
      if (!(error instanceof FacilitatorUnansweredError)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be verified');
    }
    return { kind: 'unavailable' };
  }

  /** A payment that the facilitator refuses may already have paid in a third party's transaction. */
  async function findUse(payment: Payment, refusal: Refused): Promise<SettleOutcome> {
    try {
      const fate = await witness.readFate(payment);
      if (fate.kind !== 'unused') return fate;
      // Our node may be behind the facilitator's.
      return isUseReason(refusal.reason) ? { kind: 'unknown' } : refusal;
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'The use of a payment cannot be read now');
      return { kind: 'unknown' };
    }
  }

  async function verify(task: Question<Payment>): Promise<VerifyOutcome> {
    const verified = await askToVerify(task);
    if (verified.kind !== 'refused') return verified;
    const found = await findUse(task.payment, verified);
    if (found.kind === 'refused') return found;
    return found.kind === 'settled' ? { kind: 'used' } : { kind: 'unavailable' };
  }

  function judge(answer: SettleAnswer, payment: Payment): Asked {
    const { success, transaction, payer } = answer;
    if (!success) return refused(toReason(answer.errorReason));
    const fits = isPayer(payer, payment) && answer.network === network && transactionPattern.test(transaction ?? '');
    if (fits && transaction) return { kind: 'settled', transaction };
    logger.error({ network }, 'The facilitator tells of a settlement that is not the one it was asked for');
    return { kind: 'unsure' };
  }

  async function askToSettle(task: Question<Payment>, until: AbortSignal): Promise<Asked> {
    try {
      return judge(await client.settle(questionOf(task), until), task.payment);
    } catch (error) {
      if (!(error instanceof FacilitatorUnansweredError)) throw error;
      if (!until.aborted)
        logger.warn({ network, cause: error.message }, 'No verdict on a settlement; the chain will tell');
      return { kind: error.neverArrived ? 'neverArrived' : 'unsure' };
    }
  }

  /** What the chain says for good; undefined while it can still change. */
  async function readEnd(payment: Payment, since: bigint): Promise<SettleOutcome | undefined> {
    const fate = await witness.readFate(payment, since);
    return fate.kind === 'unused' ? undefined : fate;
  }

  /** Asks, and looks at the chain until an answer comes: whichever knows first. */
  async function askAndWatch(task: Question<Payment>, since: bigint): Promise<Asked | SettleOutcome> {
    const watching = endWith(signal);
    const asked = askToSettle(task, watching.signal);
    const seen = (async () => {
      await sleep(pollMs, undefined, { signal: watching.signal }).catch(() => undefined);
      const told = await untilTold(() => readEnd(task.payment, since), { ...patience, signal: watching.signal });
      return told ?? asked;
    })();
    try {
      return await Promise.race([asked, seen]);
    } finally {
      watching.end();
      // Whoever comes second is not listened to any more.
      seen.catch(() => undefined);
    }
  }

  /**
   * A refusal that comes from looking, held against the chain: who is asked twice, or by two of its own, may find the
   * purse empty because it has just taken what was in it.
   */
  async function heldToChain(refusal: SettleOutcome, payment: Payment, since: bigint): Promise<SettleOutcome> {
    let looks = 0;
    const told = await untilTold(async () => {
      const end = await readEnd(payment, since);
      looks += 1;
      return end ?? (looks < looksBeforeRefusal ? undefined : refusal);
    }, patience);
    return told ?? { kind: 'unknown' };
  }

  async function findShortage({ checkFunds }: SettleTask<Payment>) {
    try {
      return await checkFunds();
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, "The payer's balance could not be read");
      return { kind: 'unavailable' as const };
    }
  }

  /** A first request that is known to have come to nothing leaves nothing to find out. */
  async function settleFirst(task: SettleTask<Payment>): Promise<SettleOutcome | { since: bigint }> {
    const [verified, shortage] = await Promise.all([askToVerify(task), findShortage(task)]);
    const [earlier] = task.sent;
    if (verified.kind === 'refused') {
      return earlier ? heldToChain(verified, task.payment, earlier.fromBlock) : findUse(task.payment, verified);
    }
    if (verified.kind !== 'valid') return verified;
    if (shortage) return shortage;
    let since: bigint;
    try {
      await witness.check();
      const position = await witness.readPosition();
      // What an earlier try was refused for may have moved the money since.
      since = earlier?.fromBlock ?? position;
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
    await task.journal({ hash: '', raw: '', nonce: 0, fromBlock: since });
    const asked = await askAndWatch(task, since);
    if (asked.kind === 'neverArrived') return { kind: 'unavailable' };
    if (asked.kind === 'unsure' || (asked.kind === 'refused' && !isBeforeSending(asked.reason))) return { since };
    return asked.kind === 'refused' ? heldToChain(asked, task.payment, since) : asked;
  }

  /** What the chain has dropped it is asked for once more, as long as nobody has brought it and it can still be used. */
  function watchForeign(task: Question<Payment>, { transaction, since }: { transaction: string; since: bigint }): void {
    let left = againLimit;
    recheck?.add({
      hash: transaction,
      async sendAgain() {
        const fate = await readLateFate(witness, task.payment, since);
        if (fate.kind === 'settled') return fate.transaction;
        left -= 1;
        if (fate.kind === 'over' || left === 0) return undefined;
        const asked = await askToSettle(task, signal);
        return asked.kind === 'settled' ? asked.transaction : transaction;
      },
    });
  }

  async function settle(task: SettleTask<Payment>): Promise<SettleOutcome> {
    let since = task.sent[0]?.fromBlock;
    const outcome = await settleOnce({
      ...task,
      journal(transaction) {
        since ??= transaction.fromBlock;
        return task.journal(transaction);
      },
    });
    if (outcome.kind === 'settled') watchForeign(task, { transaction: outcome.transaction, since: since ?? 0n });
    return outcome;
  }

  async function settleOnce(task: SettleTask<Payment>): Promise<SettleOutcome> {
    const [earlier] = task.wasRefused ? [] : task.sent;
    const first = earlier ? { since: earlier.fromBlock } : await settleFirst(task);
    if ('kind' in first) return first;
    const { since } = first;
    let looks = 0;
    let nextAsk = 1;
    const outcome = await untilTold<SettleOutcome>(async () => {
      const end = await readEnd(task.payment, since);
      if (end) return end;
      looks += 1;
      if (looks < nextAsk) return undefined;
      // Asked again after 1, 2, 4 … looks, as each may cost it a failed transaction.
      nextAsk = looks * 2;
      const asked = await askAndWatch(task, since);
      // After a request whose end is not known, only the chain can say no.
      return asked.kind === 'settled' ? asked : undefined;
    }, patience);
    return outcome ?? { kind: 'unknown' };
  }

  /** @throws {PaymentNetworkMismatchError} @throws {FacilitatorUnansweredError} */
  async function readSupport(): Promise<Record<string, unknown>> {
    const { kinds } = await client.supported(signal);
    const kind = kinds.find(
      (known) => known.x402Version === 2 && known.scheme === 'exact' && known.network === network,
    );
    if (!kind) {
      throw new PaymentNetworkMismatchError(
        `The facilitator for ${network} does not settle scheme exact there. Give it another one, or a key of ours.`,
      );
    }
    return kind.extra ?? {};
  }

  return {
    network,
    async start() {
      try {
        await witness.check();
        await readSupport();
      } catch (error) {
        if (!isChainTrouble(error) && !(error instanceof FacilitatorUnansweredError)) throw error;
        logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
      }
    },
    async offerExtra() {
      if (!needsFeePayer) return {};
      try {
        const { feePayer } = await readSupport();
        return typeof feePayer === 'string' ? { feePayer } : undefined;
      } catch (error) {
        if (!(error instanceof FacilitatorUnansweredError) && !(error instanceof PaymentNetworkMismatchError))
          throw error;
        return undefined;
      }
    },
    examine: (payment, terms, nowSeconds) => witness.examine(payment, terms, nowSeconds),
    readFunds: (payment, open) => witness.readFunds(payment, open),
    verify,
    settle,
    readLateFate: (payment, sent) => readLateFate(witness, payment, sent[0]?.fromBlock ?? 0n),
    readGas: async () => undefined,
    // It sends its own.
    resend: async () => undefined,
    watch: () => undefined,
    watchForeign,
    close: () => closing.abort(),
  };
}
