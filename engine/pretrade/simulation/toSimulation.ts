import { type Hex, numberToHex, toHex } from 'viem';
import type { RpcCall } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { drawFrom } from './drawFrom.ts';
import { type Moment, moments, type Scenario, type SimulationBase, type Step } from './simulationTypes.ts';
import {
  blockProbe,
  cloner,
  createCode,
  nativeBalanceOf,
  type PoolRows,
  standInOf,
  toCopying,
  toOverrides,
  toRows,
} from './standIns.ts';
import { toCall, toFunding } from './toCall.ts';

/** Gas of the first block's calls. */
const prepareGas = numberToHex(8_000_000);
/** Seconds between simulated blocks without a reason to wait longer: the shortest time that every node accepts. */
const stepSeconds = 1n;

/** When a moment happens. `blocks`: its distance from the purchase, if the simulation waits for blocks (`waits`). */
interface Distance {
  seconds: bigint;
  blocks: bigint;
}

/**
 * Distance of each moment from the block that a simulation starts from. The later moments are drawn for each block: a token
 * could accept sales only at a known distance from the purchase.
 */
function distanceOf(moment: Moment, { prevRandao = '0x' }: SimulationBase): Distance {
  if (moment === 'purchase') return { seconds: 2n * stepSeconds, blocks: 0n };
  if (moment === 'next') return { seconds: 3n * stepSeconds, blocks: 1n };
  const drawn = BigInt(drawFrom(prevRandao, toHex('distance')));
  const later = 60n + (drawn % 12n);
  // The blocks between take a second each.
  if (moment === 'later') return { seconds: (2n + later) * stepSeconds, blocks: later };
  if (moment === 'tenMinutes') return { seconds: 602n + 2n * ((drawn >> 32n) % 30n), blocks: later + 1n };
  const moreSeconds = 2n * ((drawn >> 64n) % 1_800n);
  const day = 129n + ((drawn >> 128n) % 20n);
  if (moment === 'day') return { seconds: 86_510n + moreSeconds, blocks: day };
  return { seconds: 34_560_000n + moreSeconds, blocks: day + 1n };
}

/** The step of a simulated call. `scenario`: index in the list of scenarios. */
interface StepRef {
  scenario: number;
  step: Step;
}

/** A block after the first. */
interface ExpectedBlock {
  /** Seconds since the epoch. */
  timestamp: bigint;
  /** The step of each call; undefined for a call that only prepares a step. Empty in a block between two moments. */
  steps: (StepRef | undefined)[];
}

/** The blocks of a simulation, as requested. The node's blocks must equal them. */
export interface SimulationLayout {
  waits: Scenario['waits'];
  /** Wei per gas, the same in all blocks; undefined without validation, where some nodes execute with 0. */
  baseFee: bigint | undefined;
  /** Time of the first block, which prepares the others. */
  firstTimestamp: bigint;
  later: ExpectedBlock[];
}

export interface SimulationCall {
  call: RpcCall;
  layout: SimulationLayout;
}

/** One `eth_simulateV1` call for a single scenario. */
export const toSimulation = (scenario: Scenario, base: SimulationBase, wrapped: LowerAddress): SimulationCall =>
  toSharedSimulation([scenario], base, wrapped);

/**
 * One `eth_simulateV1` call for scenarios with the same router and the same stand-in. The first block copies the router's
 * code to `REPLACED_CODE` of StandIn.sol. The second replaces the router's code with the stand-in and makes the purchases. Each
 * later moment has one block. A token's rule with a time limit thus affects all scenarios equally. Within a block, calls
 * are in the order of the scenarios.
 *
 * Nodes disagree about gaps between simulated blocks: geth fills them with blocks 12 s apart and rejects a later block with
 * an earlier time, others fill them with their own interval and return every filler, anvil does not fill them. So every
 * block is explicit, consecutive, a whole second or more after the last, and has a base fee.
 */
export function toSharedSimulation(
  scenarios: readonly Scenario[],
  base: SimulationBase,
  wrapped: LowerAddress,
): SimulationCall {
  const [first] = scenarios;
  if (!first) throw new TypeError('toSharedSimulation needs at least one scenario.');
  const rows = toRows(scenarios, wrapped);
  const waits = waitsOf(scenarios);
  const waitsFor: readonly Moment[] = waits === 'never' ? [] : waits === 'once' ? ['later'] : ['later', 'day'];
  const blocks: object[] = [toFirstBlock(first, base)];
  const later: ExpectedBlock[] = [];
  const add = (block: object, seconds: bigint, steps: ExpectedBlock['steps']) => {
    const number = base.block === 'latest' ? {} : { number: numberToHex(base.number + BigInt(blocks.length) + 1n) };
    // No code runs in a block without calls.
    const words = steps.length > 0 ? toChainWords(seconds, base) : {};
    const time = numberToHex(base.timestamp + seconds);
    blocks.push({ ...block, blockOverrides: { ...number, time, baseFeePerGas: numberToHex(base.baseFee), ...words } });
    later.push({ timestamp: base.timestamp + seconds, steps });
  };
  let last: Distance = { seconds: stepSeconds, blocks: -1n };
  for (const moment of moments) {
    const calls = toCalls(scenarios, moment, rows, wrapped);
    if (calls.length === 0) continue;
    const distance = distanceOf(moment, base);
    if (waitsFor.includes(moment)) {
      for (let between = last.blocks + 1n; between < distance.blocks; between += 1n) {
        last = { seconds: last.seconds + stepSeconds, blocks: between };
        add({ calls: [] }, last.seconds, []);
      }
    }
    const overrides = later.length === 0 ? { stateOverrides: toOverrides(scenarios, rows) } : {};
    add(
      { ...overrides, calls: calls.map(({ call }) => call) },
      distance.seconds,
      calls.map(({ ref }) => ref),
    );
    last = distance;
  }
  const validation = scenarios.every(allowsValidation);
  const params = [{ blockStateCalls: blocks, ...(validation && { validation }) }, base.block];
  const layout = {
    waits,
    baseFee: validation ? base.baseFee : undefined,
    firstTimestamp: base.timestamp + stepSeconds,
    later,
  };
  return { call: { method: 'eth_simulateV1', params }, layout };
}

/** Scenarios that share a simulation share its blocks. */
const waitsOf = (scenarios: readonly Scenario[]): Scenario['waits'] =>
  (['twice', 'once'] as const).find((waits) => scenarios.some((scenario) => scenario.waits === waits)) ?? 'never';

/** Copies the router's code, unless the chain's own router is used, and reads as what block the node executes this one. */
function toFirstBlock(scenario: Scenario, base: SimulationBase): object {
  const { pool, receiver, wallet } = scenario;
  const caller = { from: receiver, gas: prepareGas, gasPrice: numberToHex(scenario.gasPrice) };
  const isBare = wallet === 'bare';
  const number = base.block === 'latest' ? {} : { number: numberToHex(base.number + 1n) };
  return {
    stateOverrides: {
      [cloner]: isBare ? { code: blockProbe } : { code: createCode, nonce: '0x1' },
      [receiver]: { balance: nativeBalanceOf(scenario) },
    },
    // No contract of the chain sees the other fields of this block.
    blockOverrides: {
      ...number,
      time: numberToHex(base.timestamp + stepSeconds),
      baseFeePerGas: numberToHex(base.baseFee),
    },
    calls: [{ ...caller, ...(isBare ? { to: cloner } : toCopying(pool.router)) }],
  };
}

/** The calls of one moment, in the order of the scenarios. */
function toCalls(scenarios: readonly Scenario[], moment: Moment, rows: PoolRows, wrapped: LowerAddress) {
  return scenarios.flatMap((scenario, index) =>
    scenario.steps
      .filter(({ at }) => at === moment)
      .flatMap((step): { call: object; ref?: StepRef }[] => [
        ...(step.action === 'buy' ? toFunding(scenario, step.amount, wrapped) : []),
        { call: toCall(scenario, step, rows), ref: { scenario: index, step } },
      ]),
  );
}

/** Whether scenarios can share a simulation: they need the same stand-in at the same router and puller. */
export const sharesRouter = (a: Scenario, b: Scenario): boolean =>
  a.wallet !== 'bare' &&
  b.wallet !== 'bare' &&
  a.pool.router === b.pool.router &&
  a.pool.puller === b.pool.puller &&
  standInOf(a.pool.kind) === standInOf(b.pool.kind);

/**
 * Whether every transaction would be valid on chain. If so, the node can validate them, and so apply the block's base fee,
 * which a token can read. A funder, or an owner that makes a call, may be a contract, which cannot send transactions.
 */
function allowsValidation({ funder, steps }: Scenario): boolean {
  return funder === null && !steps.some(({ action }) => action === 'call');
}

/** Cache of the values derived from the chain's last prevrandao. */
let derived = { from: '', words: new Map<bigint, Hex>() };

function randomAt(prevRandao: Hex, seconds: bigint): Hex {
  if (derived.from !== prevRandao) derived = { from: prevRandao, words: new Map() };
  const word = derived.words.get(seconds) ?? drawFrom(prevRandao, numberToHex(seconds, { size: 8 }));
  derived.words.set(seconds, word);
  return word;
}

/**
 * The other words of a block, because tokens can detect a node's defaults. Each block has its own prevrandao. Simulations of
 * one state use equal values, so that runs with and without a call are comparable.
 */
const toChainWords = (seconds: bigint, { coinbase, prevRandao }: SimulationBase) => ({
  ...(coinbase && { feeRecipient: coinbase }),
  ...(prevRandao && { prevRandao: randomAt(prevRandao, seconds) }),
});
