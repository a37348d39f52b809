import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { bundleScript } from '../support/bundleScript.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
});
afterAll(() => sandbox.close());

const baseUrl = () => sandbox.chains.base?.rpcUrl ?? '';

let script: string;
beforeAll(async () => {
  script = await bundleScript('tools/verify/verifyDeployments.ts');
});

const npm = ['npm', 'run', '--silent', 'verify:deployments', '--'];

async function verifyDeployments(
  args: readonly string[],
  env: Record<string, string> = {},
  command = [process.execPath, script],
) {
  const [program = '', ...before] = command;
  const child = spawn(program, [...before, ...args], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, RPC_URL_BASE: '', ...env },
  });
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { out, err, code };
}

test('default: --sandbox prints the table of a local chain and exits 0', async () => {
  const { out, code } = await verifyDeployments(['--sandbox', '--chain', 'base'], {}, npm);
  expect(out).toMatch(/^\s*base at block \d+$/m);
  expect(out).toMatch(/^ok +uniswap-v3 0x33128a8fC17869897dcE68Ed026d694621f6FDfD +factory\(\) +of \d+ pools$/m);
  expect(out).toMatch(/^missing +hydrex 0x36077D39cdC65E1e3FB65810430E5b2c4D5fA29E +code +no code at the factory$/m);
  expect(out).toMatch(/^\d+ ok, \d+ missing, 0 differs, 0 unread$/m);
  expect(code).toBe(0);
});

test('error: prints `differs` and exits 1 if the code at a factory address is not the deployment', async () => {
  const { out, code } = await verifyDeployments(['--chain', 'base'], {
    RPC_URL_BASE: `${baseUrl()},http://127.0.0.1:1`,
  });
  expect(out).toMatch(/^differs +sushiswap-v2 /m);
  expect(code).toBe(1);
});

test.each([
  ['an unreachable node', ['--chain', 'base', '--rpc', 'http://127.0.0.1:1'], /the base node/],
  ['no RPC URL', ['--chain', 'base'], /RPC_URL_BASE/],
  ['an invalid RPC URL', ['--chain', 'base', '--rpc', 'htp//canary-key'], /must be an http or https URL/],
  ['another chain', ['--chain', 'solana'], /base, polygon, arbitrum/],
  ['an unknown option', ['--chian', 'base'], /--chian/],
])('error: %s prints the cause without a stack or key, and exits 2', async (_what, args, words) => {
  const { err, code } = await verifyDeployments(args);
  expect(err).toMatch(words);
  expect(err).not.toMatch(/^\s+at |canary/m);
  expect(code).toBe(2);
});

test('error: exits 2 with both chain ids if the node serves another chain', async () => {
  const { err, code } = await verifyDeployments(['--chain', 'polygon', '--rpc', baseUrl()]);
  expect(err).toContain('The node serves chain 8453, not polygon (137).');
  expect(code).toBe(2);
});

/** A node with these results by method, and an error for every other method. */
async function startNode(results: Record<string, unknown>, message: string) {
  const node = createServer(async (req, res) => {
    const calls = [JSON.parse(await text(req))].flat() as { id: number; method: string }[];
    const replies = calls.map(({ id, method }) =>
      method in results ? { id, result: results[method] } : { id, error: { code: -32_000, message } },
    );
    res.setHeader('content-type', 'application/json').end(JSON.stringify(replies));
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const { port } = node.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close(): Promise<unknown> {
      node.closeAllConnections();
      return new Promise((resolve) => node.close(resolve));
    },
  };
}

const base = { eth_chainId: '0x2105', eth_getBlockByNumber: { number: '0x5', timestamp: '0x5' } };

test('error: exits 3 if a live chain has no code at the addresses of the rows', async () => {
  const node = await startNode({ ...base, eth_getCode: '0x', eth_call: '0x' }, 'not served');
  const { out, code } = await verifyDeployments(['--chain', 'base', '--rpc', node.url]);
  expect(out).toMatch(/^0 ok, \d+ missing, 0 differs, 0 unread$/m);
  expect(code).toBe(3);
  await node.close();
});

test("error: a node's error is printed without its key and without control characters", async () => {
  const message = 'no: \u001b]8;;http://evil\u0007canary-key-of-a-node\u001b[2J\r\nok       a forged row';
  const node = await startNode(base, message);
  const { out, code } = await verifyDeployments(['--chain', 'base', '--rpc', `${node.url}/v2/canary-key-of-a-node`]);
  expect(code).toBe(2);
  expect(out).toMatch(/^unread .*\[hidden\]/m);
  expect(out).not.toMatch(/canary|^ok/m);
  expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  await node.close();
});
