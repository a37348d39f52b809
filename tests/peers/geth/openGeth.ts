import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Hex, hexToNumber, numberToHex, zeroAddress, zeroHash } from 'viem';
import { createNodeClient, type NodeClient } from '../../../sandbox/rpc/nodeClient.ts';

export interface Geth {
  rpcUrl: string;
  node: NodeClient;
  /**
   * Adds a block to the head.
   * @param transactions signed; absent: the pending ones
   * @param time seconds; absent: now, and later than the head
   */
  commit(options?: { transactions?: readonly Hex[]; time?: number }): Promise<void>;
  /** Ends the process and starts it again on the same data, with the same URL. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The block gas limit of the sandbox's anvil. */
export const blockGas = 400_000_000;

const apis = 'eth,net,web3,debug,txpool,testing';

function flagsOf(data: string, chainId: number, port: string): string[] {
  return [
    ...['--datadir', data, '--networkid', `${chainId}`, '--syncmode', 'full', '--state.scheme', 'path'],
    ...['--nodiscover', '--maxpeers', '0', '--port', '0', '--nat', 'none', '--ipcdisable'],
    ...['--http', '--http.addr', '127.0.0.1', '--http.port', port, '--http.api', apis],
    ...['--authrpc.port', '0', '--miner.gaslimit', `${blockGas}`],
    // The creations of all test tokens are committed in one request.
    ...['--rpc.http-body-limit', `${100 * 2 ** 20}`, '--rpc.txfeecap', '0', '--cache', '128', '--verbosity', '3'],
  ];
}

/** Starts go-ethereum from a genesis file, with a new data folder. It makes a block when `commit` asks for it. */
export async function openGeth(program: string, genesis: object, chainId: number): Promise<Geth> {
  const data = await mkdtemp(join(tmpdir(), 'truefill-geth-'));
  const file = join(data, 'genesis.json');
  await writeFile(file, JSON.stringify(genesis));
  await promisify(execFile)(program, ['init', '--datadir', data, '--state.scheme', 'path', file], {
    maxBuffer: 2 ** 26,
  });
  return serve(program, data, chainId);
}

async function serve(program: string, data: string, chainId: number): Promise<Geth> {
  let running = await run(program, flagsOf(data, chainId, '0'));
  const rpcUrl = `http://127.0.0.1:${running.port}`;
  const node = createNodeClient(rpcUrl);
  return {
    rpcUrl,
    node,
    commit: (options) => commit(node, options),
    async restart() {
      await running.end();
      running = await run(program, flagsOf(data, chainId, running.port));
    },
    async close() {
      await running.end();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** A process of geth. Resolves when it serves HTTP. */
async function run(program: string, flags: readonly string[]): Promise<{ port: string; end(): Promise<void> }> {
  const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const end = async () => {
    process.off('exit', kill);
    child.kill('SIGINT');
    await exited;
  };
  let log = '';
  const port = await new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`geth did not start: ${log.slice(-2000)}`)));
    child.stderr.on('data', (chunk) => {
      log = `${log}${chunk}`.slice(-100_000);
      const found = /HTTP server started\s+endpoint=127\.0\.0\.1:(\d+)\s+auth=false/.exec(log)?.[1];
      if (found) resolve(found);
    });
  });
  return { port, end };
}

async function commit(
  node: NodeClient,
  { transactions, time }: { transactions?: readonly Hex[]; time?: number } = {},
): Promise<void> {
  const { timestamp } = await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
  const attributes = {
    timestamp: numberToHex(time ?? Math.max(hexToNumber(timestamp) + 1, Math.floor(Date.now() / 1000))),
    prevRandao: zeroHash,
    suggestedFeeRecipient: zeroAddress,
    withdrawals: [],
    parentBeaconBlockRoot: zeroHash,
  };
  await node.call('testing_commitBlockV1', [attributes, transactions ?? null, '0x']);
}
