/**
 * npm run bench:quote [-- --short --rounds 60 --out bench/quote.json]
 *
 * Compares a truefill quote that is not cached (every venue of Base's sandbox, search and proof) with one bare QuoterV2
 * `eth_call` to a known pool and with a Multicall3 of published quoters. All use one loopback proxy in its own process,
 * which adds 0, 20 and 50 ms. The methods alternate, so that other load affects all of them equally. A warm-up fills
 * the JIT, the connections, and the engine's cache of the token's storage layout.
 *
 * A known pair was quoted before, in the same block or in the previous one. For a new pair, the engine has cached both
 * tokens from other pairs, or only the sold token, or all its look-ups have expired. Each quote has a different size,
 * so that no answer comes from the cache.
 *
 * Last, it measures a known and a new pair after 5 s without traffic and on busy connections (`networkRows.ts`).
 * `--short` measures only this, in a few minutes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import type { Address } from 'viem';
import { byChain, createEngine, deployments, type Engine, type RpcCall, type RpcEndpoint } from '../../engine/index.ts';
import { createNodeClient, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { type ForkedDelayProxy, forkDelayProxy } from './forkDelayProxy.ts';
import { estimateGas, traceGas } from './lensGas.ts';
import { measureNetwork, shortSize, wholeSize } from './networkRows.ts';
import { measureOwnWork, type OwnWork } from './ownWork.ts';
import { multicallOfQuoters, oneQuoterCall } from './quoters.ts';
import { percentile, round } from './statistics.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '60' },
    short: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const out = values.out ?? (values.short ? 'bench/quote-short.json' : 'bench/quote.json');
const rounds = Number(values.rounds);
/** Warm-up calls per method before all measurements, without delay: about those of a service's first minute. */
const firstWarmUps = 300;
const ownQuotes = 200;
const warmUps = 20;
const gas = 24_000_000;

interface Row {
  method: string;
  delayMs: number;
  p10: number;
  p50: number;
  p95: number;
  /** Ratio of the medians, and of the 10th percentiles, which other load affects less. */
  ratioToOneQuoter: number;
  ratioOfP10: number;
  /** HTTP requests. Each is sent after the reply to the previous one. */
  roundTrips: number;
  /** HTTP headers included. */
  sentBytes: number;
  receivedBytes: number;
  gas: number;
}

interface Method {
  name: string;
  ask: (amountIn: bigint) => Promise<void>;
  /** Base units of WETH. */
  amountIn: bigint;
  /** Runs before each call and is not measured. */
  prepare?: () => Promise<unknown>;
  gas: number;
}
const weth = 10n ** 18n;

/** Gas of the lens calls of one quote. */
async function gasOf(
  chain: SandboxChain,
  recorded: { calls: RpcCall[] },
  { prepare, ask, amountIn }: Omit<Method, 'gas'>,
): Promise<number> {
  await ask(amountIn);
  await ask(amountIn + 2n);
  await prepare?.();
  recorded.calls = [];
  await ask(amountIn + 1n);
  return traceGas(chain, recorded.calls);
}

async function startEngine(endpoint: RpcEndpoint, now = Date.now): Promise<Engine> {
  const engine = createEngine({
    rpc: { base: [endpoint] },
    now,
    freshnessMs: byChain((chain) => deployments[chain].freshnessMs),
    deadlineMs: 30_000,
  });
  await engine.start();
  return engine;
}

const quoteBy =
  (chain: SandboxChain, engine: Engine, tokenOut: Address = chain.usdc) =>
  async (amountIn: bigint) => {
    const answer = await engine.quote({
      chain: 'base',
      tokenIn: chain.wrappedNative,
      tokenOut,
      size: { tokenIn: `${amountIn / 10n ** 18n}.${String(amountIn % 10n ** 18n).padStart(18, '0')}` },
    });
    if (answer.amountOut === 0n) throw new Error('No route for the bench pair.');
  };

async function buildMethods(chain: SandboxChain, url: string): Promise<Method[]> {
  const endpoint = createHttpRpcEndpoint({ url, label: 'bench', timeoutMs: 30_000 });
  const recorded: { calls: RpcCall[] } = { calls: [] };
  const recording: RpcEndpoint = {
    label: endpoint.label,
    send(calls, options) {
      recorded.calls.push(...calls);
      return endpoint.send(calls, options);
    },
  };
  const ask = async (call: object) => {
    const [reply] = await endpoint.send(
      [{ method: 'eth_call', params: [{ ...call, gas: `0x${gas.toString(16)}` }, 'latest'] }],
      { signal: AbortSignal.timeout(30_000) },
    );
    if (!reply || 'error' in reply) throw new Error(`eth_call: ${JSON.stringify(reply)}`);
  };
  const sample = 10n * weth;
  const methods: Omit<Method, 'gas'>[] = [];
  for (const [name, amountIn] of [
    ['single route', weth],
    ['split', sample],
  ] as const) {
    const known = quoteBy(chain, await startEngine(recording));
    const mine = () => createNodeClient(chain.rpcUrl).call('evm_mine');
    methods.push({ name: `truefill, known pair, ${name}, next block`, ask: known, amountIn, prepare: mine });
    const same = quoteBy(chain, await startEngine(recording));
    let turn = 0n;
    // The previous method mines a block, which this engine must read before the measurement.
    const readBlock = () => same(amountIn - 10n ** 6n * ++turn);
    methods.push({ name: `truefill, known pair, ${name}, same block`, ask: same, amountIn, prepare: readBlock });
  }
  const oak = addressOf(chain, 'OAK');
  for (const [name, fresh, amountIn] of [
    ['of known tokens', newPairs(chain, recording), weth],
    ['with a new token', newPairs(chain, recording, { tokenOut: oak }), weth / 5n],
    ['after a minute, all pairs looked up', newPairs(chain, recording, { aheadMs: 61_000 }), weth],
  ] as const) {
    methods.push({ name: `truefill, new pair, single route, ${name}`, ...fresh, amountIn });
  }
  const traced: Method[] = [];
  for (const method of methods) {
    await method.prepare?.();
    traced.push({ ...method, gas: await gasOf(chain, recorded, method) });
  }
  return [
    {
      name: 'one QuoterV2 eth_call',
      ask: (amountIn) => ask(oneQuoterCall(chain, amountIn)),
      amountIn: sample,
      gas: await estimateGas(chain, oneQuoterCall(chain, sample)),
    },
    {
      name: `Multicall3 of ${multicallOfQuoters(chain, sample).quotes} quoters`,
      ask: (amountIn) => ask(multicallOfQuoters(chain, amountIn).call),
      amountIn: sample,
      gas: await estimateGas(chain, multicallOfQuoters(chain, sample).call),
    },
    ...traced,
  ];
}

function addressOf({ tokens }: SandboxChain, wanted: string): Address {
  const found = tokens.find(({ symbol }) => symbol === wanted)?.address;
  if (!found) throw new Error(`The sandbox has no token ${wanted}.`);
  return found;
}

/**
 * A method whose every quote uses a new engine, which has cached the node and the sold token, but no pool of the pair.
 * @param aheadMs simulated time since the engine's last quote, in milliseconds
 */
function newPairs(
  chain: SandboxChain,
  endpoint: RpcEndpoint,
  { tokenOut = chain.usdc, aheadMs = 0 }: { tokenOut?: Address; aheadMs?: number } = {},
): Pick<Method, 'ask' | 'prepare'> {
  const other = addressOf(chain, 'cbBTC');
  let engine: Engine | undefined;
  return {
    prepare: async () => {
      let offsetMs = 0;
      engine = await startEngine(endpoint, () => Date.now() + offsetMs);
      const size = { tokenIn: '1' };
      await engine.quote({ chain: 'base', tokenIn: chain.wrappedNative, tokenOut: other, size });
      offsetMs = aheadMs;
    },
    ask: async (amountIn) => {
      if (engine) await quoteBy(chain, engine, tokenOut)(amountIn);
    },
  };
}

async function measure(proxy: ForkedDelayProxy, methods: Method[], delayMs: number): Promise<Row[]> {
  const times = methods.map(() => [] as number[]);
  const sums = methods.map(() => ({ roundTrips: 0, sentBytes: 0, receivedBytes: 0 }));
  for (let at = -warmUps; at < rounds; at++) {
    for (const [index, method] of methods.entries()) {
      await proxy.setDelay(0);
      await method.prepare?.();
      await proxy.setDelay(delayMs);
      const before = await proxy.readSeen();
      const start = performance.now();
      await method.ask(method.amountIn + BigInt(at + warmUps) * 1_000_003n + BigInt(delayMs) * 7n);
      const took = performance.now() - start;
      const seen = await proxy.readSeen();
      const sum = sums[index];
      if (at < 0 || !sum) continue;
      times[index]?.push(took);
      sum.roundTrips += seen.roundTrips - before.roundTrips;
      sum.sentBytes += seen.sentBytes - before.sentBytes;
      sum.receivedBytes += seen.receivedBytes - before.receivedBytes;
    }
  }
  const baseline = { p10: percentile(times[0] ?? [], 0.1), p50: percentile(times[0] ?? [], 0.5) };
  return methods.map((method, index) => {
    const samples = times[index] ?? [];
    const sum = sums[index] ?? { roundTrips: 0, sentBytes: 0, receivedBytes: 0 };
    return {
      method: method.name,
      delayMs,
      p10: round(percentile(samples, 0.1)),
      p50: round(percentile(samples, 0.5)),
      p95: round(percentile(samples, 0.95)),
      ratioToOneQuoter: round(percentile(samples, 0.5) / baseline.p50),
      ratioOfP10: round(percentile(samples, 0.1) / baseline.p10),
      roundTrips: round(sum.roundTrips / rounds),
      sentBytes: Math.round(sum.sentBytes / rounds),
      receivedBytes: Math.round(sum.receivedBytes / rounds),
      gas: method.gas,
    };
  });
}

async function warmUp(methods: readonly Method[], rounds: number): Promise<void> {
  for (let at = 0; at < rounds; at++) {
    for (const method of methods) {
      await method.prepare?.();
      await method.ask(method.amountIn - 10n ** 9n * BigInt(at + 1));
    }
  }
}

async function measureAllCases(chain: SandboxChain): Promise<{ rows: Row[]; own: OwnWork[] }> {
  const proxy = await forkDelayProxy(chain.rpcUrl);
  try {
    const methods = await buildMethods(chain, proxy.url);
    const rows: Row[] = [];
    await warmUp(methods, firstWarmUps);
    for (const delayMs of [0, 20, 50]) rows.push(...(await measure(proxy, methods, delayMs)));
    console.table(rows);
    const direct = await buildMethods(chain, chain.rpcUrl);
    await warmUp(direct, warmUps);
    const own: OwnWork[] = [];
    for (const method of direct) own.push(await measureOwnWork(method, ownQuotes));
    console.table(own);
    return { rows, own };
  } finally {
    await proxy.close();
  }
}

const sandbox = await startSandbox({ chains: ['base'] });
const chain = sandbox.chains.base;
if (!chain) throw new Error('The sandbox has no Base.');
try {
  const loadBefore = round(loadavg()[0] ?? 0);
  const measured = values.short ? {} : await measureAllCases(chain);
  const network = await measureNetwork({ chain }, { calls: ['quote'], ...(values.short ? shortSize : wholeSize) });
  console.table(network);
  // The load shows how much other work on the machine affects the figures.
  const load = [loadBefore, round(loadavg()[0] ?? 0)];
  const machine = { node: process.version, cores: availableParallelism(), load };
  console.log(machine);
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, `${JSON.stringify({ rounds, machine, ...measured, network }, null, 2)}\n`);
  console.log(`Written to ${out}`);
} finally {
  await sandbox.close();
}
