import { encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem';
import { unpaidLensArtifact } from '../../../contracts/artifacts/lens/UnpaidLens.ts';
import { newParties, randomNumber } from '../../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../../chain/node.ts';
import { createWordReader, LensAnswerError, type WordReader } from '../../chain/wordReader.ts';
import { addressesOf } from '../../pools/contractOf.ts';
import { kinds } from '../../venues/kinds.ts';
import { type PoolStatus, poolStatuses } from '../../venues/poolEntry.ts';
import type { ChainData } from '../chainData.ts';
import type { Plan, PlanLeg } from '../search/planTypes.ts';
import { isSingle } from '../search/toPlan.ts';
import type { Execution, PlanExecution, PlanRequest, PlanRun } from './executionTypes.ts';

const abi = parseAbi([
  'struct Leg { uint256 kind; address pool; address tokenIn; address tokenOut; uint256 fee; int256 spacing; address hooks; uint256 limit; }',
  'struct Sale { uint256 amountIn; uint256 legs; Leg first; Leg second; }',
  'function sell(Sale[] sales, address native, bool arbitrum, uint256 salt)',
]);

/** The first word of an answer (`sell` of contracts/lens/UnpaidLens.sol). */
const layoutVersion = 1;
/** Larger amounts are not doubled for the second execution. */
const largestDoubled = 2n ** 255n;

interface Sale {
  legs: readonly PlanLeg[];
  amountIn: bigint;
}

type Fill = Record<'used' | 'between' | 'nominal' | 'nominalLast' | 'received' | 'gas', bigint> & {
  status: PoolStatus;
  reason: Hex;
};

/** Routes over one pool or two, without weighted pools: the vault is paid before it sends. */
const canFillUnpaid = (plan: Plan): boolean =>
  isSingle(plan) && plan.legs.length <= 2 && plan.legs.every(({ pool }) => pool.candidatePool.kind !== kinds.weighted);

/**
 * Executes plans without a payment of the first leg, for a token with which no account can be funded. Other plans than those
 * that `canFillUnpaid` accepts are not executed. The second execution of a plan is the difference to a sale of twice the amount.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function executeUnpaid(
  { lens, deployment }: Pick<ChainData, 'lens' | 'deployment'>,
  plans: readonly PlanRequest[],
  block: Hex,
  node: Node,
): Promise<Execution> {
  const requests = plans.filter(({ plan }) => canFillUnpaid(plan));
  if (requests.length === 0) return { executions: [], funded: true };
  const { wrappedNative, arbSys } = deployment;
  const isBeside = ({ separateCall, isSample }: PlanRequest) => separateCall || isSample;
  // The plans of a call share its gas, so many samples must not leave too little for the others.
  const groups = [requests.filter((request) => !isBeside(request)), requests.filter(isBeside)].filter(
    (group) => group.length > 0,
  );
  const toData = (group: readonly PlanRequest[]) =>
    encodeFunctionData({
      abi,
      functionName: 'sell',
      args: [group.flatMap(toSales).map(toTuple), wrappedNative, arbSys, randomNumber(32)],
    });
  const answers = await lens.readLenses(
    node,
    groups.map((group) => ({ data: toData(group), block, lens: unpaidLensArtifact, parties: newParties() })),
  );
  try {
    const executions = groups.flatMap((group, index) => decodeUnpaid(answers[index] ?? '0x', group));
    return { executions, funded: true };
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned malformed data for the unpaid lens.', { cause });
  }
}

/** The plan's sale, one of twice the amount if requested, and for two legs the first one alone, which names the leg that failed. */
function toSales({ plan: { legs, amountIn }, again }: PlanRequest): [Sale, ...Sale[]] {
  const twice = again && amountIn < largestDoubled ? [{ legs, amountIn: 2n * amountIn }] : [];
  const first = legs.length === 2 ? [{ legs: legs.slice(0, 1), amountIn }] : [];
  return [{ legs, amountIn }, ...twice, ...first];
}

function toTuple({ legs, amountIn }: Sale) {
  const [first, second] = [legs[0], legs[1]].map(toLeg) as [ReturnType<typeof toLeg>, ReturnType<typeof toLeg>];
  return { amountIn, legs: BigInt(legs.length), first, second };
}

function toLeg(leg: PlanLeg | undefined) {
  if (!leg) return noLeg;
  const { pool, tokenIn, tokenOut } = leg;
  const { kind, fee, tickSpacing } = pool.candidatePool;
  const { swapsAt, hooksOf } = addressesOf(pool);
  const tokens = { tokenIn, tokenOut };
  const shape = { kind: BigInt(kind), fee: BigInt(fee), spacing: BigInt(tickSpacing), hooks: hooksOf(pool) };
  return { ...shape, ...tokens, pool: swapsAt(pool), limit: 0n };
}

const noLeg = {
  ...{ kind: 0n, fee: 0n, spacing: 0n, limit: 0n },
  ...{ pool: zeroAddress, tokenIn: zeroAddress, tokenOut: zeroAddress, hooks: zeroAddress },
};

/**
 * Decodes the answer for these plans.
 * @throws {LensAnswerError}
 */
export function decodeUnpaid(words: Hex, requests: readonly PlanRequest[]): PlanExecution[] {
  const fills = decodeFills(words, requests.flatMap(toSales));
  return requests.map((request) => {
    const sales = toSales(request);
    return toExecution(request.plan, sales, fills.splice(0, sales.length));
  });
}

function decodeFills(words: Hex, sales: readonly Sale[]): Fill[] {
  const reader = createWordReader(words);
  const [version, count] = [reader.int(), reader.int()];
  if (version !== layoutVersion) throw new LensAnswerError(`Layout version ${version}, expected ${layoutVersion}.`);
  if (count !== sales.length) throw new LensAnswerError(`${count} sales, expected ${sales.length}.`);
  // The block, which the caller of the lens reads.
  for (let skipped = 0; skipped < 3; skipped++) reader.hex();
  return sales.map(({ amountIn }) => {
    const fill = decodeFill(reader);
    if (fill.status === 'filled' && (fill.used !== amountIn || fill.received === 0n)) {
      throw new LensAnswerError(`A filled sale of ${amountIn} sold ${fill.used} and received ${fill.received}.`);
    }
    return fill;
  });
}

/** `Fill` of contracts/lens/LensTypes.sol. */
function decodeFill(reader: WordReader): Fill {
  const code = reader.int();
  const status = poolStatuses[code];
  if (status === undefined) throw new LensAnswerError(`Unknown status ${code}.`);
  const [used, nominal, between] = [reader.big(), reader.big(), reader.big()];
  reader.hex(); // `arrived`: of a pair that was paid
  const [nominalLast, received] = [reader.big(), reader.big()];
  const reason: Hex = `0x${reader.hex().slice(0, 8)}`;
  return { status, used, nominal, between, nominalLast, received, reason, gas: reader.big() };
}

function toExecution(plan: Plan, [, second]: readonly Sale[], [fill, ...others]: readonly Fill[]): PlanExecution {
  const hasTwice = second !== undefined && second.amountIn > plan.amountIn;
  const twice = hasTwice ? others[0] : undefined;
  const isFirstFilled = others.at(-1)?.status === 'filled';
  const run = toRun(plan, fill as Fill, plan.legs.length === 2 && isFirstFilled ? 1 : 0);
  return { plan, run, again: twice && run.status === 'filled' ? toSecondRun(run, twice) : undefined, isUnpaid: true };
}

const runStatusOf: Partial<Record<PoolStatus, PlanRun['status']>> = {
  filled: 'filled',
  partial: 'partial',
  empty: 'partial',
  rejected: 'reverted',
};

function toRun({ legs }: Plan, fill: Fill, failedLeg: number): PlanRun {
  const { used, between, nominal, nominalLast, received, reason, gas } = fill;
  const status = runStatusOf[fill.status] ?? 'out-of-gas';
  if (status !== 'filled') {
    const none = { amountIn: 0n, arrived: 0n, nominal: 0n, amountOut: 0n };
    return { status, failedLeg, reason, received: 0n, gas, legs: legs.map(() => none) };
  }
  const first = { amountIn: used, arrived: used, nominal, amountOut: between };
  const last = { amountIn: between, arrived: between, nominal: nominalLast, amountOut: received };
  return { status, failedLeg: undefined, reason, received, gas, legs: legs.length === 2 ? [first, last] : [first] };
}

/** Without a payment, a sale cannot run twice: a sale of twice the amount shows what the second order receives. */
function toSecondRun(run: PlanRun, { status, received }: Fill): PlanRun {
  const isFilled = status === 'filled' && received > run.received;
  return { ...run, status: isFilled ? 'filled' : 'partial', received: isFilled ? received - run.received : 0n };
}
