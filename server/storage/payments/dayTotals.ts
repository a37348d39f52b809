import { type Expression, sql } from 'kysely';
import type { GasUnknownReason } from '../../payments/index.ts';
import type { Sql } from '../database/database.ts';

/** Milliseconds since the epoch: from `from` (inclusive) to `to` (exclusive). */
export interface TimeRange {
  from: number;
  to: number;
}

/** The payments of one UTC day, product and network, by the time of their first request. */
export interface DayTotals {
  /** Start of the day, in milliseconds since the epoch. */
  day: number;
  product: string;
  network: string;
  /** Paid and answered. */
  answered: number;
  /** Those of `answered` whose first answer had failed. */
  redeemedCredits: number;
  /** Paid and not answered yet: credits. */
  unserved: number;
  freeCalls: number;
  /** Refusals that the ledger still contains: an hour, or 30 days if a transaction was sent. */
  refused: number;
  /** The outcome is not known yet. */
  unfinished: number;
  /** Served, and dropped by the chain; not in the revenue. */
  lost: number;
  /** Raw units of USDC that were paid. */
  revenue: number;
  /** Paid payments without a recorded amount, of an earlier version; not in the revenue. */
  unknownAmounts: number;
  /** Known gas of settled payments, in units. */
  gasUsed: number;
  /** Known gas in millionths of a US dollar, including transactions that failed on chain. */
  gasMicroUsd: number;
  /** Payments with gas that is not known, by reason. */
  unknownGas: Record<GasUnknownReason | 'earlier_version', number>;
}

/** A payment that was settled for money. */
export interface PaidEntry {
  key: string;
  payer: string;
  /** Null: recorded by an earlier version. */
  amount: number | null;
  payTo: string | null;
  paymentResponse: string | null;
  createdAt: number;
  lostAt: number | null;
}

const dayMs = 86_400_000;

const isPaid = sql<boolean>`state IN ('settled', 'answered') AND trial_group IS NULL`;
const isReceived = sql<boolean>`${isPaid} AND lost_at IS NULL`;
const isUnrecorded = sql<boolean>`${isPaid} AND gas_unknown IS NULL AND gas_micro_usd IS NULL`;

const count = (condition: Expression<boolean>) => sql<number>`SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
const total = (column: string, condition = sql<boolean>`true`) =>
  sql<number>`SUM(CASE WHEN ${condition} THEN COALESCE(${sql.ref(column)}, 0) ELSE 0 END)`;

/** Totals by day, product and network, in this order. Reads the index of payments by time. */
export async function readDayTotals(read: Sql, { from, to }: TimeRange): Promise<DayTotals[]> {
  const day = sql<number>`created_at / ${sql.lit(dayMs)}`;
  const rows = await read
    .selectFrom('payments')
    .select([
      day.as('day'),
      'paid',
      'network',
      count(sql`state = 'answered' AND trial_group IS NULL`).as('answered'),
      count(sql`state = 'answered' AND trial_group IS NULL AND failures > 0`).as('redeemed'),
      count(sql`state = 'settled' AND trial_group IS NULL`).as('unserved'),
      count(sql`state IN ('settled', 'answered') AND trial_group IS NOT NULL`).as('free'),
      count(sql`state = 'refused'`).as('refused'),
      count(sql`state IN ('claimed', 'sent')`).as('unfinished'),
      count(sql`lost_at IS NOT NULL`).as('lost'),
      total('amount', isReceived).as('revenue'),
      count(sql`${isReceived} AND amount IS NULL`).as('unknown_amounts'),
      total('gas_used').as('gas_used'),
      total('gas_micro_usd').as('gas_micro_usd'),
      count(sql`gas_unknown = 'not_read'`).as('not_read'),
      count(sql`gas_unknown = 'no_price'`).as('no_price'),
      count(sql`gas_unknown = 'remote'`).as('remote'),
      count(isUnrecorded).as('earlier_version'),
    ])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .groupBy([day, 'paid', 'network'])
    .orderBy(day)
    .orderBy('paid')
    .orderBy('network')
    .execute();
  // PostgreSQL returns sums as decimal text.
  return rows.map((row) => ({
    day: Number(row.day) * dayMs,
    product: row.paid,
    network: row.network,
    answered: Number(row.answered),
    redeemedCredits: Number(row.redeemed),
    unserved: Number(row.unserved),
    freeCalls: Number(row.free),
    refused: Number(row.refused),
    unfinished: Number(row.unfinished),
    lost: Number(row.lost),
    revenue: Number(row.revenue),
    unknownAmounts: Number(row.unknown_amounts),
    gasUsed: Number(row.gas_used),
    gasMicroUsd: Number(row.gas_micro_usd),
    unknownGas: {
      not_read: Number(row.not_read),
      no_price: Number(row.no_price),
      remote: Number(row.remote),
      earlier_version: Number(row.earlier_version),
    },
  }));
}

/** The payments on one network that were settled for money, by the time of their first request. */
export function readPaidEntries(read: Sql, network: string, { from, to }: TimeRange): Promise<PaidEntry[]> {
  return read
    .selectFrom('payments')
    .select([
      'payment_key as key',
      'payer',
      'amount',
      'pay_to as payTo',
      'payment_response as paymentResponse',
      'created_at as createdAt',
      'lost_at as lostAt',
    ])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('network', '=', network)
    .where(isPaid)
    .orderBy('created_at')
    .execute();
}
