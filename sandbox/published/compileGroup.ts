import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import type { PublishedContract } from './readPublished.ts';

/** A source package does not compile. */
class SourcesDoNotCompileError extends Error {
  override readonly name = 'SourcesDoNotCompileError';
}

export type CompiledGroup = Readonly<Record<string, PublishedContract>>;

interface Group {
  name: string;
  /** Package of the compiler. */
  compiler: string;
  /** Package paths of the files to compile. */
  entries: readonly string[];
  settings: Record<string, unknown>;
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, { abi: PublishedContract['abi']; evm: { bytecode: { object: string } } }>>;
}

const require = createRequire(import.meta.url);
const cacheFolder = join(import.meta.dirname, '..', '..', '.cache', 'sandbox');

/**
 * Compiles published source files. The result is cached outside version control, keyed by a hash of compiler, settings
 * and every source.
 * @throws {SourcesDoNotCompileError}
 */
export async function compileGroup({ name, compiler, entries, settings }: Group): Promise<CompiledGroup> {
  const sources = await readSources(entries);
  const version = (require(`${compiler}/package.json`) as { version: string }).version;
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object'] } };
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } };
  const key = createHash('sha256').update(JSON.stringify({ version, input, entries })).digest('hex');
  const path = join(cacheFolder, `${name}-${key.slice(0, 24)}.json`);
  const cached = await readIfPresent(path);
  if (cached !== undefined) return JSON.parse(cached) as CompiledGroup;
  const compiled = pickContracts(JSON.parse(await runCompiler(compiler, input)) as CompilerOutput, entries);
  await writeAtomically(path, JSON.stringify(compiled));
  return compiled;
}

/** The entry files and all their imports, by package path. */
async function readSources(entries: readonly string[]): Promise<Record<string, { content: string }>> {
  const sources: Record<string, { content: string }> = {};
  const unread = [...entries];
  for (let path = unread.pop(); path !== undefined; path = unread.pop()) {
    if (path in sources) continue;
    const content = await readFile(require.resolve(path), 'utf8');
    sources[path] = { content };
    for (const [, imported = ''] of content.matchAll(/^\s*import\s[^;]*?["']([^"']+)["']\s*;/gm)) {
      unread.push(imported.startsWith('.') ? posix.join(posix.dirname(path), imported) : imported);
    }
  }
  return Object.fromEntries(Object.entries(sources).sort(([a], [b]) => a.localeCompare(b)));
}

function pickContracts(output: CompilerOutput, entries: readonly string[]): CompiledGroup {
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new SourcesDoNotCompileError(errors.map((error) => error.formattedMessage).join('\n'));
  return Object.fromEntries(
    entries.map((path) => {
      const name = posix.basename(path, '.sol');
      const contract = output.contracts?.[path]?.[name];
      if (!contract?.evm.bytecode.object) throw new SourcesDoNotCompileError(`${path} contains no contract ${name}.`);
      return [name, { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` as const }];
    }),
  );
}

function runCompiler(compiler: string, input: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'compileSources.mjs')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new SourcesDoNotCompileError(`${compiler} exited with ${code}.`));
    });
    child.stdin.end(JSON.stringify({ compiler, input }));
  });
}

/** Writes a temporary file and renames it, so that another process never reads a partial file. */
async function writeAtomically(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
