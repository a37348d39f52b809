import { concatHex, type Hex, numberToHex } from 'viem';
import { randomNumber } from '../../chain/lensCall.ts';
import type { RpcCall } from '../../chain/rpcEndpoint.ts';
import { keccak256 } from '../../keccak256.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { type Moment, moments, type Scenario, type SimulationBase, type Step } from './simulationTypes.ts';
import { cloner, creator, nativeBalanceOf, standInOf, toCopying, toOverrides, toRows } from './standIns.ts';
import { toCall, toFunding } from './toCall.ts';

const cloneGas = numberToHex(8_000_000);

interface Distance {
  seconds: bigint;
  /** Undefined: the block after the one before. */
  blocks?: bigint;
}

/**
 * From the block that is asked about, two seconds a block as on Base. geth fills at most 256 missing blocks, so one day
 * is simulated by the timestamp and not by the number.
 */
const distances: Record<Moment, Distance> = {
  purchase: { seconds: 2n },
  next: { seconds: 4n },
  later: { seconds: 128n, blocks: 64n },
  day: { seconds: 86_500n, blocks: 130n },
  afterYear: { seconds: 34_560_000n, blocks: 131n },
};

/** Which step of which scenario a simulated call answers. */
interface StepPlace {
  scenario: number;
  step: Step;
}

export interface SimulationCall {
  call: RpcCall;
  /** By simulated block after the first; undefined where a call only prepares. */
  layout: (StepPlace | undefined)[][];
}

/** One `eth_simulateV1` of a scenario alone. */
export const toSimulation = (scenario: Scenario, base: SimulationBase, wrapped: LowerAddress): SimulationCall =>
  toSharedSimulation([scenario], base, wrapped);

/**
 * One `eth_simulateV1` of scenarios that trade through the same router with the same code. The first block copies the
 * router's own code aside; the second lays the stand-in over the router and makes the purchases; the others follow at
 * their moments. All scenarios trade at the same moments: a rule that ends within a day binds each of them. In every block
 * the first scenario goes first.
 */
export function toSharedSimulation(
  scenarios: readonly Scenario[],
  base: SimulationBase,
  wrapped: LowerAddress,
): SimulationCall {
  const [first] = scenarios;
  if (!first) throw new TypeError('There is nothing to simulate.');
  const { pool, receiver } = first;
  const gasPrice = numberToHex(first.gasPrice);
  const bare = first.wallet === 'bare';
  const rows = toRows(scenarios, wrapped);
  const blocks: unknown[] = [
    {
      stateOverrides: {
        ...(bare ? {} : { [cloner]: { code: creator, nonce: '0x1' } }),
        [receiver]: { balance: nativeBalanceOf(first) },
      },
      // No contract sees the other fields of this block.
      blockOverrides: { time: numberToHex(base.timestamp + 1n), baseFeePerGas: numberToHex(base.baseFee) },
      calls: [{ from: receiver, gas: cloneGas, gasPrice, ...(bare ? { to: receiver } : toCopying(pool.router)) }],
    },
  ];
  const layout: (StepPlace | undefined)[][] = [];
  for (const moment of moments) {
    const calls: { call: object; place?: StepPlace }[] = [];
    for (const [index, scenario] of scenarios.entries()) {
      for (const step of scenario.steps.filter(({ at }) => at === moment)) {
        if (step.what === 'buy') calls.push(...toFunding(scenario, step.amount, wrapped));
        calls.push({ call: toCall(scenario, step, rows), place: { scenario: index, step } });
      }
    }
    if (calls.length === 0) continue;
    layout.push(calls.map(({ place }) => place));
    blocks.push({
      ...(layout.length === 1 ? { stateOverrides: toOverrides(scenarios, rows) } : {}),
      blockOverrides: toBlockOverrides(distances[moment], base),
      calls: calls.map(({ call }) => call),
    });
  }
  const validation = scenarios.every(mayBeValid);
  const params = [{ blockStateCalls: blocks, validation, traceTransfers: false }, base.block];
  return { call: { method: 'eth_simulateV1', params }, layout };
}

/** Whether scenarios can share a simulation: one stand-in lies over the router, and one over the puller. */
export const sharesRouter = (a: Scenario, b: Scenario): boolean =>
  a.wallet !== 'bare' &&
  b.wallet !== 'bare' &&
  a.pool.router === b.pool.router &&
  a.pool.puller === b.pool.puller &&
  standInOf(a.pool.kind) === standInOf(b.pool.kind);

/**
 * Whether every transaction in it is one that a chain would take. Only then does a node simulate with the block's base
 * fee, which a token can see; contracts that hand out the counter-asset, and owners that are contracts, send none.
 */
function mayBeValid({ funder, steps }: Scenario): boolean {
  return funder === null && !steps.some(({ what }) => what === 'call');
}

/** Unknown to tokens, which could otherwise compute the prevrandao of a simulated block. */
const secret = numberToHex(randomNumber(32), { size: 32 });

/**
 * Sets base fee and time, because tokens can detect a node's defaults. Each block has a prevrandao of its own, the same in
 * every simulation of the same state, so that runs with and without a call are comparable.
 */
function toBlockOverrides({ seconds, blocks }: Distance, base: SimulationBase): object {
  const time = numberToHex(base.timestamp + seconds);
  const number = blocks === undefined ? {} : { number: numberToHex(base.number + blocks) };
  return { ...number, time, ...toChainWords({ ...base, random: base.random && randomAt(base.random, seconds) }) };
}

/** The last prevrandao of the chain with those derived from it: every simulation of a check has the same blocks. */
let derived = { from: '', words: new Map<bigint, Hex>() };

function randomAt(random: Hex, seconds: bigint): Hex {
  if (derived.from !== random) derived = { from: random, words: new Map() };
  const word = derived.words.get(seconds) ?? keccak256(concatHex([secret, random, numberToHex(seconds, { size: 8 })]));
  derived.words.set(seconds, word);
  return word;
}

const toChainWords = ({ baseFee, maker, random }: SimulationBase) => ({
  baseFeePerGas: numberToHex(baseFee),
  ...(maker && { feeRecipient: maker }),
  ...(random && { prevRandao: random }),
});
