/**
 * Database migrations, oldest first; a published step is never edited. SQLite and PostgreSQL run the same SQL, so it uses
 * only what both support (TEXT, BIGINT, DOUBLE PRECISION, `ON CONFLICT`, partial indexes).
 *
 * Settled payments are never deleted: their authorization is public on chain, and without the key it could be served
 * again. A row of `trials` is a wallet's one free call and is never deleted either.
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
      payment_response TEXT,
      reason TEXT,
      failures BIGINT NOT NULL DEFAULT 0,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
    // Excludes final payments, so the index stays small.
    `CREATE INDEX payments_open ON payments (state, updated_at) WHERE state <> 'answered'`,
    'CREATE INDEX payments_by_time ON payments (created_at)',
    `CREATE TABLE settlement_transactions (
      payment_key TEXT NOT NULL REFERENCES payments (payment_key),
      position BIGINT NOT NULL,
      hash TEXT NOT NULL,
      raw TEXT NOT NULL,
      account TEXT,
      account_nonce BIGINT NOT NULL,
      from_block TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (payment_key, position)
    )`,
    'CREATE INDEX settlement_nonces ON settlement_transactions (account, account_nonce)',
    `CREATE TABLE answers (
      payment_key TEXT PRIMARY KEY REFERENCES payments (payment_key),
      status BIGINT NOT NULL,
      content_type TEXT NOT NULL,
      body TEXT NOT NULL,
      created_at BIGINT NOT NULL
    )`,
    'CREATE INDEX answers_by_time ON answers (created_at)',
    `CREATE TABLE trials (
      trial_group TEXT NOT NULL,
      wallet TEXT NOT NULL,
      payment_key TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (trial_group, wallet)
    )`,
    `CREATE TABLE replicas (
      replica TEXT PRIMARY KEY,
      alive_until BIGINT NOT NULL,
      started_at BIGINT NOT NULL
    )`,
  ],
  [
    `CREATE TABLE first_transfers (
      chain TEXT NOT NULL,
      token TEXT NOT NULL,
      block_number BIGINT NOT NULL,
      block_timestamp BIGINT NOT NULL,
      sender TEXT,
      transaction_hash TEXT,
      source TEXT NOT NULL,
      PRIMARY KEY (chain, token)
    )`,
    `CREATE TABLE creators (
      chain TEXT NOT NULL,
      token TEXT NOT NULL,
      address TEXT NOT NULL,
      source TEXT NOT NULL,
      PRIMARY KEY (chain, token)
    )`,
    `CREATE TABLE holder_measurements (
      chain TEXT NOT NULL,
      token TEXT NOT NULL,
      measured_at BIGINT NOT NULL,
      block_number BIGINT NOT NULL,
      source TEXT NOT NULL,
      top1_share_pct DOUBLE PRECISION NOT NULL,
      top10_share_pct DOUBLE PRECISION NOT NULL,
      holders BIGINT,
      holders_exact BIGINT,
      top_holder TEXT,
      note TEXT NOT NULL,
      PRIMARY KEY (chain, token)
    )`,
    `CREATE TABLE power_scans (
      chain TEXT NOT NULL,
      scan_key TEXT NOT NULL,
      scan TEXT NOT NULL,
      PRIMARY KEY (chain, scan_key)
    )`,
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
  ],
  [
    `CREATE TABLE shared_answers (
      question TEXT PRIMARY KEY,
      answer TEXT,
      valid_until BIGINT NOT NULL,
      reader TEXT,
      reading_until BIGINT NOT NULL
    )`,
    'CREATE INDEX shared_answers_by_time ON shared_answers (valid_until)',
    `CREATE TABLE rate_counts (
      subject TEXT NOT NULL,
      window_start BIGINT NOT NULL,
      hits BIGINT NOT NULL,
      PRIMARY KEY (subject, window_start)
    )`,
  ],
  [
    // Identifiers that wallets give their payments (x402's payment-identifier).
    `CREATE TABLE payment_identifiers (
      wallet TEXT NOT NULL,
      identifier TEXT NOT NULL,
      payment_key TEXT NOT NULL,
      PRIMARY KEY (wallet, identifier)
    )`,
    'CREATE INDEX payment_identifiers_by_payment ON payment_identifiers (payment_key)',
  ],
  [
    `CREATE TABLE pool_creations (
      chain TEXT NOT NULL,
      scope TEXT NOT NULL,
      factory TEXT NOT NULL,
      id TEXT NOT NULL,
      event TEXT NOT NULL,
      currency0 TEXT NOT NULL,
      currency1 TEXT NOT NULL,
      fee BIGINT NOT NULL,
      tick_spacing BIGINT NOT NULL,
      hooks TEXT NOT NULL,
      block_number BIGINT NOT NULL,
      PRIMARY KEY (chain, scope, factory, id)
    )`,
    'CREATE INDEX pool_creations_by_currency0 ON pool_creations (chain, scope, currency0, block_number)',
    'CREATE INDEX pool_creations_by_currency1 ON pool_creations (chain, scope, currency1, block_number)',
    `CREATE TABLE pool_checkpoints (
      chain TEXT NOT NULL,
      scope TEXT NOT NULL,
      block BIGINT NOT NULL,
      hash TEXT NOT NULL,
      PRIMARY KEY (chain, scope, block)
    )`,
  ],
  [
    // When to look up a refused payment on chain again, by the database's clock; null: not needed.
    'ALTER TABLE payments ADD COLUMN look_at BIGINT',
    'CREATE INDEX payments_to_look_at ON payments (look_at) WHERE look_at IS NOT NULL',
    `UPDATE payments SET look_at = 0 WHERE state = 'refused'`,
  ],
  [
    // The amount reserved by an open payment, in raw units of the asset. Payments that were open during the
    // upgrade have no reservation: they end within seconds.
    'ALTER TABLE payments ADD COLUMN reserved BIGINT',
    'ALTER TABLE payments ADD COLUMN wallet TEXT',
    'CREATE INDEX payments_reserved ON payments (wallet, network) WHERE reserved IS NOT NULL',
    // The settlements that failed on chain since the wallet's last success, and the end of its pause.
    `CREATE TABLE payers (
      wallet TEXT PRIMARY KEY,
      failures BIGINT NOT NULL,
      paused_until BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
    'CREATE INDEX payers_by_time ON payers (updated_at)',
    // Gas spent by a class of payers at the last change, in millionths of a US dollar.
    `CREATE TABLE gas_budgets (
      class TEXT PRIMARY KEY,
      spent BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
  ],
  [
    // The bytes of a transaction that settles several payments, kept once. Their rows in settlement_transactions then
    // have an empty `raw` and a hash. Where a remote facilitator settled, both are empty.
    `CREATE TABLE group_transactions (
      hash TEXT PRIMARY KEY,
      raw TEXT NOT NULL
    )`,
    'CREATE INDEX settlement_hashes ON settlement_transactions (hash)',
    'ALTER TABLE payments ADD COLUMN lost_at BIGINT',
    'ALTER TABLE trials ADD COLUMN client TEXT',
    'CREATE INDEX trials_by_client ON trials (client, created_at) WHERE client IS NOT NULL',
    'CREATE INDEX payments_lost ON payments (lost_at) WHERE lost_at IS NOT NULL',
  ],
  [
    // Payments that the wallet settled since its last settlement that failed on chain.
    'ALTER TABLE payers ADD COLUMN settled BIGINT NOT NULL DEFAULT 0',
  ],
  [
    // Payments that were paid recently, for the recheck at start.
    `CREATE INDEX payments_paid ON payments (updated_at) WHERE state IN ('settled', 'answered')`,
  ],
  [
    // Wallets with a settled payment, for the rate limit.
    `CREATE INDEX payments_by_payer ON payments (lower(payer))
      WHERE state IN ('settled', 'answered') AND trial_group IS NULL AND lost_at IS NULL`,
    // A readiness probe inserts a row and deletes it in one transaction, so the table stays empty.
    'CREATE TABLE write_probes (replica TEXT PRIMARY KEY, filler TEXT NOT NULL)',
  ],
  [
    // What a payment pays, and what it cost us, for reports. Null in rows of earlier versions: unknown.
    'ALTER TABLE payments ADD COLUMN amount BIGINT',
    'ALTER TABLE payments ADD COLUMN asset TEXT',
    'ALTER TABLE payments ADD COLUMN pay_to TEXT',
    'ALTER TABLE payments ADD COLUMN gas_used BIGINT',
    'ALTER TABLE payments ADD COLUMN gas_micro_usd BIGINT',
    'ALTER TABLE payments ADD COLUMN gas_unknown TEXT',
  ],
  [
    // The blocks whose logs the pool index has. Earlier releases read them in order, up to the newest checkpoint.
    `CREATE TABLE pool_ranges (
      chain TEXT NOT NULL,
      scope TEXT NOT NULL,
      from_block BIGINT NOT NULL,
      to_block BIGINT NOT NULL,
      PRIMARY KEY (chain, scope, from_block)
    )`,
    `INSERT INTO pool_ranges (chain, scope, from_block, to_block)
      SELECT chain, scope, 0, MAX(block) FROM pool_checkpoints GROUP BY chain, scope`,
    // 1: a pool of an imported index, which no node has confirmed yet.
    'ALTER TABLE pool_creations ADD COLUMN imported BIGINT NOT NULL DEFAULT 0',
  ],
];
