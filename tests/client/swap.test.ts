import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Address, type Hex, numberToHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../client/cli/exitCodes.ts';
import { run } from '../../client/cli/run.ts';
import { executorDeployment } from '../../contracts/artifacts/executor/deployment.ts';
import { lensDeployment } from '../../contracts/artifacts/lensDeployment.ts';
import type { Sandbox, SandboxChain } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { balanceOf } from '../executor/openMarket.ts';
import { findWallet } from '../support/findWallet.ts';
import { type StartedSandbox, startedSandbox } from './startedSandbox.ts';

// `truefill swap` and `truefill executor` against the sandbox. The chain's balances and code are the judges.

let service: StartedSandbox;
let sandbox: Pick<Sandbox, 'wallets'> & { chains: Record<string, SandboxChain> };
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truefill-swap-'));
  file = join(folder, 'answer.json');
  service = await startedSandbox();
  sandbox = (await (await fetch(`${service.url}/sandbox`)).json()) as typeof sandbox;
  const { out } = await runCli(['quote', 'WETH', 'USDC', '--size', '2.5', '--json', '--sandbox']);
  await writeFile(file, out);
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

const base = () => sandbox.chains.base as SandboxChain;
const trader = () => findWallet(sandbox.wallets, 'trader') as { address: Address; privateKey: Hex };
const withKey = () => ({ TRUEFILL_KEY: trader().privateKey });
const holdings = async () => {
  const { address } = trader();
  return Promise.all([balanceOf(base(), base().wrappedNative, address), balanceOf(base(), base().usdc, address)]);
};

test('swap shows and simulates the transaction, and sends nothing', async () => {
  const before = await holdings();
  const { exit, out } = await runCli(['swap', file, '--rpc', base().rpcUrl], withKey());
  expect(exit).toBe(exitCodes.answered);
  expect(out).toMatch(/to\s+0x[0-9a-fA-F]{40} \(executor\)/);
  expect(out).toMatch(/simulation\s+succeeds/);
  expect(out).toMatch(/approval\s+2500000000000000000 for/);
  expect(await holdings()).toEqual(before);
});

test('swap --from simulates for an account without its key, and cannot send', async () => {
  const args = ['swap', file, '--rpc', base().rpcUrl, '--from', trader().address];
  const { exit, out, err } = await runCli(args);
  expect(exit, err).toBe(exitCodes.answered);
  expect(out).toMatch(/simulation\s+succeeds/);
  expect(await runCli([...args, '--send'], withKey())).toMatchObject({ exit: exitCodes.usage });
});

test('swap with the tokens and the size refuses a quote of another trade', async () => {
  const swap = (...trade: string[]) =>
    runCli(['swap', file, ...trade, '--rpc', base().rpcUrl, '--from', trader().address]);
  expect(await swap('WETH', 'USDC', '--size', '2.5')).toMatchObject({ exit: exitCodes.answered });
  const less = await swap('WETH', 'USDC', '--size', '2.4');
  expect(less.exit).not.toBe(exitCodes.answered);
  expect(less.err).toContain('more than 2400000000000000000');
  expect((await swap('USDC', 'WETH', '--size', '2.5')).err).toContain('Do not trade it');
  const onPolygon = await swap('WETH', 'USDC', '--size', '2.5', '--chain', 'polygon');
  expect(onPolygon.err).toContain('The quote is for base, not for polygon.');
  const native = `0x${'e'.repeat(40)}`;
  expect(await swap(native, 'USDC', '--size', '2.5')).toMatchObject({ exit: exitCodes.answered });
  expect((await swap('WETH', 'USDC')).exit).toBe(exitCodes.usage);
});

test('swap --send approves exactly the amount and pays amountOut; the private endpoint receives the swap', async () => {
  const quote = JSON.parse((await import('node:fs')).readFileSync(file, 'utf8'));
  const before = await holdings();
  const args = [
    'swap',
    file,
    '--rpc',
    base().rpcUrl,
    '--private-rpc',
    base().rpcUrl,
    '--slippage',
    '0',
    '--send',
    '--json',
  ];
  const { exit, out, err } = await runCli(args, withKey());
  expect(exit, err).toBe(exitCodes.answered);
  expect(JSON.parse(out)).toMatchObject({ via: 'executor', hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  const after = await holdings();
  expect([before[0] - after[0], after[1] - before[1]]).toEqual([BigInt(quote.amountIn), BigInt(quote.amountOut)]);
});

test('swap whose simulation reverts sends nothing', async () => {
  const quote = JSON.parse((await import('node:fs')).readFileSync(file, 'utf8'));
  const greedy = join(folder, 'greedy.json');
  await writeFile(greedy, JSON.stringify({ ...quote, amountOut: String(BigInt(quote.amountOut) * 2n) }));
  const before = await holdings();
  const { exit, err } = await runCli(['swap', greedy, '--rpc', base().rpcUrl, '--send'], withKey());
  expect(exit).toBe(exitCodes.failed);
  expect(err).toMatch(/simulation failed.*Nothing was sent/);
  expect(await holdings()).toEqual(before);
});

test('lens check finds missing code; lens deploy deploys at the same addresses', async () => {
  const node = createNodeClient(base().rpcUrl);
  const check = () => runCli(['lens', 'check', '--rpc', base().rpcUrl, '--json']);
  expect((await check()).exit).toBe(exitCodes.answered);
  for (const { address } of lensDeployment.lenses) {
    await node.call('anvil_setCode', [address, '0x']);
    await node.call('anvil_setNonce', [address, numberToHex(0)]);
  }
  expect((await check()).exit).toBe(exitCodes.noUsableAnswer);
  const { exit, out, err } = await runCli(['lens', 'deploy', '--rpc', base().rpcUrl], withKey());
  expect(exit, err).toBe(exitCodes.answered);
  expect(out).toMatch(/KnownPoolsLens\s+deployed/);
  expect((await check()).exit).toBe(exitCodes.answered);
});

test('swap and executor reject a missing key, a node of another chain and an unknown action', async () => {
  expect((await runCli(['swap', file, '--rpc', base().rpcUrl])).exit).toBe(exitCodes.usage);
  expect((await runCli(['executor', 'remove', '--rpc', base().rpcUrl])).exit).toBe(exitCodes.usage);
  const other = await runCli(['executor', 'check', '--chain', 'polygon', '--rpc', base().rpcUrl]);
  expect(other.exit).toBe(exitCodes.failed);
  expect(other.err).toMatch(/serves chain 8453, not polygon/);
});

test('executor check finds missing and foreign code; deploy deploys at the same addresses', async () => {
  const node = createNodeClient(base().rpcUrl);
  const { executor, families } = executorDeployment;
  const check = () => runCli(['executor', 'check', '--rpc', base().rpcUrl, '--json']);
  expect((await check()).exit).toBe(exitCodes.answered);
  await node.call('anvil_setCode', [executor.address, '0x6001']);
  expect(JSON.parse((await check()).out).contracts.at(-1).state).toBe('other code');
  for (const { address } of [executor, ...families]) {
    await node.call('anvil_setCode', [address, '0x']);
    await node.call('anvil_setNonce', [address, numberToHex(0)]);
  }
  expect((await check()).exit).toBe(exitCodes.noUsableAnswer);
  const { exit, out, err } = await runCli(['executor', 'deploy', '--rpc', base().rpcUrl], withKey());
  expect(exit, err).toBe(exitCodes.answered);
  expect(out).toMatch(/Executor\s+deployed/);
  expect((await check()).exit).toBe(exitCodes.answered);
});
