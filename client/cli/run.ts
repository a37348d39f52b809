import { createTruefillClient, type TruefillClient } from '../createTruefillClient.ts';
import {
  AnswerPendingError,
  NoPaymentOptionError,
  PaymentRefusedError,
  type PendingCall,
  RequestRefusedError,
  SandboxError,
  SpendLimitError,
  TruefillError,
  UnavailableError,
  UnexpectedAnswerError,
} from '../errors.ts';
import type { Receipt } from '../pay/receipt.ts';
import { toCheck } from '../toCheck.ts';
import { tradeWarning } from '../tradeWarning.ts';
import { version } from '../version.ts';
import type { PretradeRequest, Quote, QuoteRequest } from '../wire.ts';
import { type Command, type Options, readCommandLine } from './commandLine.ts';
import { commandHelp, generalHelp, isCommand } from './commands.ts';
import { completionScript } from './completion.ts';
import { ConfigFileError, readConfigFile } from './configFile.ts';
import { exitCodes } from './exitCodes.ts';
import { find402, type Input } from './find402.ts';
import { findWallet } from './findWallet.ts';
import { type Lines, ProgressLine } from './progressLine.ts';
import { runVerify } from './runVerify.ts';
import { sanitize, sanitizeJson } from './sanitize.ts';
import { showCheck } from './showCheck.ts';
import { showHealth } from './showHealth.ts';
import { hasRoute, showQuote } from './showQuote.ts';
import { choosePaint, type Paint } from './style.ts';
import { UsageError } from './usageError.ts';
import { showReceipt, verifyReceipt } from './verifyReceipt.ts';

/** The members of `process` that are used. */
export interface ProcessStreams {
  env: Record<string, string | undefined>;
  stdin: Input;
  stdout: Lines;
  stderr: Lines;
}

const defaultLimitUsd = 0.1;
const defaultMcpLimitUsd = 1;

/** Runs one command line and returns the exit code. Answers go to stdout, everything else to stderr. */
export async function run(args: readonly string[], streams: ProcessStreams): Promise<number> {
  const { stderr, stdout, env } = streams;
  try {
    const command = readCommandLine(args, env, needsConfig(args) ? await readConfigFile(env) : {});
    const text = findText(command);
    if (text !== undefined) {
      stdout.write(`${text}\n`);
      return exitCodes.answered;
    }
    if (command.name === 'verify') return await runVerify(command, stdout);
    return await runCommand(command as PayingCommand, streams);
  } catch (error) {
    return reportError(error, stderr, args[0]);
  }
}

type PayingCommand = Exclude<Command, { name: 'verify' | 'help' | 'version' | 'completion' }>;

/** False for help, version and completion: they must work with an invalid configuration file. */
function needsConfig([name = 'help', ...args]: readonly string[]): boolean {
  const informs = ['help', 'completion', '--help', '-h', '--version', '-V'];
  return !informs.includes(name) && !args.some((argument) => ['--help', '-h', '--version', '-V'].includes(argument));
}

/** The output of help, version and completion, which send nothing; undefined for any other command. */
function findText(command: Command): string | undefined {
  switch (command.name) {
    case 'help':
      return command.about === undefined ? generalHelp() : commandHelp(command.about);
    case 'version':
      return `truefill ${version}`;
    case 'completion':
      return completionScript(command.shell);
    default:
      return undefined;
  }
}

async function runCommand(command: PayingCommand, streams: ProcessStreams): Promise<number> {
  const { stdin, stdout, stderr, env } = streams;
  const { options } = command;
  if (command.name === 'receipt') {
    const receipt = await verifyReceipt(command.from, command.keyFrom);
    stdout.write(`${options.json ? sanitizeJson(receipt) : showReceipt(receipt)}\n`);
    return exitCodes.answered;
  }
  if (command.name === 'mcp') {
    const { serveStdio } = await import('../mcp/serveStdio.ts');
    const wallet = await findWallet(options, env);
    await serveStdio({
      ...clientOptions(options),
      ...wallet,
      spendLimit: { totalUsd: options.maxUsd ?? defaultMcpLimitUsd },
    });
    return exitCodes.answered;
  }
  const progress = new ProgressLine(stderr);
  const truefill = createTruefillClient({
    ...clientOptions(options),
    ...(command.name === 'health' ? { wallet: [] } : await findWallet(options, env)),
    spendLimit: { totalUsd: options.maxUsd ?? defaultLimitUsd },
    onProgress: (at) => progress.show(at),
    onReceipt: (receipt) => {
      progress.clear();
      stderr.write(`${receiptLine(receipt)}\n`);
    },
  });
  try {
    if (command.name === 'sign') {
      stdout.write(`${await truefill.sign(await find402(command.from, stdin))}\n`);
      return exitCodes.answered;
    }
    const { value, show, exit } = await requestAnswer(truefill, command);
    stdout.write(`${options.json ? sanitizeJson(value) : show(choosePaint(stdout, env))}\n`);
    return exit;
  } finally {
    progress.clear();
  }
}

async function requestAnswer(
  truefill: TruefillClient,
  command: Exclude<PayingCommand, { name: 'sign' | 'receipt' }>,
): Promise<{ value: unknown; show: (paint: Paint) => string; exit: number }> {
  switch (command.name) {
    case 'quote': {
      const resumed = await resume(truefill, command.options);
      const quote = (resumed ?? (await truefill.quote(command.request as QuoteRequest))) as Quote;
      const exit = hasRoute(quote) ? exitCodes.answered : exitCodes.noUsableAnswer;
      return { value: quote, show: (paint) => showQuote(quote, paint), exit };
    }
    case 'check': {
      const resumed = await resume(truefill, command.options);
      const check = resumed ? toCheck(resumed) : await truefill.pretradeCheck(command.request as PretradeRequest);
      const clear = tradeWarning(check) ? exitCodes.notTradable : exitCodes.answered;
      const exits = { avoid: exitCodes.avoid, clear, unknown: exitCodes.noUsableAnswer };
      return { value: check, show: (paint) => showCheck(check, paint), exit: exits[check.verdict] };
    }
    default: {
      const health = await truefill.health();
      return { value: health, show: (paint) => showHealth(health, paint), exit: exitCodes.answered };
    }
  }
}

async function resume(
  truefill: TruefillClient,
  { resume: text }: Options,
): Promise<Record<string, unknown> | undefined> {
  if (text === undefined) return undefined;
  let pending: PendingCall;
  try {
    pending = JSON.parse(text);
  } catch (cause) {
    throw new UsageError('--resume must be the JSON that the interrupted command printed. The payment remains valid.', {
      cause,
    });
  }
  return truefill.resume(pending);
}

function clientOptions({ url, payOn }: Options) {
  return { url, ...(payOn !== undefined && { payOn: payOn as `${string}:${string}` }) };
}

function receiptLine({ paidUsd, free, network, transaction, replayed }: Receipt): string {
  if (free) return sanitize(`free: first call of this wallet on ${network}; nothing was settled`);
  return sanitize(`${replayed ? 'paid earlier' : 'paid'} ${paidUsd} USD on ${network}, transaction ${transaction}`);
}

const exitByError: readonly (readonly [new (...args: never[]) => TruefillError, number])[] = [
  [RequestRefusedError, exitCodes.refused],
  [UnavailableError, exitCodes.unavailable],
  [UnexpectedAnswerError, exitCodes.protocol],
  [ConfigFileError, exitCodes.config],
  ...[PaymentRefusedError, SpendLimitError, NoPaymentOptionError, SandboxError].map(
    (type) => [type, exitCodes.notPaid] as const,
  ),
];

/**
 * Writes the error to stderr and returns the exit code.
 * @param name the command
 * @throws any error that is not from this package or a missing package
 */
function reportError(error: unknown, stderr: Lines, name = ''): number {
  if (error instanceof UsageError) {
    const help = isCommand(name) ? `truefill ${name} --help` : 'truefill --help';
    stderr.write(`${sanitize(error.message, 1_500)} Nothing was charged.\nSee ${help}\n`);
    return exitCodes.usage;
  }
  if (error instanceof AnswerPendingError) {
    stderr.write(`${error.message}\nRun the same command again with --resume '${JSON.stringify(error.pending)}'\n`);
    return exitCodes.pending;
  }
  const missing = missingPackage(error);
  if (missing !== undefined) {
    stderr.write(
      `This needs a package that is not installed. Nothing was charged. Run: npm install ${sanitize(missing)}\n`,
    );
    return exitCodes.failed;
  }
  if (!(error instanceof TruefillError)) throw error;
  const lines = error.message.split('\n').map((line) => sanitize(line));
  stderr.write(`${lines.join('\n')}\n`);
  return exitByError.find(([type]) => error instanceof type)?.[1] ?? exitCodes.failed;
}

/** The name of a package that is not installed: Solana and MCP need packages that users install themselves. */
function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  return /Cannot find package '([^']+)'/.exec(error.message)?.[1];
}
