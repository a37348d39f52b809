import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { createNodeClient } from '../rpc/nodeClient.ts';
import { AnvilMissingError, findAnvil } from './findAnvil.ts';
import { startNodes } from './startNodes.ts';

/** A separate process that starts a node, prints its URL, and keeps running. */
async function startParent(): Promise<{ parent: ChildProcess; pid: number; rpcUrl: string }> {
  const module = JSON.stringify(join(import.meta.dirname, 'startNodes.ts'));
  const script = `
    import(${module}).then(async ({ startNodes }) => {
      const { byName } = await startNodes([{ name: 'base', chainId: 8453 }]);
      console.log(JSON.stringify(byName.get('base')));
      setInterval(() => {}, 1000);
    });`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  return { parent, ...(JSON.parse(line) as { pid: number; rpcUrl: string }) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

async function waitUntilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'behavior: the chain ends when its parent gets %s',
  async (signal) => {
    const { parent, pid, rpcUrl } = await startParent();
    expect(await createNodeClient(rpcUrl).call('eth_chainId')).toBe('0x2105');
    expect(isAlive(pid)).toBe(true);
    parent.kill(signal);
    await once(parent, 'exit');
    await waitUntilGone(pid);
    await expect(createNodeClient(rpcUrl).call('eth_chainId')).rejects.toThrow();
  },
);

test('behavior: close ends the chains and resolves when they have ended', async () => {
  const nodes = await startNodes([
    { name: 'base', chainId: 8453 },
    { name: 'polygon', chainId: 137 },
  ]);
  const pids = [...nodes.byName.values()].map(({ pid }) => pid);
  expect(pids).toHaveLength(2);
  await nodes.close();
  await Promise.all(pids.map(waitUntilGone));
});

test('error: AnvilMissingError names the missing package', () => {
  expect(() => findAnvil('plan9', 'x64')).toThrow(AnvilMissingError);
  expect(() => findAnvil('plan9', 'x64')).toThrow(/@foundry-rs\/anvil-plan9-amd64/);
});
