import { numberToHex } from 'viem';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { pinBlock } from '../../chain/pinBlock.ts';
import type { MarketRead } from '../../quote/market/prepareMarket.ts';
import type { B20Ledger } from '../b20/b20Ledger.ts';
import { toSubjects } from '../b20/readB20.ts';
import type { ExitReading, LoggedPool } from '../exit/exitTypes.ts';
import { hasMoved, planTrades, type WeighedPools, weighPools } from '../planTrades.ts';
import type { ScenarioResult, TradePlan } from '../simulation/simulationTypes.ts';
import type { Waits } from '../simulation/waiting.ts';
import type { PretradeEnvironment, ReadOptions } from '../tokenReading.ts';
import { addProof } from './marketCalls.ts';
import { addTradesAt, toPinned } from './readInputs.ts';

/** Trades in the pools of the first read. */
export interface StartedTrades {
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
export interface FirstMeasurement {
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
export async function startTrades(
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
