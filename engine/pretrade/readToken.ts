import { type Address, type Hex, isHex, numberToHex } from 'viem';
import { rungOf } from '../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../chain/node.ts';
import { pinBlock } from '../chain/pinBlock.ts';
import { emptyQuestion } from '../quote/encodeAsk.ts';
import type { LensReading } from '../quote/lensReading.ts';
import type { ChainData } from '../quote/readFunded.ts';
import { createBatch, resultOf } from './batch.ts';
import { fromCodeLensReplies, toCodeLensCalls } from './bytecode/codeLens.ts';
import { fromSlotReplies, readProxy, toSlotCalls } from './bytecode/proxies.ts';
import { addCode, toCode } from './bytecode/readCode.ts';
import type { ExitQuestion } from './exit/encodeExit.ts';
import type { ExitReading, KnownPool } from './exit/exitTypes.ts';
import { fromPoolLogReplies, keyOfPool, type PoolLogs, splitListed, toPoolLogCalls } from './exit/poolLogs.ts';
import { type RecalledPools, recallPools } from './exit/recallPools.ts';
import { planTrades } from './planTrades.ts';
import { beginScan } from './powers/beginScan.ts';
import type { PowerFinding, PowerMemory } from './powers/powerMemory.ts';
import type { PoolCreation, PoolIndex } from './pretradePorts.ts';
import { addTrades } from './simulation/addTrades.ts';
import type { TradePlan } from './simulation/planScenarios.ts';
import type { ScenarioResult, SimulationBase } from './simulation/simulationTypes.ts';
import { toExit, toExitCall, toMarket, toMarketCall } from './tokenCalls.ts';
import type { CodeFacts, TokenMemories, TokenMemory } from './tokenMemory.ts';

/** More pools than this are not measured in one call; the answer says so. */
const mostKnownPools = 24;
/** Pools of listed kinds kept per token, to notice a factory that denies them; base assets have thousands. */
const mostListedPools = 100;
/** Creations remembered of one token. */
const mostCreations = 1_000;

/** What the engine keeps of Base for the check. */
export interface PretradeWorld {
  data: ChainData;
  encodeExit: (question: ExitQuestion, salt: bigint) => Hex;
  holders: readonly { name: string; address: Address; covered: boolean }[];
  /** Every pool by its factory's log, read in the background; absent: nobody does. */
  pools: PoolIndex | undefined;
  memories: TokenMemories;
  head: HeadMemory;
  /** Labels of nodes that have no `eth_simulateV1`. */
  withoutSimulation: Set<string>;
}

/** The last head seen, to guess today's from. */
interface HeadMemory {
  number: bigint;
  timestamp: bigint;
  baseFee: bigint;
  seenAt: number;
}

/** All that one check read off the chain, at one block. */
export interface TokenReading {
  exit: ExitReading;
  /** The market for stable -> token; undefined: it was not read at this block. */
  market: LensReading | undefined;
  code: CodeFacts | undefined;
  known: KnownPool[];
  /** Pools that the factories' logs name and a slot must find. */
  listed: KnownPool[];
  /** All of which both were made, for the next check of the same token. */
  creations: PoolCreation[];
  creationsTruncated: boolean;
  knownTruncated: boolean;
  enumerated: Enumerated;
  plans: TradePlan[];
  scenarios: ScenarioResult[];
  powers: PowerFinding;
}

/** Whether the factories' logs told every pool of the token; else the node's reason, and how far the index is. */
export type Enumerated = { ok: true } | { ok: false; reason: string; index: RecalledPools['index'] };

export interface ReadOptions {
  token: Address;
  sizeUsd: string;
  stable: Address;
  now: number;
}

/**
 * Reads everything that the verdict and the facts need, at one block: two trips for a token seen the first time, one
 * after that. A further one only when the best pool is outside our lists, a block came in between, or the code has more
 * functions than one trip takes.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readToken(
  world: PretradeWorld,
  options: ReadOptions,
  powers: PowerMemory,
  node: Node,
): Promise<TokenReading> {
  const { data, memories } = world;
  const { token } = options;
  if (node.memory.rung === 'quoters') throw new NodeRefusedError(`${node.label} does not run the lens.`);
  const memory = memories.recall(token);
  const isBase = data.deployment.bases.some(({ address }) => address.toLowerCase() === token.toLowerCase());
  const recalled = await recallPools({ pools: world.pools, token, memory, head: world.head.number, isBase });
  const first = await readFirst(world, options, node, memory, recalled).catch(async (error: unknown) => {
    if (!(error instanceof NodeRefusedError) || node.memory.rung !== undefined) throw error;
    // Nobody has tested this node yet: find out how it can be read, and read again.
    await data.lens.readLens(node, data.encode(emptyQuestion, 0n), 'latest');
    return readFirst(world, options, node, memory, recalled);
  });
  const reading = await readRest(world, options, powers, node, first);
  if (!reading.enumerated.ok) world.pools?.wake();
  if (reading.code) {
    const { code, creations, plans, enumerated, exit } = reading;
    const scannedTo = enumerated.ok ? exit.blockNumber : undefined;
    const poolsTruncated = reading.creationsTruncated;
    memories.remember(token, { code, pools: creations, poolsTruncated, plans, scannedTo });
  }
  return reading;
}

interface FirstTrip {
  exit: ExitReading;
  market: LensReading | undefined;
  code: CodeFacts | undefined;
  /** Where the code could not be told yet: what is known of it. */
  own: Hex | undefined;
  slotWords: (Hex | undefined)[];
  /** Accounts that stand in the token's storage. */
  accounts: Address[];
  recalled: RecalledPools;
  /** Pools from logs that the exit lens was asked for. */
  asked: KnownPool[];
  logs: PoolLogs;
  plans: TradePlan[];
  scenarios: ScenarioResult[] | undefined;
}

async function readFirst(
  world: PretradeWorld,
  options: ReadOptions,
  node: Node,
  memory: TokenMemory | undefined,
  recalled: RecalledPools,
): Promise<FirstTrip> {
  const { data, head } = world;
  const { token } = options;
  const batch = createBatch();
  const asked = splitPools(world, token, recalled.likely).unlisted.slice(0, mostKnownPools);
  const exitReply = batch.add(toExitCall(world, node, token, asked, 'latest'));
  const marketReply = batch.add(toMarketCall(world, options, node, 'latest'));
  const logReplies = batch.add(...toPoolLogCalls(token, data.slots, recalled.tail));
  const mayOverride = rungOf(node) === 'override';
  // A contract that is no proxy changes only with the hash of its code, which the exit lens tells.
  const settled = memory?.code.proxy.status === 'none';
  const lensReplies = mayOverride && !settled ? batch.add(...toCodeLensCalls(token, 'latest')) : undefined;
  const slotReplies = mayOverride ? () => [] : batch.add(...toSlotCalls(token, 'latest'));
  const ownReply = mayOverride || memory ? () => [] : batch.add({ method: 'eth_getCode', params: [token, 'latest'] });
  const base = guessHead(head, options.now);
  const trades = memory ? addTrades(batch, toTrades(world, options, memory.plans, base), node) : undefined;
  const header = await batch.sendWithHeader(node, 'latest');

  const exit = toExit(exitReply()[0]);
  const { blockNumber, timestamp, baseFee } = exit;
  if (header) await pinBlock(node, header, toSeen(exit), 'latest');
  Object.assign(head, { number: blockNumber, timestamp, baseFee, seenAt: options.now });
  const lens = lensReplies && fromCodeLensReplies(lensReplies());
  const slotWords = fromSlotReplies(slotReplies());
  const own = resultOf(ownReply()[0]);
  const kept = memory && exit.codeHash === memory.code.codeHash && (settled || isSameProxy(memory.code, slotWords));
  return {
    exit,
    market: toMarket(marketReply()[0], data, options, blockNumber),
    code: lens ? toCode(lens, memory?.code) : kept ? memory.code : undefined,
    own: isHex(own) ? own : undefined,
    slotWords,
    accounts: lens?.accounts ?? [],
    recalled,
    asked,
    logs: fromPoolLogReplies(logReplies()),
    plans: memory?.plans ?? [],
    scenarios: trades?.read(blockNumber),
  };
}

async function readRest(
  world: PretradeWorld,
  options: ReadOptions,
  powers: PowerMemory,
  node: Node,
  first: FirstTrip,
): Promise<TokenReading> {
  const { data, withoutSimulation } = world;
  const { token } = options;
  const { recalled, logs } = first;
  const told = logs.status === 'read' ? [...recalled.creations, ...logs.creations] : recalled.creations;
  const creations = told.slice(0, mostCreations);
  const creationsTruncated = recalled.truncated || told.length > creations.length;
  const named = splitPools(world, token, creations);
  const known = named.unlisted.slice(0, mostKnownPools);
  const block = numberToHex(first.exit.blockNumber);
  const base = toBase(first.exit);
  let { exit, market, code } = first;
  let plans = first.scenarios ? first.plans : planTrades(world, options, exit, market, known);
  const wanted = async (plan: TradePlan | undefined) =>
    powers.recall({ code, exit, accounts: first.accounts, plan, base, token, wrapped: data.deployment.wrappedNative });

  const batch = createBatch();
  const exitAgain = !samePools(known, first.asked)
    ? batch.add(toExitCall(world, node, token, known, block))
    : undefined;
  const marketAgain = market ? undefined : batch.add(toMarketCall(world, options, node, block));
  const { own, slotWords } = first;
  const codeAgain = code ? undefined : addCode(batch, { token, own, slotWords, block });
  let trades = first.scenarios ? undefined : addTrades(batch, toTrades(world, options, plans, base), node);
  let asked = await wanted(plans[0]);
  let scan = asked.status === 'wanted' ? beginScan(asked.question, batch) : undefined;
  const header = await batch.sendWithHeader(node, block);

  if (header) await pinBlock(node, header, toSeen(exit), block);
  if (exitAgain) exit = toExit(exitAgain()[0]);
  if (marketAgain) market = toMarket(marketAgain()[0], data, options, exit.blockNumber);
  if (codeAgain) code = await codeAgain(node);
  let scenarios = first.scenarios ?? trades?.read(exit.blockNumber) ?? [];

  // One trip later: the best pool is outside our lists or another one than when the token was last seen, nobody could
  // pay, or the node turned out to have no simulations.
  let better = planTrades(world, options, exit, market, known);
  const [best] = better;
  const unpaid = nobodyPaid(scenarios);
  if (unpaid) better = better.map((plan) => ({ ...plan, whale: plan.whale && plan.pool.pool }));
  const moved = best !== undefined && !plans.some(({ pool }) => samePool(pool, best.pool));
  const refused = withoutSimulation.has(node.label) && scenarios.every(({ status }) => status === 'unread');
  if (best && (unpaid || moved || (refused && !scenarios.some(({ name }) => name === 'one-call')))) {
    const last = createBatch();
    trades = addTrades(last, toTrades(world, options, better, base), node);
    asked = asked.status === 'known' ? asked : await wanted(best);
    if (!scan && asked.status === 'wanted') scan = beginScan(asked.question, last);
    await last.send(node);
    scenarios = trades.read(exit.blockNumber) ?? [];
  }
  plans = better.length > 0 ? better : plans;
  const { index } = recalled;
  const enumerated: Enumerated = logs.status === 'read' ? { ok: true } : { ok: false, reason: logs.reason, index };
  return {
    exit,
    market,
    code,
    known,
    listed: named.listed.slice(0, mostListedPools),
    knownTruncated: creationsTruncated || named.unlisted.length > known.length,
    creations,
    creationsTruncated,
    enumerated,
    plans,
    scenarios,
    powers: await powers.conclude(asked, scan && (() => scan(node))),
  };
}

/** What the exit lens saw of its block. */
const toSeen = ({ blockNumber, timestamp, parentHash }: ExitReading) => ({
  number: blockNumber,
  timestamp,
  parentHash: BigInt(parentHash) === 0n ? undefined : parentHash,
});

const toTrades = (
  { data, withoutSimulation }: PretradeWorld,
  { token }: ReadOptions,
  plans: readonly TradePlan[],
  base: SimulationBase,
) => ({ token, plans, base, wrapped: data.deployment.wrappedNative, withoutSimulation });

/** The same implementation behind it still, as far as its proxy slots say. */
function isSameProxy({ proxy }: CodeFacts, slotWords: readonly (Hex | undefined)[]): boolean {
  if (proxy.status !== 'proxy' || proxy.kind === 'minimal') return true;
  const now = readProxy('0x', slotWords);
  return now.status === 'proxy' && now.kind !== 'beacon' && now.implementation === proxy.implementation;
}

const splitPools = ({ data }: PretradeWorld, token: Address, creations: readonly PoolCreation[]) =>
  splitListed(creations, token, {
    slots: data.slots,
    bases: data.deployment.bases,
    wrapped: data.deployment.wrappedNative,
  });

function samePools(a: readonly KnownPool[], b: readonly KnownPool[]): boolean {
  const keys = new Set(a.map(keyOfPool));
  return a.length === b.length && b.every((pool) => keys.has(keyOfPool(pool)));
}

/** No purchase could be paid for: whoever was to give the counter-asset has none. */
function nobodyPaid(scenarios: readonly ScenarioResult[]): boolean {
  const buys = scenarios.flatMap((result) =>
    result.status === 'ran' ? result.steps.filter(({ step }) => step.what === 'buy') : [],
  );
  return buys.length > 0 && buys.every(({ result }) => !result.ok && result.refusal.stage === 'payment-failed');
}

const samePool = (a: TradePlan['pool'], b: TradePlan['pool']) =>
  a.pool === b.pool &&
  a.counter === b.counter &&
  a.fee === b.fee &&
  a.tickSpacing === b.tickSpacing &&
  a.hooks === b.hooks;

const toBase = ({ blockNumber, timestamp, baseFee }: ExitReading): SimulationBase => ({
  block: numberToHex(blockNumber),
  number: blockNumber,
  timestamp,
  baseFee,
});

/** Base makes a block every two seconds; a little ahead, because a simulated block may not lie before the real head. */
function guessHead({ number, timestamp, baseFee, seenAt }: HeadMemory, now: number): SimulationBase {
  const seconds = BigInt(Math.max(0, Math.floor((now - seenAt) / 1000))) + 4n;
  return { block: 'latest', number: number + seconds / 2n, timestamp: timestamp + seconds, baseFee };
}
