import { type Hex, hexToBigInt, hexToString, isHex, size, slice } from 'viem';
import { decodeWords, toWord } from '../../chain/words.ts';
import { isSingleton, kinds, nativeCurrency } from '../../venues/kinds.ts';
import { poolIdOf } from '../../venues/uniswapV4/poolKey.ts';
import { sanitizeText } from '../context/sentence.ts';
import type { PoolSwap, Refusal, Scenario, ScenarioResult, Step, StepResult, TradePool } from './simulationTypes.ts';
import type { SimulationLayout } from './toSimulation.ts';

interface CallResult {
  status: unknown;
  returnData?: Hex | null;
  gasUsed?: unknown;
  logs?: unknown;
  error?: { message?: unknown; data?: unknown };
}

interface BlockResult {
  number: Hex;
  timestamp: Hex;
  calls: CallResult[];
}

/** `Refused(uint256,uint256,uint256,uint256,bytes32)` of Payments.sol. */
const refusedSelector = '0x7777351a';
const refusedBytes = 164;
/** `BalanceUnread()` and `PoolUnread()`, with which a stand-in reverts by itself. */
const unreadSelectors: readonly unknown[] = ['0xfff9e6f5', '0xa250c59d'];
const errorSelector = '0x08c379a0'; // Error(string)
/** `WrappedError(address target, …)` (ERC-7751), with which v4's manager names the contract that reverted. */
const wrappedSelector = '0x90bfb865';
/** Length of the shortest `Error(string)` with a text. Shorter data is another error, such as `Panic(uint256)`. */
const errorBytes = 100;
/** Stages in the order of Payments.sol, from 1 on. */
const stages = [
  'pull-reverted',
  'pull-returned-false',
  'pool-refused',
  'payment-failed',
  'balance-unreadable',
  'arrived-short',
  'worth-nothing',
  'pull-returned-other',
] as const;

/** A decoded simulation. */
interface Simulated {
  outcomes: ScenarioResult[];
  /** The number of the first simulated block, which shows the block that it started from. */
  firstNumber: bigint | null;
  /** The node executed other blocks than requested, so its simulations are no evidence. */
  isUnfit: boolean;
}

/** Decodes the result of a simulation, by scenario. A malformed result is `unread`. */
export function fromSharedSimulation(
  scenarios: readonly Scenario[],
  layout: SimulationLayout,
  result: unknown,
): Simulated {
  const unread = (reason: string, isUnfit = false): Simulated => ({
    outcomes: scenarios.map(({ name }): ScenarioResult => ({ status: 'unread', name, reason })),
    firstNumber: null,
    isUnfit,
  });
  if (!isBlocks(result)) return unread('the node returned no simulation');
  const [first, ...later] = result;
  if (!first || later.length !== layout.later.length) return unread('the simulation is incomplete');
  if (!isAsRequested(result, layout)) {
    return unread('the node simulated blocks with another number, time or base fee than requested', true);
  }
  const steps = scenarios.map((): { step: Step; result: StepResult }[] => []);
  for (const [index, { steps: refs }] of layout.later.entries()) {
    const calls = later[index]?.calls ?? [];
    if (calls.length !== refs.length) return unread('the simulation is incomplete');
    for (const [at, ref] of refs.entries()) {
      const call = calls[at];
      const pool = ref && scenarios[ref.scenario]?.pool;
      if (pool && call) {
        const result = withSwap(toStepResult(ref.step, call, pool), pool, call);
        steps[ref.scenario]?.push({ step: ref.step, result });
      }
    }
  }
  return {
    outcomes: scenarios.map(({ name }, index) => ({
      status: 'ran',
      name,
      waits: layout.waits,
      steps: steps[index] ?? [],
    })),
    firstNumber: hexToBigInt(first.number),
    isUnfit: false,
  };
}

/** Status of a simulated call: 1, also with the leading zeros of some nodes. */
export const hasSucceeded = (status: unknown): boolean => typeof status === 'string' && Number(status) === 1;

/** Decodes the simulation of a single scenario. */
export function fromSimulation(scenario: Scenario, layout: SimulationLayout, result: unknown): ScenarioResult {
  const [outcome] = fromSharedSimulation([scenario], layout, result).outcomes;
  return outcome ?? { status: 'unread', name: scenario.name, reason: 'the node returned no simulation' };
}

/**
 * Whether the blocks are consecutive and have the requested times, and the first one ran as its header states
 * (`blockProbe`).
 */
function isAsRequested(blocks: readonly BlockResult[], { baseFee, firstTimestamp, later }: SimulationLayout): boolean {
  const [first] = blocks;
  if (!first) return false;
  const number = BigInt(first.number);
  const times = [firstTimestamp, ...later.map(({ timestamp }) => timestamp)];
  const isInOrder = blocks.every(
    (block, index) => BigInt(block.number) === number + BigInt(index) && BigInt(block.timestamp) === times[index],
  );
  const [probe] = first.calls;
  const seen = probe && hasSucceeded(probe.status) ? decodeWords(probe.returnData ?? '0x') : [];
  const isFee = baseFee === undefined ? seen[2] !== undefined : seen[2] === baseFee;
  return isInOrder && seen[0] === number && seen[1] === firstTimestamp && isFee;
}

function toStepResult(step: Step, call: CallResult, pool: TradePool): StepResult {
  const { action } = step;
  if (!hasSucceeded(call.status)) {
    return {
      action,
      ok: false,
      refusal: exceedsUsualGas(step, call) ? refusal('over-usual-gas') : toRefusal(call, pool),
    };
  }
  if (action === 'call') return { action, ok: true, gasUsed: toGasUsed(call.gasUsed) };
  const words = decodeWords(call.returnData ?? '0x');
  const [a = 0n, b = 0n, c = 0n, d = 0n] = words;
  if (action === 'buy') return { action, ok: true, paid: a, nominal: b, received: c };
  if (action === 'sell') return { action, ok: true, sent: a, arrived: b, quoted: c, received: d };
  if (action === 'balance' || action === 'supply') {
    if (words.length > 0) return { action, ok: true, value: a };
    return { action, ok: false, refusal: refusal('balance-unreadable') };
  }
  return { action, ok: true, returned: words.length === 0 ? null : a !== 0n };
}

/** Adds the pool's own swap to a trade, to tell what a hook takes. */
function withSwap(result: StepResult, pool: TradePool, { logs }: CallResult): StepResult {
  if (!result.ok || (result.action !== 'buy' && result.action !== 'sell')) return result;
  const swap = readPoolSwap(pool, logs, result.action === 'buy' ? 'counter' : 'token');
  return swap ? { ...result, swap } : result;
}

/**
 * Whether a sale with a gas limit of its own may have failed because of that limit. A call that runs out of gas uses most of
 * its limit.
 */
function exceedsUsualGas(step: Step, { gasUsed }: CallResult): boolean {
  if (step.action !== 'sell' || step.gas === undefined) return false;
  const used = toGasUsed(gasUsed);
  return used === null || used * 10n > step.gas * 8n;
}

const toGasUsed = (value: unknown): bigint | null => (isQuantity(value) ? BigInt(value) : null);

const isQuantity = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value);

/** The data of a revert. anvil returns it as `returnData`, go-ethereum as the error's `data` beside an empty `returnData`. */
function revertDataOf({ returnData, error }: CallResult): Hex {
  if (returnData && size(returnData) > 0) return returnData;
  return isHex(error?.data) ? error.data : '0x';
}

function toRefusal(call: CallResult, { hooks }: TradePool): Refusal {
  const data = revertDataOf(call);
  if (size(data) === refusedBytes && data.startsWith(refusedSelector)) {
    const [stage = 0n, sent = 0n, arrived = 0n, length = 0n] = decodeWords(slice(data, 4));
    const head = slice(data, 132, 164);
    const isOfHook = head.startsWith(wrappedSelector) && slice(head, 16) === slice(hooks, 0, 16);
    return {
      stage: isOfHook ? 'hook-refused' : (stages[Number(stage) - 1] ?? 'reverted'),
      text: length < errorBytes ? null : readable(head),
      sent,
      arrived,
    };
  }
  if (unreadSelectors.includes(data)) return refusal('balance-unreadable');
  const message = call.error?.message;
  if (typeof message === 'string' && /out of gas|OutOfGas/i.test(message)) return refusal('out-of-gas');
  return {
    ...refusal('reverted'),
    text: data.startsWith(errorSelector) && size(data) >= errorBytes ? readable(slice(data, 68, 100)) : null,
  };
}

const refusal = (stage: Refusal['stage']): Refusal => ({ stage, text: null, sent: 0n, arrived: 0n });

/**
 * The text of a revert; null unless all bytes are printable ASCII, because the data may be a selector or a number. Answers
 * quote it, so a token must not be able to end the quotation.
 */
function readable(bytes: Hex): string | null {
  const text = hexToString(bytes).replace(/\0+$/, '');
  return /^[\x20-\x7e]{3,}$/.test(text) ? sanitizeText(text.replaceAll('"', "'"), 32) : null;
}

function isBlocks(result: unknown): result is BlockResult[] {
  return Array.isArray(result) && result.length > 0 && result.every(isBlock);
}

function isBlock(block: unknown): boolean {
  const { number, timestamp, calls } = (block ?? {}) as Partial<Record<string, unknown>>;
  return [number, timestamp].every(isQuantity) && Array.isArray(calls) && calls.every(isCall);
}

function isCall(call: unknown): boolean {
  if (typeof call !== 'object' || call === null) return false;
  const { returnData } = call as { returnData?: unknown };
  return returnData === undefined || returnData === null || isHex(returnData);
}

/** Swap(bytes32 indexed id, address indexed sender, int128, int128, uint160, uint128, int24, uint24) of Uniswap v4. */
const swapTopic = '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f';
const dynamicFee = 0x800000;

/** The currency 0x0 replaces the wrapped native token in a pool of the native coin. */
function keyOf({ kind, token, counter, fee, tickSpacing, hooks }: TradePool) {
  const other = kind === kinds.v4Native ? nativeCurrency : counter;
  const [currency0, currency1] = BigInt(token) < BigInt(other) ? [token, other] : [other, token];
  return { currency0, currency1, fee, tickSpacing, hooks };
}

/**
 * Reads the trade's swap from the manager's events. Ignores swaps of a hook, which have another sender. Undefined if the
 * pool is none of a singleton, or the hook replaced the swap.
 */
function readPoolSwap(pool: TradePool, logs: unknown, sells: 'token' | 'counter'): PoolSwap | undefined {
  if (!isSingleton(pool.kind) || !Array.isArray(logs)) return undefined;
  const key = keyOf(pool);
  const id = poolIdOf(key);
  const sender = toWord(pool.router);
  for (const log of logs as readonly unknown[]) {
    const { address, topics, data } = (log ?? {}) as { address?: unknown; topics?: unknown; data?: unknown };
    if (!isAddressOf(address, pool.pool) || !Array.isArray(topics) || !isHex(data)) continue;
    const [topic, poolId, from] = topics.map((word: unknown) => (isHex(word) ? word.toLowerCase() : ''));
    if (topic !== swapTopic || poolId !== id || from !== `0x${sender}`) continue;
    const [first = 0n, second = 0n, , , , fee = 0n] = decodeWords(data);
    const amounts = [BigInt.asIntN(128, first), BigInt.asIntN(128, second)] as const;
    const sold = sells === 'token' ? pool.token : undefined;
    const isZeroForOne = sold === key.currency0 || (sold === undefined && pool.token !== key.currency0);
    const [paid, received] = isZeroForOne ? amounts : [amounts[1], amounts[0]];
    if (paid >= 0n || received <= 0n) return undefined;
    return { in: -paid, out: received, feePips: Number(fee), isDynamic: pool.fee === dynamicFee };
  }
  return undefined;
}

const isAddressOf = (value: unknown, address: Hex): boolean =>
  typeof value === 'string' && value.toLowerCase() === address;
