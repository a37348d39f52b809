import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, type Hex, zeroAddress } from 'viem';
import {
  type AnyCase,
  byChain,
  createEngine,
  type Engine,
  type EnginePorts,
  type PretradeChecker,
  type QuoteAnswer,
  type RpcEndpoint,
  type V4PoolShape,
} from '../../engine/index.ts';
import type { QuoteRequest } from '../../engine/quote/quoteTypes.ts';
import { type SandboxChain, type SandboxPool, type SandboxToken, withSnapshot } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { sandboxVenues } from '../../server/sandboxMode.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';

export interface EngineOnChain {
  engine: Engine;
  endpoint: CountingEndpoint;
}

/** An engine over one counted endpoint. Answers are not cached, unless `ports` set a freshness. */
export function engineOn(
  chain: SandboxChain,
  shapes: readonly AnyCase<V4PoolShape>[] = [],
  ports: Partial<EnginePorts> = {},
): EngineOnChain {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  return { engine: engineOver(chain, endpoint, shapes, ports), endpoint };
}

export function engineOver(
  chain: SandboxChain,
  endpoint: RpcEndpoint,
  shapes: readonly AnyCase<V4PoolShape>[] = [],
  ports: Partial<EnginePorts> = {},
): Engine & PretradeChecker {
  return createEngine({
    rpc: { [chain.name]: [endpoint] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
    extraV4Shapes: { [chain.name]: [...hookedShapes(chain), ...shapes] },
    extraVenues: sandboxVenues,
    ...ports,
  });
}

/** A quote waits one second for the logs, which a busy machine can exceed. It is requested again until they are read. */
export async function quoteSearched(engine: Engine, request: QuoteRequest): Promise<QuoteAnswer> {
  const answer = await engine.quote(request);
  const isUnsearched = answer.flags.some(({ code, facts }) => code === 'NO_ROUTE' && facts?.poolsMayBeMissing);
  return isUnsearched ? quoteSearched(engine, request) : answer;
}

/** Fee, spacing and hook of the sandbox's own hooked pools; the deployments contain the real ones. */
export function hookedShapes({ pools }: SandboxChain): AnyCase<V4PoolShape>[] {
  return pools.flatMap(({ key }) =>
    key && key.hooks !== zeroAddress ? [{ fee: key.fee, tickSpacing: key.tickSpacing, hooks: key.hooks }] : [],
  );
}

/** A pool's tokens as in quotes: the wrapped token for native currency. */
export function tradedTokens(chain: SandboxChain, { token0, token1 }: SandboxPool): [Address, Address] {
  const traded = (token: Address) => (token === zeroAddress ? chain.wrappedNative : token);
  return [traded(token0), traded(token1)];
}

export function tokenOf(chain: SandboxChain, symbol: string): SandboxToken {
  const token = chain.tokens.find((candidate) => candidate.symbol === symbol);
  if (!token) throw new TypeError(`${chain.name} has no ${symbol}.`);
  return token;
}

export function poolsOfPair(chain: SandboxChain, a: Address, b: Address): SandboxPool[] {
  const pair = [a, b].map((token) => token.toLowerCase()).sort();
  return chain.pools.filter((pool) => {
    const tokens = tradedTokens(chain, pool).map((token) => token.toLowerCase());
    return tokens.sort().join() === pair.join();
  });
}

/** Converts base units to a decimal string, as in requests. */
export function toDecimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction ? `${whole}.${fraction}` : whole;
}

/** A deterministic generator of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A random size from one base unit to `most`, evenly distributed over the orders of magnitude. */
export function sizeBetween(most: bigint, random: () => number): bigint {
  const exponent = random() * Math.log10(Number(most));
  const whole = Math.floor(exponent);
  const size = (BigInt(Math.floor(10 ** (exponent - whole + 12))) * 10n ** BigInt(whole)) / 10n ** 12n;
  return size < 1n ? 1n : size;
}

/**
 * Runs transactions and then restores the chain. Before that, waits until anvil's pool is empty: anvil drops mined
 * transactions from it a moment after mining, and would also drop the next one with the same nonce.
 */
export function withChainRestored<T>(chain: SandboxChain, run: () => Promise<T>): Promise<T> {
  const node = createNodeClient(chain.rpcUrl);
  return withSnapshot(chain, async () => {
    const value = await run();
    while (Number((await node.call<{ pending: Hex }>('txpool_status')).pending) > 0) await sleep(5);
    return value;
  });
}
