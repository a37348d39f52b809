import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../../router/index.ts';
import { type StartedSandbox, startedSandbox } from '../../client/startedSandbox.ts';
import { usdcOf } from '../../support/buyer.ts';
import { findWallet } from '../../support/findWallet.ts';
import { printedExample } from '../../support/printedExample.ts';
import { findPeer, peers, proofLength, pythonProgram } from '../peers.ts';

// Published packages for Python and Go buy from the sandbox, by the examples that the documentation prints. schemathesis
// sends what it generates from the published document.

const run = promisify(execFile);
const python = findPeer(peers.python);
const go = findPeer(peers.go);
const quotePrice = 20_000n;
const usdcOnBase: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

let service: StartedSandbox;
let folder: string;
beforeAll(async () => {
  if (!python && !go) return;
  service = await startedSandbox();
  folder = await mkdtemp(join(tmpdir(), 'truefill-clients-'));
});
afterAll(async () => {
  await service?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

function received(): Promise<bigint> {
  const { chains, wallets } = service.sandbox;
  const { rpcUrl = '' } = chains.base ?? {};
  return usdcOf({ rpcUrl, usdc: usdcOnBase }, findWallet(wallets, 'payTo').address as Address);
}

const environment = () => ({ ...process.env, TRUEFILL_KEY: service.keyOf('demo'), TRUEFILL_URL: service.url });

test.skipIf(!python)('the Python example, as printed, buys a quote for its price', async () => {
  const before = await received();
  const file = join(folder, 'call.py');
  await writeFile(file, await printedExample(service.url, 'Python'));
  const { stdout } = await run(pythonProgram('python'), [file], { env: environment() });
  expect(stdout).toMatch(/^200 \{.*'amountOut': '[1-9]\d+'/);
  expect((await received()) - before).toBe(quotePrice);
});

test.skipIf(!python)('the Python package buys a quote on Solana', async () => {
  const { solana } = service.sandbox;
  const quote = catalogue.find(({ name }) => name === 'quote');
  const env = {
    ...environment(),
    SOLANA_KEY: solana?.wallets.find(({ role }) => role === 'demo')?.secretKey,
    SOLANA_RPC_URL: solana?.rpcUrl,
    REQUEST: JSON.stringify(quote?.exampleRequest),
  };
  const { stdout } = await run(pythonProgram('python'), [join(import.meta.dirname, 'buy_on_solana.py')], { env });
  const [answer = '', receipt = ''] = stdout.split('\n');
  expect(answer).toMatch(/^200 \{.*"amountOut":"[1-9]\d+"/);
  expect(decodePaymentResponseHeader(receipt)).toMatchObject({ success: true, network: solana?.network });
});

test.skipIf(!go)('the Go example, as printed, buys a quote for its price', async () => {
  const module = dirname(go ?? '');
  await writeFile(join(module, 'main.go'), await printedExample(service.url, 'Go'));
  const before = await received();
  const { stdout } = await run('bash', ['-ec', 'go mod tidy && go run .'], { cwd: module, env: environment() });
  expect(stdout).toMatch(/^200 OK \{.*"amountOut":"[1-9]\d+"/);
  expect((await received()) - before).toBe(quotePrice);
});

const checks = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance'].concat([
  'response_headers_conformance',
  'response_schema_conformance',
]);

/** Rejects with the report if a response is no documented one. */
const generate = (options: readonly string[], env: NodeJS.ProcessEnv = environment()) =>
  run(
    pythonProgram('schemathesis'),
    ['run', `${service.url}/openapi.json`, '--url', service.url, '--checks', checks.join(), '--continue-on-failure']
      .concat(['--phases', 'examples,coverage,fuzzing', '--seed', '38', '--no-color'])
      .concat(['--max-examples', proofLength === 'full' ? '100' : '10'], options),
    { env, cwd: folder, maxBuffer: 2 ** 26 },
  ).catch((error: { stdout?: string }) => {
    throw new Error(error.stdout ?? String(error));
  });

test.skipIf(!python)(
  'every response to what schemathesis generates is documented, and no payment is made',
  async () => {
    const before = await received();
    const { stdout } = await generate([]);
    expect(stdout).toMatch(/(\d+) generated, \1 passed/);
    expect(await received()).toBe(before);
  },
);

test.skipIf(!python)('every response to what schemathesis generates and pays for is documented', async () => {
  const before = await received();
  const hooks = { PYTHONPATH: import.meta.dirname, PYTHONDONTWRITEBYTECODE: '1', SCHEMATHESIS_HOOKS: 'paying' };
  const { stdout } = await generate(['--include-method', 'POST'], { ...environment(), ...hooks });
  expect(stdout).toMatch(/(\d+) generated, \1 passed/);
  expect((await received()) - before).toBeGreaterThan(10n * quotePrice);
});
