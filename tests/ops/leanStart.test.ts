import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** The files that Node reads at start: the bundle's entry and its static imports. */
async function readStart(): Promise<Map<string, string>> {
  const { stdout } = await run(process.execPath, ['tools/start/buildService.mjs'], { cwd: root });
  const entry = stdout.trim();
  const found = new Map<string, string>();
  async function read(path: string): Promise<void> {
    if (found.has(path)) return;
    found.set(path, '');
    const text = await readFile(path, 'utf8');
    found.set(path, text);
    const parts = [...text.matchAll(/(?:from|import)"(\.\/[^"]+\.mjs)"/g)];
    for (const [, part = ''] of parts) await read(join(dirname(path), part));
  }
  await read(entry);
  return found;
}

test('reads less than 3 MB of code at start, without packages that only some requests need', async () => {
  const parts = [...(await readStart()).values()];
  expect(parts.length).toBeGreaterThan(3);
  const text = parts.join('\n');
  expect(Buffer.byteLength(text)).toBeLessThan(3_000_000);
  const bundled = [...text.matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g)].map(([, name]) => name);
  const later = ['ajv', 'marked', 'prom-client', 'pg', '@modelcontextprotocol/server', '@opentelemetry/sdk-trace'];
  // Positive control: the pattern finds packages.
  expect(bundled).toContain('pino');
  for (const name of later) expect(bundled).not.toContain(name);
  for (const name of ['evmole', 'swagger-ui-express', 'swagger-ui-dist', 'pg', 'esbuild']) {
    expect(text).not.toMatch(new RegExp(`(?:from|import)"${name}"`));
  }
});
