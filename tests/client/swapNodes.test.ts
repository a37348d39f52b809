import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../client/cli/exitCodes.ts';
import { run } from '../../client/cli/run.ts';
import type { Sandbox, SandboxChain } from '../../sandbox/index.ts';
import { findWallet } from '../support/findWallet.ts';
import { type StartedSandbox, startedSandbox } from './startedSandbox.ts';

// `truefill swap` with nodes that fail, or serve another chain.

let service: StartedSandbox;
let chains: Record<string, SandboxChain>;
let key: string;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-swap-nodes-'));
  file = join(folder, 'answer.json');
  service = await startedSandbox();
  const sandbox = (await (await fetch(`${service.url}/sandbox`)).json()) as Pick<Sandbox, 'wallets'> & {
    chains: Record<string, SandboxChain>;
  };
  chains = sandbox.chains;
  key = String(findWallet(sandbox.wallets, 'trader').privateKey);
  await writeFile(file, (await runCli(['quote', 'WETH', 'USDC', '--size', '0.5', '--json', '--sandbox'])).out);
}, 120_000);
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true });
});

async function runCli(args: string[], env: Record<string, string> = {}) {
  let out = '';
  let err = '';
  const exit = await run(args, {
    env: { TRUEFILL_URL: service.url, XDG_STATE_HOME: folder, ...env },
    stdin: Readable.from(['']),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { exit, out, err };
}

/** A node of Base that fails some requests with HTTP 429. */
async function failingNode(fails: (method: string) => boolean) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (fails(JSON.parse(body).method)) return response.writeHead(429).end('slow down');
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(String(chains.base?.rpcUrl), { method: 'POST', headers, body });
    response.writeHead(200, headers).end(await reply.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-api-key`;
  return { url, close: () => new Promise((resolve) => server.close(resolve)) };
}

test('a node of another chain is refused before anything is simulated, also with --via', async () => {
  const args = ['swap', file, '--via', 'router', '--rpc', String(chains.polygon?.rpcUrl)];
  const { exit, out, err } = await runCli(args, { TRUEFILL_KEY: key });
  expect({ exit, out }).toEqual({ exit: exitCodes.failed, out: '' });
  expect(err).toContain('serves chain 137, not base');
});

test('a node that fails is named without its URL, as JSON with --json', async () => {
  const node = await failingNode((method) => method === 'eth_call');
  const { exit, err } = await runCli(['swap', file, '--rpc', node.url, '--json'], { TRUEFILL_KEY: key });
  await node.close();
  expect(exit).toBe(exitCodes.failed);
  expect(err).not.toContain('secret-api-key');
  expect(JSON.parse(err).error).toMatchObject({ message: expect.stringMatching(/^The node failed: /) });
});

test('the hash is shown once a transaction is sent, and a node that then fails is asked again', async () => {
  let refused = 0;
  const node = await failingNode((method) => method === 'eth_getTransactionReceipt' && refused++ < 2);
  const { exit, out, err } = await runCli(['swap', file, '--rpc', node.url, '--send'], { TRUEFILL_KEY: key });
  await node.close();
  expect({ exit, refused: refused > 2 }, err).toEqual({ exit: exitCodes.answered, refused: true });
  const [, hash] = /swap sent: transaction (0x[0-9a-f]{64})/.exec(err) ?? [];
  expect(out).toContain(`swap mined: transaction ${hash}`);
});
