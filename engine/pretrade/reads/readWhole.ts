import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isConcentrated } from '../../venues/kinds.ts';
import type { ExitPool, ExitReading, LoggedPool } from '../exit/exitTypes.ts';
import { poolKey } from '../exit/splitListed.ts';
import { isThin, type WeighedPools } from '../planTrades.ts';
import { boundPools, boundReach, readReach } from '../reach/measureReach.ts';
import { readOutsidePairs } from '../reach/outsidePairs.ts';
import { atMostUsd, type Reach, toReachValue } from '../reach/reachValue.ts';
import type { OutsidePair, PretradeEnvironment, ReadOptions } from '../tokenReading.ts';
import { drainedShare } from '../verdict.ts';

/** What an upper bound of the exit liquidity needs. */
interface WholeMarket {
  exit: ExitReading;
  /** Pools that could not be measured. */
  dropped: readonly LoggedPool[];
  /** Pools of `dropped` in the query that were measured. */
  added: readonly LoggedPool[];
  reach: Reach | undefined;
  outside: OutsidePair[];
}

interface Query {
  environment: PretradeEnvironment;
  options: ReadOptions;
  node: Node;
  exit: ExitReading;
  weighed: WeighedPools;
  dropped: readonly LoggedPool[];
}

/**
 * Whether the measured exit liquidity is below the threshold while every covered venue was searched. Only then can the whole
 * market prove that nothing more can be drawn.
 */
export const needsWhole = (weighed: WeighedPools, options: ReadOptions): boolean =>
  isThin(weighed, options) && weighed.finding.searched;

/**
 * Reads the whole market of a token whose measured pools pay too little: pools that one call could not measure, sales over
 * whole price ranges, the markets of counter-assets without a price, and pairs outside the covered factories.
 */
export async function readWhole({ environment, options, node, exit, weighed, dropped }: Query): Promise<WholeMarket> {
  const { token } = options;
  const { blockNumber } = exit;
  const open = exit.exits.filter(isOpen);
  const bounds = await boundPools(environment, node, { token, pools: [...open, ...dropped], blockNumber });
  const measured = dropped.flatMap(
    (pool) => [...bounds.values()].find((bound) => poolKey(bound) === poolKey(pool)) ?? [],
  );
  const whole = {
    ...exit,
    exits: [...exit.exits.map((pool) => withBound(pool, bounds.get(pool.id))), ...measured],
  };
  const found = new Set(measured.map(poolKey));
  const { prices } = weighed;
  const priced = new Set<LowerAddress>([...prices.keys(), ...exit.bases.map((base) => base.token)] as LowerAddress[]);
  const counters = whole.exits.flatMap((pool) => (priced.has(pool.counter) || !mayPay(pool) ? [] : pool.counter));
  const [reach, outside] = await Promise.all([
    counters.length > 0 ? readReach(environment, node, { token, counters, blockNumber }) : undefined,
    readOutsidePairs(environment, node, { token, prices, blockNumber }),
  ]);
  return {
    exit: whole,
    dropped: dropped.filter((pool) => !found.has(poolKey(pool))),
    added: dropped.filter((pool) => found.has(poolKey(pool))),
    reach: reach?.status === 'read' ? await boundIfOpen(reach) : reach,
    outside,
  };

  /** Sells over the whole price ranges of the reached pools if the bound without them proves nothing. */
  async function boundIfOpen(read: Extract<Reach, { status: 'read' }>): Promise<Reach> {
    const { wrappedNative: wrapped } = environment.data.deployment;
    const value = toReachValue(read, { prices, bases: exit.bases, wrapped });
    const most = atMostUsd(whole.exits, prices, value);
    if (read.gap !== undefined || (most !== null && most < Number(options.sizeUsd) * drainedShare)) return read;
    const least = whole.exits.reduce((usd, pool) => {
      const price = prices.get(pool.counter);
      const drawn = Number(pool.drawn);
      return usd + (price ? drawn * price.usdPerUnit : value.least(pool.counter, drawn));
    }, 0);
    return least < Number(options.sizeUsd) * drainedShare ? boundReach(environment, node, read, blockNumber) : read;
  }
}

/** Whether only a sale over the whole price range can bound the pool, or the first call did not measure it. */
const isOpen = ({ kind, most, status }: ExitPool) =>
  status === 'not-requested' || (isConcentrated(kind) && most === undefined && status !== 'unread');

function withBound(pool: ExitPool, bound: ExitPool | undefined): ExitPool {
  if (!bound) return pool;
  return pool.status === 'not-requested'
    ? { ...bound, candidatePool: pool.candidatePool }
    : { ...pool, most: pool.most ?? bound.most };
}

const mayPay = ({ drawn, most }: ExitPool) => drawn > 0n || most === undefined || most > 0n;
