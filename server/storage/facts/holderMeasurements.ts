import type { Hex } from 'viem';
import type { Database } from '../database/database.ts';
import { type HolderMeasurement, type LowerAddress, toLowerAddress } from '../ports.ts';

/** Latest holder measurement of each token. An older one never replaces a newer one. */
export function createHolderMeasurements(database: Database, chain: string) {
  return {
    async load(token: LowerAddress): Promise<HolderMeasurement | undefined> {
      const row = await database.read
        .selectFrom('holder_measurements')
        .selectAll()
        .where('chain', '=', chain)
        .where('token', '=', token)
        .executeTakeFirst();
      return (
        row && {
          measuredAt: row.measured_at,
          blockNumber: BigInt(row.block_number),
          source: row.source,
          top1SharePct: row.top1_share_pct,
          top10SharePct: row.top10_share_pct,
          holders: row.holders,
          holdersExact: row.holders_exact,
          topHolder: row.top_holder === null ? null : toLowerAddress(row.top_holder as Hex),
          note: row.note,
        }
      );
    },
    async save(token: LowerAddress, measurement: HolderMeasurement): Promise<void> {
      const fact = {
        measured_at: measurement.measuredAt,
        block_number: Number(measurement.blockNumber),
        source: measurement.source,
        top1_share_pct: measurement.top1SharePct,
        top10_share_pct: measurement.top10SharePct,
        holders: measurement.holders,
        holders_exact: measurement.holdersExact,
        top_holder: measurement.topHolder,
        note: measurement.note,
      };
      await database.write((sql) =>
        sql
          .insertInto('holder_measurements')
          .values({ chain, token, ...fact })
          .onConflict((conflict) =>
            conflict
              .columns(['chain', 'token'])
              .doUpdateSet(fact)
              .where('holder_measurements.measured_at', '<=', fact.measured_at),
          )
          .execute(),
      );
    },
  };
}
