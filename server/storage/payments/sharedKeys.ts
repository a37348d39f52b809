import { sql as raw } from 'kysely';
import type { SharedKeys } from '../../payments/index.ts';
import type { Database } from '../database/database.ts';

/** Longer than a node may lag behind another one. */
const lagMs = 60_000;

/** Facilitator keys that several replicas settle with; undefined on a database that is one process's own. */
export function createSharedKeys({ isShared, inTurn, read, clock }: Database): SharedKeys | undefined {
  if (!isShared) return undefined;
  return {
    inTurn: (account, work) => inTurn(`nonces of ${account}`, work),
    async takenNonces(account, from) {
      const rows = await read
        .selectFrom('settlement_transactions')
        .innerJoin('payments', 'payments.payment_key', 'settlement_transactions.payment_key')
        .select('account_nonce')
        .where('account', '=', account)
        .where('account_nonce', '>=', from)
        // What is open is sent again until the chain has it. Of what has ended, a node that lags may not know yet; later
        // the nonce is free again, or a transaction that was never taken would leave a gap for ever.
        .where((is) =>
          is.or([
            is('state', '=', 'sent'),
            is('settlement_transactions.created_at', '>', raw<number>`${clock} - ${lagMs}`),
          ]),
        )
        .execute();
      return rows.map(({ account_nonce }) => account_nonce);
    },
  };
}
