import { type Address, type Hex, isHex, numberToHex } from 'viem';
import { exitLensArtifact } from '../../contracts/artifacts/lens/ExitLens.ts';
import { toLensCall } from '../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../chain/nodes.ts';
import type { RpcReply } from '../chain/rpcEndpoint.ts';
import { decodeReading } from '../quote/decodeReading.ts';
import { sizeModes } from '../quote/encodeAsk.ts';
import type { LensReading } from '../quote/lensReading.ts';
import { parseSize } from '../quote/parseSize.ts';
import type { ChainData } from '../quote/readMarket.ts';
import { LensAnswerError } from '../quote/wordReader.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { weighLiquidity } from './axes/liquidity.ts';
import { type UsdPrices, usdPricesOf } from './axes/usdPrices.ts';
import { createBatch, resultOf } from './batch.ts';
import { readProxy, toSlotCalls } from './bytecode/proxies.ts';
import { addCode } from './bytecode/readCode.ts';
import { getters } from './bytecode/signatures.ts';
import { decodeExit } from './exit/decodeExit.ts';
import type { ExitQuestion } from './exit/encodeExit.ts';
import type { ExitPool, ExitReading, KnownPool } from './exit/exitTypes.ts';
import { fromPoolLogReplies, keyOfPool, type PoolLogs, splitListed, toPoolLogCalls } from './exit/poolLogs.ts';
import { findWhale } from './simulation/findWhale.ts';
import { fromSimulation } from './simulation/fromSimulation.ts';
import { planScenarios, type TradePlan, toTradePlan } from './simulation/planScenarios.ts';
import type { ScenarioResult, SimulationBase } from './simulation/simulationTypes.ts';
import { toSimulation } from './simulation/toSimulation.ts';
import type { CodeFacts, TokenMemories, TokenMemory } from './tokenMemory.ts';

/** More pools than this are not measured in one call; the answer says so. */
export const mostKnownPools = 24;
/** Pools of listed kinds kept per token, to notice a factory that denies them; base assets have thousands. */
const mostListedPools = 100;
/** Pools that trades are simulated in. */
const mostPlans = 3;

/** What the engine keeps of Base for the check. */
export interface PretradeWorld {
  data: ChainData;
  encodeExit: (question: ExitQuestion) => Hex;
  holders: readonly { name: string; address: Address; covered: boolean }[];
  memories: TokenMemories;
  head: HeadMemory;
}

/** The last head seen, to guess today's from; and what this node's simulations count from. */
export interface HeadMemory {
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
  knownTruncated: boolean;
  enumerated: { ok: boolean; reason?: string };
  plans: TradePlan[];
  scenarios: ScenarioResult[];
}

export interface ReadOptions {
  token: Address;
  sizeUsd: string;
  stable: Address;
  now: number;
}

/**
 * Reads everything that the verdict and the facts need, at one block: two trips for a token seen the first time, one
 * after that. A further one only when pools outside our lists were found, or a block came in between.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readToken(world: PretradeWorld, options: ReadOptions, node: Node): Promise<TokenReading> {
  const memory = world.memories.recall(options.token);
  const first = await readFirst(world, options, node, memory);
  const reading = await readRest(world, options, node, first);
  if (reading.code) {
    const { code, known, listed, plans } = reading;
    const scannedTo = reading.enumerated.ok ? reading.exit.blockNumber : undefined;
    world.memories.remember(options.token, { code, known, listed, plans, scannedTo });
  }
  return reading;
}

interface FirstTrip {
  exit: ExitReading;
  market: LensReading | undefined;
  code: CodeFacts | undefined;
  /** The token's own code, when it has to be analysed. */
  rawCode: Hex | undefined;
  slotReplies: (RpcReply | undefined)[];
  logs: PoolLogs;
  memory: TokenMemory | undefined;
  plans: TradePlan[];
  scenarios: ScenarioResult[] | undefined;
}

async function readFirst(
  world: PretradeWorld,
  options: ReadOptions,
  node: Node,
  memory: TokenMemory | undefined,
): Promise<FirstTrip> {
  const { data, head } = world;
  const { token } = options;
  const batch = createBatch();
  const exitReply = batch.add(toExitCall(world, node, token, memory?.known ?? [], 'latest'));
  const marketReply = batch.add(toMarketCall(world, options, node, 'latest'));
  const logReplies = batch.add(...toPoolLogCalls(token, data.slots, memory?.scannedTo ?? 0n));
  const slotReplies = batch.add(...toSlotCalls(token, 'latest'));
  const codeReply = memory ? () => [] : batch.add({ method: 'eth_getCode', params: [token, 'latest'] });
  const base = guessHead(head, options.now);
  const simulated = memory ? addSimulations(batch, memory.plans, base, options, data.deployment) : undefined;
  await batch.send(node);

  const exit = toExit(exitReply()[0]);
  Object.assign(head, {
    number: exit.blockNumber,
    timestamp: exit.timestamp,
    baseFee: exit.baseFee,
    seenAt: options.now,
  });
  const same = memory && sameCode(memory, exit, slotReplies());
  const raw = resultOf(codeReply()[0]);
  return {
    exit,
    market: toMarket(marketReply()[0], data, exit.blockNumber),
    code: same ? memory.code : undefined,
    rawCode: isHex(raw) ? raw : undefined,
    slotReplies: slotReplies(),
    logs: fromPoolLogReplies(logReplies(), token, data.slots, data.deployment.wrappedNative),
    memory,
    plans: memory?.plans ?? [],
    scenarios: simulated?.read(exit.blockNumber),
  };
}

async function readRest(
  world: PretradeWorld,
  options: ReadOptions,
  node: Node,
  first: FirstTrip,
): Promise<TokenReading> {
  const { data } = world;
  const { token } = options;
  const { bases } = data.deployment;
  const fresh = splitListed(first.logs.status === 'read' ? first.logs.pools : [], data.slots, bases);
  const named = mergePools(first.memory?.known ?? [], fresh.unlisted);
  const listed = mergePools(first.memory?.listed ?? [], fresh.listed).slice(0, mostListedPools);
  const known = named.slice(0, mostKnownPools);
  const block = numberToHex(first.exit.blockNumber);
  let { exit, market, code } = first;

  const batch = createBatch();
  const exitAgain =
    known.length > (first.memory?.known.length ?? 0)
      ? batch.add(toExitCall(world, node, token, known, block))
      : undefined;
  const marketAgain = market ? undefined : batch.add(toMarketCall(world, options, node, block));
  const codeAgain = code
    ? undefined
    : addCode(batch, { token, own: first.rawCode, slotReplies: first.slotReplies, block });
  const base = toBase(exit);
  let plans = first.scenarios ? first.plans : plansOf(world, options, exit, market, known);
  let simulated = first.scenarios ? undefined : addSimulations(batch, plans, base, options, data.deployment);
  await batch.send(node);

  if (exitAgain) exit = toExit(exitAgain()[0]);
  if (marketAgain) market = toMarket(marketAgain()[0], data, exit.blockNumber);
  if (codeAgain) code = await codeAgain(node);
  let scenarios = first.scenarios ?? simulated?.read(exit.blockNumber) ?? [];

  // The best pool is outside our lists, another one than when the token was last seen, or nobody could pay: one trip
  // later.
  let better = plansOf(world, options, exit, market, known);
  const [best] = better;
  const unpaid = nobodyPaid(scenarios);
  if (unpaid) better = better.map((plan) => ({ ...plan, whale: plan.whale && plan.pool.pool }));
  if (best && (unpaid || !plans.some(({ pool }) => samePool(pool, best.pool)))) {
    const last = createBatch();
    simulated = addSimulations(last, better, base, options, data.deployment);
    await last.send(node);
    scenarios = simulated.read(exit.blockNumber) ?? [];
  }
  plans = better.length > 0 ? better : plans;
  const enumerated = first.logs.status === 'read' ? { ok: true } : { ok: false, reason: first.logs.reason };
  const knownTruncated = named.length > known.length;
  return { exit, market, code, known, listed, knownTruncated, enumerated, plans, scenarios };
}

// --- the calls ---

function toExitCall(
  { data, encodeExit, holders }: PretradeWorld,
  node: Node,
  token: Address,
  known: readonly KnownPool[],
  block: Hex | 'latest',
) {
  const question = {
    token,
    known,
    holders: holders.map(({ address }) => address),
    getters: getters.map(({ selector }) => selector),
  };
  return toLensCall(data.lens.rungOf(node), encodeExit(question), block, exitLensArtifact);
}

function toExit(reply: RpcReply | undefined): ExitReading {
  const result = resultOf(reply);
  if (!isHex(result)) {
    const why = reply && 'error' in reply ? `${reply.error.code} ${reply.error.message}` : 'no answer';
    throw new NodeRefusedError(`The node did not run the exit lens: ${why}.`);
  }
  try {
    return decodeExit(result);
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned something else than the exit lens writes.', { cause });
  }
}

function toMarketCall(
  { data }: PretradeWorld,
  { token, sizeUsd, stable }: ReadOptions,
  node: Node,
  block: Hex | 'latest',
) {
  const question = { tokenIn: stable, tokenOut: token, mode: sizeModes.token, ...parseSize(sizeUsd) };
  return toLensCall(data.lens.rungOf(node), data.encode(question), block);
}

/** Undefined when it could not be read at exactly this block. */
function toMarket(reply: RpcReply | undefined, { slots }: ChainData, blockNumber: bigint): LensReading | undefined {
  const result = resultOf(reply);
  if (!isHex(result)) return undefined;
  try {
    const reading = decodeReading(result, slots);
    return reading.blockNumber === blockNumber ? reading : undefined;
  } catch (cause) {
    if (cause instanceof LensAnswerError) return undefined;
    throw cause;
  }
}

function addSimulations(
  batch: ReturnType<typeof createBatch>,
  plans: readonly TradePlan[],
  base: SimulationBase,
  { token }: ReadOptions,
  { wrappedNative }: Deployment,
) {
  const gasPrice = base.baseFee * 2n + 10_000_000n;
  const entries = planScenarios(plans, gasPrice, `${token.toLowerCase()} ${base.number}`).map((scenario) => {
    const { call, layout } = toSimulation(scenario, base, wrappedNative);
    return { scenario, layout, reply: batch.add(call) };
  });
  return {
    /** Undefined when one of them started from another block. */
    read(blockNumber: bigint): ScenarioResult[] | undefined {
      const results: ScenarioResult[] = [];
      for (const { scenario, layout, reply } of entries) {
        const [answer] = reply();
        if (!answer || 'error' in answer) {
          // A guess of the head that was off is no refusal of the node's.
          if (base.block === 'latest') return undefined;
          const reason = answer
            ? `the node refused the simulation (${answer.error.message.slice(0, 120)})`
            : 'no answer';
          results.push({ status: 'unread', name: scenario.name, reason });
          continue;
        }
        const { outcome, firstNumber } = fromSimulation(scenario, layout, answer.result);
        // geth counts the first simulated block one up, anvil does not.
        const offset = firstNumber === null ? 0n : firstNumber - blockNumber;
        if (base.block === 'latest' && offset !== 0n && offset !== 1n) return undefined;
        results.push(outcome);
      }
      return results;
    },
  };
}

// --- what the calls rest on ---

function plansOf(
  world: PretradeWorld,
  options: ReadOptions,
  exit: ExitReading,
  market: LensReading | undefined,
  known: readonly KnownPool[],
): TradePlan[] {
  const { data, holders } = world;
  const { deployment, slots } = data;
  const prices = usdPricesOf(exit, deployment, market && { reading: market, slots });
  const { exits } = weighLiquidity({
    token: options.token,
    reading: exit,
    slots,
    deployment,
    known,
    enumerated: { ok: true },
    listed: [],
    doubts: [],
    knownTruncated: false,
    prices,
    holders,
  });
  const plans: TradePlan[] = [];
  for (const { exit: pool, venue, potUsd } of exits) {
    if (plans.length === mostPlans) break;
    const size = sizeIn(pool, potUsd, prices, Number(options.sizeUsd));
    const plan = toTradePlan(options.token, pool, venue, size, findWhale(pool, exit, deployment.wrappedNative));
    if (plan) plans.push(plan);
  }
  return plans;
}

/** The requested size in base units of the counter-asset; where nobody knows a price, a part of the pot. */
function sizeIn(pool: ExitPool, potUsd: number | undefined, prices: UsdPrices, sizeUsd: number): bigint {
  const price = prices.get(pool.counter.toLowerCase());
  if (price) return BigInt(Math.floor(sizeUsd / price.usdPerUnit));
  return potUsd ? BigInt(Math.floor((sizeUsd * Number(pool.pot)) / potUsd)) : pool.pot / 8n;
}

/** The same code still, and the same implementation behind it. */
function sameCode({ code }: TokenMemory, exit: ExitReading, slotReplies: (RpcReply | undefined)[]): boolean {
  if (code.codeHash !== exit.codeHash) return false;
  if (code.proxy.status !== 'proxy' || code.proxy.kind === 'minimal') return true;
  const now = readProxy('0x', slotReplies);
  if (now.status !== 'proxy') return false;
  return now.kind === 'beacon' ? now.beacon === code.proxy.beacon : now.implementation === code.proxy.implementation;
}

function mergePools(old: readonly KnownPool[], fresh: readonly KnownPool[]): KnownPool[] {
  return [...new Map([...old, ...fresh].map((pool) => [keyOfPool(pool), pool])).values()];
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

/** Base makes a block every two seconds. */
function guessHead({ number, timestamp, baseFee, seenAt }: HeadMemory, now: number): SimulationBase {
  const seconds = BigInt(Math.max(0, Math.floor((now - seenAt) / 1000)));
  return { block: 'latest', number: number + seconds / 2n, timestamp: timestamp + seconds, baseFee };
}
