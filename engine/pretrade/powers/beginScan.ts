import { type Address, type Hex, numberToHex } from 'viem';
import type { Node } from '../../chain/node.ts';
import { newSalt } from '../../quote/readFunded.ts';
import { type Batch, createBatch, resultOf } from '../batch.ts';
import type { ContractFunction } from '../bytecode/readFunctions.ts';
import { findNamedFunction } from '../bytecode/signatures.ts';
import type { Power, PowerCaller, PowerScan } from '../pretradePorts.ts';
import { fromSimulation } from '../simulation/fromSimulation.ts';
import { freshAddress } from '../simulation/planScenarios.ts';
import type { Scenario, ScenarioResult, SimulationBase, TradePlan } from '../simulation/simulationTypes.ts';
import { toSimulation } from '../simulation/toSimulation.ts';
import { type Attempt, toAttempts } from './attempts.ts';
import { attemptSteps, traderSold, wasExecuted, weighAttempt } from './weighAttempt.ts';

export interface PowerQuestion {
  token: Address;
  functions: readonly ContractFunction[];
  /** Who may hold a power, with the word the answer uses. The likeliest first. */
  callers: readonly { role: PowerCaller; address: Address }[];
  plan: TradePlan;
  totalSupply: bigint;
  base: SimulationBase;
  wrapped: Address;
  /** Role holders or former owners are missing among the callers. */
  callersUnread: boolean;
  /** No further request is begun after this moment. */
  until: () => boolean;
  now: number;
}

/** Simulations of one HTTP request; each carries some 25 kB. */
const perRequest = 40;
/** Simulations of one scan. */
const mostSimulations = 120;
const smallPart = 100n;

/** Weighs what came back, asking for the rest of it. @throws {RpcTransportError} */
export type Scan = (node: Node) => Promise<PowerScan>;

interface Try {
  attempt: Attempt;
  role: PowerCaller;
  address: Address;
  truncated: boolean;
  functionsTried: number;
}

/**
 * Executes what owners could do, and sells afterwards: each call between a purchase and two sales. The first part of it
 * joins a batch that goes out anyway; of the rest, calls that the token refuses by themselves are dropped first. A fact
 * about the token, never a verdict.
 */
export function beginScan(question: PowerQuestion, batch: Batch): Scan {
  const wallets = { holder: freshAddress(`${newSalt()}`), other: freshAddress(`${newSalt()}`) };
  const tries = toTries(question, wallets.holder);
  const [early, rest] = [tries.slice(0, perRequest), tries.slice(perRequest)];
  const simulated = tries.length > 0 ? addAttempts(question, wallets, [undefined, ...early], batch) : undefined;
  return async (node) => {
    const [without, ...results] = simulated?.() ?? [];
    const [powers, executed]: [Power[], Set<Hex>] = [[], new Set()];
    let failed = note({ powers, executed }, early, results, without);
    let tried = early.length;
    const blind = tries.length > 0 && without?.status !== 'ran';
    let truncated = blind || tries.some((entry) => entry.truncated);
    const accepted = rest.length > 0 && !truncated ? await dropRefused(question, rest, node) : rest;
    for (let at = 0; at < accepted.length; at += perRequest) {
      if (truncated || question.until() || tried >= mostSimulations) {
        truncated = true;
        break;
      }
      const part = accepted.slice(at, at + perRequest);
      const further = createBatch();
      const read = addAttempts(question, wallets, part, further);
      await further.send(node);
      failed = note({ powers, executed }, part, read(), without) || failed;
      tried += part.length;
    }
    return {
      scannedAt: question.now,
      blockNumber: Number(question.base.number),
      functionsTried: tries[0]?.functionsTried ?? 0,
      callsTried: tries.length,
      truncated: truncated || failed || question.callersUnread,
      functionsRefused: [...new Set(tries.map(({ attempt }) => attempt.selector))].filter(
        (selector) => !executed.has(selector),
      ),
      controlTraded: tries.length === 0 || (without?.status === 'ran' && traderSold(without)),
      powers,
    };
  };
}

function toTries({ functions, callers, plan, totalSupply }: PowerQuestion, holder: Address): Try[] {
  return callers.flatMap(({ role, address }) => {
    const held = plan.worth / smallPart;
    const { attempts, ...rest } = toAttempts(functions, {
      holder,
      caller: address,
      pool: plan.pool.pool,
      held,
      totalSupply,
    });
    return attempts.map((attempt) => ({ attempt, role, address, ...rest }));
  });
}

/** Returns whether a simulation did not run, so that its call was not judged. */
function note(
  { powers, executed }: { powers: Power[]; executed: Set<Hex> },
  tries: readonly Try[],
  results: readonly ScenarioResult[],
  without: ScenarioResult | undefined,
): boolean {
  if (without?.status !== 'ran') return false;
  for (const [index, result] of results.entries()) {
    const entry = tries[index];
    if (result.status !== 'ran' || !entry) continue;
    const { selector, args } = entry.attempt;
    if (wasExecuted(result)) executed.add(selector);
    for (const effect of weighAttempt(result, without, args)) {
      if (powers.some((power) => power.selector === selector && power.effect === effect)) continue;
      powers.push({ selector, args, name: findNamedFunction(selector)?.name ?? null, effect, caller: entry.role });
    }
  }
  return results.some(({ status }) => status !== 'ran');
}

/** A plain call is a hundred times cheaper than a trade around it. */
async function dropRefused({ token, base }: PowerQuestion, tries: readonly Try[], node: Node): Promise<Try[]> {
  const batch = createBatch();
  const replies = tries.map(({ attempt, address }) =>
    attempt.needsHolder ? undefined : batch.add(toCall(token, address, attempt.data, base.block)),
  );
  await batch.send(node);
  return tries.filter((_, index) => {
    const reply = replies[index];
    return !reply || resultOf(reply()[0]) !== undefined;
  });
}

function toCall(token: Address, from: Address, data: Hex, block: Hex | 'latest') {
  return { method: 'eth_call', params: [{ from, to: token, data, gas: numberToHex(2_000_000) }, block] };
}

/** `undefined` stands for the same life without any call. */
function addAttempts(
  { plan, base, wrapped }: PowerQuestion,
  { holder, other }: { holder: Address; other: Address },
  tries: readonly (Try | undefined)[],
  batch: Batch,
): () => ScenarioResult[] {
  const entries = tries.map((entry, index) => {
    const call = entry && { from: entry.address, data: entry.attempt.data };
    const scenario: Scenario = {
      name: `power ${index}`,
      pool: plan.pool,
      wallet: 'ordinary',
      trader: holder,
      receiver: other,
      gasPrice: base.baseFee * 2n + 10_000_000n,
      whale: plan.whale,
      steps: attemptSteps(plan.spend / smallPart, plan.worth / smallPart / 5n, call),
    };
    const { call: request, layout } = toSimulation(scenario, base, wrapped);
    return { scenario, layout, reply: batch.addOptional(request) };
  });
  return () => entries.map(({ scenario, layout, reply }) => fromSimulation(scenario, layout, resultOf(reply())));
}
