import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, erc20Abi, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, test } from 'vitest';
import { createTruefillClient } from '../../client/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { startServer } from '../../server/startServer.ts';

// `npm run chains` starts local chains; live mode is configured only with its output.

const root = join(import.meta.dirname, '..', '..');
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startChains(...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', 'tools/demo/chains.ts', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  cleanups.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let printed = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await expect.poll(() => printed).toContain('FACILITATOR_KEY_SVM=');
  const lines = printed.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const dataDir = await mkdtemp(join(tmpdir(), 'truefill-chains-'));
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
  const config = readConfig({ ...environment, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent' });
  return { config, environment, demoKey: /key (0x[0-9a-f]{64})/.exec(printed)?.[1] as `0x${string}` };
}

const chainClient = (rpcUrl: string | undefined) => createPublicClient({ transport: http(rpcUrl) });

test('a live service starts with the output of --mainnet-usdc and accepts a payment', async () => {
  const { config, environment, demoKey } = await startChains('--mainnet-usdc');
  const server = await startServer(config);
  cleanups.push(() => server.close());
  const received = () =>
    chainClient(environment.RPC_URL_BASE).readContract({
      address: usdc,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [environment.PAY_TO_EVM as `0x${string}`],
    });
  const truefill = createTruefillClient({ url: server.url, wallet: privateKeyToAccount(demoKey) });
  expect((await truefill.health()).mode).toBe('live');
  await truefill.quote({ tokenIn: '0x4200000000000000000000000000000000000006', tokenOut: usdc, sizeIn: '1' });
  expect(await received()).toBe(20_000n);
});

test('live mode rejects the sandbox USDC, with network, contract, seen and expected value of each', async () => {
  const { config, environment } = await startChains();
  const seen = await chainClient(environment.RPC_URL_BASE).readContract({
    address: usdc,
    abi: parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)']),
    functionName: 'DOMAIN_SEPARATOR',
  });
  const failure: Error = await startServer(config).then(
    () => expect.unreachable('The service started.'),
    (error) => error,
  );
  expect(failure.name).toBe('PaymentNetworkMismatchError');
  // On mainnet, USDC on Base has had this separator since its deployment.
  const mainnet = '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f';
  for (const part of ['eip155:137', 'eip155:42161', 'eip155:8453', usdc, seen, mainnet, '--mainnet-usdc'])
    expect(failure.message).toContain(part);
});
