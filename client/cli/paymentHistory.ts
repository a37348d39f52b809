import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../pay/isRecord.ts';
import type { Receipt } from '../pay/receipt.ts';
import { StateFolderError } from './pendingStore.ts';
import type { Lines } from './progressLine.ts';
import { sanitize, sanitizeJson } from './sanitize.ts';

/** A paid or free call of this command line. It contains no secret. */
interface HistoryEntry extends Omit<Receipt, 'replayed'> {
  /** ISO 8601, UTC. */
  at: string;
  command: 'quote' | 'check' | 'mcp';
  /** URL of the service. */
  service: string;
}

/** The history, one JSON object a line, beside the folder of pending payments. */
const fileBeside = (pendingFolder: string): string => join(dirname(pendingFolder), 'payments.jsonl');

/**
 * Adds a call to the history. The stored answer to an earlier payment is added only if the history lacks that payment.
 * @returns why the entry could not be written; undefined if it was. A failure must not lose the paid answer, so it does not
 * throw.
 */
export function addToHistory(
  pendingFolder: string,
  { replayed, ...receipt }: Receipt,
  call: Pick<HistoryEntry, 'command' | 'service'>,
): string | undefined {
  const file = fileBeside(pendingFolder);
  try {
    if (replayed && readHistory(file).entries.some(({ transaction }) => transaction === receipt.transaction))
      return undefined;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const entry: HistoryEntry = { at: new Date().toISOString(), ...call, ...receipt };
    appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    return undefined;
  } catch (error) {
    return `The answer is complete, but the call could not be added to ${file} (${codeOf(error)}). Make the file writable for you.`;
  }
}

/**
 * Prints all calls, oldest first, and their total.
 * @returns whether all lines could be read
 * @throws {StateFolderError}
 */
export function showHistory(
  pendingFolder: string,
  { stdout, stderr }: { stdout: Lines; stderr: Lines },
  json: boolean,
): boolean {
  const file = fileBeside(pendingFolder);
  const { entries, unreadable } = readOrExplain(file);
  if (unreadable > 0) stderr.write(`${sanitize(`${file} contains ${unreadable} lines that are not payments.`)}\n`);
  if (json) {
    stdout.write(`${sanitizeJson(entries)}\n`);
  } else {
    for (const entry of entries) stdout.write(`${sanitize(describe(entry))}\n`);
    const total = entries.reduce((sum, { paidUsd }) => sum + paidUsd, 0);
    stdout.write(`${entries.length} call${entries.length === 1 ? '' : 's'}, ${total.toFixed(2)} USD\n`);
  }
  return unreadable === 0;
}

function describe({ at, command, paidUsd, free, network, transaction, service }: HistoryEntry): string {
  const settled = free ? 'free, nothing was settled' : `transaction ${transaction}`;
  return `${at.slice(0, 19).replace('T', ' ')}  ${command}  ${paidUsd} USD on ${network}  ${settled}  ${service}`;
}

function readOrExplain(file: string): ReturnType<typeof readHistory> {
  try {
    return readHistory(file);
  } catch (cause) {
    throw new StateFolderError(
      `The payments in ${file} cannot be read (${codeOf(cause)}). Nothing was charged. Make the file readable for you, or set XDG_STATE_HOME to the folder that contains it.`,
      { cause },
    );
  }
}

function readHistory(file: string): { entries: HistoryEntry[]; unreadable: number } {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const lines = text.split('\n').filter((line) => line !== '');
  const entries = lines.flatMap((line) => toEntry(line) ?? []);
  return { entries, unreadable: lines.length - entries.length };
}

function toEntry(line: string): HistoryEntry | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  const texts = ['at', 'command', 'service', 'network', 'transaction'];
  const isEntry =
    isRecord(entry) && texts.every((member) => typeof entry[member] === 'string') && Number.isFinite(entry.paidUsd);
  return isEntry ? (entry as unknown as HistoryEntry) : undefined;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
