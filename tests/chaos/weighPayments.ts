import type { Transfer } from './chainBook.ts';
import type { Row } from './ledgerBook.ts';
import { keyOf, type Payment, type Told, walletOf } from './payments.ts';

/** All that is known of the payments of a run. */
export interface Accounts {
  payments: readonly Payment[];
  /** By key. */
  ledger: ReadonlyMap<string, Row>;
  /** What moved on chain, by key. */
  moved: ReadonlyMap<string, Transfer>;
  /** Transactions that were taken off the chain. */
  reorged: ReadonlySet<string>;
}

const isAnswer = ({ status, conflicting }: Told): boolean => status === 200 && !conflicting;
const anySaid = ({ told }: Payment, status: number): boolean => told.some((each) => each.status === status);
/** What may be told of a payment after its answer: the answer, or that nothing can be told just now. */
const fitsAfterAnswer = new Set([200, 429, 503]);

/** Ledger against chain: what moved is known as paid, and what is known as paid moved. */
function weighRows({ ledger, moved, reorged, payments }: Accounts, faults: string[]) {
  const figures = { rows: ledger.size, credits: 0, settlementsReorged: 0, lostToReorgs: 0, usedElsewhere: 0 };
  const known = new Map(payments.map((payment) => [keyOf(payment), payment]));
  for (const { key, state, trialGroup, reason, transactions } of ledger.values()) {
    if (state === 'claimed' || state === 'sent') faults.push(`${key} is still ${state}`);
    if (state === 'settled') figures.credits += 1;
    const wasReorged = transactions.some((hash) => reorged.has(hash));
    if (wasReorged) figures.settlementsReorged += 1;
    const isPaid = (state === 'settled' || state === 'answered') && trialGroup === null;
    if (isPaid && !moved.has(key)) {
      // Served with its first receipt, which the chain then took back: the known price of not waiting for finality.
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
    if (payment?.sentOutside && !anySaid(payment, 200)) figures.usedElsewhere += 1;
    else faults.push(`${key} moved USDC, and the ledger does not know it`);
  }
  return figures;
}

/** What clients were told of one payment, against what became of it. */
function weighTold(payment: Payment, { ledger, moved, reorged }: Accounts): string[] {
  const faults: string[] = [];
  const key = keyOf(payment);
  const { told, asks, payload, sentOutside } = payment;
  const [row, transfer] = [ledger.get(key), moved.get(key)];
  const answers = told.filter(isAnswer);
  if (anySaid(payment, 500)) faults.push(`${key} was answered 500`);
  if (transfer && transfer.value !== BigInt(payload.accepted.amount)) faults.push(`${key} paid ${transfer.value}`);
  // Who is told 402 signs anew: this one must have stayed where it was.
  if (told.at(-1)?.status === 402 && transfer && !sentOutside)
    faults.push(`${key} was refused last, and its USDC moved`);
  // The same while another try of it was in the house already: only a try that came later may have charged it.
  const refused = told.findLast(({ status, conflicting }) => status === 402 && !conflicting);
  if (refused && transfer && !sentOutside && !asks.some((at) => at > refused.toldAt))
    faults.push(`${key} was refused while another try was charged`);
  // Only a request for something else, which came first, may leave it open.
  if (row?.state === 'settled' && told.length > 0 && told.at(-1)?.status !== 409)
    faults.push(`${key} has a credit that its client was not answered for`);
  const [first] = answers.toSorted((left, right) => left.toldAt - right.toldAt);
  if (!first) return faults;

  const others = told.filter(({ status, conflicting }) => conflicting && status === 200);
  if (others.some(({ body }) => answers.every((answer) => answer.body !== body)))
    faults.push(`${key} bought two answers`);
  const after = told.filter(({ askedAt, conflicting }) => askedAt > first.toldAt && !conflicting);
  for (const { status } of after)
    if (!fitsAfterAnswer.has(status)) faults.push(`${key} was told ${status} after its answer`);
  if (new Set(answers.map(({ body }) => body)).size > 1) faults.push(`${key} was answered in two ways`);
  if (!row) faults.push(`${key} was answered, and the ledger does not know it`);
  if (answers.some(({ free }) => free)) {
    if (transfer) faults.push(`${key} was free, and its USDC moved`);
  } else if (row && row.trialGroup !== null) faults.push(`${key} was answered as paid, and stands as free`);
  for (const { free, transaction } of answers)
    if (!free && transaction !== transfer?.transaction && !reorged.has(transaction))
      faults.push(`${key} was given the receipt of ${transaction}, and ${transfer?.transaction} paid`);
  return faults;
}

/** One free call for a wallet. */
function weighFreeCalls({ payments }: Accounts, faults: string[]): number {
  const free = payments.filter(({ told }) => told.some((each) => isAnswer(each) && each.free));
  const freeOf = new Map<string, Set<string>>();
  for (const payment of free) {
    const wallet = walletOf(payment);
    freeOf.set(wallet, (freeOf.get(wallet) ?? new Set()).add(keyOf(payment)));
  }
  for (const [wallet, keys] of freeOf) if (keys.size > 1) faults.push(`${wallet} had ${keys.size} free calls`);
  return free.length;
}

/** Under one name a wallet has paid once at most, and has one answer at most. */
function weighNames({ payments, moved }: Accounts, faults: string[]) {
  const namesakes = new Map<string, Payment[]>();
  for (const payment of payments) {
    if (payment.name === undefined) continue;
    const whose = `${walletOf(payment)} ${payment.name}`;
    namesakes.set(whose, [...(namesakes.get(whose) ?? []), payment]);
  }
  let namesakesRefused = 0;
  for (const [name, bearers] of namesakes) {
    const paid = bearers.filter((payment) => moved.has(keyOf(payment)));
    const answered = bearers.filter((payment) => anySaid(payment, 200));
    if (paid.length > 1) faults.push(`${name} was paid ${paid.length} times`);
    if (answered.length > 1) faults.push(`${name} was answered ${answered.length} times`);
    namesakesRefused += bearers.filter((payment) => anySaid(payment, 409)).length;
  }
  return { names: namesakes.size, namesakesRefused };
}

/** What was said last to those who were refused, how often. */
function countRefusals(payments: readonly Payment[]): Record<string, number> {
  const refusals: Record<string, number> = {};
  for (const { told } of payments) {
    const last = told.at(-1);
    if (last?.status !== 402) continue;
    const { detail } = JSON.parse(last.body) as { detail: string };
    const why = detail.replace(/0x[0-9a-fA-F]+|\d+/g, '…').slice(0, 90);
    refusals[why] = (refusals[why] ?? 0) + 1;
  }
  return refusals;
}

/**
 * Holds every payment that clients signed against the ledger and against the chains. Pure.
 *
 * `faults` is empty when: every settled payment has an answer or an open credit, no answer is without a payment, no
 * wallet had two free calls, no name paid twice, and nobody was told what is not so.
 */
export function weighPayments(accounts: Accounts) {
  const { payments } = accounts;
  const faults: string[] = [];
  const rows = weighRows(accounts, faults);
  for (const payment of payments) faults.push(...weighTold(payment, accounts));
  const free = weighFreeCalls(accounts, faults);
  const names = weighNames(accounts, faults);
  const all = payments.flatMap(({ told }) => told);
  const figures = {
    payments: payments.length,
    answered: payments.filter(({ told }) => told.some(isAnswer)).length,
    free,
    refusedForGood: payments.filter((payment) => anySaid(payment, 402)).length,
    replays: all.filter((each) => isAnswer(each) && each.replayed).length,
    conflictsRefused: all.filter(({ status, conflicting }) => conflicting && status === 409).length,
    ...names,
    ...rows,
  };
  return { faults, figures, refusals: countRefusals(payments) };
}
