/**
 * npm run bench:pretrade [-- --short --rounds 40 --out bench/pretrade.json]
 *
 * Measures pretrade checks and one bare QuoterV2 `eth_call` in one run, over one loopback proxy that adds 0, 20 and 50
 * ms. No answer comes from the cache. A repeat follows an empty block. A first check runs in a warm process that has
 * not read the token. Its code is known if the scan of owner powers is stored, or if a token with the same code was
 * checked before. No vendor is configured, because the verdict never waits for one. The cases alternate, so that other
 * load on the machine affects all of them equally. The process has the service's V8 flags.
 *
 * Last, it measures a repeat and a first check after 5 s without traffic and on busy connections (`networkRows.ts`).
 * `--short` measures only this, in a few minutes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { byChain, createEngine, type FactStore, type PretradeChecker, type RpcEndpoint } from '../../engine/index.ts';
import { createNodeClient, type SandboxChain, startSandbox, type TestTokens } from '../../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { type ForkedDelayProxy, forkDelayProxy } from './forkDelayProxy.ts';
import { measureNetwork, shortSize, wholeSize } from './networkRows.ts';
import { oneQuoterCall } from './quoters.ts';
import { percentile, round } from './statistics.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    delays: { type: 'string', default: '0,20,50' },
    short: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const out = values.out ?? (values.short ? 'bench/pretrade-short.json' : 'bench/pretrade.json');
const rounds = Number(values.rounds);

interface Row {
  name: string;
  delayMs: number;
  p10: number;
  p50: number;
  p95: number;
  /** Ratio of the medians, and of the 10th percentiles, which other load on the machine affects less. */
  ratioToOneQuoter: number;
  ratioOfP10: number;
  /** HTTP requests, including concurrent ones. */
  requests: number;
  /** Without HTTP headers. */
  sentBytes: number;
  receivedBytes: number;
  /** CPU time of all threads of this process, without the proxy. */
  cpuMsP10: number;
  cpuMsP50: number;
}

/** A measured call. `prepare` runs before it and is not measured. */
type Case = { name: string; prepare: () => Promise<void>; run: (round: number) => Promise<void> };

/** Creates a checker with its own caches. */
function startChecker(endpoint: RpcEndpoint, facts?: FactStore): PretradeChecker {
  return createEngine({
    rpc: { base: [endpoint] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
    ...(facts && { pretrade: { facts } }),
  });
}

/** A fact store that keeps only scans of owner powers. */
function memoryFacts(): FactStore {
  const scans = new Map<string, Awaited<ReturnType<FactStore['loadPowers']>>>();
  const nothing = async () => undefined;
  return {
    loadFirstTransfer: nothing,
    saveFirstTransfer: nothing,
    loadCreator: nothing,
    saveCreator: nothing,
    loadHolders: nothing,
    saveHolders: nothing,
    loadPowers: async (key) => scans.get(key),
    savePowers: async (key, scan) => void scans.set(key, scan),
  };
}

interface CountedEndpoint extends RpcEndpoint {
  /** Totals so far, in requests and bytes. */
  seen: { requests: number; sentBytes: number; receivedBytes: number };
}

/** False while CPU time is measured, because serialising for the byte counts would add to it. */
let counting = true;

function countedEndpoint(url: string): CountedEndpoint {
  const inner = createHttpRpcEndpoint({ url, label: 'bench', timeoutMs: 30_000 });
  const seen = { requests: 0, sentBytes: 0, receivedBytes: 0 };
  return {
    label: 'bench',
    seen,
    async send(calls, options) {
      const replies = await inner.send(calls, options);
      if (counting) {
        seen.requests += 1;
        seen.sentBytes += JSON.stringify(calls).length;
        seen.receivedBytes += JSON.stringify(replies).length;
      }
      return replies;
    },
  };
}

function buildCases(chain: SandboxChain, testTokens: TestTokens, endpoint: RpcEndpoint): Case[] {
  const addressOf = (symbol: string) => {
    const testToken = testTokens.tokens.find((candidate) => candidate.symbol === symbol);
    if (!testToken) throw new Error(`${symbol} is not a test token.`);
    return testToken.address;
  };
  const check = async (checker: PretradeChecker, symbol: string) => {
    const { verdict } = await checker.check({ chain: 'base', token: addressOf(symbol) });
    if (verdict !== 'clear') throw new Error(`${symbol} is not clear.`);
  };
  const mine = () => createNodeClient(chain.rpcUrl).call<void>('anvil_mine', ['0x1']);
  const warm = startChecker(endpoint);
  const repeat = (symbol: string) => ({ prepare: mine, run: () => check(warm, symbol) });
  const first = (symbol: string, { before = 'SIX', facts }: { before?: string; facts?: FactStore } = {}) => {
    let checker = warm;
    return {
      prepare: async () => {
        checker = startChecker(endpoint, facts);
        await check(checker, before);
        await mine();
      },
      run: () => check(checker, symbol),
    };
  };
  return [
    {
      name: 'one QuoterV2 eth_call',
      prepare: mine,
      run: async (at) => {
        const call = { ...oneQuoterCall(chain, 10n ** 19n + BigInt(at)), gas: '0x16e3600' };
        const [reply] = await endpoint.send([{ method: 'eth_call', params: [call, 'latest'] }], {
          signal: AbortSignal.timeout(30_000),
        });
        if (!reply || 'error' in reply) throw new Error(`eth_call: ${JSON.stringify(reply)}`);
      },
    },
    { name: 'repeat', ...repeat('PLAIN') },
    { name: 'repeat, proxy', ...repeat('REGUSD') },
    { name: 'first check, known code', ...first('SETTAX', { facts: memoryFacts() }) },
    { name: 'first check, code of an earlier token', ...first('V3ONLY', { before: 'USDPAIR' }) },
    { name: 'first check, new code', ...first('PLAIN') },
    { name: 'first check, new code, 22 power calls', ...first('REGUSD') },
  ];
}

async function measure(
  proxy: ForkedDelayProxy,
  cases: readonly Case[],
  endpoint: CountedEndpoint,
  delayMs: number,
): Promise<Row[]> {
  await proxy.setDelay(delayMs);
  const totals = cases.map(() => ({ times: [] as number[], requests: 0, sentBytes: 0, receivedBytes: 0 }));
  const warmUp = delayMs === 0 ? 15 : 5;
  for (let at = -warmUp; at < rounds; at++) {
    for (const [index, { prepare, run }] of cases.entries()) {
      await prepare();
      const before = { ...endpoint.seen };
      const start = performance.now();
      await run(at + warmUp);
      const took = performance.now() - start;
      const total = totals[index];
      if (at < 0 || !total) continue;
      total.times.push(took);
      total.requests += endpoint.seen.requests - before.requests;
      total.sentBytes += endpoint.seen.sentBytes - before.sentBytes;
      total.receivedBytes += endpoint.seen.receivedBytes - before.receivedBytes;
    }
  }
  const baseline = { p10: percentile(totals[0]?.times ?? [], 0.1), p50: percentile(totals[0]?.times ?? [], 0.5) };
  return cases.map(({ name }, index) => {
    const { times = [], requests = 0, sentBytes = 0, receivedBytes = 0 } = totals[index] ?? {};
    return {
      name,
      delayMs,
      p10: round(percentile(times, 0.1)),
      p50: round(percentile(times, 0.5)),
      p95: round(percentile(times, 0.95)),
      ratioToOneQuoter: round(percentile(times, 0.5) / baseline.p50),
      ratioOfP10: round(percentile(times, 0.1) / baseline.p10),
      requests: round(requests / rounds),
      sentBytes: Math.round(sentBytes / rounds),
      receivedBytes: Math.round(receivedBytes / rounds),
      cpuMsP10: Number.NaN,
      cpuMsP50: Number.NaN,
    };
  });
}

/** CPU time of each call in milliseconds. The cases need a direct connection: the proxy runs in this process. */
async function measureCpu(cases: readonly Case[]): Promise<Map<string, number[]>> {
  counting = false;
  const spent = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
  for (let at = -10; at < rounds; at++) {
    for (const { name, prepare, run } of cases) {
      await prepare();
      const before = process.cpuUsage();
      await run(1_000 + at);
      const { user, system } = process.cpuUsage(before);
      if (at >= 0) spent.get(name)?.push((user + system) / 1_000);
    }
  }
  counting = true;
  return spent;
}

async function measureAllCases(chain: SandboxChain, testTokens: TestTokens): Promise<Row[]> {
  const proxy = await forkDelayProxy(chain.rpcUrl);
  try {
    const endpoint = countedEndpoint(proxy.url);
    const cases = buildCases(chain, testTokens, endpoint);
    const rows: Row[] = [];
    const cpu = await measureCpu(buildCases(chain, testTokens, countedEndpoint(chain.rpcUrl)));
    for (const delayMs of values.delays.split(',').map(Number))
      rows.push(...(await measure(proxy, cases, endpoint, delayMs)));
    for (const row of rows) {
      const times = cpu.get(row.name) ?? [];
      row.cpuMsP10 = round(percentile(times, 0.1));
      row.cpuMsP50 = round(percentile(times, 0.5));
    }
    console.table(rows);
    return rows;
  } finally {
    await proxy.close();
  }
}

const sandbox = await startSandbox({ chains: ['base'], testTokens: true });
const { testTokens } = sandbox;
const chain = sandbox.chains.base;
if (!chain || !testTokens) throw new Error('Base did not start with its test tokens.');
try {
  const loadBefore = round(loadavg()[0] ?? 0);
  const rows = values.short ? [] : await measureAllCases(chain, testTokens);
  const size = values.short ? shortSize : wholeSize;
  const network = await measureNetwork({ chain, testTokens }, { calls: ['check'], ...size });
  console.table(network);
  // The load shows how much other work on the machine affects the figures.
  const load = [loadBefore, round(loadavg()[0] ?? 0)];
  const machine = { node: process.version, cores: availableParallelism(), load };
  console.log(machine);
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, `${JSON.stringify({ rounds, machine, rows, network }, null, 2)}\n`);
  console.log(`Written to ${out}`);
} finally {
  await sandbox.close();
}
