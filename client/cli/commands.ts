import { chainFacts, chainNames } from '../chains/index.ts';
import { exitCodes, exitMeanings } from './exitCodes.ts';

/** An option of the command line. `value` is the placeholder of its value; a switch has no placeholder. */
interface OptionInfo {
  value?: string;
  /** The option may be given without its value. */
  optional?: true;
  about: string;
  /** The values that completion offers. */
  words?: readonly string[];
  /** The value may be a file name. */
  files?: true;
}

export const options = {
  size: { value: 'amount', about: 'the amount to sell, in whole tokens, e.g. 2.5' },
  usd: { value: 'usd', about: 'the size in US dollars' },
  chain: { value: 'chain', about: `one of ${chainNames.join(', ')} (default base)`, words: chainNames },
  url: { value: 'url', about: 'URL of the service (default http://127.0.0.1:4020)' },
  'pay-on': {
    value: 'network',
    about: 'the payment network, e.g. eip155:8453',
    words: [
      ...chainNames.map((name) => `eip155:${chainFacts[name].chainId}`),
      'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    ],
  },
  'max-usd': { value: 'usd', about: 'the maximum to spend in US dollars (default 0.10, mcp: 1)' },
  'max-validity': {
    value: 'seconds',
    about: 'the longest time for which a signed payment may stay valid (default 300)',
  },
  sandbox: { about: "pay with the sandbox's demo wallet; required to pay a sandbox" },
  resume: {
    value: 'id',
    optional: true,
    about: 'fetch the answer of a pending payment with the same signature; without an id, of the latest one',
  },
  rpc: { value: 'url', about: "URL of a node of the chain; verify needs the state of the quote's block" },
  'private-rpc': {
    value: 'url',
    about: 'send the swap to this URL instead of --rpc, e.g. to keep it out of the public mempool',
  },
  slippage: {
    value: 'bps',
    about: 'slippage limit: how far below amountOut the swap may end, in basis points (default 50: 0.5 %)',
  },
  via: {
    value: 'contract',
    about: 'executor or router (default: the executor if deployed)',
    words: ['executor', 'router'],
  },
  from: { value: 'address', about: 'simulate for this account, without a key (default: the account of TRUEFILL_KEY)' },
  send: { about: 'send the approvals and the swap; without it nothing is sent' },
  key: { value: 'url|file', about: "the public key; default: the DID document of the receipt's host", files: true },
  json: { about: 'print only exact JSON to stdout, and an error as the last line of stderr' },
  help: { about: 'show help' },
  version: { about: 'show the version' },
} as const satisfies Record<string, OptionInfo>;

export type OptionName = keyof typeof options;

export const optionInfo = (name: OptionName): OptionInfo => options[name];

/** Whether the option needs no value. */
export const isSwitch = (name: OptionName): boolean => optionInfo(name).value === undefined || isOptional(name);

export const isOptional = (name: string): boolean =>
  Object.hasOwn(options, name) && optionInfo(name as OptionName).optional === true;

interface CommandInfo {
  operands: string;
  about: string;
  options: readonly OptionName[];
  details?: string;
  examples: readonly string[];
  /** The operands that completion offers: token symbols, files, or these words. */
  completes?: 'tokens' | 'files' | readonly string[];
}

const signing = ['url', 'pay-on', 'max-usd', 'max-validity', 'sandbox'] as const;

const paying = [...signing, 'resume', 'json'] as const;

const tokenForm = `A token is a contract address, or a symbol of the chain's built-in list (WETH, USDC, …). The error for an unknown symbol
shows the list. ETH (POL on polygon) is the native coin, quoted as its wrapped token.`;

/** The commands, in the order of the help. Parsing, help and completion read this table. */
export const commands = {
  quote: {
    operands: '<tokenIn> <tokenOut>',
    about: 'get an executable quote for the full size',
    options: ['size', 'usd', 'chain', ...paying],
    details: `Pass one of --size and --usd.\n${tokenForm}`,
    examples: ['truefill quote WETH USDC --size 2.5', 'truefill quote ETH USDC --usd 1000 --chain arbitrum --json'],
    completes: 'tokens',
  },
  check: {
    operands: '<token>',
    about: 'check a token for proven traps (Base only)',
    options: ['usd', 'chain', ...paying],
    details: `${tokenForm}\nChecks are served on base only: another --chain is rejected, uncharged.`,
    examples: ['truefill check AERO --usd 1000'],
    completes: 'tokens',
  },
  sign: {
    operands: '[<402>]',
    about: 'print the PAYMENT-SIGNATURE header for a 402',
    options: signing,
    details: 'Reads the 402 from a file, from its PAYMENT-REQUIRED header, or from stdin as `curl -si` prints it.',
    examples: ['curl -si … | truefill sign'],
    completes: 'files',
  },
  receipt: {
    operands: 'verify <file|header>',
    about: 'verify a signed receipt',
    options: ['key', 'json'],
    examples: ['truefill receipt verify answer.txt', 'truefill receipt verify answer.txt --key jwks.json'],
    completes: ['verify'],
  },
  verify: {
    operands: '<answer.json>',
    about: "simulate a quote's legs on your own node; nothing is sent",
    options: ['rpc', 'json'],
    examples: ['truefill verify answer.json --rpc http://127.0.0.1:8545'],
    completes: 'files',
  },
  swap: {
    operands: '<answer.json> [<tokenIn> <tokenOut>]',
    about: "build and simulate a quote's transaction; --send sends it",
    options: ['rpc', 'private-rpc', 'slippage', 'via', 'from', 'size', 'chain', 'send', 'json'],
    details:
      "Sells tokens of TRUEFILL_KEY's account. With tokens and --size, refuses other quotes. The executor is not audited.",
    examples: [
      'truefill swap answer.json --rpc http://127.0.0.1:8545 --from 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      'truefill swap answer.json WETH USDC --size 2.5 --rpc https://… --send',
    ],
    completes: 'files',
  },
  executor: {
    operands: '<check|deploy>',
    about: 'show whether a chain has the executor, or deploy it',
    options: ['chain', 'rpc', 'json'],
    details: 'Any account may deploy it: TRUEFILL_KEY pays the gas. Its address is the same on every chain.',
    examples: [
      'truefill executor check --chain base --rpc https://…',
      'truefill executor deploy --rpc http://127.0.0.1:8545',
    ],
    completes: ['check', 'deploy'],
  },
  lens: {
    operands: '<check|deploy>',
    about: 'show whether a chain has the lenses of the service, or deploy them',
    options: ['chain', 'rpc', 'json'],
    details:
      'For operators: the service then sends smaller requests to its nodes. TRUEFILL_KEY pays the gas, about 5.7 million.',
    examples: ['truefill lens check --chain base --rpc https://…', 'truefill lens deploy --rpc http://127.0.0.1:8545'],
    completes: ['check', 'deploy'],
  },
  health: {
    operands: '',
    about: 'show the state of the service and its chains, free',
    options: ['url', 'json'],
    examples: ['truefill health --url https://…'],
  },
  mcp: {
    operands: '',
    about: 'serve the calls as MCP tools over stdio',
    options: signing,
    examples: ['truefill mcp --max-usd 1'],
  },
  pending: {
    operands: '',
    about: 'list payments whose answer has not arrived',
    options: [],
    details: `Each signed payment is kept in ~/.local/state/truefill/pending (XDG_STATE_HOME) until it is answered or refused, for at
most 48 hours. Do not share these files: each contains a signed payment.`,
    examples: ['truefill pending', 'truefill quote --resume', 'truefill check --resume 1a2b3c4d'],
  },
  payments: {
    operands: '',
    about: 'list the calls that this command line paid',
    options: ['json'],
    details:
      'Reads ~/.local/state/truefill/payments.jsonl (XDG_STATE_HOME). It contains no secret; you can delete it at any time.',
    examples: ['truefill payments', 'truefill payments --json'],
  },
  completion: {
    operands: '<bash|zsh|fish>',
    about: 'print a completion script for your shell',
    options: [],
    examples: [
      'source <(truefill completion bash)',
      'source <(truefill completion zsh)',
      'truefill completion fish | source',
    ],
    completes: ['bash', 'zsh', 'fish'],
  },
  help: { operands: '[<command>]', about: 'show help', options: [], examples: ['truefill help quote'] },
} as const satisfies Record<string, CommandInfo>;

export type CommandName = keyof typeof commands;

export const commandInfo = (name: CommandName): CommandInfo => commands[name];

export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

/** The usage line of a command: `truefill check <token>`. */
export const formOf = (name: CommandName): string => `truefill ${name} ${commands[name].operands}`.trimEnd();

/** The help text of all commands. */
export function generalHelp(): string {
  const rows = (Object.keys(commands) as CommandName[]).map((name) => [formOf(name), commands[name].about] as const);
  return `truefill: executable quotes and pretrade checks, paid per call in USDC.

${aligned(rows)}

truefill <command> --help shows the options of a command; truefill --version shows the version.

Wallet: set TRUEFILL_KEY to the private key: 0x and 64 hex digits, or base58 for Solana (then also set SOLANA_RPC_URL).
Configuration file: ~/.config/truefill/config.json (TRUEFILL_CONFIG), with url, chain, payOn and maxUsd. Options override
TRUEFILL_URL, which overrides the file. NO_COLOR turns colours off.

Exit codes
${aligned(exitRows)}`;
}

/** The help text of one command. */
export function commandHelp(name: CommandName): string {
  const { about, examples, details, options: own } = commandInfo(name);
  const rows = own.map((option): readonly [string, string] => {
    const { value, optional, about: description } = optionInfo(option);
    const placeholder = value ? ` <${value}>` : '';
    return [`--${option}${optional ? ` [${value}]` : placeholder}`, description];
  });
  return [
    `${formOf(name)}${own.length > 0 ? ' [options]' : ''}`,
    `  ${about}`,
    ...(details ? ['', details] : []),
    ...(rows.length > 0 ? ['', 'Options', aligned(rows)] : []),
    '',
    'Examples',
    ...examples.map((line) => `  ${line}`),
  ].join('\n');
}

const exitRows = (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).map(
  (name) => [String(exitCodes[name]), exitMeanings[name]] as const,
);

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
