import { type Address, type Hex, parseAbi, zeroAddress } from 'viem';
import type { Quote } from '../../client/index.ts';
import type { Order, OrderRunner, SandboxChain, SandboxPool } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { readContract } from '../../sandbox/testing/readContract.ts';

const feeAbi = parseAbi(['function fee() view returns (uint24)']);

type WireLeg = Quote['route']['legs'][number];

/** A swap of a plan. If `amountIn` is undefined, it sells the whole balance of `tokenIn` from earlier swaps. */
export interface PlannedSwap {
  pool: SandboxPool;
  tokenIn: Address;
  tokenOut: Address;
  amountIn?: bigint;
}

const families: Record<string, WireLeg['dex']> = {
  'uniswap-v4': 'uniswap-v4',
  aerodrome: 'solidly',
  'quickswap-v3': 'algebra',
  'quickswap-v4': 'algebra',
  'camelot-v3': 'algebra',
};

/**
 * A quote for any plan over the sandbox's pools, with the amounts of executed swaps. It has only the fields that
 * `toTransaction` and `verify` use.
 */
export async function quoteOf(
  chain: SandboxChain,
  runner: OrderRunner,
  swaps: readonly PlannedSwap[],
  flags: Quote['flags'] = [],
): Promise<Quote> {
  const blockNumber = BigInt(await createNodeClient(chain.rpcUrl).call<Hex>('eth_blockNumber', []));
  const [first, last] = [swaps[0], swaps.at(-1)] as [PlannedSwap, PlannedSwap];
  const held = new Map<Address, bigint>();
  const orders: Order[] = [];
  const legs: WireLeg[] = [];
  for (const { pool, tokenIn, tokenOut, amountIn = held.get(tokenIn) ?? 0n } of swaps) {
    const leg = { venue: pool.venue, pool: pool.pool, tokenIn, tokenOut };
    orders.push({ legs: [leg], amountIn });
    const { movements, reverted } = await runner.tryOrders(orders);
    const received = movements.at(-1)?.received ?? 0n;
    if (reverted !== undefined) throw new Error(`${pool.venue} ${pool.pool}: ${reverted}`);
    held.set(tokenIn, (held.get(tokenIn) ?? 0n) - amountIn);
    held.set(tokenOut, (held.get(tokenOut) ?? 0n) + received);
    const dex = families[pool.venue] ?? (pool.venue.endsWith('-v2') ? 'uniswap-v2' : 'uniswap-v3');
    const amounts = { amountIn: amountIn.toString(), amountOut: received.toString() };
    const poolKey = pool.key && { poolKey: pool.key };
    legs.push({ dex, ...leg, feePips: await readFee(chain, pool, dex), ...amounts, shareBps: 0, ...poolKey });
  }
  const sold = swaps.filter(({ tokenIn }) => tokenIn === first.tokenIn);
  return {
    chain: chain.name,
    tokenIn: first.tokenIn,
    tokenOut: last.tokenOut,
    amountIn: sold.reduce((sum, { amountIn = 0n }) => sum + amountIn, 0n).toString(),
    amountOut: (held.get(last.tokenOut) ?? 0n).toString(),
    blockNumber: blockNumber.toString(),
    flags,
    route: { dex: 'mixed', path: [], pools: legs.map(({ pool }) => pool), legs },
  } as Partial<Quote> as Quote;
}

async function readFee(chain: SandboxChain, pool: SandboxPool, dex: WireLeg['dex']): Promise<number> {
  if (dex === 'uniswap-v2') return pool.venue === 'pancakeswap-v2' ? 2500 : 3000;
  if (dex !== 'uniswap-v3') return pool.key?.fee ?? 0;
  return Number(await readContract(chain, { to: pool.pool as Address, abi: feeAbi, name: 'fee', args: [] }));
}

/** The tokens of a pool, with the wrapped token in place of the native currency. */
export function tokensOf(chain: SandboxChain, { token0, token1 }: SandboxPool): [Address, Address] {
  const traded = (token: Address) => (token === zeroAddress ? chain.wrappedNative : token);
  return [traded(token0), traded(token1)];
}

/** The pool of a venue for two tokens. @throws {TypeError} there is none */
export const poolOf = (chain: SandboxChain, venue: string, a: Address, b: Address): SandboxPool => {
  const pair = [a, b]
    .map((token) => token.toLowerCase())
    .sort()
    .join();
  const found = chain.pools.find((pool) => {
    const tokens = tokensOf(chain, pool).map((token) => token.toLowerCase());
    return pool.venue === venue && tokens.sort().join() === pair;
  });
  if (!found) throw new TypeError(`${chain.name} has no pool of ${venue}.`);
  return found;
};
