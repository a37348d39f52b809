import { type Address, concatHex, type Hex, numberToHex } from 'viem';
import type { RpcCall } from '../../chain/rpcEndpoint.ts';
import { kinds } from '../../venues/kinds.ts';
import {
  concentratedStandInArtifact,
  pairStandInArtifact,
  pullerStandInArtifact,
  singletonStandInArtifact,
  walletStandInArtifact,
} from '../lensCode.ts';
import {
  type Moment,
  moments,
  type Scenario,
  type SimulationBase,
  type Step,
  type TradePool,
} from './simulationTypes.ts';
import { encodeWords } from './words.ts';

/** What it creates at nonce 1 stands at the address that StandIn.sol calls HIDDEN. */
const cloner = '0x00000000000000000000000000000000000c10e5';
/** Creates whatever its calldata says: calldatacopy, create. */
const creator = '0x365f5f37365f5ff000';
/** Enough for any honest trade with swap-back and hooks; beyond it the refusal is `out-of-gas`. */
const tradeGas = numberToHex(4_000_000);
const tokenGas = tradeGas;
const cloneGas = numberToHex(8_000_000);
/** What a wallet is given beside the price of its purchase: enough for gas at any price, and no more than wallets have. */
const pocketMoney = 7_316_400_000_000_000_000n;
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
};

/** ERC-20 and the stand-ins (contracts/lens/standIn); the test beside compares them with the ABI. */
export const selectors = {
  approve: '0x095ea7b3',
  transfer: '0xa9059cbb',
  totalSupply: '0x18160ddd',
  buy: '0xd6febde8',
  sell: '0xd79875eb',
  balanceOf: '0xf7888aec',
  tokenBalanceOf: '0x70a08231',
  execute: '0xb61d27f6',
  sync: '0xfff6cae9',
  roundTrip: '0x73e2e235',
} as const;

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
export const toSimulation = (scenario: Scenario, base: SimulationBase, wrapped: Address): SimulationCall =>
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
  wrapped: Address,
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
        [receiver]: { balance: moneyOf(first) },
      },
      blockOverrides: { time: numberToHex(base.timestamp + 1n), ...toChainWords(base) },
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
  same(a.pool.router, b.pool.router) &&
  a.pool.puller === b.pool.puller &&
  standInOf(a.pool.kind) === standInOf(b.pool.kind);

/**
 * Whether every transaction in it is one that a chain would take. Only then does a node simulate with the block's base
 * fee, which a token can see; contracts that hand out the counter-asset, and owners that are contracts, send none.
 */
function mayBeValid({ whale, steps }: Scenario): boolean {
  return whale === null && !steps.some(({ what }) => what === 'call');
}

/** Set base fee and time explicitly; tokens can detect a node's defaults. */
function toBlockOverrides({ seconds, blocks }: Distance, base: SimulationBase): object {
  const time = numberToHex(base.timestamp + seconds);
  const number = blocks === undefined ? {} : { number: numberToHex(base.number + blocks) };
  return { ...number, time, ...toChainWords(base) };
}

const toChainWords = ({ baseFee, maker, random }: SimulationBase) => ({
  baseFeePerGas: numberToHex(baseFee),
  ...(maker && { feeRecipient: maker }),
  ...(random && { prevRandao: random }),
});

/** Wei: twice the purchase where it is paid in the native token. */
function moneyOf({ steps, whale }: Scenario): Hex {
  const priceOf = (step: Step) => (step.what === 'buy' ? step.amount : step.what === 'route' ? step.value : 0n);
  const spent = steps.reduce((sum, step) => sum + priceOf(step), 0n);
  return numberToHex(pocketMoney + (whale === null ? 2n * spent : 0n));
}

function toOverrides(scenarios: readonly Scenario[], rows: PoolRows): Record<Address, object> {
  const overrides: Record<Address, object> = {};
  for (const scenario of scenarios) {
    const { pool, wallet, trader, receiver } = scenario;
    const balance = moneyOf(scenario);
    overrides[trader] = { balance, ...(wallet === 'contract' && { code: walletStandInArtifact.runtime }) };
    if (wallet === 'bare') continue;
    overrides[receiver] = { balance };
    overrides[pool.router] = { code: concatHex([standInOf(pool.kind), rows.data]) };
    if (pool.puller) overrides[pool.puller] = { code: pullerStandInArtifact.runtime };
    // Pays for a wallet that is a contract.
    if (wallet === 'contract') overrides[ownerOf(trader)] = { balance };
  }
  return overrides;
}

/** Each simulation carries the code along, so it knows no more than its kind of pool. */
function standInOf(kind: number): Hex {
  if (kind >= kinds.v4) return singletonStandInArtifact.runtime;
  const concentrated = kind === kinds.v3 || kind === kinds.slipstream || kind === kinds.algebra;
  return concentrated ? concentratedStandInArtifact.runtime : pairStandInArtifact.runtime;
}

/** The stand-in pays purchases itself: with native money sent along, or with what a whale gives it. */
function toFunding({ pool, whale }: Scenario, amount: bigint, wrapped: Address) {
  if (same(pool.counter, wrapped) || whale === null) return [];
  const data = encodeWords(selectors.transfer, [pool.router, amount]);
  const gift = { call: { from: whale, to: pool.counter, gas: tokenGas, gasPrice: '0x0', data } };
  // A pair that gave has to take note of it, or its own arithmetic refuses the purchase.
  const isPair = pool.kind === kinds.v2 || pool.kind === kinds.solidly || pool.kind === kinds.solidlyPair;
  if (!isPair || !same(whale, pool.pool)) return [gift];
  return [gift, { call: { from: cloner, to: pool.pool, gas: tokenGas, gasPrice: '0x0', data: selectors.sync } }];
}

function toCall(scenario: Scenario, step: Step, rows: PoolRows): object {
  const { pool, trader, receiver } = scenario;
  const gasPrice = numberToHex(scenario.gasPrice);
  const walletOf = (who: 'trader' | 'receiver') => (who === 'trader' ? trader : receiver);
  switch (step.what) {
    case 'buy': {
      const data = encodeWords(selectors.buy, [rows.find(pool, 'buy'), step.amount]);
      return sentBy(scenario, trader, pool.router, tradeGas, data, rows.isNative(pool) ? step.amount : 0n);
    }
    case 'sell': {
      const wallet = walletOf(step.who);
      const data = encodeWords(selectors.sell, [rows.find(pool, 'sell'), BigInt(step.bps)]);
      return sentBy(scenario, wallet, pool.router, tradeGas, data);
    }
    case 'approve': {
      // Tokens with 96-bit allowances (UNI, COMP) take 2^256 - 1 as unlimited and refuse other large amounts.
      const data = encodeWords(selectors.approve, [pool.puller ?? pool.router, 2n ** 256n - 1n]);
      return sentBy(scenario, walletOf(step.who), pool.token, tokenGas, data);
    }
    case 'transfer': {
      const data = encodeWords(selectors.transfer, [receiver, step.amount]);
      return sentBy(scenario, trader, pool.token, tokenGas, data);
    }
    case 'balance': {
      const holder = step.who === 'trader' || step.who === 'receiver' ? walletOf(step.who) : step.who;
      const call = { from: receiver, gas: tokenGas, gasPrice };
      if (scenario.wallet === 'bare') {
        return { ...call, to: pool.token, data: encodeWords(selectors.tokenBalanceOf, [holder]) };
      }
      return { ...call, to: pool.router, data: encodeWords(selectors.balanceOf, [pool.token, holder]) };
    }
    case 'route':
      return {
        from: trader,
        to: pool.router,
        gas: tradeGas,
        gasPrice,
        value: numberToHex(step.value),
        data: step.data,
      };
    case 'supply':
      return { from: receiver, to: pool.token, gas: tokenGas, gasPrice, data: selectors.totalSupply };
    case 'call':
      return { from: step.from, to: pool.token, gas: tokenGas, data: step.data };
  }
}

/** From the wallet itself, or through it when it is a contract. */
function sentBy(scenario: Scenario, wallet: Address, to: Address, gas: Hex, data: Hex, value = 0n): object {
  const gasPrice = numberToHex(scenario.gasPrice);
  if (scenario.wallet !== 'contract' || wallet !== scenario.trader) {
    return { from: wallet, to, gas, gasPrice, value: numberToHex(value), data };
  }
  const padded = data.slice(2).padEnd(Math.ceil((data.length - 2) / 64) * 64, '0');
  const head = encodeWords(selectors.execute, [to, value, 96n, BigInt(data.length / 2 - 1)]);
  return { from: ownerOf(wallet), to: wallet, gas, gasPrice, data: `${head}${padded}` };
}

/** The pools of a simulation, as rows behind the code of the stand-in (`Trade` of StandIn.sol). */
interface PoolRows {
  data: Hex;
  /** Distance of a row from the end of the code, in bytes. */
  find(pool: TradePool, side: 'buy' | 'sell'): bigint;
  isNative(pool: TradePool): boolean;
}

const rowBytes = 320;

function toRows(scenarios: readonly Scenario[], wrapped: Address): PoolRows {
  const pools = [...new Set(scenarios.map(({ pool }) => pool))];
  const sides = ['buy', 'sell'] as const;
  const rows = pools.flatMap((pool) => sides.map((side) => toRow(pool, side, wrapped)));
  return {
    data: concatHex(rows),
    find: (pool, side) => BigInt((rows.length - pools.indexOf(pool) * 2 - sides.indexOf(side)) * rowBytes),
    isNative: ({ counter }) => same(counter, wrapped),
  };
}

export function toRow(pool: TradePool, side: 'buy' | 'sell', wrapped: Address): Hex {
  const [tokenIn, tokenOut] = side === 'buy' ? [pool.counter, pool.token] : [pool.token, pool.counter];
  const { kind, fee, tickSpacing, hooks, puller } = pool;
  const leg = [BigInt(kind), pool.pool, tokenIn, tokenOut, BigInt(fee), BigInt(tickSpacing), hooks, 0n];
  return encodeWords('0x', [...leg, puller ?? zero, wrapped]);
}

const toCopying = (router: Address) => ({ to: cloner, data: copyOf(router) });

/** Creation code whose contract is a copy of another's code: extcodecopy to memory, return. */
function copyOf(target: Address): Hex {
  return concatHex(['0x73', target, '0x3b805f5f73', target, '0x3c5ff3']);
}

/** Some account that is not the wallet: who signs for a wallet that is a contract. */
function ownerOf(wallet: Address): Address {
  return `0x${wallet.slice(3)}1` as Address;
}

const zero = '0x0000000000000000000000000000000000000000';
const same = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase();
