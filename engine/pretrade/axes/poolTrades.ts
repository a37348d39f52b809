import { getAddress } from 'viem';
import { remarkableTax } from './feeSignal.ts';
import type { TransferFinding } from './transferFinding.ts';

type PoolTrade = TransferFinding['perPool'][number];

/** Taxes in the further pools in which trades were simulated, and whether a sale is refused there. */
export const describePools = ({ perPool, canSell }: TransferFinding): string[] =>
  perPool.flatMap((trade) => describePool(trade, canSell) ?? []);

/** Of these sentences, the ones that matter for a trade: a tax, or a refused sale. */
export const describeWorsePools = ({ perPool, canSell }: TransferFinding): string[] =>
  perPool.flatMap((trade) => {
    const tax = Math.max(trade.buyTax ?? 0, trade.sellTax ?? 0);
    return isRefusedOnlyThere(trade, canSell) || tax > remarkableTax ? (describePool(trade, canSell) ?? []) : [];
  });

function describePool(trade: PoolTrade, canSell: boolean | null): string | undefined {
  const { pool, buyTax, sellTax } = trade;
  const isRefused = isRefusedOnlyThere(trade, canSell);
  if (buyTax === null && sellTax === null && !isRefused) return undefined;
  const sale = isRefused ? 'a simulated sale is refused' : `sale tax ${percent(sellTax)}`;
  return `In pool ${getAddress(pool)}: purchase tax ${percent(buyTax)}, ${sale}.`;
}

const isRefusedOnlyThere = (trade: PoolTrade, canSell: boolean | null) => canSell === true && trade.canSell === false;

const percent = (share: number | null) => (share === null ? 'not measured' : `${(share * 100).toFixed(2)} %`);
