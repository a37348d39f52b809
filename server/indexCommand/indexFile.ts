import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import type { IndexedCreation } from '../../engine/index.ts';
import { IndexFileError } from './indexFileError.ts';

// The file of an exported index: lines of JSON, compressed with gzip. The first line describes it, then each pool is one
// line in ascending order of factory and id, and the last line has their number and the SHA-256 of all lines before it:
// `zcat file | head -n -1 | sha256sum`. Two deployments with the same blocks export the same lines.

const block = z.int().nonnegative();
const hex = (bytes: number) => z.string().regex(new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`));
const address = hex(20);
/** The order of the values in the line of a pool. */
const fields = [
  'factory',
  'id',
  'event',
  'currency0',
  'currency1',
  'fee',
  'tickSpacing',
  'hooks',
  'blockNumber',
] as const;
const row = z.tuple([
  address,
  z.union([address, hex(32)]),
  z.string().max(32),
  address,
  address,
  block,
  z.int(),
  address,
  block,
]);
const headerSchema = z.object({
  format: z.literal('truefill-pool-index'),
  version: z.literal(1),
  chain: z.string(),
  chainId: z.int(),
  /** Hash of the factories, events and lists. */
  scope: hex(32),
  factories: z.array(address),
  /** The blocks that are covered, in ascending order. */
  ranges: z.array(z.tuple([block, block])).min(1),
  /** The last block of the newest range. */
  anchor: z.object({ block, hash: hex(32) }),
  fields: z.tuple(fields.map((name) => z.literal(name)) as [z.ZodLiteral, ...z.ZodLiteral[]]),
});
const trailer = z.object({ pools: block, sha256: z.string().regex(/^[0-9a-f]{64}$/) });

export type IndexHeader = z.infer<typeof headerSchema>;
export interface IndexSummary {
  header: IndexHeader;
  pools: number;
  sha256: string;
}

/** Pools that are passed on together. */
const partSize = 1_000;
/** Bounds the memory that a damaged file takes. */
const maxLineLength = 100_000;

/**
 * Writes an index to a new file, which appears once it is complete.
 * @param pages in ascending order of factory and id
 * @throws {IndexFileError} if the file exists or cannot be written
 */
export async function writeIndexFile(
  file: string,
  of: Omit<IndexHeader, 'format' | 'version' | 'fields'>,
  pages: AsyncIterable<readonly IndexedCreation[]>,
): Promise<IndexSummary> {
  const first: IndexHeader = { format: 'truefill-pool-index', version: 1, ...of, fields: [...fields] as never };
  const hash = createHash('sha256');
  let pools = 0;
  let sha256 = '';
  async function* lines() {
    const toBytes = (values: readonly unknown[]) => {
      const bytes = values.map((value) => `${JSON.stringify(value)}\n`).join('');
      hash.update(bytes);
      return bytes;
    };
    yield toBytes([first]);
    for await (const page of pages) {
      pools += page.length;
      yield toBytes(page.map((pool) => fields.map((name) => pool[name])));
    }
    sha256 = hash.digest('hex');
    yield `${JSON.stringify({ pools, sha256 })}\n`;
  }
  const partial = `${file}.${process.pid}.partial`;
  try {
    await pipeline(lines, createGzip(), createWriteStream(partial, { flags: 'wx' }));
    // Unlike a rename, a link fails if the file exists.
    await link(partial, file);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new IndexFileError(file, error.message, { cause: error });
    throw error;
  } finally {
    await rm(partial, { force: true });
  }
  return { header: first, pools, sha256 };
}

/**
 * Reads a file and verifies its format, order and hash.
 * @param onPools receives the pools in parts; the caller discards its results if the promise rejects
 * @throws {IndexFileError}
 */
export async function readIndexFile(
  file: string,
  onPools: (pools: IndexedCreation[], header: IndexHeader) => unknown = () => undefined,
): Promise<IndexSummary> {
  const reading = createReading(onPools);
  const source = createReadStream(file);
  const unzipped = createGunzip();
  // `pipe` does not pass errors on, and `pipeline` would replace those of the loop.
  source.on('error', (error) => unzipped.destroy(error)).pipe(unzipped);
  try {
    for await (const line of linesOf(unzipped)) await reading.add(line);
    return await reading.end();
  } catch (error) {
    const isOfFile = error instanceof SyntaxError || (error instanceof Error && 'code' in error);
    if (error instanceof z.ZodError)
      throw new IndexFileError(file, `it is not an exported pool index (${error.issues[0]?.message})`);
    if (isOfFile) throw new IndexFileError(file, error.message);
    throw error;
  } finally {
    source.destroy();
  }
}

/** Verifies lines in turn. Throws SyntaxError or ZodError. */
function createReading(onPools: (pools: IndexedCreation[], header: IndexHeader) => unknown) {
  const hash = createHash('sha256');
  let header: IndexHeader | undefined;
  let last: string | undefined;
  let previous = '';
  let pools = 0;
  let part: IndexedCreation[] = [];

  async function take(line: string): Promise<void> {
    hash.update(`${line}\n`);
    if (!header) {
      header = toHeader(line);
      return;
    }
    const pool = toPool(line, header);
    const key = `${pool.factory} ${pool.id}`;
    if (key <= previous) throw new SyntaxError(`pool ${pools + 1} is not in order`);
    previous = key;
    pools += 1;
    part.push(pool);
    if (part.length < partSize) return;
    await onPools(part, header);
    part = [];
  }

  return {
    /** The last line has another form, so each line is read when the next one is known. */
    async add(line: string): Promise<void> {
      if (last !== undefined) await take(last);
      last = line;
    },
    async end(): Promise<IndexSummary> {
      if (!header) throw new SyntaxError('it has no header');
      if (part.length > 0) await onPools(part, header);
      const end = trailer.parse(JSON.parse(last ?? ''));
      const sha256 = hash.digest('hex');
      if (end.sha256 !== sha256 || end.pools !== pools)
        throw new SyntaxError(`its content does not match its last line: ${pools} pools with the SHA-256 ${sha256}`);
      return { header, pools, sha256 };
    },
  };
}

function toHeader(line: string): IndexHeader {
  const parsed = headerSchema.parse(JSON.parse(line));
  let next = 0;
  for (const [from, to] of parsed.ranges) {
    if (from < next || to < from) throw new SyntaxError('the ranges of its header are not in order');
    next = to + 2;
  }
  if (parsed.ranges.at(-1)?.[1] !== parsed.anchor.block)
    throw new SyntaxError('the anchor of its header is not the last block');
  return parsed;
}

function toPool(line: string, { factories, ranges }: IndexHeader): IndexedCreation {
  const [factory, id, event, currency0, currency1, fee, tickSpacing, hooks, blockNumber] = row.parse(JSON.parse(line));
  if (!factories.includes(factory)) throw new SyntaxError(`${factory} is none of its factories`);
  if (!ranges.some(([from, to]) => from <= blockNumber && blockNumber <= to))
    throw new SyntaxError(`block ${blockNumber} is in none of its ranges`);
  return { factory, id, event, currency0, currency1, fee, tickSpacing, hooks, blockNumber } as IndexedCreation;
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength) throw new SyntaxError('a line is too long');
    yield* lines;
  }
  if (rest !== '') throw new SyntaxError('the last line is not complete');
}
