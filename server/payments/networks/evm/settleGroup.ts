import { isChainError, JsonRpcError } from '../../chainCall.ts';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import { LedgerOrderError } from '../../ledger/ledgerOrderError.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { OnPaymentEvent } from '../../paymentEvents.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { Spending } from './contractWalletGas.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import type { EvmVerifier } from './evmVerifier.ts';
import type { Fees } from './fees.ts';
import type { TransactionFollower } from './followTransactions.ts';
import { groupBytes, type TrialResult } from './groupCall.ts';
import type { TransferPreparer } from './prepareTransfer.ts';
import { refusalOfRevertData } from './revertReason.ts';
import type { createCostReader } from './settlementCost.ts';
import { planGroup, simulateGroup } from './simulateGroup.ts';
import type { TransferNode } from './simulateTransfer.ts';
import type { TransactionSender } from './transactionSender.ts';

/** A payment that waits to be sent. */
export interface Member {
  task: SettleTask<SignedAuthorization>;
  spending: Spending;
}

/** The transaction that contains the payment, or the outcome if none was sent. */
export type Sent = EvmTransaction | SettleOutcome;

const unavailable: SettleOutcome = { kind: 'unavailable' };

interface GroupDependencies {
  network: string;
  node: TransferNode;
  preparer: TransferPreparer;
  sender: TransactionSender;
  follower: TransactionFollower;
  costs: ReturnType<typeof createCostReader>;
  logger: PaymentLogger;
  verifier: Pick<EvmVerifier, 'check'>;
  /** Simulates and sends one payment by itself. */
  sendAlone(member: Member): Promise<Sent>;
  onEvent: OnPaymentEvent;
}

/** One result for each member, in order, and the fees of the simulation's block. */
interface Simulation {
  trials: readonly TrialResult[];
  fees: Fees;
}

interface GroupResult {
  /** One for each member, in order. */
  results: readonly Promise<Sent>[];
  /** Resolves when the group's transaction has ended. */
  ended: Promise<unknown>;
}

async function settleLone(
  { network, sendAlone, onEvent, follower }: GroupDependencies,
  member: Member,
): Promise<GroupResult> {
  const sent = await sendAlone(member);
  if (!('kind' in sent)) onEvent({ kind: 'transaction sent', network, payments: 1 });
  return { results: [Promise.resolve(sent)], ended: 'kind' in sent ? Promise.resolve() : follower.ended(sent) };
}

/** Sends each payment in its own transaction, all at the same time, with consecutive nonces. */
async function settleEach({ sendAlone }: GroupDependencies, members: readonly Member[]): Promise<GroupResult> {
  const all = members.map((member) => sendAlone(member));
  await Promise.allSettled(all);
  return { results: all, ended: Promise.resolve() };
}

/** The result of a payment that is left out of the group; undefined if it takes part. */
async function exclude(
  { sendAlone }: GroupDependencies,
  member: Member,
  trial: TrialResult,
): Promise<Sent | undefined> {
  const { task } = member;
  if (trial.isContract) return sendAlone(member);
  const refusal = trial.success ? undefined : refusalOfRevertData(trial.returned);
  // A used authorization has already reduced the balance.
  if (refusal?.reason === 'invalid_exact_evm_nonce_already_used') return { kind: 'refused', ...refusal };
  const shortage = await task.checkFunds();
  if (shortage) return shortage;
  return refusal && { kind: 'refused', ...refusal };
}

/**
 * One result for each member.
 * @throws {ChainUnreachableError} @throws {JsonRpcError} @throws {LedgerOrderError} nothing was sent
 */
async function sendTogether(
  { network, node, sender, costs, preparer, onEvent }: GroupDependencies,
  members: readonly Member[],
  { trials, fees }: Simulation,
): Promise<Sent[]> {
  const payments = members.map(({ task }) => task.payment);
  const plan = await planGroup(
    node,
    payments,
    trials.map(({ gasUsed }) => gasUsed),
    fees,
  );
  const cost = await costs.read(groupBytes(members.length));
  // Each payment bears an equal share of the gas, so the cheapest call limits the share.
  const cheapest = members.reduce(
    (least, { task }) => {
      const amount = BigInt(task.terms.amount);
      return amount < least ? amount : least;
    },
    BigInt(members[0]?.task.terms.amount ?? 0),
  );
  const price = cheapest * BigInt(members.length);
  const capped = preparer.limitCost(cost, { ...plan, fees, price }, members.length);
  if (capped.kind !== 'fits' || cost.kind !== 'read')
    return members.map(() => (capped.kind === 'fits' ? unavailable : capped));
  const sent = await sender.send(
    { ...plan, fees: capped.fees },
    members.map(({ task }) => task.key),
  );
  onEvent({ kind: 'transaction sent', network, payments: members.length });
  return members.map(() => sent);
}

/** Each result is a promise of its own, so that a failure of one payment does not affect the others. */
function excludeAll(
  dependencies: GroupDependencies,
  members: readonly Member[],
  trials: readonly TrialResult[],
): Promise<Sent | undefined>[] {
  return members.map(async (member, index) => {
    const trial = trials[index];
    try {
      return trial ? await exclude(dependencies, member, trial) : unavailable;
    } catch (error) {
      if (!isChainError(error)) throw error;
      dependencies.logger.warn({ network: dependencies.network, cause: error.message }, 'A payment could not be sent');
      return unavailable;
    }
  });
}

/** Sends the payments that take part: several in one transaction, a single one alone. */
async function sendGroup(
  dependencies: GroupDependencies,
  group: readonly Member[],
  simulation: Simulation,
): Promise<GroupResult> {
  const [first] = group;
  if (!first) return { results: [], ended: Promise.resolve() };
  if (group.length === 1) return settleLone(dependencies, first);
  try {
    const results = await sendTogether(dependencies, group, simulation);
    const transaction = results.find((sent): sent is EvmTransaction => !('kind' in sent));
    return {
      results: results.map(async (sent) => sent),
      ended: transaction ? dependencies.follower.ended(transaction) : Promise.resolve(),
    };
  } catch (error) {
    if (isChainError(error)) {
      dependencies.logger.warn(
        { network: dependencies.network, cause: error.message },
        'A group of payments could not be sent',
      );
      return { results: group.map(async () => unavailable), ended: Promise.resolve() };
    }
    // Another replica has taken one of them over: the others are settled without it.
    if (error instanceof LedgerOrderError) return settleEach(dependencies, group);
    throw error;
  }
}

/** After an unexpected error before sending: only the payments of the group fail. */
const failGroup = (group: readonly Member[], error: unknown): GroupResult => ({
  results: group.map(() => Promise.reject(error)),
  ended: Promise.resolve(),
});

/** Waits only for payments that may take part: looking up why another one was rejected must not delay them. */
async function settleGroup(
  dependencies: GroupDependencies,
  members: readonly Member[],
  { trials, fees }: Simulation,
): Promise<GroupResult> {
  const excluded = excludeAll(dependencies, members, trials);
  // Awaited further below: a rejection before that must not end the process.
  for (const sent of excluded) sent.catch(() => undefined);
  const decided = await Promise.allSettled(
    excluded.map((sent, index) => {
      const mayTakePart = trials[index]?.success && !trials[index]?.isContract;
      return mayTakePart ? sent : Promise.resolve(unavailable);
    }),
  );
  const takesPart = (index: number) => {
    const outcome = decided[index];
    return outcome?.status === 'fulfilled' && outcome.value === undefined;
  };
  const group = members.filter((_, index) => takesPart(index));
  const simulation = { trials: trials.filter((_, index) => takesPart(index)), fees };
  const { results: sending, ended } = await sendGroup(dependencies, group, simulation).catch((error: unknown) =>
    failGroup(group, error),
  );
  const results = excluded.map((sent, index) =>
    takesPart(index) ? (sending[group.indexOf(members[index] as Member)] as Promise<Sent>) : (sent as Promise<Sent>),
  );
  for (const result of results) result.catch(() => undefined);
  return { results, ended };
}

/**
 * Sends the payments that wait together in one transaction. A payment that the simulation rejects gets its refusal; a
 * payment of a wallet with code is settled alone, as is every payment if the node cannot simulate groups.
 */
export function createGroupSettlement(
  dependencies: GroupDependencies,
): (members: readonly Member[]) => Promise<GroupResult> {
  return async (members) => {
    const [only] = members;
    if (only && members.length === 1) return settleLone(dependencies, only);
    try {
      await dependencies.verifier.check();
      const fees = await dependencies.sender.readFees();
      // Read during the simulation and cached; `sendTogether` reads it again and handles an error.
      dependencies.costs.read(groupBytes(members.length)).catch(() => undefined);
      const trials = await simulateGroup(
        dependencies.node,
        members.map(({ task }) => task.payment),
        fees,
      );
      if (!trials) return settleEach(dependencies, members);
      return await settleGroup(dependencies, members, { trials, fees });
    } catch (error) {
      if (!isChainError(error)) throw error;
      dependencies.logger.warn(
        { network: dependencies.network, cause: error.message },
        'A group of payments could not be simulated',
      );
      // The node may reject only calls for groups, so each payment is tried alone.
      if (error instanceof JsonRpcError) return settleEach(dependencies, members);
      return { results: members.map(async () => unavailable), ended: Promise.resolve() };
    }
  };
}
