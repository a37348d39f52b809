import type { Row } from './ledgerRows.ts';
import { keyOf, type Payment, type ReceivedResponse, walletOf } from './payments.ts';
import type { Transfer } from './transfer.ts';

/** The payments, ledger rows and transfers of a run. */
export interface AuditInput {
  payments: readonly Payment[];
  /** By payment key. */
  ledger: ReadonlyMap<string, Row>;
  /** Transfers on chain, by payment key. */
  transfers: ReadonlyMap<string, Transfer>;
  /** Transactions that reorganisations removed. */
  reorged: ReadonlySet<string>;
  /** Lead of the fastest replica clock over this process's clock, in milliseconds. */
  clockLeadMs: number;
}

const isAnswer = ({ status, conflicting }: ReceivedResponse): boolean => status === 200 && !conflicting;
const hasStatus = ({ responses }: Payment, status: number): boolean => responses.some((each) => each.status === status);
/** Statuses allowed after an answer: a replay or a temporary failure. */
const allowedAfterAnswer = new Set([200, 429, 503]);
/** Tolerated difference between `performance` and `Date` in this process. */
const clockErrorMs = 1_000;

/**
 * Whether the response is a correct 409 after the replay period. A payment without an identifier is replayed only until
 * its authorization expires by the replica's clock.
 */
function isAfterReplayPeriod(
  { payload, identifier }: Payment,
  { status, body, receivedAt }: ReceivedResponse,
  clockLeadMs: number,
): boolean {
  const { authorization } = payload.payload as { authorization?: { validBefore?: string } };
  if (status !== 409 || identifier !== undefined || authorization?.validBefore === undefined) return false;
  const { code, detail } = JSON.parse(body) as { code?: string; detail?: string };
  if (code !== 'PAYMENT_REUSED' || !detail?.startsWith('You were ')) return false;
  const replicaMs = performance.timeOrigin + receivedAt + clockLeadMs + clockErrorMs;
  return replicaMs >= Number(authorization.validBefore) * 1_000;
}

/** Compares ledger and chain: a paid row needs a transfer, and a transfer needs a paid row. */
function auditRows({ ledger, transfers, reorged, payments }: AuditInput, faults: string[]) {
  const figures = { rows: ledger.size, credits: 0, settlementsReorged: 0, lostToReorgs: 0, settledByThirdParty: 0 };
  const paymentByKey = new Map(payments.map((payment) => [keyOf(payment), payment]));
  for (const { key, state, trialGroup, reason, transactions } of ledger.values()) {
    if (state === 'claimed' || state === 'sent') faults.push(`${key} is still ${state}`);
    if (state === 'settled') figures.credits += 1;
    const wasReorged = transactions.some((hash) => reorged.has(hash));
    if (wasReorged) figures.settlementsReorged += 1;
    const isPaid = (state === 'settled' || state === 'answered') && trialGroup === null;
    if (isPaid && !transfers.has(key)) {
      // A reorganisation dropped the transaction after the answer. Serving before finality accepts this loss.
      if (wasReorged) figures.lostToReorgs += 1;
      else faults.push(`${key} is ${state}, and no USDC moved`);
    }
    if (isPaid || !transfers.has(key)) continue;
    // The payment was refused without a broadcast and then settled by a third party, and the client did not retry.
    if (state === 'refused' && transactions.length === 0 && paymentByKey.get(key)?.sentOutside)
      figures.settledByThirdParty += 1;
    else faults.push(`${key} is ${state} (${reason}), and its USDC moved`);
  }
  for (const key of transfers.keys()) {
    if (ledger.has(key)) continue;
    const payment = paymentByKey.get(key);
    // A third party settled the payment, and the client did not send it afterwards.
    if (payment?.sentOutside && !hasStatus(payment, 200)) figures.settledByThirdParty += 1;
    else faults.push(`${key} moved USDC, and is missing from the ledger`);
  }
  return figures;
}

/** The wallet's name for a payment. A payment without an identifier has only its key. */
const orderOf = (payment: Payment): string => `${walletOf(payment)} ${payment.identifier ?? keyOf(payment)}`;

/**
 * The key of the payment that was answered in place of this one: a new signature with the same identifier gets the answer
 * of the first one, and is neither settled nor recorded.
 */
function answeredKeyOf(payment: Payment, { payments, ledger }: AuditInput): string {
  const isAnswered = (key: string) => ['settled', 'answered'].includes(ledger.get(key)?.state ?? '');
  const key = keyOf(payment);
  if (payment.identifier === undefined || isAnswered(key)) return key;
  const others = payments.filter((other) => orderOf(other) === orderOf(payment)).map(keyOf);
  return others.find(isAnswered) ?? key;
}

/** Compares the responses to one payment with its ledger row and transfer. */
function auditResponses(payment: Payment, input: AuditInput): string[] {
  const { transfers, ledger, reorged, clockLeadMs } = input;
  const faults: string[] = [];
  const key = keyOf(payment);
  const { responses, sentTimes, payload, sentOutside } = payment;
  const transfer = transfers.get(key);
  const answers = responses.filter(isAnswer);
  const answeredKey = answers.length > 0 ? answeredKeyOf(payment, input) : key;
  const [row, answeredTransfer] = [ledger.get(answeredKey), transfers.get(answeredKey)];
  if (hasStatus(payment, 500)) faults.push(`${key} got a 500`);
  if (transfer && transfer.value !== BigInt(payload.accepted.amount)) faults.push(`${key} paid ${transfer.value}`);
  // A client signs a new payment after a 402, so the refused one must not be charged.
  if (responses.at(-1)?.status === 402 && transfer && !sentOutside)
    faults.push(`${key} was refused last, and its USDC moved`);
  // Only an attempt that began after the refusal may charge the refused payment.
  const refused = responses.findLast(({ status, conflicting }) => status === 402 && !conflicting);
  if (refused && transfer && !sentOutside && !sentTimes.some((at) => at > refused.receivedAt))
    faults.push(`${key} was refused while a concurrent attempt was charged`);
  // A credit may remain only if the last request was a conflicting one.
  if (row?.state === 'settled' && responses.length > 0 && responses.at(-1)?.status !== 409)
    faults.push(`${key} has a credit, and its client got no answer`);
  const [first] = answers.toSorted((left, right) => left.receivedAt - right.receivedAt);
  if (!first) return faults;

  const others = responses.filter(({ status, conflicting }) => conflicting && status === 200);
  if (others.some(({ body }) => answers.every((answer) => answer.body !== body)))
    faults.push(`${key} got answers to two requests`);
  const after = responses.filter(({ sentAt, conflicting }) => sentAt > first.receivedAt && !conflicting);
  for (const response of after) {
    const { status } = response;
    if (allowedAfterAnswer.has(status) || isAfterReplayPeriod(payment, response, clockLeadMs)) continue;
    faults.push(`${key} returned ${status} after its answer`);
  }
  if (new Set(answers.map(({ body }) => body)).size > 1) faults.push(`${key} returned different answers`);
  if (!row) faults.push(`${key} was answered, and is missing from the ledger`);
  if (answers.some(({ free }) => free)) {
    if (transfer ?? answeredTransfer) faults.push(`${key} was free, and its USDC moved`);
  } else if (row && row.trialGroup !== null) faults.push(`${key} was answered as paid, but the ledger marks it free`);
  for (const { free, transaction } of answers)
    if (!free && transaction !== answeredTransfer?.transaction && !reorged.has(transaction))
      faults.push(`${key} returned the receipt of ${transaction}, but ${answeredTransfer?.transaction} paid`);
  return faults;
}

/** Checks that each wallet had at most one free call. @returns the number of free calls */
function auditFreeCalls({ payments }: AuditInput, faults: string[]): number {
  const free = payments.filter(({ responses }) => responses.some((each) => isAnswer(each) && each.free));
  const freeOf = new Map<string, Set<string>>();
  for (const payment of free) {
    const wallet = walletOf(payment);
    freeOf.set(wallet, (freeOf.get(wallet) ?? new Set()).add(orderOf(payment)));
  }
  for (const [wallet, keys] of freeOf) if (keys.size > 1) faults.push(`${wallet} had ${keys.size} free calls`);
  return free.length;
}

/** Checks that each identifier of a wallet was paid at most once, and always got the same answer. */
function auditIdentifiers({ payments, transfers }: AuditInput, faults: string[]) {
  const sameIdentifier = new Map<string, Payment[]>();
  for (const payment of payments) {
    if (payment.identifier === undefined) continue;
    const order = orderOf(payment);
    sameIdentifier.set(order, [...(sameIdentifier.get(order) ?? []), payment]);
  }
  let identifierConflicts = 0;
  for (const [owner, sharing] of sameIdentifier) {
    const paid = sharing.filter((payment) => transfers.has(keyOf(payment)));
    const answers = new Set(sharing.flatMap(({ responses }) => responses.filter(isAnswer).map(({ body }) => body)));
    if (paid.length > 1) faults.push(`${owner} was paid ${paid.length} times`);
    if (answers.size > 1) faults.push(`${owner} got ${answers.size} different answers`);
    identifierConflicts += sharing.filter((payment) => hasStatus(payment, 409)).length;
  }
  return { identifiers: sameIdentifier.size, identifierConflicts };
}

/** Counts refused payments by the text of their last response, without numbers. */
function countRefusals(payments: readonly Payment[]): Record<string, number> {
  const refusals: Record<string, number> = {};
  for (const { responses } of payments) {
    const last = responses.at(-1);
    if (last?.status !== 402) continue;
    const { detail } = JSON.parse(last.body) as { detail: string };
    const text = detail.replace(/0x[0-9a-fA-F]+|\d+/g, '…').slice(0, 90);
    refusals[text] = (refusals[text] ?? 0) + 1;
  }
  return refusals;
}

/**
 * Compares every signed payment with ledger and chains. Pure.
 *
 * `faults` is empty when each settled payment has an answer or an open credit, each answer has a payment, each wallet
 * has at most one free call, each identifier paid at most once, and every response was correct.
 */
export function auditPayments(input: AuditInput) {
  const { payments } = input;
  const faults: string[] = [];
  const rows = auditRows(input, faults);
  for (const payment of payments) faults.push(...auditResponses(payment, input));
  const free = auditFreeCalls(input, faults);
  const identifiers = auditIdentifiers(input, faults);
  const all = payments.flatMap(({ responses }) => responses);
  const figures = {
    payments: payments.length,
    answered: payments.filter(({ responses }) => responses.some(isAnswer)).length,
    free,
    refused402: payments.filter((payment) => hasStatus(payment, 402)).length,
    replays: all.filter((each) => isAnswer(each) && each.replayed).length,
    refusedAfterReplayPeriod: payments.flatMap((payment) =>
      payment.responses.filter((response) => isAfterReplayPeriod(payment, response, input.clockLeadMs)),
    ).length,
    conflictsRefused: all.filter(({ status, conflicting }) => conflicting && status === 409).length,
    ...identifiers,
    ...rows,
  };
  return { faults, figures, refusals: countRefusals(payments) };
}
