import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hex, numberToHex } from 'viem';
import { createNodeClient } from '../../../sandbox/index.ts';
import { blockGasLimit, type Genesis } from './toGenesis.ts';

export interface Geth {
  url: string;
  /**
   * Adds a block at the system's time, or a second after the last block.
   * @param transactions signed; by default the pending ones
   */
  mine(transactions?: readonly Hex[]): Promise<void>;
  close(): Promise<void>;
}

const zeroWord: Hex = `0x${'0'.repeat(64)}`;

/**
 * Starts go-ethereum on a genesis, at its head's number and time. Blocks are made on demand, because `testing_commitBlockV1`
 * alone lets the caller choose their times.
 */
export async function startGeth(geth: string, { text, chainId, head }: Genesis): Promise<Geth> {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-geth-'));
  const data = join(folder, 'data');
  const file = join(folder, 'genesis.json');
  await writeFile(file, text);
  execFileSync(geth, ['init', '--datadir', data, '--state.scheme', 'path', file], { stdio: 'ignore' });
  const options = {
    datadir: data,
    networkid: chainId,
    syncmode: 'full',
    maxpeers: 0,
    port: 0,
    nat: 'none',
    'http.addr': '127.0.0.1',
    'http.port': 0,
    'http.api': 'eth,net,web3,debug,txpool,testing',
    'authrpc.port': 0,
    'authrpc.jwtsecret': join(folder, 'jwt'),
    'miner.gaslimit': blockGasLimit,
    'miner.gasprice': 1,
    'rpc.txfeecap': 0,
    cache: 128,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(geth, ['--http', '--nodiscover', '--ipcdisable', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const url = await readUrl(child.stderr, exited).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const node = createNodeClient(url);
  const commit = async (timestamp: number, transactions: readonly Hex[] | null) => {
    const attributes = {
      timestamp: numberToHex(timestamp),
      prevRandao: zeroWord,
      suggestedFeeRecipient: `0x${'0'.repeat(40)}`,
      withdrawals: [],
      parentBeaconBlockRoot: zeroWord,
    };
    await node.call('testing_commitBlockV1', [attributes, transactions, '0x']);
  };
  let last = head.timestamp - head.number;
  for (let number = 1; number <= head.number; number += 1) {
    last += 1;
    await commit(last, []);
  }
  return {
    url,
    async mine(transactions) {
      last = Math.max(last + 1, Math.floor(Date.now() / 1000));
      await commit(last, transactions ?? null);
    },
    close,
  };
}

/** The address in geth's log. @throws {Error} with the log, if geth ends before */
function readUrl(stderr: NodeJS.ReadableStream, exited: Promise<unknown>): Promise<string> {
  let log = '';
  return new Promise((resolve, reject) => {
    stderr.setEncoding('utf8');
    stderr.on('data', (part: string) => {
      log = `${log}${part}`.slice(-8_000);
      const [, endpoint] = /HTTP server started\s+endpoint=(\S+)/.exec(log) ?? [];
      if (endpoint) resolve(`http://${endpoint}`);
    });
    void exited.then(() => reject(new Error(`geth ended before it listened: ${log.slice(-1_000)}`)));
  });
}
