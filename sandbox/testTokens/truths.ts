import type { GroundTruth } from './testTokenTypes.ts';

/** An honest token. Every other truth is described by its differences. */
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

export function tradable(differs: Partial<GroundTruth> = {}): GroundTruth {
  return { ...honest, ...differs };
}

/** Purchases work and sales are refused. The closed list of triggers makes that a fact, not a verdict. */
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

/** As tradeBlocked; transfers between wallets are refused too. */
export function frozen(differs: Partial<GroundTruth> = {}): GroundTruth {
  return tradeBlocked({ canTransfer: false, transferTax: null, ...differs });
}
