/**
 * npm run bench:network [-- --short --rounds 8 --delays 20,50 --out bench/network.json]
 *
 * Compares quotes and checks with one bare QuoterV2 `eth_call` over a network with TCP's slow start (`networkRows.ts`).
 * `bench:quote` and `bench:pretrade` print the same rows of their call.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandbox } from '../../sandbox/index.ts';
import { measureNetwork, shortSize, wholeSize } from './networkRows.ts';
import { round } from './statistics.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    delays: { type: 'string' },
    out: { type: 'string', default: 'bench/network.json' },
  },
});
const usual = values.short ? shortSize : wholeSize;
const size = {
  ...usual,
  ...(values.rounds && { rounds: Number(values.rounds) }),
  ...(values.delays && { delays: values.delays.split(',').map(Number) }),
};

const sandbox = await startSandbox({ chains: ['base'], testTokens: true });
const { testTokens } = sandbox;
const chain = sandbox.chains.base;
if (!chain || !testTokens) throw new Error('Base did not start with its test tokens.');
try {
  const load = [round(loadavg()[0] ?? 0)];
  const rows = await measureNetwork({ chain, testTokens }, { calls: ['quote', 'check'], ...size });
  console.table(rows);
  load.push(round(loadavg()[0] ?? 0));
  const machine = { node: process.version, cores: availableParallelism(), load };
  console.log(machine);
  await mkdir(dirname(values.out), { recursive: true });
  await writeFile(values.out, `${JSON.stringify({ rounds: size.rounds, machine, rows }, null, 2)}\n`);
} finally {
  await sandbox.close();
}
