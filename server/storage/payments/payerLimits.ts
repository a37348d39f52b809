import { type ExpressionBuilder, sql as raw } from 'kysely';
import type { GasBudget, PaymentLedger, Reservation } from '../../payments/index.ts';
import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { isFree } from './presence.ts';

const firstPauseMs = 60_000;
const longestPauseMs = 24 * 3_600_000;
const hourMs = 3_600_000;

const pauseAfter = (failures: number): number => Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);

const toReservation = (row: { payment_key: string; reserved: number | null }): Reservation => ({
  key: row.payment_key,
  amount: BigInt(row.reserved ?? 0),
});

/** Limits the gas that payers can make us spend: reservations, pauses and gas budgets. */
export function createPayerLimits({
  read,
  write,
  clock,
}: Database): Pick<PaymentLedger, 'reserve' | 'loadReserved' | 'pausePayer' | 'takeGas' | 'returnGas'> {
  /** A refused payment that is not retried reserves nothing. */
  const isOpen = (is: ExpressionBuilder<Tables, 'payments'>) =>
    is.and([
      is('reserved', 'is not', null),
      is.or([is('state', 'in', ['claimed', 'sent']), is.and([is('state', '=', 'refused'), is.not(isFree(clock)(is))])]),
    ]);

  /** Locks the wallet's row, or inserts it, so that transactions of one wallet run one after another. */
  async function lockPayer(sql: Sql, wallet: string) {
    return sql
      .insertInto('payers')
      .values({ wallet, failures: 0, settled: 0, paused_until: 0, updated_at: clock })
      .onConflict((conflict) => conflict.column('wallet').doUpdateSet({ updated_at: clock }))
      .returning(['failures', 'settled', raw<number>`paused_until - ${clock}`.as('pausedForMs')])
      .executeTakeFirstOrThrow();
  }

  /** The amount spent now; an hour refills the whole budget. */
  async function lockBudget(sql: Sql, { class: name, perHour }: GasBudget): Promise<number> {
    const { spent, age } = await sql
      .insertInto('gas_budgets')
      .values({ class: name, spent: 0, updated_at: clock })
      .onConflict((conflict) => conflict.column('class').doUpdateSet((row) => ({ class: row.ref('excluded.class') })))
      .returning(['spent', raw<number>`${clock} - updated_at`.as('age')])
      .executeTakeFirstOrThrow();
    return Math.max(0, spent - Math.floor((perHour * Math.max(0, Number(age))) / hourMs));
  }

  async function setSpent(sql: Sql, { class: name }: GasBudget, spent: number): Promise<void> {
    await sql.updateTable('gas_budgets').set({ spent, updated_at: clock }).where('class', '=', name).execute();
  }

  return {
    reserve: ({ key, wallet, network, amount, onlyEarned }) =>
      write(async (sql) => {
        const { settled, pausedForMs } = await lockPayer(sql, wallet);
        const forMs = Number(pausedForMs);
        if (forMs > 0) return { kind: 'paused' as const, forMs };
        const open = await sql
          .selectFrom('payments')
          .select(['payment_key', 'reserved', 'network'])
          .where('wallet', '=', wallet)
          .where('payment_key', '<>', key)
          .where(isOpen)
          .execute();
        if (onlyEarned && open.length > Number(settled)) return { kind: 'full' as const };
        await sql
          .updateTable('payments')
          .set({ reserved: Number(amount), wallet })
          .where('payment_key', '=', key)
          .execute();
        const before = open.filter((row) => row.network === network).map(toReservation);
        return { kind: 'reserved' as const, before };
      }),
    async loadReserved(keys) {
      if (keys.length === 0) return [];
      const rows = await read
        .selectFrom('payments')
        .select(['payment_key', 'reserved'])
        .where('payment_key', 'in', keys)
        .where(isOpen)
        .execute();
      const sent = await read
        .selectFrom('settlement_transactions')
        .select(['payment_key', 'hash'])
        .where('payment_key', 'in', keys)
        .execute();
      return rows.map((row) => ({
        ...toReservation(row),
        hashes: sent.filter(({ payment_key }) => payment_key === row.payment_key).map(({ hash }) => hash),
      }));
    },
    pausePayer: (wallet) =>
      write(async (sql) => {
        const failures = (await lockPayer(sql, wallet)).failures + 1;
        const pauseMs = pauseAfter(failures);
        await sql
          .updateTable('payers')
          .set({ failures, settled: 0, paused_until: raw<number>`${clock} + ${raw.lit(pauseMs)}` })
          .where('wallet', '=', wallet)
          .execute();
        return pauseMs;
      }),
    takeGas: (budget, amount) =>
      write(async (sql) => {
        const spent = await lockBudget(sql, budget);
        const lacking = spent + amount - budget.perHour;
        if (lacking > 0) return Math.ceil((lacking * hourMs) / budget.perHour);
        await setSpent(sql, budget, spent + amount);
        return undefined;
      }),
    returnGas: (budget, amount) =>
      write(async (sql) => {
        const spent = await lockBudget(sql, budget);
        await setSpent(sql, budget, Math.max(0, spent - amount));
      }),
  };
}
