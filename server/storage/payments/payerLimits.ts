import { type ExpressionBuilder, sql as raw } from 'kysely';
import type { PaymentLedger, Reservation } from '../../payments/index.ts';
import type { Database, Sql } from '../database/database.ts';
import type { PaymentRecord, Tables } from '../database/tables.ts';
import { inBatches } from './inBatches.ts';
import { isFree } from './presence.ts';

const firstPauseMs = 60_000;
const longestPauseMs = 24 * 3_600_000;

const pauseAfter = (failures: number): number => Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);

type ReserveClaim = Parameters<PaymentLedger['reserve']>[0];
type Reserved = Awaited<ReturnType<PaymentLedger['reserve']>>;
/** A payment that may still take money. */
type OpenRow = Pick<PaymentRecord, 'payment_key' | 'reserved' | 'network' | 'wallet'>;

const toReservation = (row: { payment_key: string; reserved: number | null }): Reservation => ({
  key: row.payment_key,
  amount: BigInt(row.reserved ?? 0),
});

/** Matches payments that may still take money: a refused one only while a replica is settling it again. */
const isOpen = (clock: Database['clock']) => (is: ExpressionBuilder<Tables, 'payments'>) =>
  is.and([
    is('reserved', 'is not', null),
    is.or([is('state', 'in', ['claimed', 'sent']), is.and([is('state', '=', 'refused'), is.not(isFree(clock)(is))])]),
  ]);

type Payer = Pick<Tables['payers'], 'wallet' | 'failures' | 'settled'> & { pausedForMs: number };

/**
 * Locks or inserts the wallets' rows, so that database transactions of one wallet run sequentially. Sorted by wallet, so
 * that two replicas cannot deadlock.
 */
async function lockPayers(
  { rows, clock }: Database,
  sql: Sql,
  wallets: readonly string[],
): Promise<ReadonlyMap<string, Payer>> {
  const { rows: locked } = await raw<Payer>`
    INSERT INTO payers (wallet, failures, settled, paused_until, updated_at)
    SELECT value ->> 'wallet', 0, 0, 0, ${clock}
    FROM ${rows(wallets.toSorted().map((wallet) => ({ wallet })))} AS each WHERE true
    ON CONFLICT (wallet) DO UPDATE SET updated_at = ${clock}
    RETURNING wallet, failures, settled, paused_until - ${clock} AS "pausedForMs"
  `.execute(sql);
  return new Map(locked.map((row) => [row.wallet, row]));
}

const loadOpen = ({ rows, clock }: Database, sql: Sql, wallets: readonly string[]): Promise<OpenRow[]> =>
  sql
    .selectFrom('payments')
    .select(['payment_key', 'reserved', 'network', 'wallet'])
    .where(
      'wallet',
      'in',
      raw<string>`(SELECT value ->> 'wallet' FROM ${rows(wallets.map((wallet) => ({ wallet })))} AS each)`,
    )
    .where(isOpen(clock))
    .execute();

async function setReserved({ rows }: Database, sql: Sql, claims: readonly ReserveClaim[]): Promise<void> {
  const reserved = claims.map(({ key, wallet, amount }) => ({ key, wallet, amount: Number(amount) }));
  await raw`
    UPDATE payments SET reserved = CAST(each.value ->> 'amount' AS BIGINT), wallet = each.value ->> 'wallet'
    FROM ${rows(reserved)} AS each WHERE payment_key = each.value ->> 'key'
  `.execute(sql);
}

/** Whether a payment may be reserved, beside the open payments of its wallet. */
function decideReservation(
  { key, wallet, network, earnedOn }: ReserveClaim,
  payer: Payer | undefined,
  open: readonly OpenRow[],
): Reserved {
  const { settled = 0, pausedForMs = 0 } = payer ?? {};
  const forMs = Number(pausedForMs);
  if (forMs > 0) return { kind: 'paused', forMs };
  const others = open.filter((row) => row.wallet === wallet && row.payment_key !== key);
  const inFlight = others.filter((row) => earnedOn?.includes(row.network));
  if (inFlight.length > Number(settled)) return { kind: 'full' };
  return { kind: 'reserved', before: others.filter((row) => row.network === network).map(toReservation) };
}

const reserveAll = (database: Database, claims: readonly ReserveClaim[]): Promise<Reserved[]> =>
  database.write(async (sql) => {
    const wallets = [...new Set(claims.map(({ wallet }) => wallet))];
    const payers = await lockPayers(database, sql, wallets);
    const open = await loadOpen(database, sql, wallets);
    const granted: ReserveClaim[] = [];
    const results = claims.map((claim): Reserved => {
      const { key, wallet, network, amount } = claim;
      const result = decideReservation(claim, payers.get(wallet), open);
      if (result.kind !== 'reserved') return result;
      granted.push(claim);
      // Visible to the next claim of this wallet in the batch.
      if (!open.some((row) => row.payment_key === key))
        open.push({ payment_key: key, reserved: Number(amount), network, wallet });
      return result;
    });
    if (granted.length > 0) await setReserved(database, sql, granted);
    return results;
  });

/** Limits the gas that a payer can make this service spend, by reservations and pauses. */
export function createPayerLimits(database: Database): Pick<PaymentLedger, 'reserve' | 'loadReserved' | 'pausePayer'> {
  const { read, write, clock } = database;
  return {
    reserve: inBatches(
      async (claim) => (await reserveAll(database, [claim]))[0] as Reserved,
      (claims) => reserveAll(database, claims),
    ),
    async loadReserved(keys) {
      if (keys.length === 0) return [];
      const open = await read
        .selectFrom('payments')
        .select(['payment_key', 'reserved'])
        .where('payment_key', 'in', keys)
        .where(isOpen(clock))
        .execute();
      const sent = await read
        .selectFrom('settlement_transactions')
        .select(['payment_key', 'hash'])
        .where('payment_key', 'in', keys)
        .execute();
      return open.map((row) => ({
        ...toReservation(row),
        hashes: sent.filter(({ payment_key }) => payment_key === row.payment_key).map(({ hash }) => hash),
      }));
    },
    pausePayer: (wallet) =>
      write(async (sql) => {
        const failures = ((await lockPayers(database, sql, [wallet])).get(wallet)?.failures ?? 0) + 1;
        const pauseMs = pauseAfter(failures);
        await sql
          .updateTable('payers')
          .set({ failures, settled: 0, paused_until: raw<number>`${clock} + ${raw.lit(pauseMs)}` })
          .where('wallet', '=', wallet)
          .execute();
        return pauseMs;
      }),
  };
}
