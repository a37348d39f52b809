import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keccak256, stringToBytes } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PublishedContract } from '../openapi/publishedContract.ts';
import { paid, startScriptedService, unpaid } from './scriptedService.ts';
import { type StartedSandbox, startedSandbox } from './startedSandbox.ts';

// The Python example was written from /llms.txt and /openapi.json alone. Its purchases show that these suffice.

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..', '..', 'examples', 'python');
const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;
if (!hasPython) console.warn('No python3 (3.9 or newer) on this machine: the Python example is not tested.');

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

const python = (url: string, path: string, body: object, env: Record<string, string>) =>
  run('python3', ['-B', join(folder, 'truefill.py'), url, path, JSON.stringify(body)], {
    env: { PATH: process.env.PATH, ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

describe.skipIf(!hasPython)('Python', () => {
  let service: StartedSandbox;
  beforeAll(async () => {
    service = await startedSandbox();
  });
  afterAll(() => service?.close());

  test('default: keccak256 and address_of equal those of viem', async () => {
    const account = privateKeyToAccount(service.keyOf('demo'));
    const texts = ['', 'abc', 'x'.repeat(135), 'x'.repeat(136), 'x'.repeat(137), 'x'.repeat(300)];
    const script = `
import json, sys
from truefill import address_of, keccak256
texts, key = json.loads(sys.argv[1])
print(json.dumps([["0x" + keccak256(t.encode()).hex() for t in texts], address_of(int(key, 16))]))`;
    const { stdout } = await run('python3', ['-B', '-c', script, JSON.stringify([texts, service.keyOf('demo')])], {
      cwd: folder,
    });
    expect(JSON.parse(stdout)).toEqual([texts.map((text) => keccak256(stringToBytes(text))), account.address]);
  });

  test('default: buys a quote and a check that match openapi.json; avoid exits 2', async () => {
    const contract = new PublishedContract(await (await fetch(`${service.url}/openapi.json`)).json());
    const published = (path: string, stdout: string) =>
      contract.faults('POST', path, new Response(stdout, { headers: { 'content-type': 'application/json' } }));
    const env = { TRUEFILL_KEY: service.keyOf('demo') };

    const quote = await python(service.url, '/v1/quote', { tokenIn: weth, tokenOut: usdc, sizeIn: '2.5' }, env);
    expect(quote.stderr).toContain('"success": true');
    expect(quote.code).toBe(0);
    expect(await published('/v1/quote', quote.stdout)).toEqual([]);

    const trap = service.tokenThat('tradingEnabled() returns false');
    const check = await python(service.url, '/v1/rug-check', { token: trap }, env);
    expect(check.stderr).toContain('"freeTrial": true');
    expect(check.code).toBe(2);
    expect(await published('/v1/rug-check', check.stdout)).toEqual([]);

    const taxed = { token: service.tokenThat('sales are taxed at 100 %') };
    expect((await python(service.url, '/v1/rug-check', taxed, env)).code).toBe(5);
  });

  test('error: exits 1 when a request is refused, the wallet has no funds, or the path is not paid', async () => {
    const env = { TRUEFILL_KEY: service.keyOf('demo') };
    const bad = await python(service.url, '/v1/quote', { tokenIn: weth }, env);
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('INVALID_REQUEST') });
    const poor = await python(
      service.url,
      '/v1/quote',
      { tokenIn: weth, tokenOut: usdc, sizeIn: '1' },
      { TRUEFILL_KEY: service.keyOf('stranger') },
    );
    expect(poor).toMatchObject({ code: 1, stderr: expect.stringContaining('PAYMENT_REQUIRED') });
    const notPaid = await python(service.url, '/health', {}, env);
    expect(notPaid).toMatchObject({ code: 1, stderr: expect.stringContaining('/v1/quote') });
  });

  test('security: never prints an invalid key; prints the usage without arguments', async () => {
    for (const key of ['0xc0ffeecanary', `0x${'ff'.repeat(32)}`]) {
      const { code, stdout, stderr } = await python(
        service.url,
        '/v1/quote',
        { tokenIn: weth, tokenOut: usdc, sizeIn: '1' },
        { TRUEFILL_KEY: key },
      );
      expect(code).toBe(1);
      expect(stdout + stderr).toContain('TRUEFILL_KEY must be a private key');
      expect(stdout + stderr).not.toMatch(/canary|f{20}|1157920892/);
    }
    const bare = spawnSync('python3', ['-B', join(folder, 'truefill.py')], { encoding: 'utf8' });
    expect(bare.stderr).toMatch(/^Buys a call/);
  });

  test('behavior: sends the same signature again after a lost connection or a 503', async () => {
    const document = await (await fetch(`${service.url}/openapi.json`)).json();
    const later = { status: 503, headers: { 'retry-after': '0' }, body: { code: 'SETTLEMENT_UNKNOWN' } };
    const server = await startScriptedService([
      { status: 200, body: document },
      unpaid(),
      'hang up',
      later,
      paid({ amountOut: '7' }),
    ]);
    const { code, stdout } = await python(
      server.url,
      '/v1/quote',
      { sizeIn: '1' },
      { TRUEFILL_KEY: service.keyOf('demo') },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ amountOut: '7' });
    expect(server.signatures).toHaveLength(5);
    expect(new Set(server.signatures.slice(2)).size).toBe(1);
    await server.close();
  });
});
