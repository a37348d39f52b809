import { maxUint256 } from 'viem';
import { planLensArtifact } from '../../../contracts/artifacts/lens/PlanLens.ts';
import { newParties, type Parties, randomAddress, type StateOverride, toPlacedCode } from '../../chain/lensCall.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { TriedRoutes } from '../../pools/decodeStates.ts';
import type { RouteTrial } from '../../pools/stateQuery.ts';
import { isSingleton } from '../../venues/kinds.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import { hasSwapHook } from '../../venues/uniswapV4/poolKey.ts';
import type { ChainData } from '../chainData.ts';
import { type Funding, fundingOf, isSourced } from '../funding/fundingMemory.ts';
import { fundAccounts } from '../funding/fundPayers.ts';
import { decodeExecutionReply, executorAddress, usesExecutor } from '../plan/executePlans.ts';
import type { PlanExecution } from '../plan/executionTypes.ts';
import { toBaseUnits } from '../query/parseSize.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import type { Plan } from '../search/planTypes.ts';

/** TCP starts slowly again after a pause of a retransmission timeout, which is 200 ms or more. */
const idleConnectionMs = 1_000;

/** A sale that the call for the states of a new market also executes on a few routes. */
interface PreparedTrial {
  trial: RouteTrial;
  accounts: StateOverride;
  parties: Parties;
}

/**
 * Prepares the trial of a query. Undefined if its amount or the token's storage layout is unknown, because the trial
 * must need no other request. Also undefined if the trial needs the code of PlanLens and the connection was idle: this code
 * takes one round trip more there, so that a single route takes as many round trips with a second request, and a split
 * one less without a trial.
 */
export async function prepareTrial(
  data: ChainData,
  { tokenIn, tokenOut, size }: QuoteQuery,
  node: Node,
): Promise<PreparedTrial | undefined> {
  const known = fundingOf(data.funding, tokenIn);
  // A trial runs inside the state lens, where no source can send calls.
  if (!known || size.unit === 'usd' || isSourced(known) || needsSlotRead(known)) return undefined;
  const { amount } = toBaseUnits(size, known.decimals);
  if (amount === 0n || amount > (known.supply || maxUint256)) return undefined;
  const isDeployed = usesExecutor(data, tokenIn, tokenOut, node);
  if (!isDeployed && (node.idleMs?.() ?? 0) > idleConnectionMs) return undefined;
  const parties = newParties();
  const [lens, secondPayer] = [isDeployed ? executorAddress : randomAddress(), randomAddress()];
  const payers = [parties.trader, secondPayer].map((account) => ({ account, amount }));
  const funded = await fundAccounts(node, tokenIn, lens, known, payers);
  if (!funded) return undefined;
  return {
    trial: { lens, payer: parties.trader, secondPayer, amount },
    accounts: { ...funded.accounts, ...(!isDeployed && { [lens]: { code: toPlacedCode(planLensArtifact) } }) },
    parties,
  };
}

/** The lens does not compute pools whose hook acts on swaps. */
const hasHook = ({ candidatePool }: PoolRef) => isSingleton(candidatePool.kind) && hasSwapHook(candidatePool.hooks);

/** Whether the token's slots must be read from the node. */
const needsSlotRead = ({ balances, allowances }: Funding) => 'position' in balances || 'position' in allowances;

/**
 * The filled executions of a trial. The first route and the routes over pools with hooks were executed twice.
 * @throws {NodeRefusedError} the answer is malformed
 */
export function decodeTrial(
  data: ChainData,
  { tokenIn, tokenOut }: QuoteQuery,
  { lens, amount, payer, secondPayer }: RouteTrial,
  { routes, words }: TriedRoutes,
): readonly PlanExecution[] {
  // The block is older than the deployment of the executor, or the node lags.
  if (words === '0x') return [];
  const plans = routes.map((pools, index) => ({
    plan: toPlan(pools, tokenIn, tokenOut, amount),
    payer,
    secondPayer: index === 0 || pools.some(hasHook) ? secondPayer : undefined,
  }));
  const { wrappedNative, arbSys } = data.deployment;
  const { funded, executions } = decodeExecutionReply(
    data,
    tokenIn,
    { query: { wrappedNative, arbSys, plans, byExecutor: lens === executorAddress } },
    words,
  );
  // A failed execution may have had too little gas after the state reads; a separate call of the plan lens has all of it.
  const isFilled = ({ run, again }: PlanExecution) =>
    run.status === 'filled' && (again === undefined || again.status === 'filled');
  return funded ? executions.filter(isFilled).map((execution) => ({ ...execution, isWarm: true })) : [];
}

function toPlan(pools: readonly PoolRef[], tokenIn: LowerAddress, tokenOut: LowerAddress, amountIn: bigint): Plan {
  let token = tokenIn;
  const legs = pools.map((pool) => {
    const sold = token;
    token = pool.token0 === sold ? pool.token1 : pool.token0;
    return { pool, tokenIn: sold, tokenOut: token, shareBps: 10_000 };
  });
  return { tokenIn, tokenOut, amountIn, legs };
}
