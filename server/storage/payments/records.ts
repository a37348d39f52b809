import { sql } from 'kysely';
import type { PaymentFacts, PaymentRow } from '../../payments/index.ts';
import type { Database, Sql } from '../database/database.ts';
import type { PaymentRecord, TransactionRecord } from '../database/tables.ts';

type Found = PaymentRecord & {
  status: number | null;
  content_type: string | null;
  body: string | null;
  answered_at: number | null;
};

const withAnswer = (read: Sql) =>
  read
    .selectFrom('payments')
    .leftJoin('answers', 'answers.payment_key', 'payments.payment_key')
    .selectAll('payments')
    .select(['answers.status', 'answers.content_type', 'answers.body', 'answers.created_at as answered_at']);

function toRow(found: Found, transactions: PaymentRow['transactions']): PaymentRow {
  const { status, content_type: contentType, body } = found;
  return {
    key: found.payment_key,
    fingerprint: found.fingerprint,
    network: found.network,
    payer: found.payer,
    paid: found.paid,
    route: found.route,
    canonicalInput: found.canonical_input,
    payload: found.payload,
    state: found.state,
    transactions,
    mayStillPay: found.state === 'sent' || (found.state === 'refused' && found.look_at !== null),
    paymentResponse: found.payment_response ?? undefined,
    answer: status === null || contentType === null || body === null ? undefined : { status, contentType, body },
    answeredAt: found.answered_at ?? undefined,
    trialGroup: found.trial_group ?? undefined,
  };
}

/** A new payment, claimed for the first time. */
export const newRow = (facts: PaymentFacts): PaymentRow => ({
  ...facts,
  state: 'claimed',
  transactions: [],
  mayStillPay: false,
  paymentResponse: undefined,
  answer: undefined,
  answeredAt: undefined,
  trialGroup: undefined,
});

/** The database row of a new payment. @param holder the replica that owns it */
export const toRecord = (facts: PaymentFacts, holder: string, at: number): PaymentRecord => ({
  payment_key: facts.key,
  fingerprint: facts.fingerprint,
  network: facts.network,
  payer: facts.payer,
  paid: facts.paid,
  route: facts.route,
  canonical_input: facts.canonicalInput,
  payload: facts.payload,
  state: 'claimed',
  trial_group: null,
  holder,
  payment_response: null,
  reason: null,
  failures: 0,
  created_at: at,
  updated_at: at,
  look_at: null,
  reserved: null,
  wallet: null,
  lost_at: null,
  amount: facts.terms?.amount ?? null,
  asset: facts.terms?.asset ?? null,
  pay_to: facts.terms?.payTo ?? null,
  gas_used: null,
  gas_micro_usd: null,
  gas_unknown: null,
});

/** Loads a payment with its journal and answer; undefined if it does not exist. */
export async function loadPayment(read: Sql, key: string): Promise<PaymentRow | undefined> {
  const found = await withAnswer(read).where('payments.payment_key', '=', key).executeTakeFirst();
  if (!found) return undefined;
  // A `claimed` payment has no transactions: journaling one changes the state.
  const transactions = found.state === 'claimed' ? [] : await loadTransactions(read, key);
  return toRow(found, transactions);
}

export const journal = ['account', 'account_nonce', 'from_block'] as const;
/** The transaction's bytes; those of a group are in a separate table. */
export const bytes = sql<string>`COALESCE(together.raw, sent.raw)`.as('raw');

export const toTransaction = ({
  hash,
  raw,
  account,
  account_nonce,
  from_block,
}: Pick<TransactionRecord, (typeof journal)[number] | 'hash' | 'raw'>) => ({
  hash,
  raw,
  nonce: account_nonce,
  ...(account !== null && { account }),
  fromBlock: BigInt(from_block),
});

/** Loads several payments, by key. */
export async function loadPayments(
  { read, rows }: Pick<Database, 'read' | 'rows'>,
  keys: readonly string[],
): Promise<ReadonlyMap<string, PaymentRow>> {
  const keysOf = (all: readonly string[]) =>
    sql<string>`(SELECT value ->> 'key' FROM ${rows(all.map((key) => ({ key })))} AS each)`;
  const found = await withAnswer(read).where('payments.payment_key', 'in', keysOf(keys)).execute();
  const sent = found.filter(({ state }) => state !== 'claimed').map(({ payment_key }) => payment_key);
  const records =
    sent.length === 0
      ? []
      : await read
          .selectFrom('settlement_transactions as sent')
          .leftJoin('group_transactions as together', 'together.hash', 'sent.hash')
          .select(['sent.payment_key', ...journal, 'sent.hash', bytes])
          .where('sent.payment_key', 'in', keysOf(sent))
          .orderBy('position')
          .execute();
  return new Map(
    found.map((row) => {
      const own = records.filter(({ payment_key }) => payment_key === row.payment_key);
      return [row.payment_key, toRow(row, own.map(toTransaction))];
    }),
  );
}

async function loadTransactions(read: Sql, key: string): Promise<PaymentRow['transactions']> {
  const records = await read
    .selectFrom('settlement_transactions as sent')
    .leftJoin('group_transactions as together', 'together.hash', 'sent.hash')
    .select([...journal, 'sent.hash', bytes])
    .where('payment_key', '=', key)
    .orderBy('position')
    .execute();
  return records.map(toTransaction);
}

/** Contains the literals of the partial index, because with parameters SQLite would scan all payments. */
const isPaid = sql<boolean>`state IN ('settled', 'answered')`;

/** @see PaymentLedger.loadPaid */
export async function loadPaid(read: Sql, since: number) {
  // A left join, because otherwise SQLite would read the whole journal to find the few recent payments.
  const records = await read
    .selectFrom('payments')
    .leftJoin('settlement_transactions as sent', 'sent.payment_key', 'payments.payment_key')
    .select(['payments.payment_key', 'network', 'payment_response', 'payload', ...journal, 'sent.hash', 'sent.raw'])
    // `updated_at`, because a payment may have been claimed long before it was paid.
    .where('payments.updated_at', '>', since)
    .where(isPaid)
    .where('trial_group', 'is', null)
    .orderBy('position')
    .execute();
  const groups = await loadGroups(
    read,
    new Set(records.flatMap(({ hash, raw }) => (hash && raw === '' ? [hash] : []))),
  );
  const paid = new Map<string, Pick<PaymentRow, 'transactions'> & PaidFacts>();
  for (const { payment_key: key, network, payment_response: paymentResponse, payload, ...sent } of records) {
    if (paymentResponse === null) continue;
    const payment = paid.get(key) ?? { key, network, paymentResponse, payload, transactions: [] };
    paid.set(key, payment);
    const { hash, raw, account, account_nonce, from_block } = sent;
    if (hash === null || raw === null || account_nonce === null || from_block === null) continue;
    const bytesOf = groups.get(hash) ?? raw;
    payment.transactions.push(toTransaction({ hash, raw: bytesOf, account, account_nonce, from_block }));
  }
  return [...paid.values()];
}

interface PaidFacts {
  key: string;
  network: string;
  paymentResponse: string;
  payload: string;
}

/** Loads the bytes of group transactions, each once: a group has up to 64 payments and about 40 kB. */
async function loadGroups(read: Sql, hashes: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const groups = new Map<string, string>();
  const all = [...hashes];
  for (let begin = 0; begin < all.length; begin += 500) {
    const rows = await read
      .selectFrom('group_transactions')
      .selectAll()
      .where('hash', 'in', all.slice(begin, begin + 500))
      .execute();
    for (const { hash, raw } of rows) groups.set(hash, raw);
  }
  return groups;
}
