import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from 'viem';
import { byChain, createEngine, type RpcEndpoint } from '../../engine/index.ts';
import { createNodeClient, type SandboxChain, type TestTokens } from '../../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { type ForkedDelayProxy, forkDelayProxy } from './forkDelayProxy.ts';
import { oneQuoterCall } from './quoters.ts';
import { percentile, round } from './statistics.ts';

const idleMs = 5_000;
/** A payment settles in about this time. */
const settlementMs = 600;

export type PaidCall = 'quote' | 'check';

interface Case {
  name: string;
  /** The paid call that it measures; undefined: the divisor of all ratios. */
  of?: PaidCall;
  /** Makes the state before the measured call. On a busy connection the measured call has been made once before. */
  prepare: () => Promise<void>;
  /** Runs before the measured call, not measured: what happens while a payment settles. */
  settle?: () => Promise<void>;
  run: (at: number) => Promise<void>;
}

/** One case on one kind of connection, over a network with TCP's slow start. */
export interface NetworkRow {
  delayMs: number;
  connection: 'idle 5 s' | 'busy';
  name: string;
  p10: number;
  p50: number;
  ratioOfP50: number;
  /** Of the case in one round: HTTP requests, and round trips of its connections (see `DelayProxy.seen`). */
  requests: number;
  roundTrips: number;
  sentKb: number;
  receivedKb: number;
}

function openQuoter(chain: SandboxChain, url: string): Case {
  const agent = new Agent({ keepAlive: true });
  const run = (at: number) =>
    new Promise<void>((resolve, reject) => {
      const call = { ...oneQuoterCall(chain, 10n ** 19n + BigInt(at)), gas: '0x16e3600' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return { name: 'one QuoterV2 eth_call', prepare: () => run(0), run };
}

const openEngine = (url: string) => {
  const endpoint: RpcEndpoint = createHttpRpcEndpoint({ url, label: 'bench', timeoutMs: 30_000 });
  return () =>
    createEngine({
      rpc: { base: [endpoint] },
      now: Date.now,
      freshnessMs: byChain(() => 0),
      deadlineMs: 30_000,
    });
};

type BenchEngine = ReturnType<ReturnType<typeof openEngine>>;

function buildCases(chain: SandboxChain, testTokens: TestTokens | undefined, url: string): Case[] {
  const tokenOf = (symbol: string): Address => {
    const found = [...chain.tokens, ...(testTokens?.tokens ?? [])].find((token) => token.symbol === symbol);
    if (!found) throw new Error(`The sandbox has no token ${symbol}.`);
    return found.address;
  };
  let sizes = 0;
  const quote = async (engine: BenchEngine, tokenOut: Address) => {
    sizes += 1;
    const size = { tokenIn: `1.${String(sizes).padStart(9, '0')}` };
    const answer = await engine.quote({ chain: 'base', tokenIn: chain.wrappedNative, tokenOut, size });
    if (answer.amountOut === 0n) throw new Error('No route for the bench pair.');
  };
  const check = async (engine: BenchEngine, symbol: string) => {
    const { verdict } = await engine.check({ chain: 'base', token: tokenOf(symbol) });
    if (verdict !== 'clear') throw new Error(`${symbol} is not clear.`);
  };
  const open = openEngine(url);
  const [known, deployed, settled, repeat] = [open(), open(), open(), open()];
  let unread = open();
  const size = { tokenIn: '1' };
  const settleWith = async (engine: BenchEngine) => {
    void engine.prepare({ chain: 'base', tokenIn: chain.wrappedNative, tokenOut: chain.usdc, size });
    await sleep(settlementMs);
  };
  /** The first quote of a pair whose sold token was sold before. */
  const newPair = (name: string, { isDeployed = false, settles = false } = {}): Case => {
    let fresh = open();
    return {
      name,
      of: 'quote',
      prepare: async () => {
        fresh = open();
        await fresh.start();
        if (isDeployed) await fresh.refreshDeployments();
        await quote(fresh, tokenOf('cbBTC'));
      },
      ...(settles && { settle: () => settleWith(fresh) }),
      run: () => quote(fresh, chain.usdc),
    };
  };
  const knownPair = (name: string, engine: BenchEngine, isDeployed: boolean): Case => ({
    name,
    of: 'quote',
    prepare: async () => {
      if (isDeployed) await engine.refreshDeployments();
      await quote(engine, chain.usdc);
    },
    run: () => quote(engine, chain.usdc),
  });
  return [
    openQuoter(chain, url),
    knownPair('known pair, new block', known, false),
    knownPair('known pair, deployed', deployed, true),
    { ...knownPair('known pair, deployed, after a settlement', settled, true), settle: () => settleWith(settled) },
    newPair('new pair of known tokens'),
    newPair('new pair, deployed', { isDeployed: true }),
    newPair('new pair, deployed, after a settlement', { isDeployed: true, settles: true }),
    {
      name: 'repeat check',
      of: 'check',
      prepare: () => check(repeat, 'PLAIN'),
      run: () => check(repeat, 'PLAIN'),
    },
    {
      name: 'first check, new code',
      of: 'check',
      prepare: async () => {
        unread = open();
        await check(unread, 'SIX');
      },
      run: () => check(unread, 'PLAIN'),
    },
  ];
}

interface Measured {
  proxy: ForkedDelayProxy;
  cases: readonly Case[];
  mine: () => Promise<void>;
  rounds: number;
}

async function measure(
  { proxy, cases, mine, rounds }: Measured,
  delayMs: number,
  connection: NetworkRow['connection'],
): Promise<NetworkRow[]> {
  const totals = cases.map(() => ({ times: [] as number[], requests: 0, roundTrips: 0, sent: 0, received: 0 }));
  const take = async (index: number, at: number) => {
    const [item, total] = [cases[index], totals[index]];
    if (!item || !total) return;
    await item.settle?.();
    const before = await proxy.readSeen();
    const start = performance.now();
    await item.run(at + 1);
    total.times.push(performance.now() - start);
    // Responses that the case does not wait for belong to it too.
    await sleep(2 * delayMs);
    const after = await proxy.readSeen();
    total.requests += after.requests - before.requests;
    total.roundTrips += after.roundTrips - before.roundTrips;
    total.sent += after.sentBytes - before.sentBytes;
    total.received += after.receivedBytes - before.receivedBytes;
  };
  for (let at = 0; at < rounds; at++) {
    if (connection === 'busy') {
      await proxy.setDelay(delayMs);
      for (const [index, item] of cases.entries()) {
        await item.prepare();
        await mine();
        await take(index, at);
      }
      continue;
    }
    await proxy.setDelay(0);
    for (const item of cases) await item.prepare();
    await mine();
    await proxy.setDelay(delayMs);
    await sleep(idleMs);
    for (const index of cases.keys()) await take(index, at);
  }
  const baseline = percentile(totals[0]?.times ?? [], 0.5);
  return cases.map(({ name }, index) => {
    const { times = [], requests = 0, roundTrips = 0, sent = 0, received = 0 } = totals[index] ?? {};
    return {
      delayMs,
      connection,
      name,
      p10: round(percentile(times, 0.1)),
      p50: round(percentile(times, 0.5)),
      ratioOfP50: round(percentile(times, 0.5) / baseline),
      requests: round(requests / rounds),
      roundTrips: round(roundTrips / rounds),
      sentKb: round(sent / rounds / 1000),
      receivedKb: round(received / rounds / 1000),
    };
  });
}

export interface NetworkSize {
  rounds: number;
  warmUps: number;
  /** Round trips of the network in milliseconds. */
  delays: number[];
}

export const wholeSize: NetworkSize = { rounds: 8, warmUps: 25, delays: [20, 50] };
/** For a run that ends in a few minutes on a loaded machine. */
export const shortSize: NetworkSize = { rounds: 5, warmUps: 10, delays: [20, 50] };

/**
 * Measures paid calls over the model of TCP (`tcpPath.ts`), and one bare QuoterV2 `eth_call` over the same proxy, in turn.
 * Each has its own connections, and starts after 5 s without traffic (idle) or right after the same call (busy). Each round
 * measures all of them at a new block. The quoter's connection is never closed.
 *
 * @param options.calls which paid calls are measured
 */
export async function measureNetwork(
  { chain, testTokens }: { chain: SandboxChain; testTokens?: TestTokens },
  { calls, rounds, warmUps, delays }: NetworkSize & { calls: readonly PaidCall[] },
): Promise<NetworkRow[]> {
  const proxy = await forkDelayProxy(chain.rpcUrl);
  try {
    const cases = buildCases(chain, testTokens, proxy.url).filter(({ of }) => of === undefined || calls.includes(of));
    const mine = () => createNodeClient(chain.rpcUrl).call<void>('anvil_mine', ['0x1']);
    for (let at = 0; at < warmUps; at++) {
      for (const { prepare, run } of cases) {
        await prepare();
        await mine();
        await run(at + 1);
      }
    }
    const rows: NetworkRow[] = [];
    for (const delayMs of delays)
      for (const connection of ['idle 5 s', 'busy'] as const)
        rows.push(...(await measure({ proxy, cases, mine, rounds }, delayMs, connection)));
    return rows;
  } finally {
    await proxy.close();
  }
}
