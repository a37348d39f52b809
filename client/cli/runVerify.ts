import { readFile } from 'node:fs/promises';
import { type Verification, verify } from '../verify/verify.ts';
import type { Quote } from '../wire.ts';
import type { Command } from './commandLine.ts';
import { exitCodes } from './exitCodes.ts';
import type { Lines } from './progressLine.ts';
import { sanitize } from './sanitize.ts';
import { table } from './tables.ts';
import { UsageError } from './usageError.ts';

/**
 * Executes a stored quote on the user's node and writes the difference. Needs no wallet and no service.
 * @returns the exit code
 * @throws {UsageError} the file is not a quote
 * @throws {VerificationError} the node cannot execute the quote
 */
export async function runVerify(command: Command & { name: 'verify' }, stdout: Lines): Promise<number> {
  const quote = await readQuote(command.file);
  const result = await verify(quote, { rpcUrl: command.rpcUrl });
  stdout.write(`${command.options.json ? toJson(result) : show(quote, result)}\n`);
  return result.difference === 0n ? exitCodes.answered : exitCodes.differs;
}

/**
 * Reads a stored quote.
 * @throws {UsageError} the file is not a quote
 */
export async function readQuote(file: string): Promise<Quote> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${cause.code}).`, { cause });
  });
  let quote: Partial<Quote> | null;
  try {
    quote = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${file} is not JSON.`, { cause });
  }
  const legs = quote?.route?.legs;
  const isQuote = Array.isArray(legs) && legs.every((leg) => typeof leg?.amountIn === 'string');
  if (
    !isQuote ||
    !Array.isArray(quote?.flags) ||
    typeof quote.amountOut !== 'string' ||
    typeof quote.blockNumber !== 'string'
  ) {
    throw new UsageError(
      `${file} is not a truefill quote. Expected the output of: truefill quote --json. Its legs must have amounts.`,
    );
  }
  return quote as Quote;
}

function show({ chain }: Quote, { blockNumber, claimed, executed, difference, outcome }: Verification): string {
  const rows = table([
    ['claimed', `${claimed}`],
    ['executed', outcome === 'executed' ? `${executed}` : `${executed} (${outcome})`],
    ['difference', `${difference}`],
  ]);
  return `${sanitize(`block ${blockNumber} on ${chain}, amounts in base units of tokenOut`)}\n\n${rows}`;
}

const toJson = (result: Verification) =>
  JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2);
