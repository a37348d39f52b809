/**
 * npm run bench:pretrade [-- --rounds 40 --out bench/pretrade.json]
 *
 * A cold pre-trade check beside one bare QuoterV2 `eth_call`, in one run over one loopback line that adds 0, 20 and
 * 50 ms. "Cold": nothing is answered from the memory of answers, everything is read again; a token seen the first time
 * has its code read and its owner's powers tried besides. Vendors are left out: the verdict never waits for one. The
 * ways take turns, so that whatever else the machine does hits all of them alike.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { createEngine, type PretradeChecker, type RpcEndpoint } from '../../engine/index.ts';
import { type SandboxChain, startSandbox, type Zoo } from '../../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { type DelayLine, startDelayLine } from './delayLine.ts';
import { oneQuoterCall } from './quoters.ts';
import { percentile, round } from './statistics.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, out: { type: 'string', default: 'bench/pretrade.json' } },
});
const rounds = Number(values.rounds);
const warmUp = 25;

interface Row {
  way: string;
  delayMs: number;
  p10: number;
  p50: number;
  p95: number;
  /** Of the medians, and of the fastest tenths: what else the machine does weighs less there. */
  ratioToOneQuoter: number;
  ratioOfP10: number;
  /** HTTP requests; none here is sent before the reply to the one before. */
  roundTrips: number;
  /** HTTP headers included. */
  sentBytes: number;
  receivedBytes: number;
}

type Way = { name: string; ask: (round: number) => Promise<void> };

/** Each checker has its own memory of tokens. */
function startChecker(endpoint: RpcEndpoint): PretradeChecker {
  return createEngine({
    rpc: { base: [endpoint] },
    now: Date.now,
    freshnessMs: { base: 0, polygon: 0, arbitrum: 0 },
    deadlineMs: 30_000,
  });
}

function buildWays(chain: SandboxChain, zoo: Zoo, line: DelayLine): Way[] {
  const endpoint = createHttpRpcEndpoint({ url: line.url, label: 'bench', timeoutMs: 30_000 });
  const addressOf = (symbol: string) => {
    const animal = zoo.animals.find((candidate) => candidate.symbol === symbol);
    if (!animal) throw new Error(`The zoo has no ${symbol}.`);
    return animal.address;
  };
  const check = async (checker: PretradeChecker, symbol: string) => {
    const { verdict } = await checker.check({ chain: 'base', token: addressOf(symbol) });
    if (verdict !== 'clear') throw new Error(`${symbol} is not clear.`);
  };
  const settled = startChecker(endpoint);
  return [
    {
      name: 'one QuoterV2 eth_call',
      ask: async (at) => {
        const call = { ...oneQuoterCall(chain, 10n ** 19n + BigInt(at)), gas: '0x16e3600' };
        const [reply] = await endpoint.send([{ method: 'eth_call', params: [call, 'latest'] }], {
          signal: AbortSignal.timeout(30_000),
        });
        if (!reply || 'error' in reply) throw new Error(`eth_call: ${JSON.stringify(reply)}`);
      },
    },
    { name: 'check, token seen before', ask: () => check(settled, 'PLAIN') },
    { name: 'check, proxy seen before', ask: () => check(settled, 'REGUSD') },
    { name: 'check, token seen the first time', ask: () => check(startChecker(endpoint), 'PLAIN') },
    { name: 'check, first time, 16 powers tried', ask: () => check(startChecker(endpoint), 'REGUSD') },
  ];
}

async function measure(line: DelayLine, ways: readonly Way[], delayMs: number): Promise<Row[]> {
  line.delayMs = delayMs;
  const taken = ways.map(() => ({ times: [] as number[], turns: 0, sentBytes: 0, receivedBytes: 0 }));
  for (let at = -warmUp; at < rounds; at++) {
    for (const [index, way] of ways.entries()) {
      const before = { ...line.seen };
      const start = performance.now();
      await way.ask(at + warmUp);
      const took = performance.now() - start;
      const sum = taken[index];
      if (at < 0 || !sum) continue;
      sum.times.push(took);
      sum.turns += line.seen.turns - before.turns;
      sum.sentBytes += line.seen.sentBytes - before.sentBytes;
      sum.receivedBytes += line.seen.receivedBytes - before.receivedBytes;
    }
  }
  const floor = { p10: percentile(taken[0]?.times ?? [], 0.1), p50: percentile(taken[0]?.times ?? [], 0.5) };
  return ways.map(({ name }, index) => {
    const { times = [], turns = 0, sentBytes = 0, receivedBytes = 0 } = taken[index] ?? {};
    return {
      way: name,
      delayMs,
      p10: round(percentile(times, 0.1)),
      p50: round(percentile(times, 0.5)),
      p95: round(percentile(times, 0.95)),
      ratioToOneQuoter: round(percentile(times, 0.5) / floor.p50),
      ratioOfP10: round(percentile(times, 0.1) / floor.p10),
      roundTrips: round(turns / rounds),
      sentBytes: Math.round(sentBytes / rounds),
      receivedBytes: Math.round(receivedBytes / rounds),
    };
  });
}

const sandbox = await startSandbox({ chains: ['base'], zoo: true });
const chain = sandbox.chains.base;
if (!chain || !sandbox.zoo) throw new Error('The sandbox brought no Base with its zoo.');
const line = await startDelayLine(chain.rpcUrl);
try {
  const ways = buildWays(chain, sandbox.zoo, line);
  const rows: Row[] = [];
  const loadBefore = round(loadavg()[0] ?? 0);
  for (const delayMs of [0, 20, 50]) rows.push(...(await measure(line, ways, delayMs)));
  console.table(rows);
  // Figures of a machine that others use are worth as much as its load tells.
  const load = [loadBefore, round(loadavg()[0] ?? 0)];
  const machine = { node: process.version, cores: availableParallelism(), load };
  console.log(machine);
  await mkdir(dirname(values.out), { recursive: true });
  await writeFile(values.out, `${JSON.stringify({ rounds, machine, rows }, null, 2)}\n`);
  console.log(`Written to ${values.out}`);
} finally {
  await line.close();
  await sandbox.close();
}
