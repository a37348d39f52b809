import { type Hex, numberToHex } from 'viem';
import { type Batch, createBatch } from '../../chain/batch.ts';
import { randomAddress } from '../../chain/lensCall.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcReply } from '../../chain/rpcEndpoint.ts';
import { inParts } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { ContractFunction } from '../bytecode/readFunctions.ts';
import { nameOfFunction } from '../bytecode/signatures.ts';
import type { Power, PowerCaller, PowerScan } from '../pretradePorts.ts';
import { addScenarios } from '../simulation/addTrades.ts';
import {
  ordinaryGasPrice,
  randomMeans,
  type Scenario,
  type ScenarioResult,
  type TradePlan,
} from '../simulation/simulationTypes.ts';
import { type Waits, waitsLonger } from '../simulation/waiting.ts';
import { type Attempt, toAttempts } from './attempts.ts';
import type { Caller, PowerSubject } from './findCallers.ts';
import { attemptSteps, hasSupply, ranOutOfGas, traderSold, wasExecuted, weighAttempt } from './weighAttempt.ts';

export interface PowerQuery extends Pick<PowerSubject, 'token' | 'base' | 'wrapped' | 'waits'> {
  functions: readonly ContractFunction[];
  /** Accounts that may have a power, the likeliest first. */
  callers: readonly Caller[];
  plan: TradePlan;
  totalSupply: bigint;
  /** Some accounts that may have a power were left out or could not be read. */
  areCallersMissing: boolean;
  /** Whether the scan's time is up. No further request is sent then. */
  isPastDeadline: () => boolean;
  now: number;
}

/** Simulations in one HTTP request; each takes about 25 kB. */
const perRequest = 40;
/** The same if they wait for blocks; each then takes 100 to 200 kB. */
const perWaitingRequest = 10;
/** Maximum number of simulations of one scan. */
const maxSimulations = 120;
/** Maximum number of calls of one scan, refused ones included; and of plain calls in one HTTP request. */
const maxTries = 1_000;
const plainPerRequest = 100;
/** Gas of a plain call, which only shows whether the token refuses it. A call that runs out of gas is simulated. */
const plainGas = numberToHex(2_000_000);
/** The scan trades with 1/100 of the size. */
const smallPart = 100n;

/**
 * Evaluates the first results and sends the remaining calls. `waits`: the wait that sales of the token need; if the scan
 * began without it, it begins again.
 * @throws {RpcTransportError}
 */
export type Scan = (node: Node, waits?: Waits) => Promise<PowerScan>;

interface Try {
  attempt: Attempt;
  role: PowerCaller;
  address: LowerAddress;
  truncated: boolean;
  functionsTried: number;
  namesHolder: boolean;
}

/**
 * Tries the owner functions: each call is simulated between a purchase and two sales. The first calls are added to `batch`.
 * The others are first sent as plain calls, and only those that the token does not refuse are simulated. The result never
 * changes the verdict.
 */
export function beginScan(query: PowerQuery, batch: Batch): Scan {
  const wallets = {
    holder: randomAddress(),
    other: randomAddress(),
    // The same in all runs: a rule about them must not look like the effect of a call.
    gasPrice: ordinaryGasPrice(query.base),
    means: randomMeans(),
  };
  const all = toTries(query, wallets.holder);
  const tries = all.slice(0, maxTries);
  const inRequest = query.waits === 'never' ? perRequest : perWaitingRequest;
  const [early, rest] = [tries.slice(0, inRequest), tries.slice(inRequest)];
  const simulated = tries.length > 0 ? addAttempts(query, wallets, [undefined, ...early], batch) : undefined;
  const acceptsAnyone = addUnrelatedCalls(query, tries, batch);
  return async (node, waits = query.waits) => {
    if (waitsLonger(waits, query.waits)) {
      const again = createBatch();
      const scan = beginScan({ ...query, waits }, again);
      await again.send(node);
      return scan(node);
    }
    const [without, ...results] = simulated?.() ?? [];
    const found: Found = { powers: [], executed: new Set(), acceptsAnyone: acceptsAnyone() };
    let failed = note(found, early, results, without);
    let tried = early.length;
    const blind = tries.length > 0 && (without?.status !== 'ran' || !hasSupply(without));
    let truncated = blind || all.length > maxTries || tries.some((entry) => entry.truncated);
    const accepted = truncated ? [] : await dropRefused(query, rest, node);
    if (!accepted) truncated = true;
    for (const part of inParts(accepted ?? [], inRequest)) {
      if (query.isPastDeadline() || tried >= maxSimulations) {
        truncated = true;
        break;
      }
      const further = createBatch();
      const read = addAttempts(query, wallets, part, further);
      await further.send(node);
      failed = note(found, part, read(), without) || failed;
      tried += part.length;
    }
    return {
      scannedAt: query.now,
      blockNumber: Number(query.base.number),
      functionsTried: tries[0]?.functionsTried ?? 0,
      callsTried: tries.length,
      truncated: truncated || failed || query.areCallersMissing,
      functionsRefused: [...new Set(tries.map(({ attempt }) => attempt.selector))].filter(
        (selector) => !found.executed.has(selector),
      ),
      controlTraded: tries.length === 0 || (without?.status === 'ran' && traderSold(without)),
      powers: found.powers,
    };
  };
}

function toTries({ functions, callers, plan, totalSupply }: PowerQuery, holder: LowerAddress): Try[] {
  const tries = callers.flatMap(({ role, address }) => {
    const held = plan.worth / smallPart;
    const subjects = { holder, caller: address, pool: plan.pool.pool, held, totalSupply };
    const { attempts, ...rest } = toAttempts(functions, subjects);
    const digits = holder.slice(2);
    return attempts.map((attempt) => {
      return { attempt, role, address, ...rest, namesHolder: attempt.data.includes(digits) };
    });
  });
  return tries.sort((a, b) => Number(a.attempt.isErc20) - Number(b.attempt.isErc20));
}

interface Found {
  powers: Power[];
  executed: Set<Hex>;
  /** Functions that do not reject a call of an unrelated account. */
  acceptsAnyone: ReadonlySet<Hex>;
}

/** Adds the powers that the results show. Returns whether a result is missing: no simulation, or out of gas. */
function note(
  { powers, executed, acceptsAnyone }: Found,
  tries: readonly Try[],
  results: readonly ScenarioResult[],
  without: ScenarioResult | undefined,
): boolean {
  if (without?.status !== 'ran') return false;
  for (const [index, result] of results.entries()) {
    const entry = tries[index];
    if (result.status !== 'ran' || !entry) continue;
    const { selector, args } = entry.attempt;
    if (wasExecuted(result, acceptsAnyone.has(selector))) executed.add(selector);
    for (const effect of weighAttempt(result, without, entry.namesHolder)) {
      if (powers.some((power) => power.selector === selector && power.effect === effect)) continue;
      powers.push({ selector, args, name: nameOfFunction(selector), effect, caller: entry.role });
    }
  }
  return results.some((result) => result.status !== 'ran' || ranOutOfGas(result));
}

/** Adds one plain call of each function, sent by an account that is unrelated to the token. */
function addUnrelatedCalls({ token, base }: PowerQuery, tries: readonly Try[], batch: Batch): () => Set<Hex> {
  const unrelated = randomAddress();
  const calls = new Map(
    tries.filter(({ attempt }) => !attempt.isErc20).map(({ attempt }) => [attempt.selector, attempt.data]),
  );
  const entries = [...calls].map(([selector, data]) => ({
    selector,
    reply: batch.addOptional(toCall(token, unrelated, data, base.block)),
  }));
  return () => new Set(entries.filter(({ reply }) => !isRevert(reply())).map(({ selector }) => selector));
}

/**
 * The calls that the token does not refuse, tried as plain calls, which are a hundred times cheaper than simulated trades.
 * Undefined if the time is up.
 */
async function dropRefused(
  { token, base, isPastDeadline }: PowerQuery,
  tries: readonly Try[],
  node: Node,
): Promise<Try[] | undefined> {
  const accepted: Try[] = [];
  for (const part of inParts(tries, plainPerRequest)) {
    if (isPastDeadline()) return undefined;
    const batch = createBatch();
    const replies = part.map(({ attempt, address }) =>
      attempt.needsHolder ? undefined : batch.addOptional(toCall(token, address, attempt.data, base.block)),
    );
    await batch.send(node);
    accepted.push(...part.filter((_, index) => !isRevert(replies[index]?.())));
  }
  return accepted;
}

/** Whether the token refused a call. Other errors are the node's, or the call ran out of gas. */
const isRevert = (reply: RpcReply | undefined) =>
  reply !== undefined && 'error' in reply && (reply.error.code === 3 || /revert/i.test(reply.error.message));

function toCall(token: LowerAddress, from: LowerAddress, data: Hex, block: Hex | 'latest') {
  return { method: 'eth_call', params: [{ from, to: token, data, gas: plainGas }, block] };
}

/** `undefined` among `tries` is the control run: the same trades without a call. */
function addAttempts(
  { token, plan, base, wrapped, callers, waits }: PowerQuery,
  { holder, other, ...same }: { holder: LowerAddress; other: LowerAddress } & Pick<Scenario, 'gasPrice' | 'means'>,
  tries: readonly (Try | undefined)[],
  batch: Batch,
): () => ScenarioResult[] {
  // A call may mint to any of these accounts. With the pool and the token they usually hold most of the supply.
  const watched = [...new Set([other, ...callers.map(({ address }) => address), plan.pool.pool, token])];
  const scenarios = tries.map((entry, index): Scenario => {
    const call = entry && { from: entry.address, data: entry.attempt.data };
    return {
      name: `power ${index}`,
      pool: plan.pool,
      wallet: 'ordinary',
      trader: holder,
      receiver: other,
      ...same,
      funder: plan.funder,
      waits,
      steps: attemptSteps(plan.spend / smallPart, plan.worth / smallPart / 5n, call, watched),
    };
  });
  return addScenarios(batch, scenarios, base, wrapped);
}
