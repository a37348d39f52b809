import { type Hex, numberToHex, toHex } from 'viem';
import type { RpcCall } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { drawFrom } from './drawFrom.ts';
import { type Moment, moments, type Scenario, type SimulationBase, type Step } from './simulationTypes.ts';
import { cloner, createCode, nativeBalanceOf, standInOf, toCopying, toOverrides, toRows } from './standIns.ts';
import { toCall, toFunding } from './toCall.ts';

const cloneGas = numberToHex(8_000_000);

interface Distance {
  seconds: bigint;
  /** Undefined: the block after the previous simulated one. */
  blocks?: bigint;
}

/**
 * Distance of each moment from the block that a simulation starts from. Base has a block every two seconds. geth fills at
 * most 256 missing blocks, so a day and 400 days advance the timestamp, but not the block number accordingly.
 *
 * The later moments are drawn for each block: a token could accept sales only at a known distance from the purchase.
 */
function distanceOf(moment: Moment, { prevRandao = '0x' }: SimulationBase): Distance {
  if (moment === 'purchase') return { seconds: 2n };
  if (moment === 'next') return { seconds: 4n };
  const drawn = BigInt(drawFrom(prevRandao, toHex('distance')));
  const later = 65n + (drawn % 20n);
  if (moment === 'later') return { seconds: 2n * later, blocks: later };
  const [moreSeconds, blocks] = [2n * ((drawn >> 64n) % 1_800n), 130n + ((drawn >> 128n) % 60n)];
  if (moment === 'day') return { seconds: 86_510n + moreSeconds, blocks };
  return { seconds: 34_560_000n + moreSeconds, blocks: blocks + 1n };
}

/** The step of a simulated call. `scenario`: index in the list of scenarios. */
interface StepRef {
  scenario: number;
  step: Step;
}

export interface SimulationCall {
  call: RpcCall;
  /** The step of each call, by simulated block after the first; undefined for a call that only prepares a step. */
  layout: (StepRef | undefined)[][];
}

/** One `eth_simulateV1` call for a single scenario. */
export const toSimulation = (scenario: Scenario, base: SimulationBase, wrapped: LowerAddress): SimulationCall =>
  toSharedSimulation([scenario], base, wrapped);

/**
 * One `eth_simulateV1` call for scenarios with the same router and the same stand-in. The first block copies the router's
 * code to `REPLACED_CODE` of StandIn.sol. The second replaces the router's code with the stand-in and makes the purchases. Each
 * later moment has one block. A token's rule with a time limit thus affects all scenarios equally. Within a block, calls
 * are in the order of the scenarios.
 */
export function toSharedSimulation(
  scenarios: readonly Scenario[],
  base: SimulationBase,
  wrapped: LowerAddress,
): SimulationCall {
  const [first] = scenarios;
  if (!first) throw new TypeError('toSharedSimulation needs at least one scenario.');
  const { pool, receiver } = first;
  const gasPrice = numberToHex(first.gasPrice);
  const bare = first.wallet === 'bare';
  const rows = toRows(scenarios, wrapped);
  const blocks: unknown[] = [
    {
      stateOverrides: {
        ...(bare ? {} : { [cloner]: { code: createCode, nonce: '0x1' } }),
        [receiver]: { balance: nativeBalanceOf(first) },
      },
      // No contract sees the other fields of this block.
      blockOverrides: { time: numberToHex(base.timestamp + 1n), baseFeePerGas: numberToHex(base.baseFee) },
      calls: [{ from: receiver, gas: cloneGas, gasPrice, ...(bare ? { to: receiver } : toCopying(pool.router)) }],
    },
  ];
  const layout: (StepRef | undefined)[][] = [];
  for (const moment of moments) {
    const calls: { call: object; ref?: StepRef }[] = [];
    for (const [index, scenario] of scenarios.entries()) {
      for (const step of scenario.steps.filter(({ at }) => at === moment)) {
        if (step.action === 'buy') calls.push(...toFunding(scenario, step.amount, wrapped));
        calls.push({ call: toCall(scenario, step, rows), ref: { scenario: index, step } });
      }
    }
    if (calls.length === 0) continue;
    layout.push(calls.map(({ ref }) => ref));
    blocks.push({
      ...(layout.length === 1 ? { stateOverrides: toOverrides(scenarios, rows) } : {}),
      blockOverrides: toBlockOverrides(distanceOf(moment, base), base),
      calls: calls.map(({ call }) => call),
    });
  }
  const validation = scenarios.every(allowsValidation);
  const params = [{ blockStateCalls: blocks, ...(validation && { validation }) }, base.block];
  return { call: { method: 'eth_simulateV1', params }, layout };
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

/**
 * Sets base fee and time, because tokens can detect a node's defaults. Each block has its own prevrandao. Simulations of
 * one state use equal values, so that runs with and without a call are comparable.
 */
function toBlockOverrides({ seconds, blocks }: Distance, base: SimulationBase): object {
  const time = numberToHex(base.timestamp + seconds);
  const number = blocks === undefined ? {} : { number: numberToHex(base.number + blocks) };
  return {
    ...number,
    time,
    ...toChainWords({ ...base, prevRandao: base.prevRandao && randomAt(base.prevRandao, seconds) }),
  };
}

/** Cache of the values derived from the chain's last prevrandao. */
let derived = { from: '', words: new Map<bigint, Hex>() };

function randomAt(prevRandao: Hex, seconds: bigint): Hex {
  if (derived.from !== prevRandao) derived = { from: prevRandao, words: new Map() };
  const word = derived.words.get(seconds) ?? drawFrom(prevRandao, numberToHex(seconds, { size: 8 }));
  derived.words.set(seconds, word);
  return word;
}

const toChainWords = ({ baseFee, coinbase, prevRandao }: SimulationBase) => ({
  baseFeePerGas: numberToHex(baseFee),
  ...(coinbase && { feeRecipient: coinbase }),
  ...(prevRandao && { prevRandao }),
});
