import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findAnvil } from './findAnvil.ts';

/** A local chain did not come up, or its keeper ended. */
export class NodeStartError extends Error {
  override readonly name = 'NodeStartError';
}

export interface NodeAddress {
  rpcUrl: string;
  pid: number;
}

export interface Nodes {
  byName: ReadonlyMap<string, NodeAddress>;
  /** Ends every node and waits until the keeper is gone. */
  close(): Promise<void>;
}

interface KeeperLine {
  name: string;
  pid?: number;
  port?: number;
  failed?: string;
}

const nodeArgs = (chainId: number) => [
  ...['--host', '127.0.0.1', '--port', '0', '--chain-id', `${chainId}`],
  // Historical states go to disk without bound otherwise.
  '--prune-history',
  // Blocks are made by hand while the market is built; the sandbox turns automine on afterwards.
  '--no-mining',
  // No mnemonic accounts: the sandbox's wallets are its own.
  ...['--accounts', '0', '--hardfork', 'prague', '--gas-limit', '400000000'],
  ...['--base-fee', '10000000'],
];

/**
 * Starts one anvil a chain, on free ports of the loopback. They end with this process, also when it is killed.
 * @throws {NodeStartError | AnvilMissingError}
 */
export async function startNodes(chains: readonly { name: string; chainId: number }[]): Promise<Nodes> {
  const binary = findAnvil();
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'keeper.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const close = async () => {
    if (keeper.exitCode !== null || keeper.signalCode !== null) return;
    const gone = once(keeper, 'exit');
    keeper.stdin.end();
    await gone;
  };
  try {
    const listening = waitForNodes(keeper, chains.length);
    for (const { name, chainId } of chains) {
      keeper.stdin.write(`${JSON.stringify({ name, binary, args: nodeArgs(chainId) })}\n`);
    }
    const byName = await listening;
    letParentEnd(keeper);
    return { byName, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

function waitForNodes(keeper: ChildProcess, wanted: number): Promise<Map<string, NodeAddress>> {
  const { stdout } = keeper;
  if (!stdout) throw new NodeStartError('The keeper of the local chains has no output.');
  return new Promise((resolve, reject) => {
    const found = new Map<string, NodeAddress>();
    keeper.once('exit', () => reject(new NodeStartError('The keeper of the local chains ended before they were up.')));
    createInterface({ input: stdout }).on('line', (text) => {
      const { name, pid, port, failed } = JSON.parse(text) as KeeperLine;
      if (failed !== undefined) reject(new NodeStartError(`anvil for ${name}: ${failed}`));
      if (pid === undefined || port === undefined) return;
      found.set(name, { pid, rpcUrl: `http://127.0.0.1:${port}` });
      if (found.size === wanted) resolve(found);
    });
  });
}

/** An open sandbox does not keep its process alive. */
function letParentEnd(keeper: ChildProcess): void {
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout]) (stream as unknown as { unref?: () => void } | null)?.unref?.();
}
