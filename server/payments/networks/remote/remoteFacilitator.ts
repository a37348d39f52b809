import { setMaxListeners } from 'node:events';
import { isChainError } from '../../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { PaymentLogger, PaymentTimings, RemoteFacilitator } from '../../paymentConfig.ts';
import { checkAtStart, type PaymentVerifier } from '../../paymentVerifier.ts';
import { readLateStatus } from '../../readLateStatus.ts';
import type { Recheck } from '../../recheck.ts';
import type { SettlementObstacle } from '../../settlementState.ts';
import { createFacilitatorClient, FacilitatorUnansweredError } from './facilitatorClient.ts';
import { createFacilitatorRequests, type FacilitatorRequests, type FacilitatorTask } from './facilitatorRequests.ts';
import { createOutcomeReader } from './remoteOutcome.ts';
import { createRemoteSettlement } from './settleRemote.ts';

/** Operations that differ between families of networks. */
export interface RemoteFamily<Payment> {
  verifier: PaymentVerifier<Payment>;
  payerOf(payment: Payment): string;
  sameWallet(left: string, right: string): boolean;
  /** Format of a transaction id. */
  transactionPattern: RegExp;
  /** Whether the offer must contain a fee payer. Only the facilitator returns its address. */
  needsFeePayer: boolean;
  /** The obstacles that stop any facilitator. @throws {ChainUnreachableError} @throws {JsonRpcError} */
  readTokenObstacle(): Promise<SettlementObstacle | undefined>;
  /** Rechecks settlements on chains with reorganisations. */
  openRecheck?: (signal: AbortSignal) => Recheck;
}

type Task<Payment> = FacilitatorTask<Payment> & Pick<SettleTask<Payment>, 'key'>;

/** Maximum number of settle requests for a payment that the chain dropped. Then it counts as lost. */
const resettleLimit = 20;

/** An address of Solana in base58. */
const accountPattern = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * The facilitator's fee payer; undefined if the facilitator does not reply or does not support the network. Anything but an
 * address is rejected too, because it would be copied into the header of every 402.
 */
async function readFeePayer(
  readSupport: FacilitatorRequests<unknown>['readSupport'],
): Promise<{ feePayer: string } | undefined> {
  try {
    const { feePayer } = await readSupport();
    return typeof feePayer === 'string' && accountPattern.test(feePayer) ? { feePayer } : undefined;
  } catch (error) {
    if (!(error instanceof FacilitatorUnansweredError) && !(error instanceof PaymentNetworkMismatchError)) throw error;
    return undefined;
  }
}

/** Creates a function that rechecks a settled payment, and requests its settlement again if the chain has dropped it. */
function createSettledWatch<Payment>(
  recheck: Recheck | undefined,
  verifier: PaymentVerifier<Payment>,
  requestAgain: (task: FacilitatorTask<Payment>) => Promise<unknown>,
) {
  return (task: Task<Payment>, transaction: string, since: bigint | undefined): void => {
    let left = resettleLimit;
    recheck?.add({
      hash: transaction,
      key: task.key,
      readStatus: () => readLateStatus(verifier, task.payment, since),
      again: {
        id: transaction,
        async send() {
          left -= 1;
          if (left < 0) return false;
          await requestAgain(task);
          return true;
        },
      },
    });
  };
}

/**
 * Settles payments of one network through a remote facilitator: verify, then settle.
 *
 * Two of its responses are trusted: a settlement by this payer on this network, and a refusal before the broadcast that
 * the chain does not contradict. Otherwise the outcome is read from the chain, through our own RPC. The ledger records
 * each payment before the settle request. Repeating a request is safe: a payment moves money at most once.
 */
export function createRemoteFacilitator<Payment>(
  config: { network: string; remote: RemoteFacilitator },
  family: RemoteFamily<Payment>,
  timings: PaymentTimings,
  logger: PaymentLogger,
): Facilitator<Payment> {
  const { network } = config;
  const { verifier, payerOf, sameWallet, transactionPattern, needsFeePayer } = family;
  const closing = new AbortController();
  const { signal } = closing;
  setMaxListeners(0, signal);
  const polling = { signal, logger, network };
  const isPayer = (payer: string | null | undefined, payment: Payment): boolean =>
    typeof payer === 'string' && sameWallet(payer, payerOf(payment));
  const { requestVerify, requestSettle, readSupport } = createFacilitatorRequests<Payment>({
    network,
    client: createFacilitatorClient(config.remote, timings),
    isPayer,
    transactionPattern,
    logger,
    signal,
  });
  const outcomes = createOutcomeReader({ verifier, requestSettle, polling });
  const settleOnce = createRemoteSettlement({ verifier, requestVerify, outcomes, polling });
  const requestAgain = (task: FacilitatorTask<Payment>) => requestSettle(task, signal);
  const watchSettled = createSettledWatch(family.openRecheck?.(signal), verifier, requestAgain);

  async function verify(task: FacilitatorTask<Payment>): Promise<VerifyOutcome> {
    const verified = await requestVerify(task);
    if (verified.kind !== 'refused') return verified;
    const found = await outcomes.confirmFirstRefusal(task.payment, verified);
    if (found.kind === 'refused') return found;
    return found.kind === 'settled' ? { kind: 'used' } : { kind: 'unavailable' };
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
    if (outcome.kind === 'settled') watchSettled(task, outcome.transaction, since);
    return outcome;
  }

  return {
    network,
    spendsOurGas: false,
    start: () =>
      checkAtStart(
        polling,
        async () => {
          await verifier.check();
          await readSupport();
        },
        (error) => isChainError(error) || error instanceof FacilitatorUnansweredError,
      ),
    offerExtra: async () => (needsFeePayer ? readFeePayer(readSupport) : {}),
    verifyPayload: (payment, terms, nowSeconds) => verifier.verifyPayload(payment, terms, nowSeconds),
    isSigned: (payment, terms, nowSeconds) => verifier.isSigned(payment, terms, nowSeconds),
    readFunds: (payment, open) => verifier.readFunds(payment, open),
    verify,
    settle,
    readLateStatus: (payment, sent) => readLateStatus(verifier, payment, sent[0]?.fromBlock ?? 0n),
    readSettlementState: async () => ({
      obstacle: await family.readTokenObstacle(),
      settlements: undefined,
      gasCost: undefined,
    }),
    // The remote facilitator broadcasts its own transactions.
    resend: async () => undefined,
    watchPaid: (task, { transaction, sent }) => watchSettled(task, transaction, sent[0]?.fromBlock),
    close: () => closing.abort(),
  };
}
