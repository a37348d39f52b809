import { type Hex, numberToHex } from 'viem';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { fromBalanceReplies, toBalanceCalls } from '../../chain/readBalances.ts';
import { toWord } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { factoriesOf, poolTopics } from '../../pools/poolEvents.ts';
import { fromPoolLogReplies } from '../../pools/poolLogs.ts';
import { creationEvents } from '../../venues/families.ts';
import { kinds, nativeCurrency, noHooks } from '../../venues/kinds.ts';
import type { UsdPrices } from '../axes/usdPrices.ts';
import { decodeExit } from '../exit/decodeExit.ts';
import type { PoolFields } from '../exit/exitTypes.ts';
import { toExit, toPoolsCall } from '../tokenCalls.ts';
import type { OutsidePair, PretradeEnvironment } from '../tokenReading.ts';

/** Contracts whose balance of the counter-asset is read. Anyone can emit the event of a factory. */
const maxCandidates = 200;
/** Contracts in which a sale is simulated, the largest balances first. */
const maxMeasured = 8;
/** No fork of Uniswap v2 charges more. A pair accepts a sale that pays less than its own fee would leave. */
const highestFee = 10_000;

/**
 * Finds contracts outside the covered factories that answer like a pair of the token against a pricing asset: by the events
 * of pair factories at any address. They are no evidence for a trap, so nothing is read if the node refuses such logs.
 */
export async function readOutsidePairs(
  environment: PretradeEnvironment,
  node: Node,
  { token, prices, blockNumber }: { token: LowerAddress; prices: UsdPrices; blockNumber: bigint },
): Promise<OutsidePair[]> {
  const { candidatePools } = environment.data;
  const block = numberToHex(blockNumber);
  const word: Hex = `0x${toWord(token)}`;
  const events = [poolTopics.pair, poolTopics.solidly];
  const logs = createBatch();
  const replies = logs.add(
    ...[
      [events, word],
      [events, null, word],
    ].map((topics) => ({ method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: block, topics }] })),
  );
  if ((await logs.trySendPinned(node)) !== undefined) return [];
  const read = fromPoolLogReplies(replies());
  if (read.status === 'unread') return [];
  const covered = new Set(factoriesOf(candidatePools));
  const found = new Map<LowerAddress, PoolFields>();
  for (const { event, factory, id, currency0, currency1, fee } of read.creations) {
    const counter = currency0 === token ? currency1 : currency0;
    if (covered.has(factory) || !prices.has(counter) || counter === nativeCurrency) continue;
    const kind = creationEvents[event].kind;
    const pool = id as LowerAddress;
    const feeOfSale = kind === kinds.v2 ? highestFee : fee;
    if (found.size < maxCandidates)
      found.set(pool, { kind, pool, counter, fee: feeOfSale, tickSpacing: 0, hooks: noHooks });
  }
  return found.size === 0 ? [] : measure(environment, node, [...found.values()], { token, prices, block });
}

/** Simulates sales in the contracts that hold the most. Keeps those that answer like a pair. */
async function measure(
  environment: PretradeEnvironment,
  node: Node,
  found: readonly PoolFields[],
  { token, prices, block }: { token: LowerAddress; prices: UsdPrices; block: Hex },
): Promise<OutsidePair[]> {
  const holdings = found.map(({ counter, pool }) => ({ token: counter, holder: pool }));
  const batch = createBatch();
  const replies = batch.add(...toBalanceCalls(holdings, block));
  await batch.send(node);
  const balances = fromBalanceReplies(holdings, replies());
  const held = found.map((pool, index) => {
    const balance = balances[index];
    return { pool, balance: balance?.status === 'read' ? balance.amount : 0n };
  });
  const usdOf = ({ pool, balance }: (typeof held)[number]) =>
    Number(balance) * (prices.get(pool.counter)?.usdPerUnit ?? 0);
  const largest = held.sort((a, b) => usdOf(b) - usdOf(a)).slice(0, maxMeasured);
  const sales = createBatch();
  const known = largest.map(({ pool }) => pool);
  const sold = sales.add(toPoolsCall(environment, node, { token, known, block }));
  await sales.send(node);
  const { exits } = toExit(sold()[0], decodeExit);
  return largest.flatMap(({ pool, balance }): OutsidePair[] => {
    const exit = exits.find((candidate) => candidate.pool === pool.pool);
    // Without reserves it is no pair.
    if (!exit || (exit.price === 0n && exit.other === 0n && exit.status === 'unread')) return [];
    const isSold = exit.status === 'filled' || exit.status === 'empty';
    return [{ pool: pool.pool, counter: pool.counter, balance, drawn: isSold ? exit.drawn : undefined }];
  });
}
