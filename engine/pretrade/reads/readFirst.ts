import { numberToHex } from 'viem';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { pinBlock } from '../../chain/pinBlock.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { FeedReading } from '../../pools/decodeStates.ts';
import type { PoolLogs } from '../../pools/poolLogs.ts';
import { maxUnlistedPools } from '../../pools/rankPools.ts';
import type { ChainData } from '../../quote/chainData.ts';
import type { MarketRead } from '../../quote/market/prepareMarket.ts';
import { hasB20Shape } from '../../venues/b20/b20.ts';
import { weighTransferability } from '../axes/transferability.ts';
import { agree } from '../axes/transferFinding.ts';
import { nothingKnown, toB20Code, toSubjects } from '../b20/b20Facts.ts';
import { type B20Ledger, openB20Ledger } from '../b20/b20Ledger.ts';
import type { CodeFacts } from '../bytecode/codeMemory.ts';
import { addCalledContracts, addCode, addRecalledCode, type CalledContracts } from '../bytecode/readCode.ts';
import type { RecheckQuery } from '../exit/encodeRecheck.ts';
import type { ExitReading, LoggedPool } from '../exit/exitTypes.ts';
import { firstUnsettled, type RecalledPools } from '../exit/recallPools.ts';
import { includesPool, isRecent } from '../exit/recheck.ts';
import { hasMoved, planTrades, type WeighedPools, weighPools } from '../planTrades.ts';
import { knowsRoles, type RoleHolders, recallRoles } from '../powers/roleHolders.ts';
import { addTrades } from '../simulation/addTrades.ts';
import type { ScenarioResult, TradePlan } from '../simulation/simulationTypes.ts';
import { firstWaiting, type Waits, waitingAgain } from '../simulation/waiting.ts';
import { toFeed, toFeedCall } from '../tokenCalls.ts';
import type { TokenMemory } from '../tokenMemory.ts';
import type { PretradeEnvironment, ReadOptions } from '../tokenReading.ts';
import { addExit, splitPools } from './addExit.ts';
import { addMarket, addProof } from './marketCalls.ts';
import { startLogs } from './readLogs.ts';
import { addTradesAt, predictHead, toPinned } from './simulationBase.ts';

/** Result of the first read. */
export interface FirstRead extends FirstMeasurement {
  /** Undefined if every factory was queried. `other code`: the code changed, so getters may be missing. */
  rechecked: 'same code' | 'other code' | undefined;
  feed: FeedReading | 'other-block' | undefined;
  code: CodeFacts | undefined;
  /** The contracts that transfers call. `not read`: the code is new or changed, so they were unknown before this read. */
  calledContracts: CalledContracts | 'not read';
  /** Accounts in the token's storage; undefined: not read. */
  accounts: readonly LowerAddress[] | undefined;
  recalled: RecalledPools;
  /** Reads of a token with the address shape of B20; undefined for others. */
  b20: B20Ledger | undefined;
  /** Waits for the logs, which were requested beside the first read. */
  readLogs: () => Promise<{ logs: PoolLogs; roles: RoleHolders }>;
  trades: StartedTrades;
  /** Whether scenarios shared simulations. */
  shared: boolean;
}

/**
 * Reads everything that does not require the token's pools. If an earlier check is remembered, it also simulates trades.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readFirst(
  environment: PretradeEnvironment,
  options: ReadOptions,
  node: Node,
  memory: TokenMemory | undefined,
  recalled: RecalledPools,
): Promise<FirstRead> {
  const { data, head } = environment;
  const { token } = options;
  const batch = createBatch();
  const measured = splitPools(environment, token, recalled.likely).unlisted.slice(0, maxUnlistedPools);
  const recheck = toRecheck(environment, options, memory, recalled, measured);
  const exitReply = addExit(batch, environment, node, { token, pools: measured, block: 'latest', recheck });
  const marketReply = await addMarket(batch, environment, options, node, 'latest');
  const feedCall = toFeedCall(token, data.deployment, 'latest');
  const feedReply = feedCall && batch.add(feedCall);
  const recalledCode = addRecalledCode(batch, token, memory?.code);
  const newCode = recalledCode ? undefined : addCode(batch, { token, block: 'latest', codes: environment.codes });
  const calledReply = memory && addCalledContracts(batch, token, memory.code, 'latest');
  const b20 = openB20Ledger(token, memory?.b20);
  b20?.addTo(batch, 'latest', nothingKnown);
  const base = predictHead(head, options.now, data.pace);
  // Plans are valid for one size. For another size, trades are planned after this read.
  const plans = memory?.sizeUsd === options.sizeUsd ? memory.plans : undefined;
  const brief = memory?.tradesShare ?? false;
  const waiting = memory ? waitingAgain(memory.code, memory.othersWait, brief) : firstWaiting;
  const { wrappedNative: wrapped } = data.deployment;
  const trades = plans && addTrades(batch, { plans, base, wrapped, now: options.now, brief, waiting }, node);
  const sending = batch.sendWithHeader(node, 'latest');
  // Sent after the batch, which takes the node longer.
  const readLogs = startLogs(environment, node, { token, recalled, rolesFrom: rolesFrom(token, memory, data.pace) });
  const header = await sending;

  b20?.settle();
  const exit = exitReply();
  const { blockNumber, timestamp, baseFee } = exit;
  if (header) await pinBlock(node, header, toPinned(exit), 'latest');
  const { coinbase, prevRandao } = node.block ?? {};
  Object.assign(head, { number: blockNumber, timestamp, baseFee, coinbase, prevRandao, seenAt: options.now });
  const simulated = trades?.read(blockNumber);
  const shared = trades !== undefined && brief;
  // Different results: the token changed or the scenarios disturbed each other. Separate simulations distinguish the two.
  const changed = memory && shared && simulated && !agree(weighTransferability(simulated), memory.trade);
  const measurement: FirstMeasurement = {
    exit,
    market: await marketReply(exit),
    measured,
    plans,
    othersWait: memory?.othersWait ?? 'never',
    scenarios: changed ? undefined : simulated,
  };
  const started = await startTrades(environment, options, node, measurement, b20);
  const lens = await newCode?.();
  const nowCode = b20?.isCreated ? await toB20Code(environment.codes) : (lens?.code ?? recalledCode?.(exit.codeHash));
  return {
    ...measurement,
    trades: started,
    // A recheck reads the getters of the remembered code.
    rechecked: recheck && (nowCode?.analysedHash === recheck.code.analysedHash ? 'same code' : 'other code'),
    feed: toFeed(feedReply?.()[0], blockNumber),
    code: nowCode,
    b20,
    calledContracts: calledReply && nowCode?.analysedHash === memory?.code.analysedHash ? calledReply() : 'not read',
    accounts: lens?.accounts ?? memory?.accounts,
    recalled,
    async readLogs() {
      const { pools, roles } = await readLogs(blockNumber);
      return { logs: pools, roles: recallRoles(memory, nowCode, roles) };
    },
    shared,
  };
}

/** The first block whose role events are read. Undefined for known code without roles, for which owner() is enough. */
function rolesFrom(token: LowerAddress, memory: TokenMemory | undefined, pace: ChainData['pace']): bigint | undefined {
  if (memory?.roles.status !== 'read') return 0n;
  if (!knowsRoles(memory.code) && !hasB20Shape(token)) return undefined;
  return firstUnsettled(memory.scannedTo ?? 0n, pace);
}

/** The query of a recheck; undefined if every factory must be queried. */
function toRecheck(
  { data, holders }: PretradeEnvironment,
  { token, now }: ReadOptions,
  memory: TokenMemory | undefined,
  { tail }: RecalledPools,
  pools: readonly LoggedPool[],
): RecheckQuery | undefined {
  const isBase = data.deployment.pricingAssets.some(({ address }) => address === token);
  if (!memory?.exit || isBase || !isRecent(memory.exit, now, tail.from)) return undefined;
  const { exit, code } = memory;
  if (!pools.every((pool) => includesPool(exit, pool))) return undefined;
  return { token, code, memory: exit, holders: holders.map(({ address }) => address) };
}

/** Trades in the pools of the first read. */
interface StartedTrades {
  weighed: WeighedPools;
  plans: TradePlan[];
  /** Rejects as `Batch.sendWithHeader` does. Undefined if the next request simulates the trades. */
  traded: Promise<TradedMarket> | undefined;
}

/** Results of trades, and the market with the executions of the quote's plan. */
interface TradedMarket {
  scenarios: ScenarioResult[];
  market: MarketRead | undefined;
}

/** Pools and market, as the first read measured them. */
interface FirstMeasurement {
  exit: ExitReading;
  market: MarketRead | undefined;
  /** Pools from logs that the exit lens measured. */
  measured: LoggedPool[];
  /** As in `TokenReading`, of the last check. */
  othersWait: Waits;
  /** Trades that were simulated. Undefined if they could not be planned before this read. */
  plans: TradePlan[] | undefined;
  /** Undefined if no trade was simulated, or if shared simulations contradict the last check. */
  scenarios: ScenarioResult[] | undefined;
}

/**
 * Simulates trades in the pools of the first read, unless that read simulated them. The same request executes the plan of the
 * quote. Trades need neither logs nor analysed code, so the request does not wait for these. If a repeat must simulate
 * again, the next request does so, because it often searches pools or tries owner functions too.
 */
async function startTrades(
  environment: PretradeEnvironment,
  options: ReadOptions,
  node: Node,
  { exit, market, measured, othersWait, ...first }: FirstMeasurement,
  b20: B20Ledger | undefined,
): Promise<StartedTrades> {
  const weighed = weighPools(environment, options, exit, market, measured);
  const plans = planTrades(environment, options, weighed);
  if (first.plans) {
    const { scenarios } = first;
    const isCurrent = scenarios && !hasMoved(first.plans, plans);
    return isCurrent
      ? { weighed, plans: first.plans, traded: Promise.resolve({ scenarios, market }) }
      : { weighed, plans: plans.length > 0 ? plans : first.plans, traded: undefined };
  }
  const block = numberToHex(exit.blockNumber);
  const batch = createBatch();
  const trades = addTradesAt(batch, environment, options, exit, { plans, others: othersWait }, node);
  const proof = market && (await addProof(batch, environment, options, market, node));
  b20?.addTo(batch, block, toSubjects(plans));
  const simulate = async () => {
    const header = await batch.sendWithHeader(node, block);
    b20?.settle();
    if (header) await pinBlock(node, header, toPinned(exit), block);
    return { scenarios: trades.read(exit.blockNumber) ?? [], market: await proof?.() };
  };
  const traded = simulate();
  // `readRest` handles a rejection. Without this handler, an early one would end the process.
  traded.catch(() => undefined);
  return { weighed, plans, traded };
}
