import type { Address, Hex } from 'viem';
import { atomically, type SqliteDatabase } from './openDatabase.ts';

/** How far the index of one token's Transfer logs has come, and who holds what by these logs. */
export const logIndexTables = [
  `CREATE TABLE log_indexes (
    chain TEXT NOT NULL,
    token TEXT NOT NULL,
    scanned_to BIGINT NOT NULL,
    anchor_block BIGINT,
    anchor_hash TEXT,
    transfers BIGINT NOT NULL,
    holders BIGINT NOT NULL,
    overgrown BIGINT NOT NULL,
    first_block BIGINT,
    first_transaction TEXT,
    PRIMARY KEY (chain, token)
  )`,
  `CREATE TABLE log_holders (
    chain TEXT NOT NULL,
    token TEXT NOT NULL,
    holder TEXT NOT NULL,
    balance TEXT NOT NULL,
    last_sent_block BIGINT,
    PRIMARY KEY (chain, token, holder)
  )`,
];

export interface LogIndexProgress {
  /** All blocks up to this one have been read. */
  scannedTo: number;
  /** A read block and its hash: when the chain has another hash there, the index is of another history. */
  anchor: { block: number; hash: Hex } | undefined;
  transfers: number;
  holders: number;
  /** Too many transfers or wallets: only the first transfer is kept. */
  overgrown: boolean;
  first: { block: number; transaction: Hex } | undefined;
}

/** By the logs alone; a token may say otherwise. Negative when a token gives out what it never logged as received. */
export interface LogHolder {
  holder: Address;
  balance: bigint;
  lastSentBlock: number | undefined;
}

export interface LogIndexStore {
  load(token: Address): LogIndexProgress | undefined;
  loadHolders(token: Address): LogHolder[];
  /** Progress and holders' new standing in one step. `holders` are absolute values, not differences. */
  save(token: Address, progress: LogIndexProgress, holders: readonly LogHolder[]): void;
  forget(token: Address): void;
}

interface Row {
  scanned_to: number;
  anchor_block: number | null;
  anchor_hash: Hex | null;
  transfers: number;
  holders: number;
  overgrown: number;
  first_block: number | null;
  first_transaction: Hex | null;
}

function toProgress(row: Row): LogIndexProgress {
  const { anchor_block, anchor_hash, first_block, first_transaction } = row;
  return {
    scannedTo: row.scanned_to,
    anchor: anchor_block === null || anchor_hash === null ? undefined : { block: anchor_block, hash: anchor_hash },
    transfers: row.transfers,
    holders: row.holders,
    overgrown: row.overgrown === 1,
    first:
      first_block === null || first_transaction === null
        ? undefined
        : { block: first_block, transaction: first_transaction },
  };
}

export function createLogIndexStore(database: SqliteDatabase, chain: string): LogIndexStore {
  const select = database.prepare('SELECT * FROM log_indexes WHERE chain = ? AND token = ?');
  const selectHolders = database.prepare(
    'SELECT holder, balance, last_sent_block FROM log_holders WHERE chain = ? AND token = ?',
  );
  const upsert = database.prepare(
    `INSERT INTO log_indexes (chain, token, scanned_to, anchor_block, anchor_hash, transfers, holders, overgrown, first_block, first_transaction)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (chain, token) DO UPDATE SET scanned_to = excluded.scanned_to, anchor_block = excluded.anchor_block,
       anchor_hash = excluded.anchor_hash, transfers = excluded.transfers, holders = excluded.holders,
       overgrown = excluded.overgrown, first_block = excluded.first_block, first_transaction = excluded.first_transaction`,
  );
  const upsertHolder = database.prepare(
    `INSERT INTO log_holders (chain, token, holder, balance, last_sent_block) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (chain, token, holder) DO UPDATE SET balance = excluded.balance, last_sent_block = excluded.last_sent_block`,
  );
  const deleteIndex = database.prepare('DELETE FROM log_indexes WHERE chain = ? AND token = ?');
  const deleteHolders = database.prepare('DELETE FROM log_holders WHERE chain = ? AND token = ?');
  const key = (token: Address) => token.toLowerCase();

  return {
    load(token) {
      const row = select.get(chain, key(token)) as Row | undefined;
      return row && toProgress(row);
    },
    loadHolders(token) {
      const rows = selectHolders.all(chain, key(token)) as {
        holder: Address;
        balance: string;
        last_sent_block: number | null;
      }[];
      return rows.map(({ holder, balance, last_sent_block }) => ({
        holder,
        balance: BigInt(balance),
        lastSentBlock: last_sent_block ?? undefined,
      }));
    },
    save(token, progress, holders) {
      const { scannedTo, anchor, transfers, overgrown, first } = progress;
      atomically(database, () => {
        upsert.run(
          chain,
          key(token),
          scannedTo,
          anchor?.block ?? null,
          anchor?.hash ?? null,
          transfers,
          progress.holders,
          overgrown ? 1 : 0,
          first?.block ?? null,
          first?.transaction ?? null,
        );
        if (overgrown) deleteHolders.run(chain, key(token));
        for (const { holder, balance, lastSentBlock } of holders) {
          upsertHolder.run(chain, key(token), holder, balance.toString(), lastSentBlock ?? null);
        }
      });
    },
    forget(token) {
      atomically(database, () => {
        deleteIndex.run(chain, key(token));
        deleteHolders.run(chain, key(token));
      });
    },
  };
}
