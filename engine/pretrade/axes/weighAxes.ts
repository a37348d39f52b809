import { b20Gate, findB20 } from '../b20/applyB20.ts';
import { weighGates } from '../bytecode/gates.ts';
import { type CheckInputs, ownFeedOf } from '../checkInputs.ts';
import type { Signal, SignalName } from '../pretradeTypes.ts';
import { weighAge } from './age.ts';
import { feeSignal, withLaterSale } from './changingTaxes.ts';
import { weighConcentration } from './concentration.ts';
import { liquiditySignal, weighLiquidity } from './liquidity.ts';
import { weighOracle } from './oracle.ts';
import { weighTransferability } from './transferability.ts';
import type { TransferFinding } from './transferFinding.ts';
import { feedDoubts, usdPricesOf } from './usdPrices.ts';

export type AxisFindings = ReturnType<typeof weighAxes>;

/** Weighs the axes and the trading gate. Pure. */
export function weighAxes(inputs: Omit<CheckInputs, 'topHolderMove'>) {
  const { environment, token, sizeUsd, reading, vendors } = inputs;
  const { deployment, candidatePools } = environment.data;
  const { exit, market, code } = reading;
  const liquidity = weighLiquidity({
    ...reading,
    token,
    sizeUsd: Number(sizeUsd),
    reading: exit,
    candidatePools,
    deployment,
    doubts: feedDoubts(exit, deployment, market),
    prices: usdPricesOf(exit, deployment, market),
    holders: environment.holders,
  });
  const trade = withLaterSale(weighTransferability(reading.scenarios), reading.laterSaleLoss);
  const pools = [
    ...liquidity.exits.map(({ exit: pool }) => pool.pool),
    ...environment.holders.map(({ address }) => address),
    ...reading.outside.map(({ pool }) => pool),
  ];
  const concentration = weighConcentration({
    token,
    candidates: vendors.holders,
    measured: inputs.holderBalances,
    stored: vendors.storedHolders,
    totalSupply: exit.totalSupply,
    pools: new Set(pools),
    now: inputs.ts,
  });
  const b20 = findB20(reading);
  const age = weighAge(vendors.firstTransfer, exit.timestamp);
  const oracle = weighOracle(token, exit, ownFeedOf(inputs), deployment, liquidity.midUsd);
  const gate = b20 ? b20Gate(b20, trade) : weighGates(exit, code, trade);
  return {
    ...{ liquidity, trade, concentration, age, oracle, b20, gate },
    flags: {
      'F-LIQ': liquiditySignal(liquidity, Number(sizeUsd), refusedTrades(trade)),
      'F-CONC': concentration.signal,
      'F-AGE': age.signal,
      'F-FOT': feeSignal(trade),
      'O-SANITY': oracle.signal,
    } satisfies Record<SignalName, Signal>,
  };
}

function refusedTrades({ outcome }: TransferFinding): 'sales' | 'purchases' | null {
  if (outcome === 'sale-blocked') return 'sales';
  return outcome === 'purchase-blocked' ? 'purchases' : null;
}
