import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  type Dirent,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
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

/** A file that may contain a pending payment, and cannot be read. */
export interface UnreadableFile {
  file: string;
  /** The code of the error, or what the file is instead. */
  reason: string;
}

/** The folder of pending payments cannot be used. A payment that cannot be stored is not sent. */
export class StateFolderError extends TruefillError {
  override readonly name = 'StateFolderError';
}

/** The service answers a paid call for 24 hours. */
const usefulMs = 48 * 3_600_000;

/** An uncharged payment has expired by then. */
const deniedUsefulMs = 3_600_000;

/** A file that a stopped process left behind. */
const abandonedMs = 60_000;

/** The name of a payment's file is its id with one of these. */
const openEnding = '.json';
const deniedEnding = '.denied.json';

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
 *
 * The file's name states whether the service denied the charge. A rename fails if another process has removed the file, so
 * no process restores a payment that another one has finished.
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
      // The folder may have been created with other permissions.
      if ((statSync(this.folder).mode & 0o077) !== 0) chmodSync(this.folder, 0o700);
      this.#write({ ...call, id: paymentId(call.paymentSignature), url, signedAtMs: this.now() });
    } catch (cause) {
      throw new StateFolderError(
        `The payment cannot be stored in ${this.folder} (${codeOf(cause)}), so it was not sent. Nothing was charged. Set XDG_STATE_HOME to a folder that you own and can write to.`,
        { cause },
      );
    }
  }

  /** Removes an answered or refused payment. A file that cannot be removed does no harm: its payment is used. */
  remove({ paymentSignature }: PendingCall): void {
    const id = paymentId(paymentSignature);
    // An answer must not be lost because a file cannot be removed.
    for (const ending of [openEnding, deniedEnding]) attempt(() => rmSync(this.#fileOf(id, ending), { force: true }));
  }

  /** Notes that the service did not charge a stored payment. If that fails, the payment counts as possibly charged. */
  deny({ paymentSignature }: PendingCall): void {
    const id = paymentId(paymentSignature);
    attempt(() => renameSync(this.#fileOf(id, openEnding), this.#fileOf(id, deniedEnding)));
  }

  /** A stored payment is sent again, so an earlier denial no longer describes it. */
  reopen({ paymentSignature }: PendingCall): void {
    const id = paymentId(paymentSignature);
    attempt(() => renameSync(this.#fileOf(id, deniedEnding), this.#fileOf(id, openEnding)));
  }

  /**
   * The stored payments, latest first, and the files that cannot be read. Deletes payments that are too old to be answered.
   * @throws {StateFolderError}
   */
  list(): { payments: StoredPayment[]; unreadable: UnreadableFile[] } {
    const read = this.#entries().flatMap((entry) => this.#read(entry) ?? []);
    const stored = read.filter((each) => 'id' in each);
    const isStale = ({ signedAtMs, isDenied }: StoredPayment) =>
      this.now() - signedAtMs > (isDenied ? deniedUsefulMs : usefulMs);
    for (const payment of stored) if (isStale(payment)) this.remove(payment);
    return {
      payments: stored.filter((each) => !isStale(each)).sort((one, other) => other.signedAtMs - one.signedAtMs),
      unreadable: read.filter((each) => 'reason' in each),
    };
  }

  #entries(): Dirent[] {
    let entries: Dirent[];
    try {
      entries = readdirSync(this.folder, { withFileTypes: true });
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return [];
      throw new StateFolderError(
        `The pending payments in ${this.folder} cannot be listed (${codeOf(cause)}). Nothing was sent. Make the folder readable for you, or set XDG_STATE_HOME to the one that contains them.`,
        { cause },
      );
    }
    for (const { name } of entries) if (name.endsWith('.tmp')) this.#removeAbandoned(join(this.folder, name));
    return entries.filter(({ name }) => name.endsWith(openEnding));
  }

  #removeAbandoned(file: string): void {
    attempt(() => {
      if (this.now() - statSync(file).mtimeMs > abandonedMs) rmSync(file);
    });
  }

  #fileOf(id: string, ending: string): string {
    return join(this.folder, id + ending);
  }

  /** Writes a file atomically, so that a reader never finds a part of it. */
  #write(payment: Omit<StoredPayment, 'isDenied'>): void {
    const temporary = join(this.folder, `${payment.id}.${crypto.randomUUID()}.tmp`);
    // `wx` follows no link, and does not use a file with other permissions.
    const file = openSync(temporary, 'wx', 0o600);
    try {
      try {
        writeFileSync(file, JSON.stringify(payment));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, this.#fileOf(payment.id, openEnding));
    } catch (error) {
      attempt(() => rmSync(temporary));
      throw error;
    }
  }

  /** Undefined if another process has removed or renamed the file. */
  #read(entry: Dirent): StoredPayment | UnreadableFile | undefined {
    const { name } = entry;
    const file = join(this.folder, name);
    // Reading a pipe would wait for ever.
    if (!entry.isFile()) return { file, reason: 'not a regular file' };
    try {
      const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const isDenied = name.endsWith(deniedEnding);
      if (isStored(content) && name === content.id + (isDenied ? deniedEnding : openEnding))
        return { ...content, isDenied };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      if (!(error instanceof SyntaxError)) return { file, reason: String(codeOf(error)) };
    }
    return { file, reason: 'not a stored payment' };
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Runs a step whose failure does no harm. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // See the caller.
  }
}

function isStored(content: unknown): content is Omit<StoredPayment, 'isDenied'> {
  return (
    isRecord(content) &&
    ['id', 'url', 'path', 'body', 'paymentSignature'].every((member) => typeof content[member] === 'string') &&
    typeof content.signedAtMs === 'number'
  );
}
