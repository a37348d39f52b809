import { createTruefillClient, type TruefillClient } from '../createTruefillClient.ts';
import { AnswerPendingError, type PendingCall, TruefillError } from '../errors.ts';
import type { Receipt } from '../pay/receipt.ts';
import { toCheck } from '../toCheck.ts';
import type { PretradeRequest, Quote, QuoteRequest } from '../wire.ts';
import { type Command, type Options, readCommandLine, UsageError, usage } from './commandLine.ts';
import { exitCodes } from './exitCodes.ts';
import { find402, type Input } from './find402.ts';
import { findWallet } from './findWallet.ts';
import { type Lines, ProgressLine } from './progressLine.ts';
import { runVerify } from './runVerify.ts';
import { sanitize, sanitizeJson } from './sanitize.ts';
import { showCheck } from './showCheck.ts';
import { showHealth } from './showHealth.ts';
import { hasRoute, showQuote } from './showQuote.ts';
import { showReceipt, verifyReceipt } from './verifyReceipt.ts';

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
    const command = readCommandLine(args, env);
    if (command.name === 'help') {
      stdout.write(`${usage}\n`);
      return exitCodes.answered;
    }
    if (command.name === 'verify') return await runVerify(command, stdout);
    return await runCommand(command, streams);
  } catch (error) {
    return reportError(error, stderr);
  }
}

async function runCommand(command: Exclude<Command, { name: 'verify' }>, streams: ProcessStreams): Promise<number> {
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
    const { value, show, exit } = await ask(truefill, command);
    stdout.write(`${options.json ? sanitizeJson(value) : show()}\n`);
    return exit;
  } finally {
    progress.clear();
  }
}

async function ask(
  truefill: TruefillClient,
  command: Exclude<Command, { name: 'sign' | 'receipt' | 'verify' }>,
): Promise<{ value: unknown; show: () => string; exit: number }> {
  switch (command.name) {
    case 'quote': {
      const resumed = await resume(truefill, command.options);
      const quote = (resumed ?? (await truefill.quote(command.request as QuoteRequest))) as Quote;
      const exit = hasRoute(quote) ? exitCodes.answered : exitCodes.nothingToTradeOn;
      return { value: quote, show: () => showQuote(quote), exit };
    }
    case 'check': {
      const resumed = await resume(truefill, command.options);
      const check = resumed ? toCheck(resumed) : await truefill.pretradeCheck(command.request as PretradeRequest);
      const exits = { avoid: exitCodes.avoid, clear: exitCodes.answered, unknown: exitCodes.nothingToTradeOn };
      return { value: check, show: () => showCheck(check), exit: exits[check.verdict] };
    }
    default: {
      const health = await truefill.health();
      return { value: health, show: () => showHealth(health), exit: exitCodes.answered };
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
    throw new UsageError('--resume expects the JSON that the interrupted call printed.', { cause });
  }
  return truefill.resume(pending);
}

function clientOptions({ url, payOn }: Options) {
  return { url, ...(payOn !== undefined && { payOn: payOn as `${string}:${string}` }) };
}

function receiptLine({ paidUsd, free, network, transaction, replayed }: Receipt): string {
  if (free) return sanitize(`free: the first call of this wallet, nothing was settled (${network})`);
  return sanitize(`${replayed ? 'paid before' : 'paid'} ${paidUsd} USD on ${network}, ${transaction}`);
}

function reportError(error: unknown, stderr: Lines): number {
  if (error instanceof UsageError) {
    stderr.write(`${sanitize(error.message)}\n\n${usage}\n`);
    return exitCodes.usage;
  }
  if (error instanceof AnswerPendingError) {
    stderr.write(`${error.message}\nRun the same line again with --resume '${JSON.stringify(error.pending)}'\n`);
    return exitCodes.pending;
  }
  const missing = missingPackage(error);
  if (missing !== undefined) {
    stderr.write(`This needs a package that is not installed: npm install ${sanitize(missing)}\n`);
    return exitCodes.failed;
  }
  if (!(error instanceof TruefillError)) throw error;
  const lines = error.message.split('\n').map((line) => sanitize(line));
  stderr.write(`${lines.join('\n')}\n`);
  return exitCodes.failed;
}

/** Solana and MCP need many packages, which users install themselves. */
function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  return /Cannot find package '([^']+)'/.exec(error.message)?.[1];
}
