import type { Address, Hex } from 'viem';
import { commonPlanLensArtifact } from '../../../contracts/artifacts/lens/CommonPlanLens.ts';
import { planLensArtifact } from '../../../contracts/artifacts/lens/PlanLens.ts';
import { type LensCode, type LensRequest, newParties, type Parties, randomAddress } from '../../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../../chain/node.ts';
import { packCall } from '../../chain/packedWords.ts';
import { LensAnswerError } from '../../chain/wordReader.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { ChainData } from '../chainData.ts';
import { fundingOf, type Payer } from '../funding/fundingMemory.ts';
import { fundAccounts } from '../funding/fundPayers.ts';
import { loadFunding } from '../funding/loadFunding.ts';
import type { PlanLeg } from '../search/planTypes.ts';
import { executorRelease } from '../transaction/executorState.ts';
import { decodeExecution } from './decodeExecution.ts';
import { encodeExecution, packedThrough } from './encodeExecution.ts';
import type { ExecutionQuery, ExecutionReading, FundedPlan, PlanExecution, PlanRequest } from './executionTypes.ts';

type Block = Hex | 'latest';
type ExecutionData = Pick<ChainData, 'deployment' | 'funding' | 'lens' | 'executor'>;

/** A prepared call, for a batch that the caller sends. */
interface ExecutionRequest {
  request: LensRequest;
  query: ExecutionQuery;
}

/**
 * Executes plans at one block and returns their outputs. One request; the first for a token needs one or two more, to
 * find its storage layout. If all plans revert in the deployed executor, one more executes them at a random address.
 * @param done executions of the same trade at this block: one that does not revert shows that no token refuses the executor
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function executePlans(
  data: ExecutionData,
  tokenIn: LowerAddress,
  plans: readonly PlanRequest[],
  block: Block,
  node: Node,
  done: readonly PlanExecution[] = [],
): Promise<ExecutionReading> {
  const isKnown = data.funding.get(tokenIn) !== undefined;
  await loadFunding(data, node, tokenIn);
  const requests = await toExecutionRequests(data, tokenIn, plans, block, node);
  const answers = await data.lens.readLenses(
    node,
    requests.map(({ request }) => request),
  );
  const readings = requests.map((request, index) =>
    decodeExecutionReply(data, tokenIn, request, answers[index] ?? '0x'),
  );
  const reading = merge(readings as [ExecutionReading, ...ExecutionReading[]]);
  if (reading.funded && plans.length > 0 && unlessRefused([{ executions: done }, reading]).length === 0) {
    const elsewhere = await executePlans({ ...data, executor: undefined }, tokenIn, plans, block, node);
    if (!elsewhere.executions.some(({ run }) => run.status === 'filled')) return reading;
    for (const { plan } of plans) data.executor?.rememberRefusal(tokenIn, plan.tokenOut);
    return elsewhere;
  }
  if (reading.funded || data.funding.get(tokenIn) === 'unknown' || plans.length === 0) return reading;
  // The cached funding no longer works: a proxy upgrade changed the layout, or the balance per share fell. Find it
  // again once.
  data.funding.forget(tokenIn);
  return isKnown ? executePlans(data, tokenIn, plans, block, node, done) : reading;
}

/** Plans of a call share its gas. With up to as many, each has at least 2M, and samples need no call of their own. */
const maxBesideSamples = 12;

/**
 * The calls for `plans`: one shared call, and one for the plans with `separateCall` and samples, or two if these are many.
 * Call `loadFunding` first.
 */
export async function toExecutionRequests(
  data: ExecutionData,
  tokenIn: LowerAddress,
  plans: readonly PlanRequest[],
  block: Block,
  node: Node,
): Promise<ExecutionRequest[]> {
  const shared = plans.filter(({ separateCall, isSample }) => !separateCall && !isSample);
  const separate = plans.filter(({ separateCall, isSample }) => separateCall && !isSample);
  const samples = plans.filter(({ isSample }) => isSample);
  const beside = [...separate, ...samples];
  const calls = [shared, ...(beside.length > maxBesideSamples ? [separate, samples] : [beside])].filter(
    (call) => call.length > 0,
  );
  const requests: ExecutionRequest[] = [];
  for (const call of calls.length > 0 ? calls : [[]]) {
    requests.push(await toExecutionRequest(data, tokenIn, call, block, node));
  }
  return requests;
}

/** The readings of several calls at one block as one. */
function merge([first, ...others]: readonly [ExecutionReading, ...ExecutionReading[]]): ExecutionReading {
  const all = [first, ...others];
  return {
    ...first,
    funded: all.every(({ funded }) => funded),
    gasUsed: all.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    executions: all.flatMap(({ executions }) => executions),
  };
}

/** Call `loadFunding` first. One more request if the token's slots must be read from the node. */
export async function toExecutionRequest(
  data: ExecutionData,
  tokenIn: LowerAddress,
  plans: readonly PlanRequest[],
  block: Block,
  node: Node,
): Promise<ExecutionRequest> {
  const isDeployed = plans.every(({ plan }) => usesExecutor(data, tokenIn, plan.tokenOut, node));
  const parties: Parties = { ...newParties(), ...(isDeployed && { lens: executorAddress }) };
  const { payers, funded } = assignPayers(plans, parties.trader);
  const known = fundingOf(data.funding, tokenIn);
  const funding = known && (await fundAccounts(node, tokenIn, parties.lens, known, payers));
  const { wrappedNative, arbSys } = data.deployment;
  const query = { wrappedNative, arbSys, plans: funded, byExecutor: isDeployed };
  const onPlaced = () => {
    query.byExecutor = false;
    data.executor?.sawMissing(node);
  };
  const probe = encodeExecution(query);
  // The executor has no packed calls: its code is meant for transactions. A funder sends it the call as it is.
  const through = isDeployed && !funding?.funder ? packedThrough(executorAddress) : undefined;
  const call = {
    data: isDeployed ? probe : packCall(probe),
    block,
    parties,
    lens: lensOf(plans),
    isDeployed,
    onPlaced,
  };
  const accounts = { ...funding?.accounts, ...through?.accounts };
  return { request: { ...call, ...funding, ...through, accounts }, query };
}

/** The shorter lens, unless a plan uses a weighted pool. */
function lensOf(plans: readonly PlanRequest[]): LensCode {
  const isWeighted = ({ pool }: PlanLeg) => pool.candidatePool.kind === kinds.weighted;
  return plans.some(({ plan }) => plan.legs.some(isWeighted)) ? planLensArtifact : commonPlanLensArtifact;
}

/** The smallest call of a lens. It shows whether a node runs the code of a state override. */
export const emptyExecution = ({ wrappedNative, arbSys }: Deployment): Pick<LensRequest, 'lens' | 'data'> => ({
  lens: planLensArtifact,
  data: encodeExecution({ wrappedNative, arbSys, plans: [] }),
});

export const executorAddress = toLowerAddress(executorRelease.address);

/** Whether the deployed executor proves trades of these tokens at a node: it has the code, and neither token refuses it. */
export function usesExecutor(
  { executor }: ExecutionData,
  tokenIn: LowerAddress,
  tokenOut: LowerAddress,
  node: Node,
): boolean {
  return executor?.isUsableAt(node) === true && !executor.isRefused(tokenIn, tokenOut);
}

/** The executions; none if all reverted in the deployed executor, because a token may refuse it and no other router. */
export function unlessRefused(readings: readonly Pick<ExecutionReading, 'executions'>[]): PlanExecution[] {
  const executions = readings.flatMap((reading) => reading.executions);
  const mayBeRefused = executions.every(({ run, byExecutor }) => run.status === 'reverted' && byExecutor);
  return mayBeRefused ? [] : executions;
}

/**
 * Decodes the reply to a prepared call, and stores the token's supply in the funding memory.
 * @throws {NodeRefusedError} if the answer does not fit the query
 */
export function decodeExecutionReply(
  data: ExecutionData,
  tokenIn: LowerAddress,
  { query }: Pick<ExecutionRequest, 'query'>,
  words: Hex,
): ExecutionReading {
  try {
    const reading = decodeExecution(words, query);
    const known = fundingOf(data.funding, tokenIn);
    if (known && reading.supply > 0n) known.supply = reading.supply;
    return reading;
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned malformed data for the plan lens.', { cause });
  }
}

/**
 * Plans of the same amount share their accounts, because each plan is reverted before the next. The trader sells the
 * first plan's amount; every account holds exactly what it sells, except for samples, which have one account.
 */
function assignPayers(plans: readonly PlanRequest[], trader: Address): { payers: Payer[]; funded: FundedPlan[] } {
  const first = new Map<bigint, Address>();
  const second = new Map<bigint, Address>();
  const take = (accounts: Map<bigint, Address>, amount: bigint, fresh: Address) => {
    const account = accounts.get(amount) ?? fresh;
    accounts.set(amount, account);
    return account;
  };
  const mostSampled = plans.reduce(
    (most, { plan, isSample }) => (isSample && plan.amountIn > most ? plan.amountIn : most),
    0n,
  );
  const funded = plans.map(({ plan, again, isSample }, index) => ({
    plan,
    payer: take(first, isSample ? mostSampled : plan.amountIn, index === 0 ? trader : randomAddress()),
    secondPayer: again ? take(second, plan.amountIn, randomAddress()) : undefined,
  }));
  const payers = [...first, ...second].map(([amount, account]) => ({ account, amount }));
  return { payers, funded };
}
