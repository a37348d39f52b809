import type { Address } from 'viem';
import type { Node } from '../../chain/node.ts';
import { pinBlock } from '../../chain/pinBlock.ts';
import type { PoolLogs } from '../../pools/poolLogs.ts';
import { mostUnlistedPools } from '../../pools/rankPools.ts';
import type { FeedReading, LensReading } from '../../quote/lensReading.ts';
import { createBatch } from '../batch.ts';
import { fromCodeLensReplies, toCodeLensCalls } from '../bytecode/codeLens.ts';
import { toCode } from '../bytecode/readCode.ts';
import type { ExitReading, KnownPool } from '../exit/exitTypes.ts';
import type { RecalledPools } from '../exit/recallPools.ts';
import { toFeed, toFeedCall } from '../feedCall.ts';
import { guessHead } from '../guessHead.ts';
import type { RoleHolders } from '../powers/roleHolders.ts';
import { addTrades } from '../simulation/addTrades.ts';
import type { TradePlan } from '../simulation/planScenarios.ts';
import type { ScenarioResult } from '../simulation/simulationTypes.ts';
import { toMarket, toMarketCall } from '../tokenCalls.ts';
import type { CodeFacts, TokenMemory } from '../tokenMemory.ts';
import type { PretradeWorld, ReadOptions } from '../tokenReading.ts';
import { addExit, splitPools } from './readExit.ts';
import { startLogs } from './readLogs.ts';
import { toSeen, toTrades } from './tripBasics.ts';

/** What the first trip brought. */
export interface FirstTrip {
  exit: ExitReading;
  market: LensReading | undefined;
  feed: FeedReading | 'other-block' | undefined;
  code: CodeFacts | undefined;
  /** Accounts that stand in the token's storage. */
  accounts: readonly Address[];
  roles: RoleHolders;
  recalled: RecalledPools;
  /** Pools from logs that the exit lens was asked for. */
  asked: KnownPool[];
  logs: PoolLogs;
  plans: TradePlan[];
  scenarios: ScenarioResult[] | undefined;
}

/** Everything that can be asked before the pools of the token are known; with a memory of it, trades too. */
export async function readFirst(
  world: PretradeWorld,
  options: ReadOptions,
  node: Node,
  memory: TokenMemory | undefined,
  recalled: RecalledPools,
): Promise<FirstTrip> {
  const { data, head } = world;
  const { token } = options;
  const batch = createBatch();
  const asked = splitPools(world, token, recalled.likely).unlisted.slice(0, mostUnlistedPools);
  const exitReply = addExit(batch, world, node, { token, pools: asked, block: 'latest' });
  const marketReply = batch.add(await toMarketCall(world, options, node, 'latest'));
  const feedCall = toFeedCall(token, data.deployment, 'latest');
  const feedReply = feedCall && batch.add(feedCall);
  // A contract that is no proxy changes only with the hash of its code, which the exit lens reads.
  const settled = memory?.code.proxy.status === 'none';
  const lensReplies = settled ? undefined : batch.add(...toCodeLensCalls(token, 'latest'));
  const knownRoles = memory?.roles.status === 'read' ? memory.roles : undefined;
  const base = guessHead(head, options.now);
  // Plans are of a size: another one is planned for once the pools are known.
  const plans = memory?.sizeUsd === options.sizeUsd ? memory.plans : undefined;
  const trades = plans && addTrades(batch, toTrades(world, plans, base), node);
  const readLogs = startLogs(world, node, { token, recalled, withRoles: !knownRoles });
  const header = await batch.sendWithHeader(node, 'latest');

  const exit = exitReply();
  const { blockNumber, timestamp, baseFee } = exit;
  if (header) await pinBlock(node, header, toSeen(exit), 'latest');
  const { maker, random } = node.block ?? {};
  Object.assign(head, { number: blockNumber, timestamp, baseFee, maker, random, seenAt: options.now });
  const lens = lensReplies && fromCodeLensReplies(lensReplies());
  const logs = await readLogs(blockNumber);
  const kept = memory && settled && exit.codeHash === memory.code.codeHash;
  return {
    exit,
    market: toMarket(marketReply()[0], data, options, blockNumber),
    feed: toFeed(feedReply?.()[0], blockNumber),
    code: lens ? await toCode(lens, memory?.code) : kept ? memory.code : undefined,
    accounts: lens?.accounts ?? memory?.accounts ?? [],
    roles: knownRoles ?? logs.roles ?? { status: 'unread' },
    recalled,
    asked,
    logs: logs.pools,
    plans: plans ?? [],
    scenarios: trades?.read(blockNumber),
  };
}
