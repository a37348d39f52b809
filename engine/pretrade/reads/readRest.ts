import { type Hex, numberToHex } from 'viem';
import { type Batch, createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { pinBlock } from '../../chain/pinBlock.ts';
import { simulatesNow } from '../../chain/simulationMemory.ts';
import { lacksEarlierBlocks, type PoolLogs } from '../../pools/poolLogs.ts';
import { forgetMarket } from '../../quote/market/readMarket.ts';
import { readB20, toSubjects } from '../b20/b20Facts.ts';
import { addCalledContracts, addCode, fixedContracts } from '../bytecode/readCode.ts';
import type { LoggedPool } from '../exit/exitTypes.ts';
import { includesPool } from '../exit/recheck.ts';
import { hasMoved, isThin, planTrades, type WeighedPools, weighPools } from '../planTrades.ts';
import { beginScan } from '../powers/beginScan.ts';
import type { PowerMemory } from '../powers/powerMemory.ts';
import type { RoleHolders } from '../powers/roleHolders.ts';
import { traderSold } from '../powers/weighAttempt.ts';
import { oneCall } from '../simulation/roundTrip.ts';
import type { ScenarioResult, TradePlan } from '../simulation/simulationTypes.ts';
import { smallTrade, type Waits, waitsLonger, waitsNeeded } from '../simulation/waiting.ts';
import { toFeed, toFeedCall } from '../tokenCalls.ts';
import type { PretradeEnvironment, ReadOptions, TokenReading } from '../tokenReading.ts';
import { addExit, addLaterSale, samePools } from './addExit.ts';
import { listPools } from './listPools.ts';
import { addMarket, addProof } from './marketCalls.ts';
import type { FirstRead } from './readFirst.ts';
import { needsWhole, readWhole } from './readWhole.ts';
import { addTradesAt, toBase, toPinned } from './simulationBase.ts';

/** Maximum number of listed pools kept per token, to detect a factory that denies them. Base assets have thousands. */
const maxListedPools = 100;

/**
 * Completes the first read with the reads that depend on it. Sends nothing if the first read was complete.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readRest(
  environment: PretradeEnvironment,
  options: ReadOptions,
  powers: PowerMemory,
  node: Node,
  first: FirstRead,
): Promise<Omit<TokenReading, 'block'>> {
  const { recalled } = first;
  const context = { environment, options, powers, node, first, ...(await first.readLogs()) };
  const { logs, roles } = context;
  const unread = logs.status === 'unread' ? logs.reason : recalled.isComplete ? undefined : lacksEarlierBlocks;
  const pools = await listPools(context);
  const second = await readSecond(context, pools);
  const weighed = second.isSearched
    ? weighPools(environment, options, second.exit, second.market, pools.known)
    : second.weighed;
  const traded = await tradeAgain(context, second, weighed);
  const whole =
    unread === undefined && !pools.creationsTruncated && needsWhole(weighed, options)
      ? await readWhole({ environment, options, node, exit: second.exit, weighed, dropped: pools.dropped })
      : { exit: second.exit, dropped: pools.dropped, added: [], reach: undefined, outside: [] };
  const { scenarios, plans, powerRecall, scan, othersWait, laterSaleLoss } = traded;
  return {
    exit: whole.exit,
    market: second.market,
    feed: second.feed === 'other-block' ? undefined : second.feed,
    code: second.code,
    calledContracts: second.calledContracts,
    known: [...pools.known, ...whole.added],
    listed: pools.listed.slice(0, maxListedPools),
    dropped: [...whole.dropped],
    reach: whole.reach,
    laterSaleLoss,
    outside: whole.outside,
    creations: pools.creations,
    creationsTruncated: pools.creationsTruncated,
    hinted: pools.hinted,
    accounts: second.accounts,
    roles,
    b20: readB20(first.b20, { roles, plans }),
    enumerated: unread === undefined ? { ok: true } : { ok: false, reason: unread, index: recalled.index },
    plans,
    scenarios,
    rechecked: second.rechecked,
    isThin: isThin(weighed, options),
    othersWait,
    shared: scenarios === first.scenarios && first.shared,
    powers: await powers.conclude(powerRecall, scan && (() => scan(node, othersWait)), couldTrade(scenarios)),
  };
}

interface Context {
  environment: PretradeEnvironment;
  options: ReadOptions;
  powers: PowerMemory;
  node: Node;
  first: FirstRead;
  logs: PoolLogs;
  roles: RoleHolders;
}

type Ranked = Awaited<ReturnType<typeof listPools>>;

type Second = Awaited<ReturnType<typeof readSecond>>;

/**
 * Sends one request for everything that the first read or the logs show to be missing: repeated searches and trades, changed
 * code, called contracts and owner functions. Changed code behind a proxy may take further requests.
 */
async function readSecond(context: Context, { known, listed }: Pick<Ranked, 'known' | 'listed'>) {
  const { environment, options, node, first } = context;
  const { token } = options;
  const { weighed, plans } = first.trades;
  const block = numberToHex(first.exit.blockNumber);

  const batch = createBatch();
  // A verdict on exit liquidity requires a search at the same block.
  const mayDecide = first.rechecked !== undefined && isThin(weighed, options);
  const exitAgain =
    samePools(known, first.measured) && !mayDecide && !needsSearch(context, listed)
      ? undefined
      : addExit(batch, environment, node, { token, pools: known, block });
  const feedCall = first.feed === 'other-block' ? toFeedCall(token, environment.data.deployment, block) : undefined;
  const feedAgain = feedCall && batch.add(feedCall);
  const codeAgain = first.code ? undefined : addCode(batch, { token, block, codes: environment.codes });
  const calledReply =
    first.calledContracts === 'not read' && first.code && addCalledContracts(batch, token, first.code, block);
  const powerRecall = await recallPowers(context, plans[0]);
  const scan = powerRecall.status === 'scan-needed' ? beginScan(powerRecall.query, batch) : undefined;
  const laterSale = addLaterSale(batch, environment, node, { plan: plans[0], exit: first.exit });
  const marketAgain = await addMarketAgain(context, batch, { known, listed }, block);
  const unproven = first.trades.traded || marketAgain ? undefined : first.market;
  const proof = unproven && (await addProof(batch, environment, options, unproven, node));
  const trades = first.trades.traded
    ? undefined
    : addTradesAt(batch, environment, options, first.exit, { plans, others: first.othersWait }, node);
  first.b20?.addTo(batch, block, toSubjects(plans, context.roles));
  const [header, started] = await Promise.all([batch.sendWithHeader(node, block), first.trades.traded]);
  first.b20?.settle();

  if (header) await pinBlock(node, header, toPinned(first.exit), block);
  const exit = exitAgain ? exitAgain() : first.exit;
  const market = marketAgain ? await marketAgain(exit) : started ? started.market : await proof?.();
  const { blockNumber } = exit;
  const { code, accounts } = codeAgain ? await codeAgain() : first;
  const calledContracts =
    first.calledContracts === 'not read' ? (calledReply ? calledReply() : fixedContracts(code)) : first.calledContracts;
  return {
    exit,
    market,
    feed: feedAgain ? toFeed(feedAgain()[0], blockNumber) : first.feed,
    ...{ code, accounts, calledContracts },
    rechecked: first.rechecked !== undefined && !exitAgain,
    isSearched: exitAgain !== undefined,
    scenarios: started?.scenarios ?? trades?.read(first.exit.blockNumber) ?? [],
    ...{ weighed, plans, powerRecall, scan, laterSaleLoss: laterSale() },
  };
}

/** Reads the market again if its read failed, or if a repeat found new pools, which the routes of an earlier look-up lack. */
async function addMarketAgain(
  context: Context,
  batch: Batch,
  { known, listed }: Pick<Ranked, 'known' | 'listed'>,
  block: Hex,
) {
  const { environment, options, node, first } = context;
  // Its first reply was refused or malformed.
  if (!first.market) return addMarket(batch, environment, options, node, block);
  const isCurrent = samePools(known, first.measured) && listed.every((pool) => includesPool(first.exit, pool));
  if (first.rechecked === undefined || isCurrent) return undefined;
  forgetMarket(environment.data, options.marketQuery, first.market.read.states);
  return addMarket(batch, environment, options, node, block);
}

type Traded = Pick<Second, 'scenarios' | 'plans' | 'powerRecall' | 'scan' | 'laterSaleLoss'> & { othersWait: Waits };

/** Maximum number of requests that simulate the trades again. */
const maxTradesAgain = 2;

/**
 * Simulates the trades again in four cases: the best pool or the amount to trade differs from the plan, the simulated
 * buyer could not pay, a rule of the token may count blocks, or the node does not support the simulation as it was sent.
 */
async function tradeAgain(context: Context, second: Second, weighed: WeighedPools): Promise<Traded> {
  const { environment, options, node, first } = context;
  const { exit, code } = second;
  const planned = planTrades(environment, options, weighed);
  const [best] = planned;
  const { scenarios, plans, powerRecall, scan, laterSaleLoss } = second;
  const traded: Traded = { scenarios, plans, powerRecall, scan, laterSaleLoss, othersWait: first.othersWait };
  for (let count = 0; count < maxTradesAgain; count += 1) {
    const unpaid = noPurchasePaid(traded.scenarios);
    const nextPlans = unpaid
      ? planned.map((plan) => ({ ...plan, large: plan.spend, funder: plan.funder && plan.pool.pool }))
      : planned;
    const moved = hasMoved(traded.plans, planned);
    if (nextPlans.length > 0) traded.plans = nextPlans;
    const needed = waitsNeeded(traded.scenarios);
    const counts = waitsLonger(needed, traded.othersWait);
    if (!first.shared || traded.scenarios !== first.scenarios) traded.othersWait = needed;
    if (!best || !((unpaid && count === 0) || moved || counts || isRefused(traded.scenarios, node, options))) break;
    const batch = createBatch();
    const query = { plans: nextPlans, others: traded.othersWait };
    const trades = addTradesAt(batch, environment, options, first.exit, query, node);
    const recall = powerRecall.status === 'cached' ? powerRecall : await recallPowers(context, best, { exit, code });
    traded.scan ??= recall.status === 'scan-needed' ? beginScan(recall.query, batch) : undefined;
    const laterSale = addLaterSale(batch, environment, node, { plan: best, exit });
    await batch.send(node);
    traded.laterSaleLoss = laterSale();
    traded.scenarios = trades.read(exit.blockNumber) ?? [];
    traded.powerRecall = recall;
  }
  return traded;
}

/** Whether the node refused simulations that it accepts in another form. */
function isRefused(scenarios: readonly ScenarioResult[], { memory }: Node, { now }: ReadOptions): boolean {
  const simulates = simulatesNow(memory, now);
  const isUnread = ({ status }: ScenarioResult) => status === 'unread';
  // A node that did not return the small trade's blocks may return it without them.
  if (simulates === 'short') return scenarios.some((each) => each.name === smallTrade && isUnread(each));
  return simulates === 'no' && scenarios.every(isUnread) && !scenarios.some(({ name }) => name === oneCall);
}

function recallPowers(
  { environment, options: { token }, powers, first, roles }: Context,
  plan: TradePlan | undefined,
  { exit, code }: Pick<FirstRead, 'exit' | 'code'> = first,
) {
  return powers.recall({
    ...{ token, code, exit, plan, base: toBase(first.exit, environment.head) },
    accounts: first.accounts,
    roles,
    tradable: couldTrade(first.scenarios ?? []),
    wrapped: environment.data.deployment.wrappedNative,
    waits: first.othersWait,
  });
}

/** Whether a recheck is not enough: a pool was unread, the code changed, or pools may exist that the recheck lacks. */
function needsSearch({ first: { rechecked, exit }, logs }: Context, listed: readonly LoggedPool[]): boolean {
  if (rechecked === undefined) return false;
  if (exit.exits.some(({ status }) => status === 'unread')) return true;
  return rechecked === 'other code' || logs.status !== 'read' || !listed.every((pool) => includesPool(exit, pool));
}

/** Whether the small purchase and sale of an ordinary wallet succeeded; undefined if not simulated. */
export function couldTrade(scenarios: readonly ScenarioResult[]): boolean | undefined {
  const small = scenarios.find(({ name }) => name === smallTrade);
  return small?.status === 'ran' ? traderSold(small) : undefined;
}

/** Whether every purchase failed because the funding account could not provide the counter-asset. */
function noPurchasePaid(scenarios: readonly ScenarioResult[]): boolean {
  const buys = scenarios.flatMap((result) =>
    result.status === 'ran' ? result.steps.filter(({ step }) => step.action === 'buy') : [],
  );
  return buys.length > 0 && buys.every(({ result }) => !result.ok && result.refusal.stage === 'payment-failed');
}
