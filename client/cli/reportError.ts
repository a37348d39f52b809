import {
  AnswerPendingError,
  NoPaymentOptionError,
  PaymentRefusedError,
  RequestRefusedError,
  SandboxError,
  SpendLimitError,
  TruefillError,
  UnavailableError,
  UnexpectedAnswerError,
} from '../errors.ts';
import { isCommand } from './commands.ts';
import { ConfigFileError } from './configFile.ts';
import { exitCodes } from './exitCodes.ts';
import { explainPending, explainUncharged, resumeCommand } from './explainPending.ts';
import type { PendingStore } from './pendingStore.ts';
import type { Lines } from './progressLine.ts';
import { sanitize, sanitizeJson } from './sanitize.ts';
import { UsageError } from './usageError.ts';

const exitByError: readonly (readonly [new (...args: never[]) => TruefillError, number])[] = [
  [RequestRefusedError, exitCodes.refused],
  [UnavailableError, exitCodes.unavailable],
  [UnexpectedAnswerError, exitCodes.protocol],
  [ConfigFileError, exitCodes.config],
  ...[PaymentRefusedError, SpendLimitError, NoPaymentOptionError, SandboxError].map(
    (type) => [type, exitCodes.notPaid] as const,
  ),
];

interface ErrorContext {
  stderr: Lines;
  store: PendingStore;
  /** The command. */
  name: string | undefined;
  /** Whether the error is printed as one line of JSON. */
  json: boolean;
}

/** An error as the user sees it. */
interface Report {
  exit: number;
  lines: string[];
  /** Null: not known. */
  charged: boolean | null;
  /** The service's code. */
  code?: string;
  /** The command that sends the same payment again. */
  resume?: string;
}

/**
 * Writes the error to stderr and returns the exit code.
 * @throws any error that is not from this package or a missing package
 */
export function reportError(error: unknown, { stderr, store, name = '', json }: ErrorContext): number {
  const { exit, lines, ...facts } = toReport(error, store);
  if (json) {
    const message = lines.map((line) => line.trim()).join(' ');
    const { name: kind } = error as Error;
    stderr.write(`${sanitizeJson({ error: { name: kind, message, exitCode: exit, ...facts } }, 0)}\n`);
    return exit;
  }
  stderr.write(`${lines.map((line) => sanitize(line, 1_500)).join('\n')}\n`);
  if (error instanceof UsageError) {
    stderr.write(`See ${isCommand(name) ? `truefill ${name} --help` : 'truefill --help'}\n`);
  }
  return exit;
}

function toReport(error: unknown, store: PendingStore): Report {
  if (error instanceof UsageError)
    return { exit: exitCodes.usage, lines: [`${error.message} Nothing was charged.`], charged: false };
  if (error instanceof AnswerPendingError) {
    store.reopen(error.pending);
    const { charged, pending } = error;
    return { exit: exitCodes.pending, lines: explainPending(error), charged, resume: resumeCommand(pending) };
  }
  if (error instanceof UnavailableError && error.pending) {
    const { pending } = error;
    store.deny(pending);
    const lines = explainUncharged(pending, error);
    return { exit: exitCodes.unavailable, lines, charged: false, resume: resumeCommand(pending) };
  }
  const missing = missingPackage(error);
  if (missing !== undefined) {
    const line = `This needs a package that is not installed. Nothing was charged. Run: npm install ${missing}`;
    return { exit: exitCodes.failed, lines: [line], charged: false };
  }
  if (!(error instanceof TruefillError)) throw error;
  const known = exitByError.find(([type]) => error instanceof type)?.[1];
  const exit = known ?? exitCodes.failed;
  const lines = error.message.split('\n');
  if (error instanceof RequestRefusedError || error instanceof PaymentRefusedError)
    return { exit, lines, charged: error.body.charged ?? null, code: error.body.code };
  // Nothing was signed before the known ones.
  return { exit, lines, charged: known === undefined ? null : false };
}

/** The name of a package that is not installed: Solana and MCP need packages that users install themselves. */
function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  return /Cannot find package '([^']+)'/.exec(error.message)?.[1];
}
