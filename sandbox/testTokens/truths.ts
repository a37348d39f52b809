import type { GroundTruth } from './testTokenTypes.ts';

/** The facts of an honest token. Other tokens state only their differences. */
const honest: GroundTruth = {
  verdict: 'clear',
  triggers: [],
  outcomes: ['tradable'],
  canBuy: true,
  canSell: true,
  canSellSameBlock: true,
  canSellNextBlock: true,
  canSellAfter60Blocks: true,
  canSellAfterOneDay: true,
  canSellWhole: true,
  canSellSmall: true,
  canSellAtHighGasPrice: true,
  canSellAfterHighGasBuy: true,
  canTransfer: true,
  receiverCanSell: true,
  contractWalletCanTrade: true,
  buyTax: 0,
  sellTax: 0,
  transferTax: 0,
  hasBlacklist: false,
  hasMaxLimit: false,
  mintable: false,
  ownerRenounced: null,
  powers: [],
};

const noSale = {
  canSell: false,
  canSellSameBlock: false,
  canSellNextBlock: false,
  canSellAfter60Blocks: false,
  canSellAfterOneDay: false,
  canSellWhole: false,
  canSellSmall: false,
  canSellAtHighGasPrice: false,
  canSellAfterHighGasBuy: false,
  receiverCanSell: false,
  contractWalletCanTrade: false,
} as const;

/** An ordinary wallet can buy and sell. */
export function tradable(differs: Partial<GroundTruth> = {}): GroundTruth {
  return { ...honest, ...differs };
}

/** Purchases work and sales do not. The verdict stays `clear`, because a blocked sale is not a trigger. */
export function saleBlocked(differs: Partial<GroundTruth> = {}): GroundTruth {
  return { ...honest, ...noSale, outcomes: ['sale-blocked'], sellTax: null, ...differs };
}

/** Only the team can trade. */
export function tradeBlocked(differs: Partial<GroundTruth> = {}): GroundTruth {
  return {
    ...honest,
    ...noSale,
    outcomes: ['purchase-blocked'],
    canBuy: false,
    buyTax: null,
    sellTax: null,
    ...differs,
  };
}

/** As `tradeBlocked`; transfers between wallets fail too. */
export function frozen(differs: Partial<GroundTruth> = {}): GroundTruth {
  return tradeBlocked({ canTransfer: false, transferTax: null, ...differs });
}
