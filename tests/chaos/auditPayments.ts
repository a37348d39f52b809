import type { Row } from './ledgerRows.ts';
import { keyOf, type Payment, type ReceivedResponse, walletOf } from './payments.ts';
import type { Transfer } from './transfer.ts';

/** Everything known about the payments of a run. */
export interface Accounts {
  payments: readonly Payment[];
  /** By payment key. */
  ledger: ReadonlyMap<string, Row>;
  /** Transfers on chain, by payment key. */
  moved: ReadonlyMap<string, Transfer>;
  /** Transactions that reorganisations removed. */
  reorged: ReadonlySet<string>;
  /** How far the fastest clock of a replica is ahead of this one. */
  clockLeadMs: number;
}

const isAnswer = ({ status, conflicting }: ReceivedResponse): boolean => status === 200 && !conflicting;
const hasStatus = ({ responses }: Payment, status: number): boolean => responses.some((each) => each.status === status);
/** Statuses allowed after an answer: the answer again, or a temporary failure. */
const fitsAfterAnswer = new Set([200, 429, 503]);
/** Difference between the two clocks of this process. */
const clockErrorMs = 1_000;

/**
 * Whether a 409 is right after the answer: without an identifier, the answer is replayed only until the authorization
 * expires by the replica's clock.
 */
function isAfterReplays(
  { payload, name }: Payment,
  { status, body, receivedAt }: ReceivedResponse,
  clockLeadMs: number,
): boolean {
  const { authorization } = payload.payload as { authorization?: { validBefore?: string } };
  if (status !== 409 || name !== undefined || authorization?.validBefore === undefined) return false;
  const { code, detail } = JSON.parse(body) as { code?: string; detail?: string };
  if (code !== 'PAYMENT_REUSED' || !detail?.startsWith('You were ')) return false;
  const replicaMs = performance.timeOrigin + receivedAt + clockLeadMs + clockErrorMs;
  return replicaMs >= Number(authorization.validBefore) * 1_000;
}

/** Compares ledger and chain: a paid row needs a transfer, and a transfer needs a paid row. */
function auditRows({ ledger, moved, reorged, payments }: Accounts, faults: string[]) {
  const figures = { rows: ledger.size, credits: 0, settlementsReorged: 0, lostToReorgs: 0, usedElsewhere: 0 };
  const known = new Map(payments.map((payment) => [keyOf(payment), payment]));
  for (const { key, state, trialGroup, reason, transactions } of ledger.values()) {
    if (state === 'claimed' || state === 'sent') faults.push(`${key} is still ${state}`);
    if (state === 'settled') figures.credits += 1;
    const wasReorged = transactions.some((hash) => reorged.has(hash));
    if (wasReorged) figures.settlementsReorged += 1;
    const isPaid = (state === 'settled' || state === 'answered') && trialGroup === null;
    if (isPaid && !moved.has(key)) {
      // The transaction was reorganised out after the answer; serving before finality accepts that loss.
      if (wasReorged) figures.lostToReorgs += 1;
      else faults.push(`${key} is ${state}, and no USDC moved`);
    }
    if (isPaid || !moved.has(key)) continue;
    // Refused before we sent anything, then settled by a third party; the client did not retry.
    if (state === 'refused' && transactions.length === 0 && known.get(key)?.sentOutside) figures.usedElsewhere += 1;
    else faults.push(`${key} is ${state} (${reason}), and its USDC moved`);
  }
  for (const key of moved.keys()) {
    if (ledger.has(key)) continue;
    const payment = known.get(key);
    // Settled by a third party, and not sent to us since.
    if (payment?.sentOutside && !hasStatus(payment, 200)) figures.usedElsewhere += 1;
    else faults.push(`${key} moved USDC, and is missing from the ledger`);
  }
  return figures;
}

/** Compares the responses to one payment with its ledger row and transfer. */
function auditResponses(payment: Payment, { ledger, moved, reorged, clockLeadMs }: Accounts): string[] {
  const faults: string[] = [];
  const key = keyOf(payment);
  const { responses, sentTimes, payload, sentOutside } = payment;
  const [row, transfer] = [ledger.get(key), moved.get(key)];
  const answers = responses.filter(isAnswer);
  if (hasStatus(payment, 500)) faults.push(`${key} was answered 500`);
  if (transfer && transfer.value !== BigInt(payload.accepted.amount)) faults.push(`${key} paid ${transfer.value}`);
  // A client signs again after a 402, so the refused payment must not be charged.
  if (responses.at(-1)?.status === 402 && transfer && !sentOutside)
    faults.push(`${key} was refused last, and its USDC moved`);
  // A concurrent attempt must not charge a refused payment either; only a later attempt may.
  const refused = responses.findLast(({ status, conflicting }) => status === 402 && !conflicting);
  if (refused && transfer && !sentOutside && !sentTimes.some((at) => at > refused.receivedAt))
    faults.push(`${key} was refused while a concurrent attempt was charged`);
  // A credit may remain only after a conflicting request.
  if (row?.state === 'settled' && responses.length > 0 && responses.at(-1)?.status !== 409)
    faults.push(`${key} has a credit that its client was not answered for`);
  const [first] = answers.toSorted((left, right) => left.receivedAt - right.receivedAt);
  if (!first) return faults;

  const others = responses.filter(({ status, conflicting }) => conflicting && status === 200);
  if (others.some(({ body }) => answers.every((answer) => answer.body !== body)))
    faults.push(`${key} bought answers to two requests`);
  const after = responses.filter(({ sentAt, conflicting }) => sentAt > first.receivedAt && !conflicting);
  for (const response of after) {
    const { status } = response;
    if (fitsAfterAnswer.has(status) || isAfterReplays(payment, response, clockLeadMs)) continue;
    faults.push(`${key} returned ${status} after its answer`);
  }
  if (new Set(answers.map(({ body }) => body)).size > 1) faults.push(`${key} returned different answers`);
  if (!row) faults.push(`${key} was answered, and is missing from the ledger`);
  if (answers.some(({ free }) => free)) {
    if (transfer) faults.push(`${key} was free, and its USDC moved`);
  } else if (row && row.trialGroup !== null) faults.push(`${key} was answered as paid, but the ledger marks it free`);
  for (const { free, transaction } of answers)
    if (!free && transaction !== transfer?.transaction && !reorged.has(transaction))
      faults.push(`${key} returned the receipt of ${transaction}, but ${transfer?.transaction} paid`);
  return faults;
}

/** Each wallet has at most one free call. */
function auditFreeCalls({ payments }: Accounts, faults: string[]): number {
  const free = payments.filter(({ responses }) => responses.some((each) => isAnswer(each) && each.free));
  const freeOf = new Map<string, Set<string>>();
  for (const payment of free) {
    const wallet = walletOf(payment);
    freeOf.set(wallet, (freeOf.get(wallet) ?? new Set()).add(keyOf(payment)));
  }
  for (const [wallet, keys] of freeOf) if (keys.size > 1) faults.push(`${wallet} had ${keys.size} free calls`);
  return free.length;
}

/** Each identifier of a wallet pays at most once and has at most one answer. */
function auditIdentifiers({ payments, moved }: Accounts, faults: string[]) {
  const sameIdentifier = new Map<string, Payment[]>();
  for (const payment of payments) {
    if (payment.name === undefined) continue;
    const whose = `${walletOf(payment)} ${payment.name}`;
    sameIdentifier.set(whose, [...(sameIdentifier.get(whose) ?? []), payment]);
  }
  let identifierConflicts = 0;
  for (const [name, sharing] of sameIdentifier) {
    const paid = sharing.filter((payment) => moved.has(keyOf(payment)));
    const answered = sharing.filter((payment) => hasStatus(payment, 200));
    if (paid.length > 1) faults.push(`${name} was paid ${paid.length} times`);
    if (answered.length > 1) faults.push(`${name} was answered ${answered.length} times`);
    identifierConflicts += sharing.filter((payment) => hasStatus(payment, 409)).length;
  }
  return { names: sameIdentifier.size, identifierConflicts };
}

/** Counts the last response of refused payments, by text. */
function countRefusals(payments: readonly Payment[]): Record<string, number> {
  const refusals: Record<string, number> = {};
  for (const { responses } of payments) {
    const last = responses.at(-1);
    if (last?.status !== 402) continue;
    const { detail } = JSON.parse(last.body) as { detail: string };
    const why = detail.replace(/0x[0-9a-fA-F]+|\d+/g, '…').slice(0, 90);
    refusals[why] = (refusals[why] ?? 0) + 1;
  }
  return refusals;
}

/**
 * Compares every signed payment with ledger and chains. Pure.
 *
 * `faults` is empty when each settled payment has an answer or an open credit, each answer has a payment, each wallet
 * has at most one free call, each identifier paid at most once, and every response was correct.
 */
export function auditPayments(accounts: Accounts) {
  const { payments } = accounts;
  const faults: string[] = [];
  const rows = auditRows(accounts, faults);
  for (const payment of payments) faults.push(...auditResponses(payment, accounts));
  const free = auditFreeCalls(accounts, faults);
  const names = auditIdentifiers(accounts, faults);
  const all = payments.flatMap(({ responses }) => responses);
  const figures = {
    payments: payments.length,
    answered: payments.filter(({ responses }) => responses.some(isAnswer)).length,
    free,
    refusedForGood: payments.filter((payment) => hasStatus(payment, 402)).length,
    replays: all.filter((each) => isAnswer(each) && each.replayed).length,
    replayedTooLate: payments.flatMap((payment) =>
      payment.responses.filter((response) => isAfterReplays(payment, response, accounts.clockLeadMs)),
    ).length,
    conflictsRefused: all.filter(({ status, conflicting }) => conflicting && status === 409).length,
    ...names,
    ...rows,
  };
  return { faults, figures, refusals: countRefusals(payments) };
}
