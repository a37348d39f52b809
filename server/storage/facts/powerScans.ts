import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { type PowerScan, powerCallers, powerEffects } from '../ports.ts';

// An earlier release may have written the row.
const scanShape: z.ZodType<PowerScan> = z.object({
  scannedAt: z.number(),
  blockNumber: z.number(),
  functionsTried: z.number(),
  callsTried: z.number(),
  truncated: z.boolean(),
  controlTraded: z.boolean(),
  functionsRefused: z.array(z.templateLiteral(['0x', z.string()])),
  powers: z.array(
    z.object({
      selector: z.templateLiteral(['0x', z.string()]),
      args: z.string(),
      name: z.string().nullable(),
      effect: z.enum(powerEffects),
      caller: z.enum(powerCallers),
    }),
  ),
});

/** Owner powers found in each contract code. A scan in an older format counts as missing. */
export function createPowerScans(database: Database, chain: string) {
  return {
    async load(scanKey: string): Promise<PowerScan | undefined> {
      const row = await database.read
        .selectFrom('power_scans')
        .select('scan')
        .where('chain', '=', chain)
        .where('scan_key', '=', scanKey)
        .executeTakeFirst();
      return row && scanShape.safeParse(JSON.parse(row.scan)).data;
    },
    async save(scanKey: string, powers: PowerScan): Promise<void> {
      const scan = JSON.stringify(powers);
      await database.write((sql) =>
        sql
          .insertInto('power_scans')
          .values({ chain, scan_key: scanKey, scan })
          .onConflict((conflict) => conflict.columns(['chain', 'scan_key']).doUpdateSet({ scan }))
          .execute(),
      );
    },
  };
}
