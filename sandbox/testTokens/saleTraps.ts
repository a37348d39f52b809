import { controlledSaleTokenArtifact } from '../../contracts/artifacts/testTokens/ControlledSaleToken.ts';
import { falseSaleTokenArtifact } from '../../contracts/artifacts/testTokens/FalseSaleToken.ts';
import { forgottenApprovalTokenArtifact } from '../../contracts/artifacts/testTokens/ForgottenApprovalToken.ts';
import { freeBlockSaleTokenArtifact } from '../../contracts/artifacts/testTokens/FreeBlockSaleToken.ts';
import { freeGasSaleTokenArtifact } from '../../contracts/artifacts/testTokens/FreeGasSaleToken.ts';
import { gasBombSaleTokenArtifact } from '../../contracts/artifacts/testTokens/GasBombSaleToken.ts';
import { gasPriceBuyerTokenArtifact } from '../../contracts/artifacts/testTokens/GasPriceBuyerToken.ts';
import { gasPriceSaleTokenArtifact } from '../../contracts/artifacts/testTokens/GasPriceSaleToken.ts';
import { listedSellersTokenArtifact } from '../../contracts/artifacts/testTokens/ListedSellersToken.ts';
import { markedBuyersTokenArtifact } from '../../contracts/artifacts/testTokens/MarkedBuyersToken.ts';
import { originSaleTokenArtifact } from '../../contracts/artifacts/testTokens/OriginSaleToken.ts';
import { ownRouterSaleTokenArtifact } from '../../contracts/artifacts/testTokens/OwnRouterSaleToken.ts';
import { phantomBalanceTokenArtifact } from '../../contracts/artifacts/testTokens/PhantomBalanceToken.ts';
import { receiversLockedTokenArtifact } from '../../contracts/artifacts/testTokens/ReceiversLockedToken.ts';
import { revertBombSaleTokenArtifact } from '../../contracts/artifacts/testTokens/RevertBombSaleToken.ts';
import { saleControllerArtifact } from '../../contracts/artifacts/testTokens/SaleController.ts';
import { silentSaleTokenArtifact } from '../../contracts/artifacts/testTokens/SilentSaleToken.ts';
import { describeToken, ownPair } from './describeToken.ts';
import type { GroundTruth, TokenDefinition } from './testTokenTypes.ts';
import { saleBlocked, tradable } from './truths.ts';

/** A token that calls another contract, which allows or refuses each sale. */
function controlled(symbol: string, about: string, open: boolean, truth: GroundTruth): TokenDefinition {
  return {
    symbol,
    about,
    truth,
    pools: [ownPair],
    abi: controlledSaleTokenArtifact.abi,
    deploy: ({ params, create }) =>
      create(controlledSaleTokenArtifact, [params(), create(saleControllerArtifact, [open])]),
  };
}

/** Tokens that refuse some or all sales, and honest tokens that resemble them. */
export const saleTraps: readonly TokenDefinition[] = [
  describeToken(
    'LISTED',
    listedSellersTokenArtifact,
    "Trap: only wallets on the owner's list can sell.",
    saleBlocked({ hasBlacklist: null, ownerRenounced: false }),
  ),
  describeToken(
    'MARKED',
    markedBuyersTokenArtifact,
    'Trap: each purchase blacklists its buyer.',
    saleBlocked({ canTransfer: false, transferTax: null, hasBlacklist: null }),
  ),
  describeToken(
    'RECEIVER',
    receiversLockedTokenArtifact,
    'Wallets that bought can sell. Wallets that received a transfer cannot.',
    tradable({ receiverCanSell: false, hasBlacklist: null }),
  ),
  describeToken(
    'GASSALE',
    gasPriceSaleTokenArtifact,
    'A sale with a gas price above 5 gwei reverts.',
    tradable({ canSellAtHighGasPrice: false }),
  ),
  describeToken(
    'GASBUYER',
    gasPriceBuyerTokenArtifact,
    'Trap: a wallet that bought with a gas price above 5 gwei can never sell.',
    tradable({ canSellAfterHighGasBuy: false, hasBlacklist: null }),
  ),
  describeToken(
    'FREEGAS',
    freeGasSaleTokenArtifact,
    'Trap: sales work only at a gas price of zero, as in many simulations.',
    saleBlocked(),
  ),
  describeToken(
    'FREEBLOCK',
    freeBlockSaleTokenArtifact,
    'Trap: sales work only in blocks with a base fee of zero, as in many simulations.',
    saleBlocked(),
  ),
  describeToken(
    'ORIGIN',
    originSaleTokenArtifact,
    'Trap: sales work only in transactions that the team sends.',
    saleBlocked(),
  ),
  describeToken(
    'OWNROUTER',
    ownRouterSaleTokenArtifact,
    "Trap: sales work only through the team's router.",
    saleBlocked(),
  ),
  describeToken(
    'NOAPPROVE',
    forgottenApprovalTokenArtifact,
    'Trap: approve() returns true but stores nothing, so no router can sell.',
    // A direct transfer to the pair still works, without a tax.
    saleBlocked({ sellTax: 0 }),
  ),
  describeToken(
    'REVERTBOMB',
    revertBombSaleTokenArtifact,
    'Trap: every sale reverts with 200 kB of data.',
    saleBlocked(),
  ),
  describeToken('GASBOMB', gasBombSaleTokenArtifact, 'Trap: a sale uses all its gas.', saleBlocked()),
  describeToken(
    'FALSESALE',
    falseSaleTokenArtifact,
    'Trap: a sale returns false and moves nothing, without a revert.',
    saleBlocked(),
  ),
  describeToken(
    'SILENTSALE',
    silentSaleTokenArtifact,
    'Trap: a sale returns true, logs a transfer, and moves nothing.',
    saleBlocked(),
  ),
  describeToken(
    'PHANTOM',
    phantomBalanceTokenArtifact,
    'Trap: balanceOf() shows buyers an amount that they never received.',
    saleBlocked({ canTransfer: false, transferTax: null }),
  ),
  controlled(
    'ASKSOPEN',
    'Another contract decides about every sale. It allows them now.',
    true,
    tradable({
      hasBlacklist: null,
      asksContract: true,
      powers: [{ effect: 'block-all-sales', by: 'hidden', external: true, functionName: 'setOpen', args: [false] }],
    }),
  ),
  controlled('ASKSSHUT', 'Trap: another contract decides about every sale, and refuses them.', false, saleBlocked()),
];
