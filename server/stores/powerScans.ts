import { z } from 'zod';
import type { PowerScan } from '../../engine/index.ts';
import type { SqliteDatabase } from './openDatabase.ts';

export const powerScansTable = `CREATE TABLE power_scans (
  chain TEXT NOT NULL,
  scan_key TEXT NOT NULL,
  scan TEXT NOT NULL,
  PRIMARY KEY (chain, scan_key)
)`;

// A row may be older than the code that reads it.
const scanShape: z.ZodType<PowerScan> = z.object({
  scannedAt: z.number(),
  blockNumber: z.number(),
  functionsTried: z.number(),
  callsTried: z.number(),
  truncated: z.boolean(),
  powers: z.array(
    z.object({
      selector: z.templateLiteral(['0x', z.string()]),
      args: z.string(),
      name: z.string().nullable(),
      effect: z.enum(['block-holder', 'block-all-sales', 'raise-tax', 'mint', 'seize']),
      caller: z.string(),
    }),
  ),
});

/** What owners of each code were seen to be able to do. A scan of another shape than today's counts as not made. */
export function createPowerScans(database: SqliteDatabase, chain: string) {
  const select = database.prepare('SELECT scan FROM power_scans WHERE chain = ? AND scan_key = ?');
  const insert = database.prepare(
    `INSERT INTO power_scans (chain, scan_key, scan) VALUES (?, ?, ?)
     ON CONFLICT (chain, scan_key) DO UPDATE SET scan = excluded.scan`,
  );
  return {
    load(scanKey: string): PowerScan | undefined {
      const row = select.get(chain, scanKey) as { scan: string } | undefined;
      return row && scanShape.safeParse(JSON.parse(row.scan)).data;
    },
    save(scanKey: string, scan: PowerScan): void {
      insert.run(chain, scanKey, JSON.stringify(scan));
    },
  };
}
