import { sql } from 'kysely';
import { shareRunning } from '../time/shareRunning.ts';
import type { Database } from './database/database.ts';

/** Cache time of a result, because the endpoint is free and public. Each probe waits for the disk. */
const availableForMs = 5_000;
/** A recovered database is used soon. */
const unavailableForMs = 1_000;
const timeoutMs = 2_000;
/** More than a page of SQLite: a full disk can still have space in the last page. */
const filler = 'x'.repeat(8_192);

export interface StoreProbe {
  /** Writes, unless the last result is recent. One write at a time, for any number of callers. */
  check(): Promise<boolean>;
  /** The last result, from memory; true before the first probe. */
  readonly isAvailable: boolean;
}

interface StoreProbeOptions {
  now: () => number;
  /** Names the row, so that replicas do not wait for each other. */
  replica: string;
  /** Called when the result changes. `cause`: why nothing can be written. */
  onChange?: (isAvailable: boolean, cause: unknown) => void;
}

/**
 * Whether a payment could be recorded: writes to the disk through the connection that payments use. A query would also
 * succeed on a full disk, a read-only file or a standby.
 */
export function createStoreProbe(
  database: Pick<Database, 'write'>,
  { now, replica, onChange = () => undefined }: StoreProbeOptions,
): StoreProbe {
  let isAvailable = true;
  let checkedAt = Number.NEGATIVE_INFINITY;

  const write = shareRunning(timeoutMs, async (): Promise<{ cause?: unknown }> => {
    try {
      await database.write(async (step) => {
        await sql`INSERT INTO write_probes (replica, filler) VALUES (${replica}, ${filler})`.execute(step);
        await sql`DELETE FROM write_probes WHERE replica = ${replica}`.execute(step);
      });
      return {};
    } catch (cause) {
      return { cause };
    }
  });

  return {
    async check() {
      const lifeMs = isAvailable ? availableForMs : unavailableForMs;
      // Also after the clock was set back.
      if (Math.abs(now() - checkedAt) < lifeMs) return isAvailable;
      const result = (await write()) ?? { cause: new Error(`No write completed within ${timeoutMs} ms.`) };
      const before = isAvailable;
      isAvailable = !('cause' in result);
      checkedAt = now();
      if (before !== isAvailable) onChange(isAvailable, result.cause);
      return isAvailable;
    },
    get isAvailable() {
      return isAvailable;
    },
  };
}
