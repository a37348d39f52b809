import type { ExpressionBuilder } from 'kysely';
import type { PaymentState } from '../../payments/index.ts';
import type { Sql } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { isOpen } from './isOpen.ts';

/** A payment as the operator sees it; times in milliseconds since the epoch. */
export interface BookEntry {
  key: string;
  network: string;
  payer: string;
  paid: string;
  route: string;
  state: PaymentState;
  trialGroup: string | null;
  /** Of the newest transaction of ours. */
  transaction: string | null;
  failures: number;
  reason: string | null;
  /** When a served payment was found to be dropped by the chain for good. */
  lostAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Payments on one network that are not at their end, of one state. */
export interface OpenPayments {
  network: string;
  state: Extract<PaymentState, 'claimed' | 'sent' | 'settled'>;
  /** Of a wallet's free call. */
  isFree: boolean;
  payments: number;
  /** When the oldest of them began, milliseconds since the epoch. */
  oldestAt: number;
}

/** The ledger for reading only. */
export interface PaymentBook {
  counts(): Promise<{ network: string; state: PaymentState; isFree: boolean; payments: number }[]>;
  /** Unfinished payments; reads only the index of open payments. */
  open(): Promise<OpenPayments[]>;
  /** By key, payer or transaction; newest first. */
  find(text: string): Promise<BookEntry[]>;
  /** Paid, and not answered yet; oldest first. */
  credits(): Promise<BookEntry[]>;
  /** Outcome not known; oldest first. */
  unfinished(): Promise<BookEntry[]>;
  /** All, oldest first. */
  entries(): AsyncGenerator<BookEntry>;
}

const pageSize = 500;

export function createPaymentBook(read: Sql): PaymentBook {
  const select = () =>
    read
      .selectFrom('payments')
      .select([
        'payment_key as key',
        'network',
        'payer',
        'paid',
        'route',
        'state',
        'trial_group as trialGroup',
        'failures',
        'reason',
        'lost_at as lostAt',
        'created_at as createdAt',
        'updated_at as updatedAt',
      ])
      .select((is) =>
        is
          .selectFrom('settlement_transactions')
          .select('hash')
          .whereRef('settlement_transactions.payment_key', '=', 'payments.payment_key')
          .orderBy('position', 'desc')
          .limit(1)
          .as('transaction'),
      );

  return {
    async counts() {
      const rows = await read
        .selectFrom('payments')
        .select((is) => ['network', 'state', is.fn.countAll<number>().as('payments')])
        .select((is) => is.case().when('trial_group', 'is', null).then(0).else(1).end().as('is_free'))
        .groupBy(['network', 'state', (is) => is.case().when('trial_group', 'is', null).then(0).else(1).end()])
        .orderBy('network')
        .orderBy('state')
        .execute();
      return rows.map(({ network, state, is_free, payments }) => ({
        network,
        state,
        isFree: Number(is_free) === 1,
        payments: Number(payments),
      }));
    },
    async open() {
      const isFree = (is: ExpressionBuilder<Tables, 'payments'>) =>
        is.case().when('trial_group', 'is', null).then(0).else(1).end();
      const rows = await read
        .selectFrom('payments')
        .select((is) => [
          'network',
          'state',
          isFree(is).as('is_free'),
          is.fn.countAll<number>().as('payments'),
          is.fn.min<number>('created_at').as('oldest_at'),
        ])
        .where(isOpen)
        .where('state', 'in', ['claimed', 'sent', 'settled'])
        .groupBy(['network', 'state', isFree])
        .execute();
      return rows.map(({ network, state, is_free, payments, oldest_at }) => ({
        network,
        state: state as OpenPayments['state'],
        isFree: Number(is_free) === 1,
        payments: Number(payments),
        oldestAt: Number(oldest_at),
      }));
    },
    find: (text) =>
      select()
        .where((is) =>
          is.or([
            is('payment_key', '=', text),
            is('payer', '=', text),
            is(
              'payment_key',
              'in',
              is.selectFrom('settlement_transactions').select('payment_key').where('hash', '=', text),
            ),
          ]),
        )
        .orderBy('created_at', 'desc')
        .limit(pageSize)
        .execute(),
    credits: () =>
      select()
        .where(isOpen)
        .where('state', '=', 'settled')
        .where('trial_group', 'is', null)
        .orderBy('created_at')
        .execute(),
    unfinished: () => select().where(isOpen).where('state', 'in', ['claimed', 'sent']).orderBy('created_at').execute(),
    async *entries() {
      let after = { createdAt: -1, key: '' };
      for (;;) {
        const page = await select()
          .where((is) =>
            is.or([
              is('created_at', '>', after.createdAt),
              is.and([is('created_at', '=', after.createdAt), is('payment_key', '>', after.key)]),
            ]),
          )
          .orderBy('created_at')
          .orderBy('payment_key')
          .limit(pageSize)
          .execute();
        yield* page;
        const last = page.at(-1);
        if (!last || page.length < pageSize) return;
        after = last;
      }
    },
  };
}
