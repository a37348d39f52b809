import { type RawBuilder, sql } from 'kysely';
import type { GasSpent } from '../../payments/index.ts';

type Added = Record<'gas_used' | 'gas_micro_usd' | 'gas_unknown', RawBuilder<never>>;

/**
 * New values of the gas columns of a payment: the known parts of its attempts are added, and the last reason stays.
 * @param sqlOf SQL of a field of the gas to add; NULL if it is absent
 */
export function gasSums(sqlOf: (field: keyof GasSpent) => RawBuilder<unknown>): Added {
  const sum = (column: string, field: keyof GasSpent) => {
    const added = sql`CAST(${sqlOf(field)} AS BIGINT)`;
    return sql<never>`COALESCE(${sql.ref(column)} + ${added}, ${added}, ${sql.ref(column)})`;
  };
  return {
    gas_used: sum('gas_used', 'used'),
    gas_micro_usd: sum('gas_micro_usd', 'microUsd'),
    gas_unknown: sql<never>`COALESCE(${sqlOf('unknown')}, gas_unknown)`,
  };
}

/** The gas columns of one payment after `gas` is added. */
export const addGas = (gas: GasSpent): Added =>
  gasSums((field) => sql`CAST(${gas[field] ?? null} AS ${sql.raw(field === 'unknown' ? 'TEXT' : 'BIGINT')})`);

/** The gas of a payment that was settled without a record of its cost. */
export const gasNotRead: GasSpent = { unknown: 'not_read' };
