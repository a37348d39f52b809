import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { type PaymentLedger, transitions } from '../../payments/index.ts';
import type { Database, Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { assertTransition } from './assertTransition.ts';
import { forgetIdentifiers } from './identifiers.ts';
import { isOpen } from './isOpen.ts';
import { sentFor } from './sentFor.ts';

/**
 * Returns unanswered free calls to their wallets. Their payments become `refused`: a node has seen them, so they stay
 * bound to their requests.
 * @returns the number of returned free calls
 */
export async function giveBackTrials(
  sql: Sql,
  which: (is: ExpressionBuilder<Tables, 'payments'>) => Expression<SqlBool>,
) {
  const returned = await sql
    .updateTable('payments')
    .set({ state: 'refused', trial_group: null, payment_response: null, holder: null })
    .where(isOpen)
    .where('state', 'in', transitions.giveBackTrial.from)
    .where('trial_group', 'is not', null)
    .where(which)
    .returning('payment_key')
    .execute();
  const keys = returned.map(({ payment_key }) => payment_key);
  if (keys.length > 0) await sql.deleteFrom('trials').where('payment_key', 'in', keys).execute();
  await forgetIdentifiers(sql, keys);
  return keys.length;
}

const dayMs = 86_400_000;

/** Reads and records which wallets have used their free calls. */
export function createFreeCalls(
  { read, write, lock }: Database,
  replica: string,
  now: () => number,
): Pick<PaymentLedger, 'hasTrial' | 'claimTrial'> {
  return {
    async hasTrial(group, wallet) {
      const taken = await read
        .selectFrom('trials')
        .select('payment_key')
        .where('trial_group', '=', group)
        .where('wallet', '=', wallet)
        .executeTakeFirst();
      return taken !== undefined;
    },
    claimTrial: ({ key, group, wallet, paymentResponse, client }) =>
      write(async (sql) => {
        if (client) {
          // Locked, so that concurrent claims from one IP address count each other.
          await lock(sql, `free calls of ${client.address}`);
          const { taken } = await sql
            .selectFrom('trials')
            .select((is) => is.fn.countAll<number>().as('taken'))
            .where('client', '=', client.address)
            .where('created_at', '>=', now() - (now() % dayMs))
            .executeTakeFirstOrThrow();
          if (Number(taken) >= client.perDay) return 'limited';
        }
        const first = await sql
          .insertInto('trials')
          .values({
            trial_group: group,
            wallet,
            payment_key: key,
            created_at: now(),
            client: client?.address ?? null,
          })
          .onConflict((conflict) => conflict.columns(['trial_group', 'wallet']).doNothing())
          .executeTakeFirstOrThrow();
        if (first.numInsertedOrUpdatedRows !== 1n) return false;
        const updated = await sql
          .updateTable('payments')
          .set({ state: 'settled', trial_group: group, payment_response: paymentResponse, updated_at: now() })
          .where('payment_key', '=', key)
          .where('state', 'in', transitions.claimTrial.from)
          .where((is) => is.not(is.exists(sentFor(is))))
          .where('holder', '=', replica)
          .executeTakeFirstOrThrow();
        assertTransition(updated, key, 'settled');
        return true;
      }),
  };
}
