import { randomBytes } from 'node:crypto';
import {
  type Address,
  type Blockhash,
  type EncodedAccount,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { type TransactionErrorJson, toErrorJson } from './transactionError.ts';

/** As on mainnet: a slot takes 400 ms, and a transaction may use any of the last 150 blockhashes. */
const slotMs = 400;
const blockhashLifetime = 150n;
/** Number of slots after which a block is final. */
const finalDepth = 32n;

interface Run {
  error: TransactionErrorJson | null;
  logs: string[];
  units: bigint;
}

interface Landed {
  wire: Uint8Array;
  accounts: readonly string[];
  slot: bigint;
  error: TransactionErrorJson | null;
}

/** A Solana ledger in this process: the real virtual machine and programs, with a slot clock. */
export interface LocalLedger {
  slot(): bigint;
  /** Equal to the slot, because every slot has a block. */
  blockHeight(): bigint;
  isFinal(slot: bigint): boolean;
  latestBlockhash(): { blockhash: Blockhash; lastValidBlockHeight: bigint };
  account(address: Address): EncodedAccount | undefined;
  setAccount(account: EncodedAccount): void;
  /** Runs a transaction without committing it; does not verify signatures. */
  simulate(wire: Uint8Array): Run;
  /** @throws {BadSignatureError} a signature is missing or wrong. */
  send(wire: Uint8Array): { signature: string; error: TransactionErrorJson | null };
  status(signature: string): Landed | undefined;
  /** Transactions of an account, newest first. */
  history(address: string): (Landed & { signature: string })[];
  isBlockhashValid(blockhash: string): boolean;
  /** Skips this many slots. */
  skipSlots(count: number): void;
}

export class BadSignatureError extends Error {
  override readonly name = 'BadSignatureError';
  constructor(options?: ErrorOptions) {
    super('Transaction signature verification failure', options);
  }
}

/** The first signature identifies a transaction. */
function signatureOf({ signatures }: Transaction): string {
  const [first] = Object.values(signatures);
  return getBase58Decoder().decode(first ?? new Uint8Array(64));
}

const messageOf = ({ messageBytes }: Transaction): string => Buffer.from(messageBytes).toString('base64');

/** Runs a transaction without committing it; does not verify signatures. */
function simulate(machine: LiteSVM, transaction: Transaction): Run {
  machine.withSigverify(false);
  try {
    const outcome = machine.simulateTransaction(transaction as never);
    const failed = outcome instanceof FailedTransactionMetadata;
    const meta = outcome.meta();
    return { error: failed ? toErrorJson(outcome) : null, logs: meta.logs(), units: meta.computeUnitsConsumed() };
  } finally {
    machine.withSigverify(true);
  }
}

/**
 * Runs and commits a transaction.
 * @throws {BadSignatureError}
 */
function execute(machine: LiteSVM, transaction: Transaction): TransactionErrorJson | null {
  let outcome: ReturnType<LiteSVM['sendTransaction']>;
  try {
    outcome = machine.sendTransaction(transaction as never);
  } catch (cause) {
    // Thrown before execution, for a missing signature.
    throw new BadSignatureError({ cause });
  }
  const error = outcome instanceof FailedTransactionMetadata ? toErrorJson(outcome) : null;
  if (error === 'SignatureFailure') throw new BadSignatureError();
  return error;
}

/** @param now milliseconds; determines the current slot */
export function createLocalLedger(now: () => number): LocalLedger {
  const machine = new LiteSVM();
  // The virtual machine accepts only its latest blockhash; check the age of others here, as the real network does.
  machine.withBlockhashCheck(false);
  const firstSlot = machine.getClock().slot;
  const startedAt = now();
  let skipped = 0n;
  const blockhashes = new Map<string, bigint>();
  const landed = new Map<string, Landed>();
  const landedMessages = new Set<string>();

  const slot = () => firstSlot + skipped + BigInt(Math.floor((now() - startedAt) / slotMs));

  function updateClock(): void {
    machine.warpToSlot(slot());
    for (const [blockhash, lastValid] of blockhashes) if (lastValid < slot()) blockhashes.delete(blockhash);
  }

  function checkBlockhash({ messageBytes }: Transaction): Run | undefined {
    const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(messageBytes);
    return blockhashes.has(lifetimeToken) ? undefined : { error: 'BlockhashNotFound', logs: [], units: 0n };
  }

  return {
    slot,
    blockHeight: slot,
    isFinal: (at) => slot() - at >= finalDepth,
    latestBlockhash() {
      const blockhash = getBase58Decoder().decode(randomBytes(32)) as Blockhash;
      const lastValidBlockHeight = slot() + blockhashLifetime;
      blockhashes.set(blockhash, lastValidBlockHeight);
      return { blockhash, lastValidBlockHeight };
    },
    account(address) {
      const account = machine.getAccount(address as never);
      return account.exists ? (account as unknown as EncodedAccount) : undefined;
    },
    setAccount: (account) => machine.setAccount(account as never),
    simulate(wire) {
      updateClock();
      const transaction = getTransactionDecoder().decode(wire);
      // Checks run in Agave's order; Agave identifies a transaction by its message, signed or not.
      const expired = checkBlockhash(transaction);
      if (expired) return expired;
      if (landedMessages.has(messageOf(transaction))) return { error: 'AlreadyProcessed', logs: [], units: 0n };
      return simulate(machine, transaction);
    },
    send(wire) {
      updateClock();
      const transaction = getTransactionDecoder().decode(wire);
      const signature = signatureOf(transaction);
      if (landed.has(signature)) return { signature, error: null };
      // Leaders drop expired and unknown blockhashes without an error.
      if (checkBlockhash(transaction)) return { signature, error: null };
      const error = execute(machine, transaction);
      // An error without fields occurs before the fee is charged, so no block contains the transaction.
      if (error === null || typeof error === 'object') {
        const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
        landed.set(signature, { wire, accounts: staticAccounts, slot: slot(), error });
        landedMessages.add(messageOf(transaction));
      }
      return { signature, error };
    },
    status: (signature) => landed.get(signature),
    history: (address) =>
      [...landed]
        .filter(([, { accounts }]) => accounts.includes(address))
        .map(([signature, entry]) => ({ signature, ...entry }))
        .reverse(),
    isBlockhashValid(blockhash) {
      updateClock();
      return blockhashes.has(blockhash);
    },
    skipSlots(count) {
      skipped += BigInt(count);
    },
  };
}
