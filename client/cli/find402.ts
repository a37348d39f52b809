import { readFile } from 'node:fs/promises';
import { UsageError } from './commandLine.ts';

/** As much of stdin as is needed. */
export interface Input extends AsyncIterable<Buffer | string> {
  isTTY?: boolean;
}

const expected =
  'Expected a 402 with its headers, as `curl -si` prints it, or the value of its PAYMENT-REQUIRED header.';

/**
 * The PAYMENT-REQUIRED header of a 402: from the text given, from the file that it names, or from stdin.
 * @returns the header's value
 * @throws {UsageError}
 */
export async function find402(from: string | undefined, stdin: Input): Promise<string> {
  const text = from === undefined ? await readAll(stdin) : await readFile(from, 'utf8').catch(unlessMissing(from));
  const header = /^payment-required:[ \t]*(\S+)/im.exec(text)?.[1];
  if (header !== undefined) return header;
  const bare = text.trim();
  // The offer itself, decoded: MCP answers carry it so.
  if (bare.startsWith('{')) return Buffer.from(bare).toString('base64');
  if (/^[A-Za-z0-9+/_=-]+$/.test(bare)) return bare;
  const status = /^HTTP\/\S+ (\d{3})/m.exec(text)?.[1];
  throw new UsageError(status === undefined ? expected : `The service answered ${status}, not 402. ${expected}`);
}

/** What names no file is the text itself. */
function unlessMissing(text: string): (error: NodeJS.ErrnoException) => string {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENAMETOOLONG') return text;
    throw new UsageError(`The file with the 402 cannot be read (${error.code}).`);
  };
}

async function readAll(stdin: Input): Promise<string> {
  if (stdin.isTTY) throw new UsageError(expected);
  let text = '';
  for await (const chunk of stdin) text += chunk;
  return text;
}
