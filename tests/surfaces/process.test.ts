import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

/** `server/main.ts` as `npm start` runs it, with this environment and no more. */
function run(env: Record<string, string>) {
  const started = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  const seen = { stdout: '', stderr: '' };
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.stdout += text;
  });
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => started.once('close', resolve));
  return { started, seen, ended };
}

test('default: says SANDBOX and where it is once it answers; SIGTERM ends it and its chains', async () => {
  const { started, seen, ended } = run({ PORT: '0' });
  await Promise.race([
    expect.poll(() => seen.stdout, { timeout: 50_000 }).toMatch(/SANDBOX/),
    ended.then((code) => Promise.reject(new Error(`It ended with ${code}: ${seen.stderr}`))),
  ]);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(seen.stdout)?.[0] ?? '';
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', mode: 'sandbox' });
  const sandbox = (await (await fetch(`${url}/sandbox`)).json()) as { chains: Record<string, { rpcUrl: string }> };

  started.kill('SIGTERM');
  expect(await ended).toBe(0);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  for (const { rpcUrl } of Object.values(sandbox.chains)) {
    await expect
      .poll(
        () =>
          fetch(rpcUrl, { method: 'POST', body: '{}' }).then(
            () => 'up',
            () => 'down',
          ),
        { timeout: 10_000 },
      )
      .toBe('down');
  }
});

test('error: half a live configuration is one message without a stack, and exit code 1', async () => {
  const { seen, ended } = run({ TRUEFILL_MODE: 'live', FACILITATOR_KEY_EVM: 'my-secret' });
  expect(await ended).toBe(1);
  for (const name of ['RPC_URL_BASE', 'PAY_TO_EVM', 'FACILITATOR_KEY_EVM']) expect(seen.stderr).toContain(name);
  expect(seen.stderr).not.toMatch(/my-secret|\n\s+at /);
  expect(seen.stdout).toBe('');
});
