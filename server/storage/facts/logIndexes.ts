import { getAddress, type Hex } from 'viem';
import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { type LowerAddress, toLowerAddress } from '../ports.ts';

export interface LogIndexProgress {
  /** The last scanned block. */
  scannedTo: number;
  /** A scanned block and its hash. If the chain's hash differs, a reorganisation has invalidated the index. */
  anchor: { block: number; hash: Hex } | undefined;
  transfers: number;
  holders: number;
  /** Too many transfers or wallets: only the first transfer is stored. */
  overgrown: boolean;
  first: { block: number; transaction: Hex } | undefined;
}

/** Balance from Transfer logs only; `balanceOf` may differ. Negative if a wallet sent more than it received by logs. */
export interface LogHolder {
  holder: LowerAddress;
  balance: bigint;
  lastSentBlock: number | undefined;
}

export interface LogIndexStore {
  load(token: LowerAddress): Promise<LogIndexProgress | undefined>;
  loadHolders(token: LowerAddress): Promise<LogHolder[]>;
  /**
   * Saves progress and holders' balances in one transaction. `holders` are absolute values, not differences.
   * @param from the stored progress that the new values continue; undefined: none
   * @returns false if another replica has advanced the stored index since; nothing was saved
   */
  save(
    token: LowerAddress,
    from: LogIndexProgress | undefined,
    progress: LogIndexProgress,
    holders: readonly LogHolder[],
  ): Promise<boolean>;
  forget(token: LowerAddress): Promise<void>;
}

/** Rows per INSERT: below the parameter limits of both databases. */
const chunkSize = 500;

function toProgress(row: Tables['log_indexes']): LogIndexProgress {
  const { anchor_block, anchor_hash, first_block, first_transaction } = row;
  return {
    scannedTo: row.scanned_to,
    anchor:
      anchor_block === null || anchor_hash === null ? undefined : { block: anchor_block, hash: anchor_hash as Hex },
    transfers: row.transfers,
    holders: row.holders,
    overgrown: row.overgrown === 1,
    first:
      first_block === null || first_transaction === null
        ? undefined
        : { block: first_block, transaction: first_transaction as Hex },
  };
}

interface IndexKey {
  chain: string;
  token: string;
}

/** Updates the progress. @returns false if the stored progress is no longer `from` */
async function advance(
  sql: Sql,
  key: IndexKey,
  from: LogIndexProgress | undefined,
  to: LogIndexProgress,
): Promise<boolean> {
  const fields = {
    scanned_to: to.scannedTo,
    anchor_block: to.anchor?.block ?? null,
    anchor_hash: to.anchor?.hash ?? null,
    transfers: to.transfers,
    holders: to.holders,
    overgrown: to.overgrown ? 1 : 0,
    first_block: to.first?.block ?? null,
    first_transaction: to.first?.transaction ?? null,
  };
  if (!from) {
    const { numInsertedOrUpdatedRows } = await sql
      .insertInto('log_indexes')
      .values({ ...key, ...fields })
      .onConflict((conflict) => conflict.columns(['chain', 'token']).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await sql
    .updateTable('log_indexes')
    .set(fields)
    .where((is) => is.and({ ...key, scanned_to: from.scannedTo, transfers: from.transfers }))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

async function saveHolders(sql: Sql, key: IndexKey, holders: readonly LogHolder[]): Promise<void> {
  for (let begin = 0; begin < holders.length; begin += chunkSize) {
    const rows = holders.slice(begin, begin + chunkSize).map(({ holder, balance, lastSentBlock }) => ({
      ...key,
      // Earlier releases stored checksummed addresses as keys.
      holder: getAddress(holder),
      balance: balance.toString(),
      last_sent_block: lastSentBlock ?? null,
    }));
    await sql
      .insertInto('log_holders')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['chain', 'token', 'holder']).doUpdateSet((is) => ({
          balance: is.ref('excluded.balance'),
          last_sent_block: is.ref('excluded.last_sent_block'),
        })),
      )
      .execute();
  }
}

export function createLogIndexStore(database: Database, chain: string): LogIndexStore {
  const keyOf = (token: LowerAddress): IndexKey => ({ chain, token });

  return {
    async load(token) {
      const row = await database.read
        .selectFrom('log_indexes')
        .selectAll()
        .where((is) => is.and(keyOf(token)))
        .executeTakeFirst();
      return row && toProgress(row);
    },
    async loadHolders(token) {
      const rows = await database.read
        .selectFrom('log_holders')
        .select(['holder', 'balance', 'last_sent_block'])
        .where((is) => is.and(keyOf(token)))
        .execute();
      return rows.map(({ holder, balance, last_sent_block }) => ({
        holder: toLowerAddress(holder as Hex),
        balance: BigInt(balance),
        lastSentBlock: last_sent_block ?? undefined,
      }));
    },
    save: (token, from, progress, holders) =>
      database.write(async (sql) => {
        if (!(await advance(sql, keyOf(token), from, progress))) return false;
        if (progress.overgrown) {
          await sql
            .deleteFrom('log_holders')
            .where((is) => is.and(keyOf(token)))
            .execute();
        }
        await saveHolders(sql, keyOf(token), holders);
        return true;
      }),
    forget: (token) =>
      database.write(async (sql) => {
        for (const table of ['log_indexes', 'log_holders'] as const) {
          await sql
            .deleteFrom(table)
            .where((is) => is.and(keyOf(token)))
            .execute();
        }
      }),
  };
}
