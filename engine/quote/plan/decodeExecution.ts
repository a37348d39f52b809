import type { Hex } from 'viem';
import { createWordReader, LensAnswerError, type WordReader } from '../../chain/wordReader.ts';
import type { Plan } from '../search/planTypes.ts';
import {
  type ExecutionQuery,
  type ExecutionReading,
  type Fill,
  type PlanExecution,
  type PlanRun,
  runStatuses,
} from './executionTypes.ts';

/** The first word of an answer (`_write` of contracts/lens/PlanProbes.sol). */
const layoutVersion = 1;
const headWords = 10;
const wordsOfRun = 5;
const wordsOfLeg = 4;

/**
 * Decodes the answer to `query` and checks it against the plans: their number, the amounts that each leg had to sell,
 * and the length. A wrong amount that fits the plan is not detected here.
 * @throws {LensAnswerError}
 */
export function decodeExecution(words: Hex, { plans, byExecutor }: ExecutionQuery): ExecutionReading {
  const expected = plans.reduce(
    (sum, { plan, secondPayer }) => sum + (secondPayer ? 2 : 1) * (wordsOfRun + plan.legs.length * wordsOfLeg),
    headWords,
  );
  if (words.length !== 2 + 64 * expected) {
    throw new LensAnswerError(`${(words.length - 2) / 64} words, expected ${expected}.`);
  }
  const reader = createWordReader(words);
  const version = reader.int();
  if (version !== layoutVersion) throw new LensAnswerError(`Layout version ${version}, expected ${layoutVersion}.`);
  const count = reader.int();
  if (count !== plans.length) throw new LensAnswerError(`${count} plans, expected ${plans.length}.`);
  return {
    blockNumber: reader.big(),
    timestamp: reader.big(),
    parentHash: `0x${reader.hex()}`,
    funded: reader.int() === 1,
    balance: reader.big(),
    allowance: reader.big(),
    supply: reader.big(),
    gasUsed: reader.big(),
    executions: plans.map(({ plan, secondPayer }): PlanExecution => {
      const run = decodeRun(reader, plan);
      const again = secondPayer ? decodeRun(reader, plan) : undefined;
      if (again && (again.status === 'not-run') !== (run.status !== 'filled')) {
        throw new LensAnswerError('A second execution does not match the first.');
      }
      return { plan, run, again, ...(byExecutor && { byExecutor }) };
    }),
  };
}

function decodeRun(reader: WordReader, plan: Plan): PlanRun {
  const code = reader.int();
  const status = runStatuses[code];
  if (status === undefined) throw new LensAnswerError(`Unknown status ${code}.`);
  const ended = reader.int();
  const reason: Hex = `0x${reader.hex().slice(-8)}`;
  const received = reader.big();
  const gas = reader.big();
  const legs = plan.legs.map(() => ({
    amountIn: reader.big(),
    arrived: reader.big(),
    nominal: reader.big(),
    amountOut: reader.big(),
  }));
  if (!(ended <= legs.length)) throw new LensAnswerError(`A plan of ${legs.length} legs ended at leg ${ended}.`);
  const run = { status, failedLeg: undefined, reason, received, gas, legs };
  if (status !== 'filled') return { ...run, failedLeg: ended < legs.length ? ended : undefined };
  if (ended !== legs.length) throw new LensAnswerError(`A filled plan of ${legs.length} legs ended at leg ${ended}.`);
  assertSold(plan, run);
  return run;
}

/** Checks that each leg sold its share of the token's amount, and that the legs of a token sold all of it. */
function assertSold(plan: Plan, run: PlanRun): void {
  const held = new Map([[plan.tokenIn, plan.amountIn]]);
  const sold = new Map<string, bigint>();
  for (const [index, { tokenIn, tokenOut, shareBps }] of plan.legs.entries()) {
    const { amountIn, amountOut } = run.legs[index] as PlanRun['legs'][number];
    const total = held.get(tokenIn) ?? 0n;
    const before = sold.get(tokenIn) ?? 0n;
    const isLast = !plan.legs.some((later, at) => at > index && later.tokenIn === tokenIn);
    const expected = isLast ? total - before : (total * BigInt(shareBps)) / 10_000n;
    if (amountIn !== expected) throw new LensAnswerError(`Leg ${index} sold ${amountIn}, expected ${expected}.`);
    sold.set(tokenIn, before + amountIn);
    held.set(tokenOut, (held.get(tokenOut) ?? 0n) + amountOut);
  }
}

/** Some tokens pay a bonus on transfers; more than 1/20 above the sent amount is not plausible. */
const maxBonus = 20n;

/**
 * What a plan paid. Undefined if it was not filled, or if balances contradict the transfers: the
 * receiver's balance rose by another amount than the legs paid, or a pool's by zero or by more than was sent. Such
 * balances do not depend on state alone, for example in a token that reads `gasleft`.
 */
export function toFill({ plan, run, again, ...how }: PlanExecution): Fill | undefined {
  if (run.status !== 'filled') return undefined;
  let paid = 0n;
  for (const [index, { amountIn, arrived, amountOut }] of run.legs.entries()) {
    if (amountIn > 0n && (arrived === 0n || arrived > amountIn + amountIn / maxBonus + 1n)) return undefined;
    if (plan.legs[index]?.tokenOut === plan.tokenOut) paid += amountOut;
  }
  if (paid !== run.received) return undefined;
  const legs = plan.legs.map((leg, index) => ({ ...leg, ...(run.legs[index] as PlanRun['legs'][number]) }));
  const second = again?.status === 'filled' ? again.received : undefined;
  const secondAmountOut = second === undefined || second < run.received ? second : run.received;
  return { ...how, plan, legs, amountOut: run.received, gas: run.gas, secondAmountOut };
}

/** A loss of one unit counts as rounding if it is below half a basis point of the amount. */
const leastParts = 20_000n;

/** Whether a token deducted a tax from a transfer. Tokens that count shares lose a base unit to rounding; that is no tax. */
export const isTaxed = (sent: bigint, arrived: bigint): boolean =>
  arrived < sent - 1n || (arrived < sent && sent <= leastParts);
