import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPublicClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';

// MCP's published inspector on both transports. Its CLI package reads its version from the parent package, which
// requires a newer Node. So this test copies the CLI into a folder with another package.json.

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const published = join(root, 'node_modules', '@modelcontextprotocol', 'inspector-cli');
const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

let folder: string;
let service: StartedSandbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-inspector-'));
  await cp(published, join(folder, 'cli'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"name":"inspector","version":"1.0.3","type":"module"}');
  service = await startedSandbox();
});
afterAll(async () => {
  await service?.close();
  if (folder) await rm(folder, { recursive: true });
});

async function inspect(target: string[], ...args: string[]) {
  const { stdout } = await run(process.execPath, [join(folder, 'cli', 'build', 'index.js'), ...target, ...args], {
    cwd: root,
  });
  return JSON.parse(stdout);
}

function balance(): Promise<bigint> {
  return createPublicClient({ transport: http(service.sandbox.chains.base?.rpcUrl) }).readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [privateKeyToAccount(service.keyOf('demo')).address],
  });
}

test('default: over HTTP the inspector lists the tools, calls health and gets the price of a check', async () => {
  const target = [`${service.url}/mcp`, '--transport', 'http'];
  const { tools } = await inspect(target, '--method', 'tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).toEqual([
    'quote',
    'pretrade_check',
    'build_transaction',
    'health',
  ]);
  const health = await inspect(target, '--method', 'tools/call', '--tool-name', 'health');
  expect(health.structuredContent).toMatchObject({ status: 'ok' });
  const call = ['--method', 'tools/call', '--tool-name', 'pretrade_check', '--tool-arg', `token=${weth}`];
  const unpaid = await inspect(target, ...call);
  expect(unpaid).toMatchObject({
    isError: true,
    structuredContent: { code: 'PAYMENT_REQUIRED', price: { amount: '0.05' } },
  });
});

test('default: over stdio the inspector gets a check, paid by the wallet', async () => {
  const target = [process.execPath, '--import', 'tsx', 'client/cli/main.ts', 'mcp', '--sandbox', '--url', service.url];
  const call = ['--method', 'tools/call', '--tool-name', 'pretrade_check', '--tool-arg', `token=${weth}`];
  const check = await inspect(target, ...call);
  expect(check.structuredContent).toMatchObject({ verdict: 'clear' });
});

test('default: over stdio the inspector buys a quote for its price', async () => {
  const target = [process.execPath, '--import', 'tsx', 'client/cli/main.ts', 'mcp', '--sandbox', '--url', service.url];
  const before = await balance();
  const quoteInput = ['--tool-arg', `tokenIn=${weth}`, `tokenOut=${usdc}`, 'sizeIn="2"'];
  const bought = await inspect(target, '--method', 'tools/call', '--tool-name', 'quote', ...quoteInput);
  expect(bought.structuredContent).toMatchObject({ chain: 'base', tokenIn: weth });
  expect(before - (await balance())).toBe(20_000n);
});
