import { numberToHex } from 'viem';
import type { Node } from '../../chain/node.ts';
import { pinBlock } from '../../chain/pinBlock.ts';
import { mostUnlistedPools } from '../../pools/rankPools.ts';
import { createBatch } from '../batch.ts';
import { addCode } from '../bytecode/readCode.ts';
import type { KnownPool } from '../exit/exitTypes.ts';
import { includesPool } from '../exit/recheck.ts';
import { toFeed, toFeedCall } from '../feedCall.ts';
import { isAsPlanned, isThin, needsBound, planTrades, weighPools } from '../planTrades.ts';
import { beginScan } from '../powers/beginScan.ts';
import type { PowerMemory } from '../powers/powerMemory.ts';
import { traderSold } from '../powers/weighAttempt.ts';
import { addTrades } from '../simulation/addTrades.ts';
import { smallTrade } from '../simulation/planScenarios.ts';
import type { ScenarioResult, TradePlan } from '../simulation/simulationTypes.ts';
import { toMarket, toMarketCall } from '../tokenCalls.ts';
import type { Enumerated, PretradeWorld, ReadOptions, TokenReading } from '../tokenReading.ts';
import { addExit, boundExits, rankKnown, samePools, splitPools } from './addExit.ts';
import type { FirstRead } from './readFirst.ts';
import { toBase, toSeen, toTrades } from './readInputs.ts';

/** Pools of listed kinds kept per token, to notice a factory that denies them; base assets have thousands. */
const mostListedPools = 100;
/** Pool creations kept per token. */
const mostCreations = 1_000;

/** Reads what depends on the first read; sends nothing if that was complete. */
export async function readRest(
  world: PretradeWorld,
  options: ReadOptions,
  powers: PowerMemory,
  node: Node,
  first: FirstRead,
): Promise<TokenReading> {
  const { data, withoutSimulation } = world;
  const { token } = options;
  const { recalled, logs } = first;
  const all = logs.status === 'read' ? [...recalled.creations, ...logs.creations] : recalled.creations;
  const creations = all.slice(0, mostCreations);
  const creationsTruncated = recalled.truncated || all.length > creations.length;
  const named = splitPools(world, token, creations);
  const block = numberToHex(first.exit.blockNumber);
  const ranked = await rankKnown(named.unlisted, world, node, token, block);
  const known = ranked.slice(0, mostUnlistedPools);
  const base = toBase(first.exit, world.head);
  let { exit, market, feed, code } = first;
  let weighed = weighPools(world, options, exit, market, known);
  let plans = first.scenarios ? first.plans : planTrades(world, options, weighed);
  const wanted = async (plan: TradePlan | undefined) =>
    powers.recall({
      ...{ token, code, exit, plan, base },
      accounts: first.accounts,
      roles: first.roles,
      tradable: couldTrade(first.scenarios ?? []),
      wrapped: data.deployment.wrappedNative,
    });

  const batch = createBatch();
  // A verdict on exit liquidity rests on a search of the same block.
  const isUnsure = first.rechecked !== undefined && isThin(weighed, options);
  const exitAgain =
    samePools(known, first.asked) && !isUnsure && !needsSearch(first, named.listed)
      ? undefined
      : addExit(batch, world, node, { token, pools: known, block });
  // The routes of an earlier search lack a pool that came since.
  const isStale = exitAgain !== undefined && first.rechecked !== undefined;
  const marketAgain = market && !isStale ? undefined : batch.add(await toMarketCall(world, options, node, block));
  const feedCall = feed === 'other-block' ? toFeedCall(token, data.deployment, block) : undefined;
  const feedAgain = feedCall && batch.add(feedCall);
  const codeAgain = code ? undefined : addCode(batch, { token, block, codes: world.codes });
  let trades = first.scenarios ? undefined : addTrades(batch, toTrades(world, plans, base), node);
  let asked = await wanted(plans[0]);
  let scan = asked.status === 'wanted' ? beginScan(asked.question, batch) : undefined;
  const header = await batch.sendWithHeader(node, block);

  if (header) await pinBlock(node, header, toSeen(exit), block);
  if (exitAgain) ({ exit } = exitAgain());
  const rechecked = first.rechecked !== undefined && !exitAgain;
  if (marketAgain) market = toMarket(marketAgain()[0], data, options, exit.blockNumber);
  if (feedAgain) feed = toFeed(feedAgain()[0], exit.blockNumber);
  if (codeAgain) code = await codeAgain(node);
  let scenarios = first.scenarios ?? trades?.read(exit.blockNumber) ?? [];

  // One more request in three cases. The best pool or the amount to trade differs from the plan: the pool is unlisted, or the
  // market has moved. The simulated buyer could not pay. Or the node has no simulations.
  if (exitAgain || marketAgain) weighed = weighPools(world, options, exit, market, known);
  let better = planTrades(world, options, weighed);
  const [best] = better;
  const unpaid = noPurchasePaid(scenarios);
  if (unpaid) better = better.map((plan) => ({ ...plan, large: plan.spend, whale: plan.whale && plan.pool.pool }));
  const moved = best !== undefined && !plans.some((plan) => isAsPlanned(plan, best));
  const refused = withoutSimulation.has(node.label) && scenarios.every(({ status }) => status === 'unread');
  if (best && (unpaid || moved || (refused && !scenarios.some(({ name }) => name === 'one-call')))) {
    const last = createBatch();
    trades = addTrades(last, toTrades(world, better, base), node);
    asked = asked.status === 'known' ? asked : await wanted(best);
    if (!scan && asked.status === 'wanted') scan = beginScan(asked.question, last);
    await last.send(node);
    scenarios = trades.read(exit.blockNumber) ?? [];
  }
  plans = better.length > 0 ? better : plans;
  if (needsBound(weighed, options)) {
    const bound = createBatch();
    const whole = addExit(bound, world, node, { token, pools: known, block, whole: true });
    await bound.send(node);
    exit = boundExits(exit, whole().exit);
  }
  const { index } = recalled;
  const enumerated: Enumerated = logs.status === 'read' ? { ok: true } : { ok: false, reason: logs.reason, index };
  return {
    exit,
    market,
    feed: feed === 'other-block' ? undefined : feed,
    code,
    known,
    listed: named.listed.slice(0, mostListedPools),
    dropped: [...ranked.slice(known.length)],
    creations,
    creationsTruncated,
    accounts: first.accounts,
    roles: first.roles,
    enumerated,
    plans,
    scenarios,
    rechecked,
    isThin: isThin(weighed, options),
    shared: scenarios === first.scenarios && first.shared,
    powers: await powers.conclude(asked, scan && (() => scan(node)), couldTrade(scenarios)),
  };
}

/** Whether a pool was unread, or pools that no log shows may have come since they were searched for. */
function needsSearch({ rechecked, exit, logs }: FirstRead, listed: readonly KnownPool[]): boolean {
  if (rechecked === undefined) return false;
  if (exit.exits.some(({ status }) => status === 'unread')) return true;
  return rechecked === 'other code' || logs.status !== 'read' || !listed.every((pool) => includesPool(exit, pool));
}

/** Whether an ordinary wallet's small purchase and sale worked; undefined if not simulated. */
export function couldTrade(scenarios: readonly ScenarioResult[]): boolean | undefined {
  const small = scenarios.find(({ name }) => name === smallTrade);
  return small?.status === 'ran' ? traderSold(small) : undefined;
}

/** No purchase could be paid: the account that provides the counter-asset has none. */
function noPurchasePaid(scenarios: readonly ScenarioResult[]): boolean {
  const buys = scenarios.flatMap((result) =>
    result.status === 'ran' ? result.steps.filter(({ step }) => step.what === 'buy') : [],
  );
  return buys.length > 0 && buys.every(({ result }) => !result.ok && result.refusal.stage === 'payment-failed');
}
