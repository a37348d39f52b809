import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { usdcOf } from '../support/buyer.ts';

// Runs the README's examples against a sandbox. Only the URL is replaced: the sandbox listens on a free port.

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const printedUrl = 'http://127.0.0.1:4020';

let service: StartedSandbox;
let readme: string;
beforeAll(async () => {
  service = await startedSandbox();
  readme = await readFile(join(root, 'README.md'), 'utf8');
});
afterAll(() => service?.close());

/** The only code block of a language that contains the text. */
function blockWith(language: string, words: string): string {
  const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.filter(([, name, text]) => name === language && text?.includes(words));
  expect(found, `${language} blocks with ${words}`).toHaveLength(1);
  return (found[0]?.[2] ?? '').replaceAll(printedUrl, service.url);
}

function received(): Promise<bigint> {
  const base = service.sandbox.chains.base as unknown as { rpcUrl: string; usdc: `0x${string}` };
  const payTo = service.sandbox.wallets.find(({ role }) => role === 'payTo')?.address as `0x${string}`;
  return usdcOf(base, payTo);
}

test('the curl example returns an answer and pays once', async () => {
  const lines = blockWith('sh', 'truefill -- sign');
  expect(lines.trim().split('\n')).toHaveLength(3);
  const before = await received();
  // The command line calls the printed URL by default.
  const env = { ...process.env, TRUEFILL_URL: service.url };
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', lines], { cwd: root, env });
  expect(JSON.parse(stdout)).toMatchObject({ chain: 'base', amountOut: expect.stringMatching(/^[1-9]\d+$/) });
  expect((await received()) - before).toBe(20_000n);
});

test('the TypeScript example runs as printed', async () => {
  const project = await mkdtemp(join(tmpdir(), 'truefill-readme-'));
  try {
    for (const name of ['client', 'node_modules']) await symlink(join(root, name), join(project, name));
    await writeFile(join(project, 'package.json'), '{"type":"module"}');
    await writeFile(join(project, 'buy.ts'), blockWith('ts', 'createTruefillClient'));
    const before = await received();
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'buy.ts'], { cwd: project });
    expect(stdout).toMatch(/^[1-9]\d+ high\n$/);
    expect((await received()) - before).toBe(20_000n);
  } finally {
    await rm(project, { recursive: true });
  }
});

test('no README example abbreviates an address or a key', () => {
  const blocks = [...readme.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  expect(blocks.filter((text) => /0x[0-9a-fA-F]*…/.test(text))).toEqual([]);
});
