import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findAnvil } from './findAnvil.ts';

/** A local chain did not start, or its supervisor exited. */
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

interface SupervisorMessage {
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
  /** Historical states that it keeps. Default: 64, which take 30 MB. A pruned node of a real chain keeps 128. */
  keptStates?: number;
}

const nodeArgs = ({ chainId, codeSizeLimit, keptStates = 64 }: NodeToStart) => [
  ...['--host', '127.0.0.1', '--port', '0', '--chain-id', `${chainId}`],
  // Without a limit anvil writes historical states to disk without bound. With 0, a read pinned to the last block fails
  // as soon as the next block arrives.
  ...['--prune-history', `${keptStates}`],
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
  const supervisor = spawn(process.execPath, [join(import.meta.dirname, 'supervisor.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Use a separate process group: on Ctrl-C the parent may still have payments to finish.
    detached: true,
    windowsHide: true,
  });
  const close = async () => {
    if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
    supervisor.ref();
    const exited = once(supervisor, 'exit');
    supervisor.stdin.end();
    await exited;
  };
  try {
    const listening = waitForNodes(supervisor, chains.length);
    for (const chain of chains) {
      supervisor.stdin.write(`${JSON.stringify({ name: chain.name, binary, args: nodeArgs(chain) })}\n`);
    }
    const byName = await listening;
    supervisor.once('exit', (_code, signal) => {
      // A supervisor that was killed could not end its nodes.
      if (signal === 'SIGKILL') killLeftovers(byName);
    });
    unrefSupervisor(supervisor);
    return { byName, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

function waitForNodes(supervisor: ChildProcess, count: number): Promise<Map<string, NodeAddress>> {
  const { stdout } = supervisor;
  if (!stdout) throw new NodeStartError('The supervisor of the local chains has no stdout.');
  return new Promise((resolve, reject) => {
    const found = new Map<string, NodeAddress>();
    supervisor.once('exit', () =>
      reject(new NodeStartError('The supervisor of the local chains exited before every chain listened.')),
    );
    createInterface({ input: stdout }).on('line', (text) => {
      const { name, pid, port, failed } = JSON.parse(text) as SupervisorMessage;
      if (failed !== undefined) reject(new NodeStartError(`anvil for ${name}: ${failed}`));
      if (pid === undefined || port === undefined) return;
      found.set(name, { pid, rpcUrl: `http://127.0.0.1:${port}` });
      if (found.size === count) resolve(found);
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

/** Lets this process exit although a sandbox is open. */
function unrefSupervisor(supervisor: ChildProcess): void {
  supervisor.unref();
  for (const stream of [supervisor.stdin, supervisor.stdout])
    (stream as unknown as { unref?: () => void } | null)?.unref?.();
}
