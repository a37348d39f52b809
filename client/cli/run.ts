import { createTruefillClient, type TruefillClient, type TruefillClientOptions } from '../createTruefillClient.ts';
import type { PendingCall } from '../errors.ts';
import type { Receipt } from '../pay/receipt.ts';
import { toCheck } from '../toCheck.ts';
import { tradeWarning } from '../tradeWarning/index.ts';
import { version } from '../version.ts';
import type { PretradeRequest, Quote, QuoteRequest } from '../wire.ts';
import { type Command, type Options, readCommandLine } from './commandLine.ts';
import { commandHelp, generalHelp } from './commands.ts';
import { completionScript } from './completion.ts';
import { readConfigFile } from './configFile.ts';
import { exitCodes } from './exitCodes.ts';
import { find402, type Input, serviceOf402 } from './find402.ts';
import { findPending, showPending } from './findPending.ts';
import { findWallet, type PayingWallet } from './findWallet.ts';
import { addToHistory, showHistory } from './paymentHistory.ts';
import { PendingStore, stateFolder } from './pendingStore.ts';
import { type Lines, ProgressLine } from './progressLine.ts';
import { reportError } from './reportError.ts';
import { runDeployment } from './runDeployment.ts';
import { runSwap } from './runSwap.ts';
import { runVerify } from './runVerify.ts';
import { sanitize, sanitizeJson } from './sanitize.ts';
import { showCheck } from './showCheck.ts';
import { showHealth } from './showHealth.ts';
import { hasRoute, showQuote } from './showQuote.ts';
import { choosePaint, type Paint } from './style.ts';
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
  const store = new PendingStore(stateFolder(env));
  try {
    const command = readCommandLine(args, env, needsConfig(args) ? await readConfigFile(env) : {});
    const text = findText(command);
    if (text !== undefined) {
      stdout.write(`${text}\n`);
      return exitCodes.answered;
    }
    if (command.name === 'verify') return await runVerify(command, stdout);
    if (command.name === 'swap') return await runSwap(command, streams);
    if (command.name === 'executor' || command.name === 'lens') return await runDeployment(command, streams);
    if (command.name === 'pending') return showPending(store, streams) ? exitCodes.answered : exitCodes.failed;
    if (command.name === 'payments')
      return showHistory(store.folder, streams, command.options.json) ? exitCodes.answered : exitCodes.failed;
    return await runCommand(command as PayingCommand, streams, store);
  } catch (error) {
    return reportError(error, { stderr, store, name: args[0], json: args.includes('--json') });
  }
}

type PayingCommand = Exclude<
  Command,
  {
    name: 'verify' | 'swap' | 'executor' | 'lens' | 'help' | 'version' | 'completion' | 'pending' | 'payments';
  }
>;

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

async function runCommand(command: PayingCommand, streams: ProcessStreams, store: PendingStore): Promise<number> {
  const { stdin, stdout, stderr, env } = streams;
  const { options } = command;
  if (command.name === 'receipt') {
    const receipt = await verifyReceipt(command.from, command.keyFrom);
    stdout.write(`${options.json ? sanitizeJson(receipt) : showReceipt(receipt)}\n`);
    return exitCodes.answered;
  }
  const keepReceipt = (receipt: Receipt, name: 'quote' | 'check' | 'mcp', service: string) => {
    const failure = addToHistory(store.folder, receipt, { command: name, service });
    if (failure !== undefined) stderr.write(`${sanitize(failure)}\n`);
  };
  if (command.name === 'mcp') {
    const { serveStdio } = await import('../mcp/serveStdio.ts');
    const wallet = await findWallet(options, env);
    const onReceipt = (receipt: Receipt) => keepReceipt(receipt, 'mcp', options.url);
    await serveStdio({ ...clientOptions(options, store, defaultMcpLimitUsd), onReceipt, ...wallet });
    return exitCodes.answered;
  }
  const progress = new ProgressLine(stderr);
  const clientWith = (more: Partial<TruefillClientOptions> & Pick<TruefillClientOptions, 'wallet'>) =>
    createTruefillClient({
      ...clientOptions(options, store, defaultLimitUsd),
      onProgress: (at) => progress.show(at),
      onReceipt: (receipt) => {
        progress.clear();
        stderr.write(`${receiptLine(receipt)}\n`);
        if (command.name === 'quote' || command.name === 'check')
          keepReceipt(receipt, command.name, more.url ?? options.url);
      },
      ...more,
    });
  try {
    if (command.name === 'health') {
      const health = await clientWith({ wallet: [] }).health();
      stdout.write(`${options.json ? sanitizeJson(health) : showHealth(health, choosePaint(stdout, env))}\n`);
      return exitCodes.answered;
    }
    if (command.name === 'sign') {
      const header = await find402(command.from, stdin);
      const url = (options.hasUrl ? undefined : serviceOf402(header)) ?? options.url;
      const truefill = clientWith(await findWallet({ ...options, url }, env));
      stdout.write(`${await truefill.sign(header)}\n`);
      return exitCodes.answered;
    }
    const { value, show, exit } = await requestAnswer(command, store, clientWith, () => findWallet(options, env));
    stdout.write(`${options.json ? sanitizeJson(value) : show(choosePaint(stdout, env))}\n`);
    return exit;
  } finally {
    progress.clear();
  }
}

/** Buys the answer, or fetches that of a pending payment, which needs no wallet. */
async function requestAnswer(
  command: Extract<PayingCommand, { name: 'quote' | 'check' }>,
  store: PendingStore,
  clientWith: (options: Pick<TruefillClientOptions, 'wallet'> & { url?: string }) => TruefillClient,
  openWallet: () => Promise<PayingWallet>,
): Promise<{ value: unknown; show: (paint: Paint) => string; exit: number }> {
  const { name, request, options } = command;
  let answer: unknown;
  if (options.resume !== undefined) {
    const { url, hasUrl, resume } = options;
    const pending = findPending(store, { name, request, resume, url: hasUrl ? url : undefined });
    const { id: _id, url: service, signedAtMs: _at, isDenied: _denied, ...call } = pending;
    store.reopen(call);
    answer = await clientWith({ wallet: [], url: service }).resume(call);
  } else {
    const truefill = clientWith(await openWallet());
    answer = await (name === 'quote'
      ? truefill.quote(request as unknown as QuoteRequest)
      : truefill.pretradeCheck(request as unknown as PretradeRequest));
  }
  if (name === 'quote') {
    const quote = answer as Quote;
    const exit = hasRoute(quote) ? exitCodes.answered : exitCodes.noUsableAnswer;
    return { value: quote, show: (paint) => showQuote(quote, paint), exit };
  }
  const check = toCheck(answer as Record<string, unknown>);
  const clear = tradeWarning(check) ? exitCodes.notTradable : exitCodes.answered;
  const exits = { avoid: exitCodes.avoid, clear, unknown: exitCodes.noUsableAnswer };
  return { value: check, show: (paint) => showCheck(check, paint), exit: exits[check.verdict] };
}

/** @param defaultUsd the limit without --max-usd. It holds for the command, and so for each of its calls. */
function clientOptions(options: Options, store: PendingStore, defaultUsd: number) {
  const { url, payOn, maxValiditySeconds, maxUsd = defaultUsd } = options;
  return {
    url,
    spendLimit: { perCallUsd: maxUsd, totalUsd: maxUsd },
    ...(payOn !== undefined && { payOn: payOn as `${string}:${string}` }),
    ...(maxValiditySeconds !== undefined && { maxValiditySeconds }),
    onSigned: (pending: PendingCall) => store.add(url, pending),
    onFinished: (pending: PendingCall) => store.remove(pending),
  };
}

function receiptLine({ paidUsd, free, network, transaction, replayed }: Receipt): string {
  if (free) return sanitize(`free: first call of this wallet on ${network}; nothing was settled`);
  return sanitize(`${replayed ? 'paid earlier' : 'paid'} ${paidUsd} USD on ${network}, transaction ${transaction}`);
}
