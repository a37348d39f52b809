import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findAnvil } from './findAnvil.ts';

/** A local chain did not start, or its supervisor ended. */
export class NodeStartError extends Error {
  override readonly name = 'NodeStartError';
}

interface NodeAddress {
  rpcUrl: string;
  pid: number;
}

export interface Nodes {
  byName: ReadonlyMap<string, NodeAddress>;
  /** Ends every node and waits for the supervisor. */
  close(): Promise<void>;
}

interface KeeperLine {
  name: string;
  pid?: number;
  port?: number;
  failed?: string;
}

export interface NodeToStart {
  name: string;
  chainId: number;
  /** Contract size limit in bytes, for published artifacts above 24,576. */
  codeSizeLimit?: number;
}

const nodeArgs = ({ chainId, codeSizeLimit }: NodeToStart) => [
  ...['--host', '127.0.0.1', '--port', '0', '--chain-id', `${chainId}`],
  // Without a limit anvil writes historical states to disk without bound. With 0, a read pinned to the last block fails
  // as soon as the next block arrives. 64 states take 30 MB.
  ...['--prune-history', '64'],
  // The builder mines explicitly; the sandbox enables automine afterwards.
  '--no-mining',
  // No mnemonic accounts: the sandbox has its own wallets.
  ...['--accounts', '0', '--hardfork', 'prague', '--gas-limit', '400000000'],
  ...['--base-fee', '10000000'],
  ...(codeSizeLimit === undefined ? [] : ['--code-size-limit', `${codeSizeLimit}`]),
];

/**
 * Starts one anvil per chain on free loopback ports. They end with this process, even when it is killed.
 * @throws {NodeStartError | AnvilMissingError}
 */
export async function startNodes(chains: readonly NodeToStart[]): Promise<Nodes> {
  const binary = findAnvil();
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'keeper.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Use a separate process group: on Ctrl-C the parent may still have payments to finish.
    detached: true,
    windowsHide: true,
  });
  const close = async () => {
    if (keeper.exitCode !== null || keeper.signalCode !== null) return;
    keeper.ref();
    const gone = once(keeper, 'exit');
    keeper.stdin.end();
    await gone;
  };
  try {
    const listening = waitForNodes(keeper, chains.length);
    for (const chain of chains) {
      keeper.stdin.write(`${JSON.stringify({ name: chain.name, binary, args: nodeArgs(chain) })}\n`);
    }
    const byName = await listening;
    keeper.once('exit', (_code, signal) => signal === 'SIGKILL' && killLeftovers(byName));
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

/** Ends the nodes of a supervisor that was killed itself. */
function killLeftovers(nodes: ReadonlyMap<string, NodeAddress>): void {
  for (const { pid } of nodes.values()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Lets the process exit although a sandbox is open. */
function letParentEnd(keeper: ChildProcess): void {
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout]) (stream as unknown as { unref?: () => void } | null)?.unref?.();
}
