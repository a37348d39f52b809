import { parseArgs } from 'node:util';

export const usage = `truefill: executable quotes and pretrade checks, paid per call in USDC.

  truefill quote <tokenIn> <tokenOut> (--size 2.5 | --usd 1000) [--chain base|polygon|arbitrum]
  truefill check <token> [--usd 1000]
  truefill sign [<402>]            PAYMENT-SIGNATURE for a 402: from a file, or from curl -si on stdin
  truefill receipt verify <file|header> [--key <url|file>]
                                   verifies a signed receipt; by default with the key of its host
  truefill verify <answer.json> --rpc <url>   executes a quote's legs at its block on your own node
  truefill health
  truefill mcp                     the same as MCP tools over stdio

Tokens are contract addresses on the chain. In a quote 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE is the native coin,
quoted as its wrapped token.

  --url <url>        the service (TRUEFILL_URL; http://127.0.0.1:4020)
  --pay-on <id>      network to pay on, e.g. eip155:8453 or solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp
  --max-usd <usd>    most that may be spent (quote and check: 0.10, mcp: 1)
  --sandbox          pay with the sandbox's demo wallet; required to pay a sandbox
  --resume <json>    fetch the answer of an interrupted call
  --rpc <url>        a node of the quote's chain, with the state of its block (verify)
  --json             the answer as JSON on stdout, nothing else there

The wallet's key is read from TRUEFILL_KEY: 0x and 64 hex digits, or base58 for Solana (then also SOLANA_RPC_URL).

Exit code: 0 answered, 1 failed, 2 verdict avoid, 3 no route or unknown verdict, 4 verify found a difference, 64 wrong
usage, 75 paid and not answered yet (--resume).`;

export interface Options {
  url: string;
  json: boolean;
  sandbox: boolean;
  payOn: string | undefined;
  maxUsd: number | undefined;
  resume: string | undefined;
}

export type Command =
  | { name: 'quote'; request: Record<string, string>; options: Options }
  | { name: 'check'; request: Record<string, string>; options: Options }
  | { name: 'sign'; from: string | undefined; options: Options }
  | { name: 'receipt'; from: string; keyFrom: string | undefined; options: Options }
  | { name: 'verify'; file: string; rpcUrl: string; options: Options }
  | { name: 'health' | 'mcp' | 'help'; options: Options };

/** The command line is invalid; the message contains the reason. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Parses a command line.
 * @throws {UsageError}
 */
export function readCommandLine(args: readonly string[], env: Record<string, string | undefined>): Command {
  const { values, positionals } = parse(args);
  const [name = 'help', ...operands] = positionals;
  const options: Options = {
    url: values.url ?? env.TRUEFILL_URL ?? 'http://127.0.0.1:4020',
    json: values.json === true,
    sandbox: values.sandbox === true,
    payOn: values['pay-on'],
    maxUsd: toUsd(values['max-usd']),
    resume: values.resume,
  };
  if (!URL.canParse(options.url)) throw new UsageError(`--url ${options.url} is not a URL.`);
  if (values.help) return { name: 'help', options };
  switch (name) {
    case 'quote': {
      const [tokenIn, tokenOut] = take(operands, 2, 'truefill quote <tokenIn> <tokenOut>');
      if ((values.size === undefined) === (values.usd === undefined))
        throw new UsageError('Give one of --size and --usd.');
      return {
        name,
        request: only({ tokenIn, tokenOut, sizeIn: values.size, sizeUSD: values.usd, chain: values.chain }),
        options,
      };
    }
    case 'check': {
      const [token] = take(operands, 1, 'truefill check <token>');
      return { name, request: only({ token, sizeUSD: values.usd, chain: values.chain }), options };
    }
    case 'sign':
      if (operands.length > 1) throw new UsageError('Write: truefill sign [<402>]');
      return { name, from: operands[0], options };
    case 'receipt': {
      const [action, from = ''] = take(operands, 2, 'truefill receipt verify <file|header>');
      if (action !== 'verify') throw new UsageError('Write: truefill receipt verify <file|header>');
      return { name, from, keyFrom: values.key, options };
    }
    case 'verify': {
      const [file = ''] = take(operands, 1, 'truefill verify <answer.json> --rpc <url>');
      const { rpc = '' } = values;
      if (!URL.canParse(rpc)) throw new UsageError('Give a node of your own with --rpc <url>.');
      return { name, file, rpcUrl: rpc, options };
    }
    case 'health':
    case 'mcp':
    case 'help':
      take(operands, 0, `truefill ${name}`);
      return { name, options };
    default:
      // Do not echo a long argument: it may be a private key.
      throw new UsageError(name.length > 20 ? 'Unknown command.' : `Unknown command ${name}.`);
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const yes = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        url: text,
        chain: text,
        size: text,
        usd: text,
        'pay-on': text,
        'max-usd': text,
        resume: text,
        key: text,
        rpc: text,
        json: yes,
        sandbox: yes,
        help: { ...yes, short: 'h' },
      },
    });
  } catch (cause) {
    // parseArgs throws only TypeErrors, with messages for the user.
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function take(operands: readonly string[], count: number, form: string): string[] {
  if (operands.length !== count) throw new UsageError(`Write: ${form}`);
  return [...operands];
}

function toUsd(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text);
  if (text.trim() === '' || !Number.isFinite(usd) || usd < 0)
    throw new UsageError(`--max-usd ${text} is not an amount.`);
  return usd;
}

function only(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
