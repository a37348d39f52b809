import { parseArgs } from 'node:util';
import { type Address, isAddress } from 'viem';
import { type ChainName, nativeCoin } from '../chains/index.ts';
import {
  type CommandName,
  commands,
  formOf,
  isCommand,
  isOptional,
  type OptionName,
  optionInfo,
  options,
} from './commands.ts';
import type { FileConfig } from './configFile.ts';
import { didYouMean } from './didYouMean.ts';
import { findToken, toChain } from './findToken.ts';
import { latest, toAmount, toResume, toSeconds, toUsd } from './optionValues.ts';
import { idForm } from './pendingStore.ts';
import { UsageError } from './usageError.ts';

/** The options of a command line, with defaults from the environment and the configuration file. */
export interface Options {
  url: string;
  /** Whether the command line contains --url. */
  hasUrl: boolean;
  json: boolean;
  sandbox: boolean;
  payOn: string | undefined;
  maxUsd: number | undefined;
  maxValiditySeconds: number | undefined;
  /** The id of a pending payment, or `latest`. */
  resume: string | undefined;
}

/** `request` is undefined if --resume stands without operands. */
export type Command =
  | { name: 'quote' | 'check'; request: Record<string, string> | undefined; options: Options }
  | { name: 'sign'; from: string | undefined; options: Options }
  | { name: 'receipt'; from: string; keyFrom: string | undefined; options: Options }
  | { name: 'verify'; file: string; rpcUrl: string; options: Options }
  | {
      name: 'swap';
      file: string;
      rpcUrl: string;
      privateRpcUrl: string | undefined;
      slippageBps: number;
      via: 'executor' | 'router' | undefined;
      /** Simulates for this account, without a key. */
      from: Address | undefined;
      /** The trade of the command line: a quote of another trade is refused. */
      expected: { chain: ChainName; tokenIn: Address; tokenOut: Address; size: string } | undefined;
      send: boolean;
      options: Options;
    }
  | { name: 'executor' | 'lens'; action: 'check' | 'deploy'; chain: ChainName; rpcUrl: string; options: Options }
  | { name: 'completion'; shell: string; options: Options }
  | { name: 'help'; about: CommandName | undefined; options: Options }
  | { name: 'health'; options: Options }
  | { name: 'mcp'; options: Options }
  | { name: 'pending' | 'payments'; options: Options }
  | { name: 'version'; options: Options };

type Values = Partial<Record<OptionName, string | boolean>>;
type ReadText = (option: OptionName) => string | undefined;

/**
 * Parses a command line. Options override the environment, which overrides the configuration file.
 * @throws {UsageError}
 */
export function readCommandLine(
  args: readonly string[],
  env: Record<string, string | undefined>,
  config: FileConfig = {},
): Command {
  const { values, positionals } = parse(args);
  assertNoneEmpty(values, positionals);
  const [name = 'help', ...operands] = positionals;
  const text: ReadText = (option) => values[option] as string | undefined;
  const given: Options = {
    url: text('url') ?? (env.TRUEFILL_URL || config.url) ?? 'http://127.0.0.1:4020',
    hasUrl: text('url') !== undefined,
    json: values.json === true,
    sandbox: values.sandbox === true,
    payOn: text('pay-on') ?? config.payOn,
    maxUsd: toUsd(text('max-usd')) ?? config.maxUsd,
    maxValiditySeconds: toSeconds(text('max-validity')),
    resume: toResume(text('resume')),
  };
  assertHttpUrl(given.url);
  if (values.version) return { name: 'version', options: given };
  if (!isCommand(name)) throw unknownCommand(name);
  if (values.help) return { name: 'help', about: name === 'help' ? undefined : name, options: given };
  assertOptionsOf(name, values);
  const describesCall = operands.length > 0 || values.size !== undefined || values.usd !== undefined;
  const resumesOnly = given.resume !== undefined && !describesCall;
  switch (name) {
    case 'quote':
      if (resumesOnly) return { name, request: undefined, options: given };
      return readQuote(operands, text, config.chain, given);
    case 'check':
      if (resumesOnly) return { name, request: undefined, options: given };
      return readCheck(operands, text, given);
    case 'sign':
      if (operands.length > 1) throw wrongCount(operands, name);
      return { name, from: operands[0], options: given };
    case 'receipt': {
      const [action, from = ''] = assertCount(operands, 2, name);
      if (action !== 'verify') throw new UsageError(`Expected ${formOf(name)}${ifShort(', got', action)}.`);
      return { name, from, keyFrom: text('key'), options: given };
    }
    case 'verify': {
      const [file = ''] = assertCount(operands, 1, name);
      return { name, file, rpcUrl: readNodeUrl(text), options: given };
    }
    case 'swap':
      return readSwap(operands, text, config.chain, { send: values.send === true, options: given });
    case 'executor':
    case 'lens': {
      const [action = ''] = assertCount(operands, 1, name);
      if (action !== 'check' && action !== 'deploy')
        throw new UsageError(`Expected ${formOf(name)}${ifShort(', got', action)}.`);
      const chain = toChain(text('chain') ?? config.chain);
      return { name, action, chain, rpcUrl: readNodeUrl(text), options: given };
    }
    case 'completion': {
      const [shell = ''] = assertCount(operands, 1, name);
      return { name, shell, options: given };
    }
    case 'help': {
      const [about] = operands.length === 0 ? [] : assertCount(operands, 1, name);
      if (about !== undefined && !isCommand(about)) throw unknownCommand(about);
      return { name, about, options: given };
    }
    default:
      assertCount(operands, 0, name);
      return { name, options: given };
  }
}

function readNodeUrl(text: ReadText, option: 'rpc' | 'private-rpc' = 'rpc'): string {
  const url = text(option);
  if (url === undefined) throw new UsageError(`The URL of the node is missing. Pass it with --${option} <url>.`);
  if (!isHttpUrl(url)) throw new UsageError(`--${option} must be an http or https URL, got ${url.slice(0, 80)}.`);
  return url;
}

function readSwap(
  operands: readonly string[],
  text: ReadText,
  configChain: string | undefined,
  given: { send: boolean; options: Options },
): Command {
  const [file = '', ...tokens] = operands.length === 3 ? operands : assertCount(operands, 1, 'swap');
  const [size, from] = [toAmount(text('size'), 'size'), text('from')];
  if ((size === undefined) !== (tokens.length === 0))
    throw new UsageError('Pass <tokenIn> <tokenOut> together with --size, or neither.');
  if (from !== undefined && !isAddress(from)) throw new UsageError('--from must be an address: 0x and 40 digits.');
  if (from !== undefined && given.send) throw new UsageError('--send uses the account of TRUEFILL_KEY. Omit --from.');
  const chain = toChain(text('chain') ?? configChain);
  const [tokenIn, tokenOut] = tokens.map((token) => findToken(token, chain));
  const expected = size && tokenIn && tokenOut ? { chain, tokenIn, tokenOut, size } : undefined;
  const [slippage = '50', via] = [text('slippage'), text('via')];
  if (!/^\d{1,5}$/.test(slippage) || Number(slippage) > 10_000)
    throw new UsageError(`--slippage must be a whole number from 0 to 10000, got ${slippage.slice(0, 20)}.`);
  if (via !== undefined && via !== 'executor' && via !== 'router')
    throw new UsageError(`--via must be executor or router, got ${via.slice(0, 20)}.`);
  const privateRpcUrl = text('private-rpc') === undefined ? undefined : readNodeUrl(text, 'private-rpc');
  const nodes = { rpcUrl: readNodeUrl(text), privateRpcUrl };
  return { name: 'swap', file, ...nodes, slippageBps: Number(slippage), via, from, expected, ...given };
}

function readQuote(
  operands: readonly string[],
  text: ReadText,
  configChain: string | undefined,
  given: Options,
): Command {
  const [tokenIn = '', tokenOut = ''] = assertCount(operands, 2, 'quote');
  const [sizeIn, sizeUSD] = [toAmount(text('size'), 'size'), toAmount(text('usd'), 'usd')];
  if (sizeIn === undefined && sizeUSD === undefined)
    throw new UsageError('Pass --size (whole tokens) or --usd; got neither.');
  if (sizeIn !== undefined && sizeUSD !== undefined)
    throw new UsageError('Pass only one of --size (whole tokens) and --usd; got both.');
  const word = text('chain') ?? configChain;
  const chain = toChain(word);
  const tokens = { tokenIn: findToken(tokenIn, chain), tokenOut: findToken(tokenOut, chain) };
  return { name: 'quote', request: omitUndefined({ ...tokens, sizeIn, sizeUSD, chain: word }), options: given };
}

/** Ignores the chain of the configuration file, because the check is served on Base only. */
function readCheck(operands: readonly string[], text: ReadText, given: Options): Command {
  const [operand = ''] = assertCount(operands, 1, 'check');
  const word = text('chain');
  const token = findToken(operand, toChain(word));
  if (token === nativeCoin)
    throw new UsageError(`${operand.slice(0, 42)} is the native coin. Check its wrapped token: WETH.`);
  return {
    name: 'check',
    request: omitUndefined({ token, sizeUSD: toAmount(text('usd'), 'usd'), chain: word }),
    options: given,
  };
}

function parse(args: readonly string[]): { values: Values; positionals: string[] } {
  const declared = (Object.keys(options) as OptionName[]).map((name) => {
    const short = name === 'help' ? { short: 'h' } : name === 'version' ? { short: 'V' } : {};
    return [name, { type: optionInfo(name).value === undefined ? 'boolean' : 'string', ...short }] as const;
  });
  try {
    return parseArgs({ args: withOptionalValues(args), allowPositionals: true, options: Object.fromEntries(declared) });
  } catch (cause) {
    // parseArgs throws only TypeErrors. Only the first sentence of their messages is useful to a user.
    const message = cause instanceof Error ? cause.message : String(cause);
    const [, ambiguous] = /^Option '(\S+)' argument is ambiguous/.exec(message) ?? [];
    if (ambiguous !== undefined)
      throw new UsageError(
        `${ambiguous} needs a value. If the value starts with a hyphen, write ${ambiguous}=-value.`,
        {
          cause,
        },
      );
    const command = message.startsWith('Unknown option') ? args.find(isCommand) : undefined;
    const [, option = ''] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
    const meant = didYouMean(option, command ? commands[command].options : Object.keys(options)).replace(
      'mean ',
      'mean --',
    );
    const accepted = command === undefined ? meant : `${meant} ${describeOptions(command)}`;
    throw new UsageError(`${message.split(/\.\s/)[0]?.replace(/\.$/, '')}.${accepted}`, { cause });
  }
}

/** `parseArgs` has no optional values: joins `--resume <id>`, and completes a lone `--resume`. */
function withOptionalValues(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const isOption = (text = '') => text.startsWith('--') && isOptional(text.slice(2));
    if (isOption(argument)) return `${argument}=${idForm.test(args[index + 1] ?? '') ? args[index + 1] : latest}`;
    return isOption(args[index - 1]) && idForm.test(argument) ? [] : argument;
  });
}

/** Rejects empty values, such as that of an unset shell variable. */
function assertNoneEmpty(values: Values, positionals: readonly string[]): void {
  const isEmpty = (value: unknown) => typeof value === 'string' && value.trim() === '';
  const option = Object.keys(values).find((name) => isEmpty(values[name as OptionName]));
  if (option) throw new UsageError(`The value of --${option} is empty. Pass a value, or omit the option.`);
  const position = positionals.findIndex(isEmpty);
  if (position < 0) return;
  const [name] = positionals;
  const expected = name !== undefined && isCommand(name) ? `Expected ${formOf(name)}.` : known;
  throw new UsageError(`Argument ${position + 1} is empty. ${expected}`);
}

const known = `Known: ${Object.keys(commands).join(', ')}.`;

/** Omits a long argument from a message: it may be a private key. */
const ifShort = (prefix: string, text = ''): string => (text.length > 20 ? '' : `${prefix} ${text}`);

const unknownCommand = (name: string) =>
  new UsageError(`Unknown command${ifShort('', name)}.${didYouMean(name, Object.keys(commands))} ${known}`);

/** Rejects options that the command would ignore: `health --max-usd 5` limits nothing. */
function assertOptionsOf(name: CommandName, values: Values): void {
  const own: readonly string[] = commands[name].options;
  const foreign = Object.keys(values).filter((option) => !own.includes(option));
  if (foreign.length === 0) return;
  const refused = foreign.map((option) => `--${option}`).join(', ');
  throw new UsageError(`truefill ${name} does not accept ${refused}. ${describeOptions(name)}`);
}

function describeOptions(name: CommandName): string {
  const own = commands[name].options;
  return own.length === 0 ? 'It has no options.' : `It accepts ${own.map((option) => `--${option}`).join(', ')}.`;
}

function assertCount(operands: readonly string[], count: number, name: CommandName): string[] {
  if (operands.length !== count) throw wrongCount(operands, name);
  return [...operands];
}

const wrongCount = ({ length }: readonly string[], name: CommandName) =>
  new UsageError(`Expected ${formOf(name)}, got ${length} argument${length === 1 ? '' : 's'}.`);

const isHttpUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

function assertHttpUrl(url: string): void {
  if (isHttpUrl(url)) return;
  throw new UsageError(
    `The service's address must be an http or https URL, got ${url.slice(0, 80)}. Set it with --url or TRUEFILL_URL.`,
  );
}

function omitUndefined(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  );
}
