import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, pad } from 'viem';
import type { MinedReceipt } from '../../sandbox/execution/walletSender.ts';
import type { TestToken, TestTokenPool } from '../../sandbox/index.ts';
import type { NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import type { TradeSetup } from '../../sandbox/testTokens/measurement/holdings.ts';
import { submit, type Trader } from '../../sandbox/testTokens/measurement/traders.ts';
import type { Transaction } from '../../sandbox/testTokens/sendTransactions.ts';
import { approval } from '../../sandbox/testTokens/trades.ts';
import type { SimulatedStep, SimulatedTrade } from './simulatedTrades.ts';

/** Result of a step as text, in the same format for a simulated and a real step. */
type Line = string;

/** One simulated trade and the wallets that replay it. */
export interface ReplayJob {
  setup: TradeSetup;
  trade: SimulatedTrade;
  trader: Trader;
  receiver: Trader;
}

interface PlannedTransaction {
  job: ReplayJob;
  step: SimulatedStep;
  by: Trader;
  transaction: Transaction;
}

/**
 * Replays simulated trades by mined transactions of wallets through real routers, in blocks of the same number and time.
 * Trades of different tokens share the blocks. Automine must be off, and the head must be the block that the simulations
 * started from.
 */
export async function replayTrades(node: NodeClient, jobs: readonly ReplayJob[]): Promise<Map<ReplayJob, Line[]>> {
  const lines = new Map(jobs.map((job) => [job, [] as Line[]]));
  const planners = new Map(jobs.map((job) => [job, planTransactions(job)]));
  for (const { number, timestamp } of blocksOf(jobs)) {
    const due = jobs.flatMap((job) => {
      const steps = job.trade.blocks.find((block) => block.number === number)?.steps ?? [];
      return steps.map((step): PlannedTransaction => ({ job, step, ...(planners.get(job) as Planner)(step) }));
    });
    const before = await readBalances(node, jobs);
    const receipts = await mineAt(node, due, number, timestamp);
    const after = await readBalances(node, jobs);
    for (const [index, { job, step }] of due.entries()) {
      const receipt = receipts[index] as MinedReceipt;
      const bought = (after.get(job) ?? 0n) - (before.get(job) ?? 0n);
      lines.get(job)?.push(describeReal(job, step, receipt, sellsInPurchaseBlock(job.trade) ? undefined : bought));
    }
  }
  return new Map([...lines].map(([job, list]) => [job, list.filter((line) => line !== '')]));
}

type Planner = (step: SimulatedStep) => { by: Trader; transaction: Transaction };

function planTransactions({ setup: { market, testToken }, trade, trader, receiver }: ReplayJob): Planner {
  if (!market) throw new TypeError(`${testToken.symbol} has no market.`);
  const { exchange } = market;
  /** Balances of trader and receiver in the simulation, from which the amount of a refused sale is computed. */
  let left = 0n;
  let given = 0n;
  return (step) => {
    if (step.action === 'buy') {
      left = step.received === null ? 0n : min(step.received, step.nominal);
      return { by: trader, transaction: exchange.buy(step.amount, trader.address) };
    }
    if (step.action === 'approve') {
      const by = isTrader(trade, step.by) ? trader : receiver;
      return { by, transaction: approval(testToken.address, exchange.spender) };
    }
    if (step.action === 'sell') {
      const by = isTrader(trade, step.seller) ? trader : receiver;
      const amount = step.sent ?? ((by === trader ? left : given) * step.bps) / 10_000n;
      if (by === trader && step.received > 0n) left -= amount;
      return { by, transaction: exchange.dump(amount, by.address) };
    }
    if (step.done) {
      left -= step.amount;
      given += step.amount;
    }
    const args = [receiver.address, step.amount] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
    return { by: trader, transaction: { to: testToken.address, data } };
  };
}

const isTrader = (trade: SimulatedTrade, address: Address) => trade.byContract || same(address, trade.trader);

function blocksOf(jobs: readonly ReplayJob[]): { number: bigint; timestamp: bigint }[] {
  const times = new Map<bigint, bigint>();
  for (const { trade } of jobs) {
    for (const { number, timestamp } of trade.blocks) {
      if ((times.get(number) ?? timestamp) !== timestamp) throw new Error('Two simulations saw different times.');
      times.set(number, timestamp);
    }
  }
  return [...times].map(([number, timestamp]) => ({ number, timestamp })).sort((a, b) => Number(a.number - b.number));
}

async function readBalances(node: NodeClient, jobs: readonly ReplayJob[]): Promise<Map<ReplayJob, bigint>> {
  const words = await node.batch<Hex>(
    jobs.map(({ setup, trader }) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [trader.address] });
      return { method: 'eth_call', params: [{ to: setup.testToken.address, data }, 'latest'] };
    }),
  );
  return new Map(jobs.map((job, index) => [job, BigInt((words[index] ?? '0x0').slice(0, 66))]));
}

/** Results of a simulated trade's steps. */
export function describeSimulated(trade: SimulatedTrade): Line[] {
  const withoutAmount = sellsInPurchaseBlock(trade);
  return trade.blocks
    .flatMap(({ steps }) => steps.map((step) => describeStep(step, withoutAmount)))
    .filter((line) => line !== '');
}

/** Whether the trade sells in the block of a purchase: then no balance can be read between the two. */
function sellsInPurchaseBlock({ blocks }: SimulatedTrade): boolean {
  return blocks.some(({ steps }) => ['buy', 'sell'].every((kind) => steps.some(({ action }) => action === kind)));
}

function describeStep(step: SimulatedStep, withoutAmount: boolean): Line {
  if (step.action === 'buy' && withoutAmount) return step.received ? 'bought' : 'purchase refused';
  if (step.action === 'buy') return step.received ? `bought ${step.received}` : 'purchase refused';
  if (step.action === 'sell') {
    if (step.sent === 0n) return 'nothing to sell';
    return step.received > 0n ? `sold for ${step.received}` : 'sale refused';
  }
  if (step.action === 'transfer') return step.done ? 'transferred' : 'transfer refused';
  return '';
}

function describeReal(
  { setup, trade, trader, receiver }: ReplayJob,
  step: SimulatedStep,
  { status, logs }: MinedReceipt,
  bought: bigint | undefined,
): Line {
  const done = status === '0x1';
  if (step.action === 'buy') {
    if (bought === undefined) return done ? 'bought' : 'purchase refused';
    return done && bought > 0n ? `bought ${bought}` : 'purchase refused';
  }
  if (step.action === 'transfer') return done ? 'transferred' : 'transfer refused';
  if (step.action === 'approve') return '';
  if (step.sent === 0n) return 'nothing to sell';
  const seller = isTrader(trade, step.seller) ? trader : receiver;
  const to = pad(seller.address, { size: 32 }).toLowerCase();
  const counter = setup.market?.pool.counter ?? '';
  const paid = logs
    .filter(({ address, topics }) => same(address, counter) && topics[0] === transferTopic && topics[2] === to)
    .reduce((sum, { data }) => sum + BigInt(data), 0n);
  return done && paid > 0n ? `sold for ${paid}` : 'sale refused';
}

const transferTopic: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Mines empty blocks, then block `number` with these transactions at `timestamp`. */
async function mineAt(
  node: NodeClient,
  due: readonly PlannedTransaction[],
  number: bigint,
  timestamp: bigint,
): Promise<MinedReceipt[]> {
  const head = await node.call<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
  const gap = Number(number - BigInt(head.number) - 1n);
  if (gap < 0) throw new RangeError(`The chain is at block ${head.number}, past the simulated block ${number}.`);
  // Each with its time, as in the simulation: the node's clock would add the time that mining takes.
  for (let block = 1; block <= gap; block += 1) {
    await node.call('evm_setNextBlockTimestamp', [numberToHex(BigInt(head.timestamp) + BigInt(block))]);
    await node.call('evm_mine');
  }
  const hashes: Hex[] = [];
  for (const [by, group] of byWallet(due)) {
    const gasPriceLevel = group.some(({ planned }) => planned.job.trade.gasPrice > 10n ** 11n) ? 'high' : 'ordinary';
    const transactions = group.map(({ planned }) => planned.transaction);
    for (const [index, hash] of (await submit(node, by, transactions, gasPriceLevel)).entries()) {
      const at = group[index]?.at;
      if (at !== undefined) hashes[at] = hash;
    }
  }
  await node.call('evm_setNextBlockTimestamp', [numberToHex(timestamp)]);
  await node.call('evm_mine');
  const receipts = await node.batch<MinedReceipt | null>(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  return receipts.map((receipt, index) => {
    if (!receipt) throw new Error(`Transaction ${hashes[index]} was not mined in its block.`);
    return receipt;
  });
}

/** Groups transactions by their sender. */
function byWallet(due: readonly PlannedTransaction[]): Map<Trader, { planned: PlannedTransaction; at: number }[]> {
  const groups = new Map<Trader, { planned: PlannedTransaction; at: number }[]>();
  for (const [at, planned] of due.entries()) {
    groups.set(planned.by, [...(groups.get(planned.by) ?? []), { planned, at }]);
  }
  return groups;
}

/** The test token's pool in which the simulation traded. */
export function poolOf({ pools }: TestToken, { pool }: SimulatedTrade): TestTokenPool | undefined {
  return pools.find(({ pool: address, key, counter }) => {
    if (!same(counter, pool.counter)) return false;
    if (!key) return same(address, pool.pool);
    return key.fee === pool.fee && key.tickSpacing === pool.spacing && same(key.hooks, pool.hooks);
  });
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
const min = (a: bigint, b: bigint) => (a < b ? a : b);
