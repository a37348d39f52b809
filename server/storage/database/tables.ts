import type { GasUnknownReason, PaymentState } from '../../payments/index.ts';
import type { IndexedCreation } from '../ports.ts';

/**
 * Types of the tables that `migrations.ts` creates. Numbers are BIGINT below 2^53; larger amounts are decimal text.
 */
export interface Tables {
  payments: PaymentRecord;
  settlement_transactions: TransactionRecord;
  group_transactions: { hash: string; raw: string };
  answers: AnswerRecord;
  payment_identifiers: { wallet: string; identifier: string; payment_key: string };
  trials: {
    trial_group: string;
    wallet: string;
    payment_key: string;
    created_at: number;
    /** The client's address, for the limit of free calls per address. */
    client: string | null;
  };
  payers: {
    wallet: string;
    failures: number;
    /** Payments settled since the last settlement that failed on chain. */
    settled: number;
    paused_until: number;
    updated_at: number;
  };
  gas_budgets: { class: string; spent: number; updated_at: number };
  replicas: { replica: string; alive_until: number; started_at: number };
  first_transfers: FirstTransferRecord;
  creators: { chain: string; token: string; address: string; source: string };
  holder_measurements: HolderMeasurementRecord;
  power_scans: { chain: string; scan_key: string; scan: string };
  log_indexes: LogIndexRecord;
  log_holders: LogHolderRecord;
  pool_creations: PoolCreationRecord;
  pool_checkpoints: { chain: string; scope: string; block: number; hash: string };
  pool_ranges: { chain: string; scope: string; from_block: number; to_block: number };
  shared_answers: SharedAnswerRecord;
  write_probes: { replica: string; filler: string };
  rate_counts: { subject: string; window_start: number; hits: number };
}

export interface PaymentRecord {
  payment_key: string;
  fingerprint: string;
  network: string;
  payer: string;
  paid: string;
  route: string;
  canonical_input: string;
  payload: string;
  state: PaymentState;
  trial_group: string | null;
  /** The lease owner: the replica that works on it. */
  holder: string | null;
  payment_response: string | null;
  reason: string | null;
  failures: number;
  created_at: number;
  updated_at: number;
  /** When to look up a refused payment on chain again, by the database's clock. */
  look_at: number | null;
  /** The amount reserved in its wallet, in raw units of the asset; null when it is not being settled. */
  reserved: number | null;
  /** The wallet of the reservation; set together with `reserved`. */
  wallet: string | null;
  /** When a served payment was found to be permanently dropped by the chain. */
  lost_at: number | null;
  /** Raw units of the asset; null: recorded by an earlier version. */
  amount: number | null;
  asset: string | null;
  pay_to: string | null;
  /** @see GasSpent */
  gas_used: number | null;
  gas_micro_usd: number | null;
  /** Why a part of the gas is not known. */
  gas_unknown: GasUnknownReason | null;
}

export interface TransactionRecord {
  payment_key: string;
  position: number;
  hash: string;
  raw: string;
  account: string | null;
  account_nonce: number;
  from_block: string;
  created_at: number;
}

interface AnswerRecord {
  payment_key: string;
  status: number;
  content_type: string;
  body: string;
  created_at: number;
}

interface FirstTransferRecord {
  chain: string;
  token: string;
  block_number: number;
  block_timestamp: number;
  sender: string | null;
  transaction_hash: string | null;
  source: string;
}

interface HolderMeasurementRecord {
  chain: string;
  token: string;
  measured_at: number;
  block_number: number;
  source: string;
  top1_share_pct: number;
  top10_share_pct: number;
  holders: number | null;
  holders_exact: number | null;
  top_holder: string | null;
  note: string;
}

interface LogIndexRecord {
  chain: string;
  token: string;
  scanned_to: number;
  anchor_block: number | null;
  anchor_hash: string | null;
  transfers: number;
  holders: number;
  /** 0 or 1. */
  overgrown: number;
  first_block: number | null;
  first_transaction: string | null;
}

interface LogHolderRecord {
  chain: string;
  token: string;
  holder: string;
  balance: string;
  last_sent_block: number | null;
}

interface PoolCreationRecord {
  chain: string;
  scope: string;
  event: IndexedCreation['event'];
  factory: string;
  id: string;
  currency0: string;
  currency1: string;
  fee: number;
  tick_spacing: number;
  hooks: string;
  block_number: number;
  /** 0 or 1. */
  imported: number;
}

interface SharedAnswerRecord {
  question: string;
  answer: string | null;
  valid_until: number;
  /** The replica that reads the chain for this entry. */
  reader: string | null;
  reading_until: number;
}
