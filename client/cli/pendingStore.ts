import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type PendingCall, TruefillError } from '../errors.ts';
import { isRecord } from '../pay/isRecord.ts';
import { decodeHeader } from '../pay/receipt.ts';

/** A signed payment whose answer has not arrived. Its `paymentSignature` is a secret until it is used. */
export interface StoredPayment extends PendingCall {
  id: string;
  /** URL of the service. */
  url: string;
  signedAtMs: number;
  /** Whether the service reported that it did not charge it. Such a payment is of no use after it expires. */
  isDenied: boolean;
}

/** A payment cannot be stored, so it was not sent. */
export class StateFolderError extends TruefillError {
  override readonly name = 'StateFolderError';
}

/** The service answers a paid call for 24 hours. */
const usefulMs = 48 * 3_600_000;

/** An uncharged payment has expired by then. */
const deniedUsefulMs = 3_600_000;

/** A file that a stopped process left behind. */
const abandonedMs = 60_000;

/** A short name of a payment, for the command line. It reveals nothing of the signature. */
export function paymentId(paymentSignature: string): string {
  return createHash('sha256').update(paymentSignature).digest('hex').slice(0, 8);
}

export const idForm = /^[0-9a-f]{8}$/;

/** What a payment costs and on which network, for messages. */
export function describePayment({ paymentSignature }: PendingCall): string {
  const decoded = decodeHeader(paymentSignature);
  const accepted = isRecord(decoded) && isRecord(decoded.accepted) ? decoded.accepted : {};
  return `${Number(accepted.amount) / 1_000_000} USD on ${accepted.network}`;
}

/** `truefill/pending` in the user's state folder (XDG Base Directory Specification). */
export function stateFolder({ XDG_STATE_HOME, HOME, USERPROFILE }: Record<string, string | undefined>): string {
  const state = XDG_STATE_HOME || join(HOME || USERPROFILE || homedir(), '.local', 'state');
  return join(state, 'truefill', 'pending');
}

/**
 * Keeps each signed payment in a file of its own, which only the user can read. So processes need no lock, and a crash
 * between the signature and the answer loses no payment.
 */
export class PendingStore {
  constructor(
    readonly folder: string,
    readonly now: () => number = Date.now,
  ) {}

  /** Stores a payment before it is sent. @throws {StateFolderError} */
  add(url: string, call: PendingCall): void {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      this.#write({ ...call, id: paymentId(call.paymentSignature), url, signedAtMs: this.now(), isDenied: false });
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new StateFolderError(
        `The payment cannot be stored in ${this.folder} (${code}), so it was not sent. Nothing was charged. Set XDG_STATE_HOME to a folder that you can write to.`,
        { cause },
      );
    }
  }

  /** Removes an answered or refused payment. A file that cannot be removed does no harm: its payment is used. */
  remove({ paymentSignature }: PendingCall): void {
    try {
      rmSync(this.#fileOf(paymentId(paymentSignature)), { force: true });
    } catch {
      // An answer must not be lost because a file cannot be removed.
    }
  }

  /** Notes that the service did not charge a stored payment. */
  deny({ paymentSignature }: PendingCall): void {
    const stored = this.#read(`${paymentId(paymentSignature)}.json`);
    if (stored) this.#write({ ...stored, isDenied: true });
  }

  /** The stored payments, latest first. Deletes those that are too old to be answered. */
  list(): StoredPayment[] {
    const stored = this.#names().flatMap((name) => this.#read(name) ?? []);
    const isStale = ({ signedAtMs, isDenied }: StoredPayment) =>
      this.now() - signedAtMs > (isDenied ? deniedUsefulMs : usefulMs);
    for (const payment of stored) if (isStale(payment)) this.remove(payment);
    return stored.filter((payment) => !isStale(payment)).sort((one, other) => other.signedAtMs - one.signedAtMs);
  }

  #names(): string[] {
    let names: string[];
    try {
      names = readdirSync(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    for (const name of names.filter((each) => each.endsWith('.tmp'))) this.#removeAbandoned(join(this.folder, name));
    return names.filter((name) => name.endsWith('.json'));
  }

  #removeAbandoned(file: string): void {
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: this.now() };
    if (this.now() - mtimeMs > abandonedMs) rmSync(file, { force: true });
  }

  #fileOf(id: string): string {
    return join(this.folder, `${id}.json`);
  }

  /** Writes a file atomically, so that a reader never finds a part of it. */
  #write(payment: StoredPayment): void {
    const temporary = join(this.folder, `${payment.id}.${process.pid}.tmp`);
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeSync(file, JSON.stringify(payment));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.#fileOf(payment.id));
  }

  /** Undefined if another process removed the file, or its content is not a payment. */
  #read(name: string): StoredPayment | undefined {
    let content: unknown;
    try {
      content = JSON.parse(readFileSync(join(this.folder, name), 'utf8'));
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    return isStored(content) && name === `${content.id}.json` ? content : undefined;
  }
}

function isStored(content: unknown): content is StoredPayment {
  return (
    isRecord(content) &&
    ['id', 'url', 'path', 'body', 'paymentSignature'].every((member) => typeof content[member] === 'string') &&
    typeof content.signedAtMs === 'number' &&
    typeof content.isDenied === 'boolean'
  );
}
