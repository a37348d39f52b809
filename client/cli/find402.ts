import { readFile } from 'node:fs/promises';
import { toOffer } from '../pay/offer.ts';
import { UsageError } from './usageError.ts';

/** The members of stdin that are used. */
export interface Input extends AsyncIterable<Buffer | string> {
  isTTY?: boolean;
}

const expected =
  'Expected a 402 with its headers, as `curl -si` prints it, or the value of its PAYMENT-REQUIRED header.';

/**
 * Finds the PAYMENT-REQUIRED header of a 402.
 * @param from a file or the text itself; if undefined, stdin is read
 * @returns the header's value
 * @throws {UsageError}
 */
export async function find402(from: string | undefined, stdin: Input): Promise<string> {
  const text = from === undefined ? await readAll(stdin) : await readFile(from, 'utf8').catch(unlessMissing(from));
  const header = /^payment-required:[ \t]*(\S+)/im.exec(text)?.[1];
  if (header !== undefined) return header;
  const value = text.trim();
  // The decoded header, as MCP responses contain it.
  if (value.startsWith('{')) return Buffer.from(value).toString('base64');
  if (/^[A-Za-z0-9+/_=-]+$/.test(value)) return value;
  const status = /^HTTP\/\S+ (\d{3})/m.exec(text)?.[1];
  // The message does not contain the text, because it may be a key.
  const received = status === undefined ? `Got ${value.length} characters` : `The service returned ${status}`;
  throw new UsageError(`${received}, not a 402. ${expected}`);
}

/** The URL of the service that a 402 comes from; undefined if the 402 does not contain it. */
export function serviceOf402(header: string): string | undefined {
  const url: unknown = toOffer(header)?.resource?.url;
  return typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** If the file does not exist, the argument is the text itself. */
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
