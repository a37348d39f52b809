import type { ExpressionBuilder } from 'kysely';
import type { GasUnknownReason, PaymentState } from '../../payments/index.ts';
import type { Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { type DayTotals, type PaidEntry, readDayTotals, readPaidEntries, type TimeRange } from './dayTotals.ts';
import { isOpen } from './isOpen.ts';

/** A payment, as shown to operators. Times in milliseconds since the epoch. */
export interface BookEntry {
  key: string;
  network: string;
  payer: string;
  paid: string;
  route: string;
  state: PaymentState;
  trialGroup: string | null;
  /** Hash of our newest transaction. */
  transaction: string | null;
  failures: number;
  reason: string | null;
  /** When the service found that the chain had permanently dropped a served payment. */
  lostAt: number | null;
  /** Raw units of `asset`; null: recorded by an earlier version. */
  amount: number | null;
  asset: string | null;
  payTo: string | null;
  /** @see GasSpent */
  gasUsed: number | null;
  gasMicroUsd: number | null;
  gasUnknown: GasUnknownReason | null;
  createdAt: number;
  updatedAt: number;
}

/** Unfinished payments of one network and state. */
export interface OpenPayments {
  network: string;
  state: Extract<PaymentState, 'claimed' | 'sent' | 'settled'>;
  /** A free call. */
  isFree: boolean;
  payments: number;
  /** Creation of the oldest one, in milliseconds since the epoch. */
  oldestAt: number;
}

/** Read-only queries of the ledger, for operators and metrics. */
export interface PaymentBook {
  /** Number of payments by network, state and whether they are free calls. */
  counts(): Promise<{ network: string; state: PaymentState; isFree: boolean; payments: number }[]>;
  /** Unfinished payments; reads only the index of open payments. */
  open(): Promise<OpenPayments[]>;
  /** Finds by key, payer or transaction; newest first. */
  find(text: string): Promise<BookEntry[]>;
  /** Paid and not answered; oldest first. */
  credits(): Promise<BookEntry[]>;
  /** Outcome unknown; oldest first. */
  unfinished(): Promise<BookEntry[]>;
  /** All payments, oldest first. */
  entries(): AsyncGenerator<BookEntry>;
  /** Counts and money by UTC day, product and network. */
  dayTotals(range: TimeRange): Promise<DayTotals[]>;
  /** Payments of a network that were settled for money; oldest first. */
  paid(network: string, range: TimeRange): Promise<PaidEntry[]>;
}

const pageSize = 500;

const selectEntries = (read: Sql) =>
  read
    .selectFrom('payments')
    .select([
      'payment_key as key',
      'network',
      'payer',
      'paid',
      'route',
      'state',
      'trial_group as trialGroup',
      'failures',
      'reason',
      'lost_at as lostAt',
      'amount',
      'asset',
      'pay_to as payTo',
      'gas_used as gasUsed',
      'gas_micro_usd as gasMicroUsd',
      'gas_unknown as gasUnknown',
      'created_at as createdAt',
      'updated_at as updatedAt',
    ])
    .select((is) =>
      is
        .selectFrom('settlement_transactions')
        .select('hash')
        .whereRef('settlement_transactions.payment_key', '=', 'payments.payment_key')
        .orderBy('position', 'desc')
        .limit(1)
        .as('transaction'),
    );

const isFreeCall = (is: ExpressionBuilder<Tables, 'payments'>) =>
  is.case().when('trial_group', 'is', null).then(0).else(1).end();

async function readCounts(read: Sql): ReturnType<PaymentBook['counts']> {
  const rows = await read
    .selectFrom('payments')
    .select((is) => ['network', 'state', is.fn.countAll<number>().as('payments')])
    .select((is) => isFreeCall(is).as('is_free'))
    .groupBy(['network', 'state', isFreeCall])
    .orderBy('network')
    .orderBy('state')
    .execute();
  return rows.map(({ network, state, is_free, payments }) => ({
    network,
    state,
    isFree: Number(is_free) === 1,
    payments: Number(payments),
  }));
}

async function readOpen(read: Sql): Promise<OpenPayments[]> {
  const rows = await read
    .selectFrom('payments')
    .select((is) => [
      'network',
      'state',
      isFreeCall(is).as('is_free'),
      is.fn.countAll<number>().as('payments'),
      is.fn.min<number>('created_at').as('oldest_at'),
    ])
    .where(isOpen)
    .where('state', 'in', ['claimed', 'sent', 'settled'])
    .groupBy(['network', 'state', isFreeCall])
    .execute();
  return rows.map(({ network, state, is_free, payments, oldest_at }) => ({
    network,
    state: state as OpenPayments['state'],
    isFree: Number(is_free) === 1,
    payments: Number(payments),
    oldestAt: Number(oldest_at),
  }));
}

async function* readEntries(read: Sql): AsyncGenerator<BookEntry> {
  let after = { createdAt: -1, key: '' };
  for (;;) {
    const page = await selectEntries(read)
      .where((is) =>
        is.or([
          is('created_at', '>', after.createdAt),
          is.and([is('created_at', '=', after.createdAt), is('payment_key', '>', after.key)]),
        ]),
      )
      .orderBy('created_at')
      .orderBy('payment_key')
      .limit(pageSize)
      .execute();
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last;
  }
}

export function createPaymentBook(read: Sql): PaymentBook {
  const select = () => selectEntries(read);
  return {
    counts: () => readCounts(read),
    open: () => readOpen(read),
    find: (text) =>
      select()
        .where((is) =>
          is.or([
            is('payment_key', '=', text),
            is('payer', '=', text),
            is(
              'payment_key',
              'in',
              is.selectFrom('settlement_transactions').select('payment_key').where('hash', '=', text),
            ),
          ]),
        )
        .orderBy('created_at', 'desc')
        .limit(pageSize)
        .execute(),
    credits: () =>
      select()
        .where(isOpen)
        .where('state', '=', 'settled')
        .where('trial_group', 'is', null)
        .orderBy('created_at')
        .execute(),
    unfinished: () => select().where(isOpen).where('state', 'in', ['claimed', 'sent']).orderBy('created_at').execute(),
    entries: () => readEntries(read),
    dayTotals: (range) => readDayTotals(read, range),
    paid: (network, range) => readPaidEntries(read, network, range),
  };
}
