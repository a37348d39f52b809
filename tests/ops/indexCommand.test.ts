import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poolEventsOf } from '../../engine/index.ts';
import { openStores, type Stores } from '../../server/storage/index.ts';
import { bundleScript } from '../support/bundleScript.ts';

const run = promisify(execFile);
const bundle = await bundleScript('server/indexCommand/main.ts');
const anyHash = `0x${'11'.repeat(32)}` as const;
let folder: string;
let stores: Stores;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-index-command-'));
  stores = await openStores({ file: join(folder, 'truefill.sqlite') }, Date.now);
});
afterAll(async () => {
  await stores?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs `npm run index -- …` in a separate process. */
async function index(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string }> {
  const options = { env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: folder, ...env } };
  try {
    return { code: 0, out: (await run(process.execPath, [bundle, ...args], options)).stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, out: stderr };
  }
}

test('default: exports while the service has the file open; check and sha256sum agree on the hash', async () => {
  const file = join(folder, 'base.ndjson.gz');
  const store = stores.facts('base').poolIndex;
  expect(await index(['export', 'base', file])).toMatchObject({
    code: 1,
    out: expect.stringContaining('no blocks yet'),
  });
  await store.save(poolEventsOf('base').scope, undefined, { from: 0, to: 99, hash: anyHash }, []);
  const exported = await index(['export', 'base', file]);
  expect(exported).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^0 pools of base, blocks 0 to 99\nSHA-256 \w{64}\n$/),
  });
  expect(await index(['check', file])).toEqual(exported);
  const { stdout } = await run('sh', ['-c', `zcat ${file} | head -n -1 | sha256sum`]);
  expect(exported.out).toContain(stdout.slice(0, 64));
  // The service still writes.
  const at = { block: 99, hash: anyHash };
  expect(await store.save(poolEventsOf('base').scope, at, { from: 100, to: 199, hash: anyHash }, [])).toBe(true);
}, 60_000);

test('error: states what is missing, without a stack', async () => {
  expect(await index(['copy'])).toMatchObject({ code: 2, out: expect.stringContaining('npm run index -- <command>') });
  expect(await index(['export', 'solana', 'file'])).toMatchObject({
    code: 1,
    out: expect.stringContaining('got solana'),
  });
  const file = join(folder, 'none.gz');
  const missing = await index(['check', file]);
  expect(missing).toMatchObject({ code: 1, out: expect.stringContaining('ENOENT') });
  expect(missing.out).not.toContain('    at ');
  const sandbox = await index(['import', file, 'ab'.repeat(32)], { TRUEFILL_MODE: 'sandbox' });
  expect(sandbox).toMatchObject({ code: 1, out: expect.stringContaining('TRUEFILL_MODE=live') });
  expect(await readFile(file).catch(() => 'none')).toBe('none');
}, 60_000);
