import { concatHex, type Hex, numberToHex, size } from 'viem';
import { concentratedStandInArtifact } from '../../../contracts/artifacts/lens/ConcentratedStandIn.ts';
import { pairStandInArtifact } from '../../../contracts/artifacts/lens/PairStandIn.ts';
import { pullerStandInArtifact } from '../../../contracts/artifacts/lens/PullerStandIn.ts';
import { singletonStandInArtifact } from '../../../contracts/artifacts/lens/SingletonStandIn.ts';
import { walletStandInArtifact } from '../../../contracts/artifacts/lens/WalletStandIn.ts';
import { toBytes } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isConcentrated, isSingleton } from '../../venues/kinds.ts';
import type { Scenario, Step, TradePool } from './simulationTypes.ts';

/** Account with `createCode`. The contract that it creates at nonce 1 has the address `REPLACED_CODE` of StandIn.sol. */
export const cloner = '0x00000000000000000000000000000000000c10e5';
/**
 * Code that returns number, time and base fee of its block, after PUSH0, TLOAD and MCOPY. A node that runs a simulation in
 * another block, or without these opcodes, would make honest tokens look like traps.
 */
export const blockProbe = '0x5f5c505f5f5f5e435f52426020524860405260605ff3';
/** The same, after it creates a contract from its calldata: calldatacopy, create, pop. */
export const createCode = concatHex(['0x365f5f37365f5ff050', blockProbe]);
/** Gas that a wallet can pay for: three full gas limits (`randomMeans`), at 200 gwei 12 ether. */
const affordedGas = 60_000_000n;
const zero = '0x0000000000000000000000000000000000000000';

/** Balance in wei: gas, larger tips, the spare amount, and twice the purchase if native coin pays it. */
export function nativeBalanceOf({ steps, funder, gasPrice, means }: Scenario): Hex {
  const priceOf = (step: Step) => (step.action === 'buy' ? step.amount : step.action === 'route' ? step.value : 0n);
  const spent = steps.reduce((sum, step) => sum + priceOf(step), 0n);
  const tips = steps.reduce((sum, step) => sum + (step.action === 'sell' ? (step.moreTip ?? 0n) : 0n), 0n);
  const spare = affordedGas * gasPrice + tips * means.gas + means.spare;
  return numberToHex(spare + (funder === null ? 2n * spent : 0n));
}

/** Whether the receiver sends a call. It also sends the reads of balances and of the supply. */
const usesReceiver = ({ steps }: Scenario): boolean =>
  steps.some(
    (step) =>
      ['transfer', 'balance', 'supply'].includes(step.action) || ('account' in step && step.account === 'receiver'),
  );

/** State overrides: balances of the wallets, and stand-ins instead of the router and the puller. */
export function toOverrides(scenarios: readonly Scenario[], rows: PoolRows): Record<LowerAddress, object> {
  const overrides: Record<LowerAddress, object> = {};
  for (const scenario of scenarios) {
    const { pool, wallet, trader, receiver } = scenario;
    const balance = nativeBalanceOf(scenario);
    overrides[trader] = { balance, ...(wallet === 'contract' && { code: walletStandInArtifact.runtime }) };
    if (wallet === 'bare') continue;
    // The first block funds the first scenario's receiver already, because it sends that block's call.
    if (usesReceiver(scenario) && scenario !== scenarios[0]) overrides[receiver] = { balance };
    overrides[pool.router] = { code: concatHex([standInOf(pool.kind), rows.data]) };
    if (pool.puller) overrides[pool.puller] = { code: pullerStandInArtifact.runtime };
    // The owner pays the gas of a contract wallet.
    if (wallet === 'contract') overrides[ownerOf(trader)] = { balance };
  }
  return overrides;
}

/** The stand-in of a kind of pool. There are several, because every request includes the code. */
export function standInOf(kind: number): Hex {
  if (isSingleton(kind)) return singletonStandInArtifact.runtime;
  return isConcentrated(kind) ? concentratedStandInArtifact.runtime : pairStandInArtifact.runtime;
}

/** The pools of a simulation, as rows after the code of the stand-in (`Trade` of StandIn.sol). */
export interface PoolRows {
  data: Hex;
  /** Distance of a row from the end of the code, in bytes. */
  find(pool: TradePool): bigint;
  isNative(pool: TradePool): boolean;
}

export function toRows(scenarios: readonly Scenario[], wrapped: LowerAddress): PoolRows {
  const pools = [...new Set(scenarios.map(({ pool }) => pool))];
  const rows = pools.map(toRow);
  return {
    data: concatHex(rows),
    find: (pool) => BigInt(rows.slice(pools.indexOf(pool)).reduce((sum, row) => sum + size(row), 0)),
    isNative: ({ counter }) => counter === wrapped,
  };
}

/** Packs a pool for `_order` of StandIn.sol: the counter-asset is sold, the token bought. */
export function toRow({ kind, pool, token, counter, fee, tickSpacing, hooks, puller }: TradePool): Hex {
  const shape = [
    toBytes(BigInt(kind), 1),
    toBytes(BigInt(fee), 3),
    toBytes(BigInt.asUintN(24, BigInt(tickSpacing)), 3),
  ];
  const addresses = [pool, counter, token, ...(isSingleton(kind) ? [hooks, puller ?? zero] : [])];
  return `0x${[...shape, ...addresses.map((address) => address.slice(2))].join('')}`;
}

/** A call that copies the router's own code to `REPLACED_CODE` of StandIn.sol. */
export const toCopying = (router: LowerAddress) => ({ to: cloner, data: copyOf(router) });

/** Creation code of a contract with another contract's code: extcodecopy to memory, return. */
function copyOf(target: LowerAddress): Hex {
  return concatHex(['0x73', target, '0x803b805f5f843c5ff3']);
}

/** The account that sends a contract wallet's transactions: any address except the wallet's. */
export function ownerOf(wallet: LowerAddress): LowerAddress {
  return `0x${wallet.slice(3)}1` as LowerAddress;
}
