import { type Expression, sql as raw } from 'kysely';
import type { GasBudget, PaymentLedger } from '../../payments/index.ts';
import type { Database, Sql } from '../database/database.ts';

const hourMs = 3_600_000;

/** Locks the budget's row and returns the spent amount, which decreases linearly by the whole budget in an hour. */
async function lockBudget(sql: Sql, clock: Expression<number>, { class: name, perHour }: GasBudget): Promise<number> {
  const { spent, age } = await sql
    .insertInto('gas_budgets')
    .values({ class: name, spent: 0, updated_at: clock })
    .onConflict((conflict) => conflict.column('class').doUpdateSet((row) => ({ class: row.ref('excluded.class') })))
    .returning(['spent', raw<number>`${clock} - updated_at`.as('age')])
    .executeTakeFirstOrThrow();
  return Math.max(0, spent - Math.floor((perHour * Math.max(0, Number(age))) / hourMs));
}

async function setSpent(sql: Sql, clock: Expression<number>, { class: name }: GasBudget, spent: number): Promise<void> {
  await sql.updateTable('gas_budgets').set({ spent, updated_at: clock }).where('class', '=', name).execute();
}

/** Gas budgets that several payers share. */
export function createGasBudgets({ write, clock }: Database): Pick<PaymentLedger, 'takeGas' | 'returnGas'> {
  return {
    takeGas: (budget, amount) =>
      write(async (sql) => {
        const spent = await lockBudget(sql, clock, budget);
        const lacking = spent + amount - budget.perHour;
        if (lacking > 0) return Math.ceil((lacking * hourMs) / budget.perHour);
        await setSpent(sql, clock, budget, spent + amount);
        return undefined;
      }),
    returnGas: (budget, amount) =>
      write(async (sql) => {
        const spent = await lockBudget(sql, clock, budget);
        await setSpent(sql, clock, budget, Math.max(0, spent - amount));
      }),
  };
}
