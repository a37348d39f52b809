import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

/** Runs the script of `npm start` with only these environment variables. */
function run(env: Record<string, string>) {
  const started = spawn(process.execPath, ['tools/start/start.mjs'], {
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

test('default: prints SANDBOX and its URL when it serves requests; SIGTERM stops the service and its chains', async () => {
  const { started, seen, ended } = run({ PORT: '0' });
  await Promise.race([
    expect.poll(() => seen.stdout).toMatch(/SANDBOX/),
    ended.then((code) => Promise.reject(new Error(`The process exited with ${code}: ${seen.stderr}`))),
  ]);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(seen.stdout)?.[0] ?? '';
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', mode: 'sandbox' });
  const sandbox = (await (await fetch(`${url}/sandbox`)).json()) as { chains: Record<string, { rpcUrl: string }> };

  started.kill('SIGTERM');
  expect(await ended).toBe(0);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  for (const { rpcUrl } of Object.values(sandbox.chains)) {
    await expect
      .poll(() =>
        fetch(rpcUrl, { method: 'POST', body: '{}' }).then(
          () => 'up',
          () => 'down',
        ),
      )
      .toBe('down');
  }
});

test('error: exits 1 with one message and no stack when the live configuration is incomplete', async () => {
  const { seen, ended } = run({ TRUEFILL_MODE: 'live', FACILITATOR_KEY_EVM: 'my-secret' });
  expect(await ended).toBe(1);
  for (const name of ['RPC_URL_BASE', 'PAY_TO_EVM', 'FACILITATOR_KEY_EVM']) expect(seen.stderr).toContain(name);
  expect(seen.stderr).not.toMatch(/my-secret|\n\s+at /);
  expect(seen.stdout).toBe('');
});

const live = {
  RPC_URL_BASE: 'http://127.0.0.1:1',
  PAY_TO_EVM: '0x1111111111111111111111111111111111111111',
  FACILITATOR_KEY_EVM: `0x${'11'.repeat(32)}`,
  PUBLIC_URL: 'https://truefill.example',
};

test('error: exits 1 with the variable, the port and a solution when the port is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const { seen, ended } = run({ PORT: String(port) });
    expect(await ended).toBe(1);
    expect(seen.stderr).toBe(
      `PORT: port ${port} at 127.0.0.1 is in use. Stop the process that listens there, or set PORT to a free port.\n`,
    );
  } finally {
    server.close();
  }
});

test('error: exits 1 with the variable when HOST is an address of another machine', async () => {
  const { seen, ended } = run({ PORT: '0', HOST: '192.0.2.1' });
  expect(await ended).toBe(1);
  expect(seen.stderr).toMatch(
    /^HOST: cannot listen at 192\.0\.2\.1 \(EADDRNOTAVAIL\)\. Set HOST to an address of this machine\.\n$/,
  );
});

test('error: exits 1 with the variable and the folder when the data folder cannot be created', async () => {
  const { seen, ended } = run({ ...live, PORT: '0', DATA_DIR: '/dev/null/truefill' });
  expect(await ended).toBe(1);
  expect(seen.stderr).toMatch(
    /^DATA_DIR: cannot write to the folder "\/dev\/null\/truefill" \(\w+\)\. Set DATA_DIR to a folder/,
  );
});

test('error: exits 1 with the address but not the password when PostgreSQL is unreachable', async () => {
  const { seen, ended } = run({ ...live, PORT: '0', DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/ledger' });
  expect(await ended).toBe(1);
  expect(seen.stderr).toMatch(
    /^Cannot reach PostgreSQL at 127\.0\.0\.1:1 \(connection refused\)\. Check DATABASE_URL, and that the server runs\.\n$/,
  );
  expect(seen.stderr).not.toMatch(/hidden|\n\s+at /);
});
