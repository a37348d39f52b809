import { byChain, deployments, type Flag, type QuoteAnswer } from '../../engine/index.ts';
import {
  createOrderRunner,
  type ExecutableLeg,
  type OrderRunner,
  type SandboxChain,
  type SandboxWallet,
} from '../../sandbox/index.ts';
import { answerFaults } from './answerFaults.ts';
import { createCases, type QuoteCase, readHoldings } from './cases.ts';
import { engineOn, poolsOfPair, seeded } from './market.ts';
import { moveMarket } from './moveMarket.ts';

/** Result of a run of generated quotes. `faults` names each difference; the other numbers count the cases. */
export interface Proof {
  cases: number;
  executed: number;
  twoLegs: number;
  splits: number;
  noRoute: number;
  noToken: number;
  byUsd: number;
  /** Executed answers with TRANSFER_TAX, for the token bought and for the token sold. */
  taxedBuys: number;
  taxedSales: number;
  upwards: number;
  downwards: number;
  families: Record<string, number>;
  venues: Record<string, number>;
  /** Number of executed sizes in each decade below the trader's balance, the largest first. */
  decades: number[];
  faults: string[];
}

/** Trades that are not reverted, so that prices and dynamic fees change. */
const casesBetweenTrades = 25;
const freshnessMs = byChain((chain) => deployments[chain].freshnessMs);

/**
 * Requests generated quotes until enough answers were executed, each in one mined transaction and measured by balances.
 * Also executes the single route of a SPLIT_ROUTE flag, and every pool of the pair if the engine finds no route.
 */
export async function proveCases(
  chain: SandboxChain,
  trader: SandboxWallet,
  {
    executions,
    seed,
    openRunner = createOrderRunner,
  }: { executions: number; seed: number; openRunner?: typeof createOrderRunner },
): Promise<Proof> {
  let now = Date.now();
  const { engine } = engineOn(chain, [], { now: () => now, freshnessMs });
  await engine.start();
  const runner = await openRunner(chain, trader);
  const holdings = await readHoldings(chain, trader.address);
  const random = seeded(seed);
  const nextCase = createCases(chain, holdings, random);
  const proof = emptyProof();

  for (let index = 1; proof.executed < executions; index++) {
    if (index > executions * 3) throw new Error(`Of ${index} cases only ${proof.executed} could be executed.`);
    if (index % casesBetweenTrades === 0) {
      now += 60_000;
      await moveMarket(engine, runner, nextCase(), holdings, random);
    }
    const quoteCase = nextCase();
    now += 60_000;
    const answer = await engine.quote(quoteCase.query);
    const held = holdings.get(quoteCase.tokenIn.address) ?? 0n;
    const faults = [
      ...answerFaults(answer, {
        freshnessMs: freshnessMs[chain.name],
        usd: 'usd' in quoteCase.query.size,
        finer: quoteCase.finer,
      }),
      ...(await chainFaults(chain, runner, quoteCase, answer, held)),
    ];
    count(proof, quoteCase, answer, held);
    const route = answer.route.legs.map(({ venue, pool }) => `${venue} ${pool}`).join(' / ');
    for (const fault of faults) proof.faults.push(`${describe(quoteCase)}, case ${index}, ${route}: ${fault}`);
  }
  return proof;
}

async function chainFaults(
  chain: SandboxChain,
  runner: OrderRunner,
  { query, amountIn: requested }: QuoteCase,
  answer: QuoteAnswer,
  held: bigint,
): Promise<string[]> {
  const { amountIn, amountOut, route, flags } = answer;
  if (flags.some(({ code }) => code === 'NOT_A_TOKEN')) return [];
  const isPriced = requested === undefined || requested === amountIn;
  const faults = isPriced ? [] : [`priced ${amountIn}, requested ${requested}`];
  if (amountIn > held || amountIn === 0n) return faults;
  if (route.legs.length === 0) {
    for (const { venue, pool } of poolsOfPair(chain, query.tokenIn, query.tokenOut)) {
      const leg: ExecutableLeg = { venue, pool, tokenIn: query.tokenIn, tokenOut: query.tokenOut };
      const { movements } = await runner.tryOrders([{ legs: [leg], amountIn }]);
      const [paid] = movements;
      if (!paid || paid.received === 0n) continue;
      if (flags.some(({ code }) => code === 'VENUE_UNREAD')) continue;
      faults.push(`no route, ${venue} ${pool} pays ${paid.received}`);
    }
    return faults;
  }
  const { movements, reverted } = await runner.tryOrders([{ legs: route.legs, amountIn }]);
  const [paid] = movements;
  if (!paid) faults.push(`quoted ${amountOut}, cannot be executed: ${reverted}`);
  else if (paid.received !== amountOut) faults.push(`quoted ${amountOut}, paid ${paid.received}`);
  if (paid && paid.spent !== amountIn) faults.push(`priced ${amountIn}, spent ${paid.spent}`);
  const split = flags.find(({ code }) => code === 'SPLIT_ROUTE');
  return split ? [...faults, ...(await splitFaults(runner, answer, split))] : faults;
}

interface SplitFacts {
  gainBps: number;
  single: { amountOut: string; legs: ExecutableLeg[] };
}

/** Checks that the best single route of a split pays the amount in the flag. */
async function splitFaults(
  runner: OrderRunner,
  { amountIn, amountOut }: QuoteAnswer,
  { facts }: Flag,
): Promise<string[]> {
  const { gainBps, single } = facts as unknown as SplitFacts;
  const legs = single.legs.map(({ venue, pool, tokenIn, tokenOut }) => ({ venue, pool, tokenIn, tokenOut }));
  const { movements, reverted } = await runner.tryOrders([{ legs, amountIn }]);
  const paid = movements[0]?.received;
  if (paid === undefined) return [`the single route cannot be executed: ${reverted}`];
  const faults = paid === BigInt(single.amountOut) ? [] : [`the single route states ${single.amountOut}, pays ${paid}`];
  const gain = Number(((amountOut - paid) * 10_000n) / paid);
  return gain === gainBps ? faults : [...faults, `gainBps is ${gainBps}, executions show ${gain}`];
}

function emptyProof(): Proof {
  const counts = {
    cases: 0,
    executed: 0,
    twoLegs: 0,
    splits: 0,
    noRoute: 0,
    noToken: 0,
    byUsd: 0,
    taxedBuys: 0,
    taxedSales: 0,
  };
  return { ...counts, upwards: 0, downwards: 0, families: {}, venues: {}, decades: Array(9).fill(0), faults: [] };
}

function count(proof: Proof, { query, tokenIn, tokenOut }: QuoteCase, answer: QuoteAnswer, held: bigint): void {
  const { legs } = answer.route;
  const codes = answer.flags.map(({ code }) => code);
  proof.cases += 1;
  if ('usd' in query.size) proof.byUsd += 1;
  if (codes.includes('NOT_A_TOKEN')) proof.noToken += 1;
  else if (legs.length === 0) proof.noRoute += 1;
  if (legs.length === 0 || answer.amountIn > held) return;
  proof.executed += 1;
  if (legs.length === 2) proof.twoLegs += 1;
  if (codes.includes('SPLIT_ROUTE')) proof.splits += 1;
  const taxedSides = answer.flags.filter(({ code }) => code === 'TRANSFER_TAX').map(({ facts }) => facts?.side);
  if (taxedSides.includes('buy')) proof.taxedBuys += 1;
  if (taxedSides.includes('sell')) proof.taxedSales += 1;
  if (BigInt(tokenIn.address) < BigInt(tokenOut.address)) proof.upwards += 1;
  else proof.downwards += 1;
  for (const { dex, venue } of legs) {
    proof.families[dex] = (proof.families[dex] ?? 0) + 1;
    proof.venues[venue] = (proof.venues[venue] ?? 0) + 1;
  }
  const decade = Math.min(8, Math.floor(Math.log10(Number(held) / Number(answer.amountIn))));
  proof.decades[decade] = (proof.decades[decade] ?? 0) + 1;
}

function describe({ query, tokenIn, tokenOut }: QuoteCase): string {
  return `${JSON.stringify(query.size)} ${tokenIn.symbol} -> ${tokenOut.symbol}`;
}
