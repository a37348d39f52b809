import { type Hex, zeroAddress } from 'viem';
import type { ContractRead } from '../../chain/multicall3.ts';
import { type Node, NodeRefusedError } from '../../chain/node.ts';
import type { FeedReading, SequencerState, StateReading } from '../../pools/decodeStates.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { toAddress } from '../../venues/eventWords.ts';
import type { PoolStatus } from '../../venues/poolEntry.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { ChainData } from '../chainData.ts';
import type { Market } from '../market/market.ts';
import { sizeOrder } from '../query/sizeOrder.ts';
import { noFeed } from '../query/usdSources.ts';
import type { Flag, QuoteQuery } from '../quoteTypes.ts';
import { type QuoterPool, readQuoterPools, type Tokens, toLookUp } from './quoterPools.ts';
import { firstWord, type ReadResult, readTogether } from './readTogether.ts';
import { toExecutedPlan } from './toExecutedPlan.ts';

const selectors = { factory: '0xc45a0155', decimals: '0x313ce567', latestRoundData: '0xfeaf968c' } as const;

/**
 * Reads the market with published quoters, for a node that cannot run the lens. Covers direct routes through Uniswap v3
 * and v2 pairs, in three requests at one block. Every other venue is unread, and transfer taxes are not measured.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readByQuoters(
  data: Pick<ChainData, 'deployment' | 'candidatePools'>,
  query: QuoteQuery,
  node: Node,
): Promise<Market> {
  const { deployment, candidatePools } = data;
  const { arbSys, quoterV2: quoter } = deployment;
  const tokens: Tokens = [query.tokenIn, query.tokenOut];
  const covered = candidatePools
    .map((candidatePool, index) => ({ candidatePool, index }))
    .filter(({ candidatePool }) => isCovered(candidatePool));

  const feeds = feedReads(query, deployment);
  const [factory, decimalsIn, decimalsOut, ...rest] = await readTogether(
    node,
    [
      { to: quoter, data: selectors.factory },
      ...tokens.map((to) => ({ to, data: selectors.decimals })),
      ...feeds,
      ...covered.map(({ candidatePool }) => toLookUp(candidatePool, tokens)),
    ],
    { arbSys, block: 'latest' },
  );
  const [feedResults, lookUps] = [rest.slice(0, feeds.length), rest.slice(feeds.length)];
  const block = node.block;
  if (!block) throw new NodeRefusedError(`${node.label} returned no block.`);
  const statuses = candidatePools.map((): PoolStatus => 'unread');
  const states: StateReading = {
    block: { ...block, baseFee: 0n },
    ...toFeeds(query, deployment, block.timestamp, feedResults),
    tokens: [
      { address: tokens[0], ...toToken(decimalsIn), supply: 0n },
      { address: tokens[1], ...toToken(decimalsOut), supply: 0n },
    ],
    pairs: [{ a: tokens[0], b: tokens[1], statuses }],
    ...{ pools: [], unread: [], gasUsed: 0n },
  };
  const size = sizeOrder(query, states, deployment);
  const { amountIn } = size;
  if (amountIn === 0n) return { states, size, found: undefined };

  const found = covered.flatMap(({ candidatePool, index }, at): QuoterPool[] => {
    const otherFactory = candidatePool.family === 'uniswap-v3' && firstWord(factory) !== BigInt(candidatePool.factory);
    const lookUp = lookUps[at];
    if (otherFactory || typeof lookUp !== 'object') return [];
    const [pool] = lookUp.words;
    statuses[index] = pool === undefined ? 'no-factory' : 'no-pool';
    return pool ? [{ candidatePool, pool: toAddress(pool) }] : [];
  });
  const blockTag: Hex = `0x${block.number.toString(16)}`;
  const pools =
    found.length > 0 ? await readQuoterPools(node, found, { quoter, tokens, amountIn, arbSys, block: blockTag }) : [];
  for (const { pool, fills } of pools) {
    statuses[candidatePools.indexOf(pool.candidatePool)] = fills[0]?.status ?? 'unread';
  }
  const [tokenIn, tokenOut] = tokens;
  return { states, size, found: toExecutedPlan(pools, { tokenIn, tokenOut, amountIn }) };
}

/** The flag of every answer that this fallback produces. */
export const quotersOnlyFlag: Flag = {
  code: 'QUOTERS_ONLY',
  severity: 'warn',
  message:
    'The node that answered supports published quoters only: direct routes over Uniswap v3 and v2 pairs. Transfer taxes were not measured (a taxed token pays less), and the route is not split; depthAtSize is a lower bound. Request the quote again later.',
  facts: { notMeasured: ['transferTax', 'twoLegRoutes', 'split'] },
};

/** Fills of v2 pairs are computed from reserves. Uniswap's QuoterV2 covers Uniswap's pools only. */
const isCovered = ({ family, venue }: CandidatePool) =>
  family === 'uniswap-v2' || (family === 'uniswap-v3' && venue === 'uniswap-v3');

/** An empty result means no code, or a contract whose fallback function returns nothing. Neither is a token. */
function toToken(result: ReadResult | undefined): { hasCode: boolean; decimals: number | undefined } {
  const decimals = firstWord(result);
  const fits = decimals !== undefined && decimals <= 255n;
  return { hasCode: typeof result !== 'object' || fits, decimals: fits ? Number(decimals) : undefined };
}

/** Chainlink recommends to wait an hour after an outage of the sequencer, until prices are up to date. */
const sequencerGraceSeconds = 3600n;

/**
 * Three reads: the answer and the decimals of tokenIn's feed for a size in USD, and the sequencer feed's answer. The zero
 * address, which returns no words, stands for a feed that is not needed or does not exist.
 */
export function feedReads({ size, tokenIn }: QuoteQuery, { feeds, sequencerFeed }: Deployment): ContractRead[] {
  const feed = (size.unit === 'usd' && feeds[tokenIn]?.address) || zeroAddress;
  return [
    { to: feed, data: selectors.latestRoundData },
    { to: feed, data: selectors.decimals },
    { to: sequencerFeed ?? zeroAddress, data: selectors.latestRoundData },
  ];
}

/** The feeds and the sequencer's state from the results of `feedReads`. */
export function toFeeds(
  { tokenIn }: QuoteQuery,
  deployment: Deployment,
  timestamp: bigint,
  [answer, feedDecimals, sequencerAnswer]: readonly ReadResult[],
): Pick<StateReading, 'feeds' | 'sequencer'> {
  const row = deployment.feeds[tokenIn];
  return {
    feeds: row ? [{ address: row.address, ...toFeed(answer, feedDecimals) }] : [],
    sequencer: sequencerOf(deployment, sequencerAnswer, timestamp),
  };
}

function toFeed(round: ReadResult | undefined, feedDecimals: ReadResult | undefined): FeedReading {
  const [, answer, , updatedAt] = typeof round === 'object' ? round.words : [];
  const decimalCount = firstWord(feedDecimals);
  if (answer === undefined || updatedAt === undefined || decimalCount === undefined || decimalCount > 36n)
    return noFeed;
  const signed = BigInt.asIntN(256, answer);
  return { read: true, answer: signed > 0n ? signed : 0n, updatedAt, decimals: Number(decimalCount) };
}

function sequencerOf({ sequencerFeed }: Deployment, round: ReadResult | undefined, timestamp: bigint): SequencerState {
  if (!sequencerFeed) return 'none';
  const [, answer, startedAt] = typeof round === 'object' ? round.words : [];
  if (answer === undefined || startedAt === undefined) return 'unread';
  return answer === 0n && startedAt !== 0n && timestamp >= startedAt + sequencerGraceSeconds ? 'up' : 'down';
}
