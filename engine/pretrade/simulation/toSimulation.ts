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
/**
 * From the block that is asked about, two seconds a block as on Base. geth fills at most 256 missing blocks, so one day
 * is simulated by the timestamp and not by the number.
 */
const distances: Record<Moment, { seconds: bigint; blocks?: bigint }> = {
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
  buy: '0xc72ab912',
  sell: '0x8d1b788a',
  balanceOf: '0xf7888aec',
  tokenBalanceOf: '0x70a08231',
  execute: '0xb61d27f6',
  sync: '0xfff6cae9',
  roundTrip: '0x84e3afe7',
} as const;

export interface SimulationCall {
  call: RpcCall;
  /** By simulated block after the first: which step each call answers; undefined where a call only prepares. */
  layout: (Step | undefined)[][];
}

/**
 * One `eth_simulateV1`. The first block copies the router's own code aside; the second lays the stand-in over the router
 * and makes the purchase; the others follow at their moments.
 */
export function toSimulation(scenario: Scenario, base: SimulationBase, wrapped: Address): SimulationCall {
  const { pool, receiver } = scenario;
  const gasPrice = numberToHex(scenario.gasPrice);
  const bare = scenario.wallet === 'bare';
  const balance = moneyOf(scenario);
  const blocks: unknown[] = [
    {
      stateOverrides: { ...(bare ? {} : { [cloner]: { code: creator, nonce: '0x1' } }), [receiver]: { balance } },
      blockOverrides: { time: numberToHex(base.timestamp + 1n), ...toChainWords(base) },
      calls: [{ from: receiver, gas: cloneGas, gasPrice, ...(bare ? { to: receiver } : toCopying(pool.router)) }],
    },
  ];
  const layout: (Step | undefined)[][] = [];
  for (const moment of moments) {
    const steps = scenario.steps.filter(({ at }) => at === moment);
    if (steps.length === 0) continue;
    const calls: { call: object; step?: Step }[] = [];
    for (const step of steps) {
      if (step.what === 'buy') calls.push(...toFunding(scenario, step.amount, wrapped));
      calls.push({ call: toCall(scenario, step, wrapped), step });
    }
    layout.push(calls.map(({ step }) => step));
    blocks.push({
      ...(layout.length === 1 ? { stateOverrides: toOverrides(scenario) } : {}),
      blockOverrides: toBlockOverrides(moment, base),
      calls: calls.map(({ call }) => call),
    });
  }
  const validation = mayBeValid(scenario);
  const params = [{ blockStateCalls: blocks, validation, traceTransfers: false }, base.block];
  return { call: { method: 'eth_simulateV1', params }, layout };
}

/**
 * Whether every transaction in it is one that a chain would take. Only then does a node simulate with the block's base
 * fee, which a token can see; contracts that hand out the counter-asset, and owners that are contracts, send none.
 */
function mayBeValid({ whale, steps }: Scenario): boolean {
  return whale === null && !steps.some(({ what }) => what === 'call');
}

/** Base fee and time are said, or a node would take none and its own clock, which a token can see. */
function toBlockOverrides(moment: Moment, base: SimulationBase): object {
  const { seconds, blocks } = distances[moment];
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

function toOverrides(scenario: Scenario): Record<Address, object> {
  const { pool, wallet, trader, receiver } = scenario;
  const balance = moneyOf(scenario);
  if (wallet === 'bare') return { [trader]: { balance } };
  return {
    [trader]: { balance, ...(wallet === 'contract' && { code: walletStandInArtifact.runtime }) },
    [receiver]: { balance },
    [pool.router]: { code: standInOf(pool.kind) },
    ...(pool.puller ? { [pool.puller]: { code: pullerStandInArtifact.runtime } } : {}),
    // Pays for a wallet that is a contract.
    ...(wallet === 'contract' ? { [ownerOf(trader)]: { balance } } : {}),
  };
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

function toCall(scenario: Scenario, step: Step, wrapped: Address): object {
  const { pool, trader, receiver } = scenario;
  const gasPrice = numberToHex(scenario.gasPrice);
  const walletOf = (who: 'trader' | 'receiver') => (who === 'trader' ? trader : receiver);
  switch (step.what) {
    case 'buy': {
      const data = encodeWords(selectors.buy, [...toTrade(pool, 'buy', trader, wrapped), step.amount]);
      return sentBy(scenario, trader, pool.router, tradeGas, data, same(pool.counter, wrapped) ? step.amount : 0n);
    }
    case 'sell': {
      const wallet = walletOf(step.who);
      const data = encodeWords(selectors.sell, [...toTrade(pool, 'sell', wallet, wrapped), BigInt(step.bps)]);
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

/** `Trade` of StandIn.sol. */
export function toTrade(pool: TradePool, side: 'buy' | 'sell', wallet: Address, wrapped: Address) {
  const [tokenIn, tokenOut] = side === 'buy' ? [pool.counter, pool.token] : [pool.token, pool.counter];
  const spacing = BigInt(pool.tickSpacing);
  const leg = [BigInt(pool.kind), pool.pool, tokenIn, tokenOut, BigInt(pool.fee), spacing, pool.hooks, 0n];
  return [...leg, wallet, pool.puller ?? zero, wrapped];
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
