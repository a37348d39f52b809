import type { Address } from 'viem';
import type { HolderMeasurement } from '../../engine/index.ts';
import type { SqliteDatabase } from './openDatabase.ts';

export const holderMeasurementsTable = `CREATE TABLE holder_measurements (
  chain TEXT NOT NULL,
  token TEXT NOT NULL,
  measured_at BIGINT NOT NULL,
  block_number BIGINT NOT NULL,
  source TEXT NOT NULL,
  top1_share_pct DOUBLE PRECISION NOT NULL,
  top10_share_pct DOUBLE PRECISION NOT NULL,
  holders BIGINT,
  holders_exact BIGINT,
  top_holder TEXT,
  note TEXT NOT NULL,
  PRIMARY KEY (chain, token)
)`;

interface Row {
  measured_at: number;
  block_number: number;
  source: string;
  top1_share_pct: number;
  top10_share_pct: number;
  holders: number | null;
  holders_exact: number | null;
  top_holder: Address | null;
  note: string;
}

/** The last holder measurement of each token, with the time it was really made. An older one never replaces a newer one. */
export function createHolderMeasurements(database: SqliteDatabase, chain: string) {
  const select = database.prepare('SELECT * FROM holder_measurements WHERE chain = ? AND token = ?');
  const insert = database.prepare(
    `INSERT INTO holder_measurements (chain, token, measured_at, block_number, source, top1_share_pct, top10_share_pct,
       holders, holders_exact, top_holder, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (chain, token) DO UPDATE SET measured_at = excluded.measured_at, block_number = excluded.block_number,
       source = excluded.source, top1_share_pct = excluded.top1_share_pct, top10_share_pct = excluded.top10_share_pct,
       holders = excluded.holders, holders_exact = excluded.holders_exact, top_holder = excluded.top_holder, note = excluded.note
     WHERE excluded.measured_at >= holder_measurements.measured_at`,
  );
  return {
    load(token: Address): HolderMeasurement | undefined {
      const row = select.get(chain, token.toLowerCase()) as Row | undefined;
      return (
        row && {
          measuredAt: row.measured_at,
          blockNumber: BigInt(row.block_number),
          source: row.source,
          top1SharePct: row.top1_share_pct,
          top10SharePct: row.top10_share_pct,
          holders: row.holders,
          holdersExact: row.holders_exact,
          topHolder: row.top_holder,
          note: row.note,
        }
      );
    },
    save(token: Address, m: HolderMeasurement): void {
      insert.run(
        chain,
        token.toLowerCase(),
        m.measuredAt,
        Number(m.blockNumber),
        m.source,
        m.top1SharePct,
        m.top10SharePct,
        m.holders,
        m.holdersExact,
        m.topHolder,
        m.note,
      );
    },
  };
}
