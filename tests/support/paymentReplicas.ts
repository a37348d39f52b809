import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Expression, sql as raw } from 'kysely';
import Libsql from 'libsql';
import PromiseLibsql from 'libsql/promise';
import type { RpcEndpoint } from '../../engine/index.ts';
import {
  createPaymentService,
  type PaymentConfig,
  type PaymentLedger,
  type PaymentService,
} from '../../server/payments/index.ts';
import type { Database } from '../../server/storage/database/database.ts';
import { openDatabase } from '../../server/storage/database/openDatabase.ts';
import { createLedger } from '../../server/storage/payments/ledger.ts';

/** A database's clock that follows the test's. */
const clockOf = (now: () => number): Expression<number> => ({
  get expressionType() {
    return undefined;
  },
  toOperationNode: () => raw<number>`${now()}`.toOperationNode(),
});

/**
 * A database in a temporary folder for many histories, one after another. It commits in the calling thread, so that each
 * history has one order of events.
 */
export async function openHistoryDatabase(now: () => number) {
  const folder = mkdtempSync(join(tmpdir(), 'truefill-histories-'));
  const opened = await openDatabase({ file: join(folder, 'ledger.sqlite') });
  const database: Database = { ...opened, clock: clockOf(now) };
  const execInThread = PromiseLibsql.prototype.exec;
  let isUnsynced = false;
  PromiseLibsql.prototype.exec = async function exec(this: never, text: string) {
    Libsql.prototype.exec.call(this, text);
    // No history survives a power failure.
    if (!isUnsynced) Libsql.prototype.exec.call(this, 'PRAGMA synchronous = OFF');
    isUnsynced = true;
  };
  return {
    database,
    /** Deletes everything. */
    clear: () =>
      database.write(async (sql) => {
        for (const table of [
          'answers',
          'settlement_transactions',
          'group_transactions',
          'payment_identifiers',
          'trials',
          'payments',
          'payers',
          'gas_budgets',
          'replicas',
        ] as const) {
          await sql.deleteFrom(table).execute();
        }
      }),
    async close(): Promise<void> {
      await opened.close();
      PromiseLibsql.prototype.exec = execInThread;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A process of the service. After `kill` none of its requests and statements resolves. */
export interface Replica {
  service: PaymentService;
  ledger: PaymentLedger;
  isAlive(): boolean;
  kill(): Promise<void>;
}

const never = (): Promise<never> => new Promise(() => undefined);

/** Starts a process of the service on a shared database. */
export async function startReplica(
  { database, now }: { database: Database; now: () => number },
  replica: string,
  configOf: (ledger: PaymentLedger, watch: (endpoint: RpcEndpoint) => RpcEndpoint) => PaymentConfig,
): Promise<Replica> {
  let isAlive = true;
  const lease = { replica, alive_until: Number.MAX_SAFE_INTEGER, started_at: now() };
  await database.write((sql) => sql.insertInto('replicas').values(lease).execute());
  const whileAlive =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (!isAlive) return never();
      const outcome = await Promise.allSettled([work(...args)]);
      if (!isAlive) return never();
      if (outcome[0].status === 'rejected') throw outcome[0].reason;
      return outcome[0].value;
    };
  const ledger = Object.fromEntries(
    Object.entries(createLedger(database, { replica } as never, now)).map(([name, work]) => [
      name,
      whileAlive(work as (...args: unknown[]) => Promise<unknown>),
    ]),
  ) as unknown as PaymentLedger;
  const watch = (endpoint: RpcEndpoint): RpcEndpoint => ({
    ...endpoint,
    send: whileAlive((calls, options) => endpoint.send(calls, options)),
  });
  const service = await createPaymentService(configOf(ledger, watch));
  return {
    service,
    ledger,
    isAlive: () => isAlive,
    async kill() {
      isAlive = false;
      await database.write((sql) => sql.deleteFrom('replicas').where('replica', '=', replica).execute());
    },
  };
}
