import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createNodeClient, liveBlockMs, mineEvery, startPostgres, startSandbox } from '../../sandbox/index.ts';
import type { DatabaseLocation } from '../../server/storage/index.ts';
import { startDelayProxy } from './delayProxy.ts';
import { startQuoteService } from './paidQuotes.ts';
import { openReplica, presign, type Replica, sendCommand, toSettlementSetup } from './settlementSetup.ts';

/**
 * npm run bench:settlement [-- --rounds 16 --only lone,eight,sqlite50,quote,postgres50 --out
 * bench/settlement.json --profile folder]
 *
 * Measures payments per second with a node 50 ms away, and per payment the node requests, the transactions, and the CPU
 * of the service, the node, PostgreSQL, and this process with the delay proxy. Payments are signed beforehand.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '16' },
    only: { type: 'string' },
    out: { type: 'string' },
    profile: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const nodeMs = 50;

const sandbox = await startSandbox({ chains: ['base'], mainnetUsdc: true });
const { chain, wallet, client, networksAt, newPayers } = toSettlementSetup(sandbox);
const proxy = await startDelayProxy(chain.rpcUrl);
const networks = networksAt(proxy.url);
const open = (database: DatabaseLocation) => openReplica({ database, networks }, { profile: values.profile });

/** CPU in ms of this process's descendants with that name, including their ended children; undefined outside Linux. */
function cpuOf(name: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const all = new Map<number, { parent: number; name: string; ticks: number }>();
  for (const entry of readdirSync('/proc').filter((found) => /^\d+$/.test(found))) {
    try {
      const text = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
      all.set(Number(entry), {
        parent: Number(fields[1]),
        name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
        ticks,
      });
    } catch {
      // The process has ended.
    }
  }
  const isDescendant = (pid: number): boolean =>
    pid === process.pid || (all.has(pid) && isDescendant(all.get(pid)?.parent ?? 0));
  const matching = [...all].filter(([pid, found]) => found.name.startsWith(name) && isDescendant(pid));
  return matching.reduce((sum, [, { ticks }]) => sum + ticks * 10, 0);
}

const quantile = (sorted: readonly number[], part: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
const rounded = (value: number | undefined, count: number) =>
  value === undefined ? undefined : Number((value / count).toFixed(2));

async function measure(replicas: readonly Replica[], payers: readonly PrivateKeyAccount[], perPayer: number) {
  const facilitator = { address: wallet('facilitator').address };
  for (const [index, { child, challenge }] of replicas.entries()) {
    const own = payers.filter((_, at) => at % replicas.length === index);
    await sendCommand(child, { load: await presign(challenge, own, perPayer) });
  }
  const nonce = await client.getTransactionCount(facilitator);
  const [roundTrips, nodeCpu, databaseCpu, proxyCpu] = [
    proxy.seen.roundTrips,
    cpuOf('anvil'),
    cpuOf('postgres'),
    process.cpuUsage(),
  ];
  const startedAt = performance.now();
  const reports = await Promise.all(replicas.map(({ child }) => sendCommand(child, { run: true })));
  const seconds = (performance.now() - startedAt) / 1_000;
  const spent = process.cpuUsage(proxyCpu);
  const [node, database] = [cpuOf('anvil'), cpuOf('postgres')];
  const ran = reports.flatMap((report) => report.ran ?? []);
  const took = ran.flatMap((one) => one.took).toSorted((left, right) => left - right);
  const refused = ran.flatMap((one) => one.refused);
  const count = took.length;
  const transactions = (await client.getTransactionCount(facilitator)) - nonce;
  return {
    payments: count,
    refused: refused.length,
    ...(refused[0] !== undefined && { firstRefusal: refused[0] }),
    perSecond: Math.round(count / seconds),
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    requestsEach: rounded(proxy.seen.roundTrips - roundTrips, count),
    paymentsPerTransaction: rounded(count, transactions),
    cpuMsEach: {
      service: rounded(
        ran.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
        count,
      ),
      node: rounded((node ?? 0) - (nodeCpu ?? 0), count),
      postgres: rounded((database ?? 0) - (databaseCpu ?? 0), count),
      delayLine: rounded((spent.user + spent.system) / 1_000, count),
    },
    /** Share of the time in which the service was ready to run and had no core. */
    waitedForCore: rounded(
      ran.reduce((sum, { waitedMs }) => sum + waitedMs, 0),
      seconds * 1_000 * ran.length,
    ),
    seconds: Number(seconds.toFixed(1)),
  };
}

const figures: Record<string, unknown> = {};
const wanted = (name: string) => values.only === undefined || values.only.split(',').includes(name);
async function record(
  name: string,
  replicas: readonly Replica[],
  payers: readonly PrivateKeyAccount[],
  perPayer: number,
) {
  if (!wanted(name)) return;
  figures[name] = await measure(replicas, payers, perPayer);
  console.log(name, JSON.stringify(figures[name]));
}

const payers = await newPayers(50);
const folder = await mkdtemp(join(tmpdir(), 'truefill-settlement-'));
if (['lone', 'eight', 'sqlite50'].some(wanted)) {
  const embedded = await open({ file: join(folder, 'truefill.sqlite') });
  // Warm-up: the first payments load and compile code.
  await measure([embedded], payers.slice(0, 32), 8);
  proxy.delayMs = nodeMs;
  await record('lone', [embedded], payers.slice(0, 1), 20);
  await record('eight', [embedded], payers.slice(0, 8), 10);
  await record('sqlite50', [embedded], payers, rounds);
  await embedded.close();
}
proxy.delayMs = 0;
if (wanted('quote')) {
  const node = createNodeClient(chain.rpcUrl);
  const service = await startQuoteService({
    target: { rpcUrl: proxy.url, payTo: wallet('payTo').address, facilitatorKey: wallet('facilitator').privateKey },
    quoteInput: { tokenIn: chain.wrappedNative, tokenOut: chain.usdc },
    payer: payers[0] as PrivateKeyAccount,
  });
  for (let call = 0; call < 200; call += 1) await service.buy();
  proxy.delayMs = nodeMs;
  // From here on the chain has blocks as Base has them.
  await node.call('evm_setAutomine', [false]);
  const mining = mineEvery(node, liveBlockMs.base);
  const took: number[] = [];
  for (let call = 0; call < 20; call += 1) took.push(await service.buy());
  await service.stop();
  await mining.pause();
  await node.call('evm_setAutomine', [true]);
  const sorted = took.toSorted((left, right) => left - right);
  figures.quote = { quotes: took.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
  console.log('quote', JSON.stringify(figures.quote));
}
proxy.delayMs = 0;
if (wanted('postgres50')) {
  const postgres = await startPostgres();
  const replicas = [await open({ url: postgres.url }), await open({ url: postgres.url })];
  await measure(replicas, payers.slice(0, 32), 8);
  proxy.delayMs = nodeMs;
  await record('postgres50', replicas, payers, rounds);
  for (const replica of replicas) await replica.close();
  await postgres.close();
}
if (values.out) await writeFile(values.out, `${JSON.stringify(figures, null, 2)}\n`);
await proxy.close();
await sandbox.close();
await rm(folder, { recursive: true, force: true });
