import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findAnvil } from './findAnvil.ts';

/** A local chain did not come up, or its keeper ended. */
export class NodeStartError extends Error {
  override readonly name = 'NodeStartError';
}

interface NodeAddress {
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

export interface NodeToStart {
  name: string;
  chainId: number;
  /** Bytes that a contract may have, where 24,576 are too few for a published artifact. */
  codeSizeLimit?: number;
}

const nodeArgs = ({ chainId, codeSizeLimit }: NodeToStart) => [
  ...['--host', '127.0.0.1', '--port', '0', '--chain-id', `${chainId}`],
  // Without it historical states go to disk without bound; with no number a read pinned to the last block fails as soon
  // as the next one comes. 64 states are 30 MB.
  ...['--prune-history', '64'],
  // Blocks are made by hand while the market is built; the sandbox turns automine on afterwards.
  '--no-mining',
  // No mnemonic accounts: the sandbox's wallets are its own.
  ...['--accounts', '0', '--hardfork', 'prague', '--gas-limit', '400000000'],
  ...['--base-fee', '10000000'],
  ...(codeSizeLimit === undefined ? [] : ['--code-size-limit', `${codeSizeLimit}`]),
];

/**
 * Starts one anvil a chain, on free ports of the loopback. They end with this process, also when it is killed.
 * @throws {NodeStartError | AnvilMissingError}
 */
export async function startNodes(chains: readonly NodeToStart[]): Promise<Nodes> {
  const binary = findAnvil();
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'keeper.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A group of its own: Ctrl-C is for the parent, which may still have payments to finish.
    detached: true,
    windowsHide: true,
  });
  const close = async () => {
    if (keeper.exitCode !== null || keeper.signalCode !== null) return;
    // Waiting for its end counts as work again.
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

/** Only a keeper that was killed itself leaves its chains behind. */
function killLeftovers(nodes: ReadonlyMap<string, NodeAddress>): void {
  for (const { pid } of nodes.values()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** An open sandbox does not keep its process alive. */
function letParentEnd(keeper: ChildProcess): void {
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout]) (stream as unknown as { unref?: () => void } | null)?.unref?.();
}
