/**
 * The tables, oldest first; a published step is never edited. Plain SQL that PostgreSQL takes as well:
 * TEXT keys, BIGINT numbers, `ON CONFLICT DO NOTHING`, `RETURNING`, no SQLite types or functions.
 *
 * A settled payment is kept for ever: its authorization is public on chain, and a forgotten key would
 * let it be served again.
 *
 * A row of `trials` is a wallet's one free call, for ever; `payments.trial_group` names the group that a payment
 * was served under instead of being settled.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE payments (
      payment_key TEXT PRIMARY KEY,
      fingerprint TEXT NOT NULL,
      network TEXT NOT NULL,
      payer TEXT NOT NULL,
      paid TEXT NOT NULL,
      route TEXT NOT NULL,
      canonical_input TEXT NOT NULL,
      payload TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'refused', 'settled', 'answered')),
      trial_group TEXT,
      holder TEXT,
      lease_until BIGINT NOT NULL,
      payment_response TEXT,
      reason TEXT,
      failures BIGINT NOT NULL DEFAULT 0,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
    'CREATE INDEX payments_unfinished ON payments (state, lease_until)',
    `CREATE TABLE settlement_transactions (
      payment_key TEXT NOT NULL REFERENCES payments (payment_key),
      position BIGINT NOT NULL,
      hash TEXT NOT NULL,
      raw TEXT NOT NULL,
      account_nonce BIGINT NOT NULL,
      from_block TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (payment_key, position)
    )`,
    `CREATE TABLE answers (
      payment_key TEXT PRIMARY KEY REFERENCES payments (payment_key),
      status BIGINT NOT NULL,
      content_type TEXT NOT NULL,
      body TEXT NOT NULL,
      created_at BIGINT NOT NULL
    )`,
  ],
  [
    `CREATE TABLE trials (
      trial_group TEXT NOT NULL,
      wallet TEXT NOT NULL,
      payment_key TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (trial_group, wallet)
    )`,
  ],
];
