import { type Address, type Hex, numberToHex } from 'viem';
import type { Node } from '../../chain/nodes.ts';
import { createBatch, resultOf } from '../batch.ts';
import type { ContractFunction } from '../bytecode/readFunctions.ts';
import { namedFunctions } from '../bytecode/signatures.ts';
import type { Power, PowerScan } from '../pretradePorts.ts';
import { fromSimulation } from '../simulation/fromSimulation.ts';
import { freshAddress, type TradePlan } from '../simulation/planScenarios.ts';
import type { Scenario, ScenarioResult, SimulationBase } from '../simulation/simulationTypes.ts';
import { toSimulation } from '../simulation/toSimulation.ts';
import { type Attempt, toAttempts } from './attempts.ts';
import { attemptSteps, weighAttempt } from './weighAttempt.ts';

export interface PowerQuestion {
  token: Address;
  functions: readonly ContractFunction[];
  /** Who may hold a power, with the word the answer uses: `owner`, `hidden owner` … */
  callers: readonly { role: string; address: Address }[];
  plan: TradePlan;
  totalSupply: bigint;
  base: SimulationBase;
  wrapped: Address;
  /** No further request is begun after this moment. */
  until: () => boolean;
  now: number;
}

/** Calls of one HTTP request: what hosted nodes take at once. */
const perRequest = 24;
/** Simulations of one scan. */
const mostSimulations = 96;
const smallPart = 100n;

/**
 * Executes what owners could do, and sells afterwards. First every call alone, to drop those that the token refuses;
 * then each of the others between a purchase and two sales. A fact about the token, never a verdict.
 * @throws {RpcTransportError}
 */
export async function scanPowers(question: PowerQuestion, node: Node): Promise<PowerScan> {
  const { plan, functions, callers, totalSupply, base } = question;
  const holder = freshAddress(`${question.token} holder ${base.number}`);
  const tries = callers.flatMap(({ role, address }) => {
    const { attempts, ...rest } = toAttempts(functions, {
      holder,
      caller: address,
      held: plan.worth / smallPart,
      totalSupply,
    });
    return attempts.map((attempt) => ({ attempt, role, address, ...rest }));
  });
  const accepted = await dropRefused(question, tries, node);
  const chosen = accepted.slice(0, mostSimulations);
  let truncated = accepted.length > chosen.length || tries.some((entry) => entry.truncated);

  const [without] = await simulate(question, holder, [undefined], node);
  const powers: Power[] = [];
  for (let at = 0; at < chosen.length; at += perRequest) {
    if (without?.status !== 'ran' || question.until()) {
      truncated = true;
      break;
    }
    const part = chosen.slice(at, at + perRequest);
    const results = await simulate(
      question,
      holder,
      part.map(({ attempt, address }) => ({ from: address, data: attempt.data })),
      node,
    );
    for (const [index, result] of results.entries()) {
      const entry = part[index];
      if (result.status !== 'ran' || !entry) continue;
      for (const effect of weighAttempt(result, without)) {
        const { selector, args } = entry.attempt;
        const known = powers.some((power) => power.selector === selector && power.effect === effect);
        if (!known)
          powers.push({ selector, args, name: namedFunctions.get(selector)?.name ?? null, effect, caller: entry.role });
      }
    }
  }
  return {
    scannedAt: question.now,
    blockNumber: Number(base.number),
    functionsTried: tries[0]?.functionsTried ?? 0,
    callsTried: tries.length,
    truncated,
    powers,
  };
}

interface Try {
  attempt: Attempt;
  role: string;
  address: Address;
  truncated: boolean;
  functionsTried: number;
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

async function simulate(
  { plan, base, wrapped, token }: PowerQuestion,
  holder: Address,
  calls: readonly ({ from: Address; data: Hex } | undefined)[],
  node: Node,
): Promise<ScenarioResult[]> {
  const batch = createBatch();
  const entries = calls.map((call, index) => {
    const scenario: Scenario = {
      name: `power ${index}`,
      pool: plan.pool,
      wallet: 'ordinary',
      trader: holder,
      receiver: freshAddress(`${token} other holder ${base.number}`),
      gasPrice: base.baseFee * 2n + 10_000_000n,
      whale: plan.whale,
      steps: attemptSteps(plan.spend / smallPart, plan.worth / smallPart / 5n, call),
    };
    const { call: request, layout } = toSimulation(scenario, base, wrapped);
    return { scenario, layout, reply: batch.add(request) };
  });
  await batch.send(node);
  return entries.map(({ scenario, layout, reply }) => fromSimulation(scenario, layout, resultOf(reply()[0])).outcome);
}
