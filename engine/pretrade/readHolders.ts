import { type Batch, createBatch } from '../chain/batch.ts';
import { randomAddress } from '../chain/lensCall.ts';
import type { Node } from '../chain/node.ts';
import { type BalanceReading, fromBalanceReplies, toBalanceCalls } from '../chain/readBalances.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import type { HolderBalances } from './checkInputs.ts';
import type { PowerSubject } from './powers/findCallers.ts';
import type { PowerFinding } from './powers/powerMemory.ts';
import type { CreatorScan } from './powers/tryCreators.ts';
import { addScenarios } from './simulation/addTrades.ts';
import { ordinaryGasPrice, randomMeans, type Scenario, type TradePlan } from './simulation/simulationTypes.ts';

/** Maximum number of candidates whose balances are read. */
const maxHolders = 50;
/** Maximum number of holders whose sale is simulated. */
const maxSellers = 4;

export interface HolderQuery extends Pick<PowerSubject, 'token' | 'base' | 'plan' | 'wrapped'> {
  candidates: readonly LowerAddress[];
  /** Accounts that may have large balances although the source does not list them. */
  known: readonly LowerAddress[];
  creator: LowerAddress | undefined;
  /** Does not sell in the simulation: it may be exempt from the rules for other holders. */
  owner: LowerAddress | undefined;
  /** Pools and singletons. They do not sell in the simulation either. */
  pools: ReadonlySet<LowerAddress>;
}

export interface HolderReading {
  balances: HolderBalances;
  creatorBalance: bigint | undefined;
  sales: { tried: number; sold: number } | undefined;
  /** Includes the creator's powers; undefined if they were not tried. */
  powers: PowerFinding | undefined;
}

/**
 * Reads the balances of the candidates at the answer's block and simulates sales of the largest ones, in one round trip.
 * @throws {WrongChainError | NodeRefusedError | BlockGoneError | RpcTransportError}
 */
export async function readHolders(
  query: HolderQuery,
  node: Node,
  beginScan: (batch: Batch) => Promise<CreatorScan | undefined>,
): Promise<HolderReading> {
  const { token, creator, base, pools } = query;
  const holders = [...new Set(query.candidates)].slice(0, maxHolders);
  const known = [...new Set(query.known)].filter((address) => !holders.includes(address));
  const all = [...holders, ...known];
  const batch = createBatch();
  const holdings = [...all, ...(creator ? [creator] : [])].map((holder) => ({ token, holder }));
  const replies = batch.add(...toBalanceCalls(holdings, base.block));
  const exempt = [token, creator, query.owner];
  const sellers = holders.filter((holder) => !pools.has(holder) && !exempt.includes(holder)).slice(0, maxSellers);
  const sales = query.plan ? addSales(batch, query, query.plan, sellers) : undefined;
  const scan = await beginScan(batch);
  // With the header: a node on another fork has other balances at this number.
  await batch.sendWithHeader(node, base.block);

  const read = fromBalanceReplies(holdings, replies()).map(amountOf);
  const balances = all.flatMap((address, index) => {
    const balance = read[index];
    return balance === undefined ? [] : [{ address, balance, listed: index < holders.length }];
  });
  return {
    balances: {
      blockNumber: base.number,
      balances,
      unread: all.length - balances.length,
      unreadListed: read.slice(0, holders.length).filter((balance) => balance === undefined).length,
    },
    creatorBalance: creator && read[all.length],
    sales: sales?.(),
    powers: await scan?.(node),
  };
}

/** Each holder approves, and sells a thousandth of its balance a minute later. */
function addSales(
  batch: Batch,
  { base, wrapped }: HolderQuery,
  plan: TradePlan,
  sellers: readonly LowerAddress[],
): () => { tried: number; sold: number } | undefined {
  const receiver = randomAddress();
  const gasPrice = ordinaryGasPrice(base);
  const scenarios = sellers.map(
    (holder): Scenario => ({
      name: `holder ${holder}`,
      pool: plan.pool,
      wallet: 'ordinary',
      trader: holder,
      receiver,
      gasPrice,
      means: randomMeans(),
      funder: null,
      waits: 'never',
      steps: [
        { action: 'approve', at: 'purchase', account: 'trader' },
        { action: 'sell', at: 'later', account: 'trader', bps: 10 },
      ],
    }),
  );
  const results = addScenarios(batch, scenarios, base, wrapped);
  return () => {
    const sales = results().flatMap((result) => {
      const sale =
        result.status === 'ran' ? result.steps.find(({ step }) => step.action === 'sell')?.result : undefined;
      if (!sale || (sale.ok && sale.action === 'sell' && sale.sent === 0n)) return [];
      return [sale.ok && sale.action === 'sell' && sale.received > 0n];
    });
    return sales.length > 0 ? { tried: sales.length, sold: sales.filter(Boolean).length } : undefined;
  };
}

const amountOf = (reading: BalanceReading) => (reading.status === 'read' ? reading.amount : undefined);
