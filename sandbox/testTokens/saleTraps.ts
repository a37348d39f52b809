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

/** A token that asks another contract about each sale. */
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

export const saleTraps: readonly TokenDefinition[] = [
  describeToken(
    'LISTED',
    listedSellersTokenArtifact,
    'Trap: only whom the owner lists may sell.',
    saleBlocked({ hasBlacklist: null, ownerRenounced: false }),
  ),
  describeToken(
    'MARKED',
    markedBuyersTokenArtifact,
    'Trap: every buyer is blacklisted inside his own purchase.',
    saleBlocked({ canTransfer: false, transferTax: null, hasBlacklist: null }),
  ),
  describeToken(
    'RECEIVER',
    receiversLockedTokenArtifact,
    'Who bought sells; who was given tokens cannot.',
    tradable({ receiverCanSell: false, hasBlacklist: null }),
  ),
  describeToken(
    'GASSALE',
    gasPriceSaleTokenArtifact,
    'A sale above 5 gwei of gas price fails.',
    tradable({ canSellAtHighGasPrice: false }),
  ),
  describeToken(
    'GASBUYER',
    gasPriceBuyerTokenArtifact,
    'Trap: who bought above 5 gwei of gas price never sells.',
    tradable({ canSellAfterHighGasBuy: false, hasBlacklist: null }),
  ),
  describeToken(
    'FREEGAS',
    freeGasSaleTokenArtifact,
    'Trap: sells only where gas costs nothing, which is in simulations.',
    saleBlocked(),
  ),
  describeToken(
    'FREEBLOCK',
    freeBlockSaleTokenArtifact,
    'Trap: sells only in a block without a base fee, which is in simulations.',
    saleBlocked(),
  ),
  describeToken(
    'ORIGIN',
    originSaleTokenArtifact,
    'Trap: a sale passes only in a transaction that the team began.',
    saleBlocked(),
  ),
  describeToken(
    'OWNROUTER',
    ownRouterSaleTokenArtifact,
    "Trap: sales pass only through the team's router.",
    saleBlocked(),
  ),
  describeToken(
    'NOAPPROVE',
    forgottenApprovalTokenArtifact,
    'Trap: approvals are answered with true and forgotten, so no router can sell.',
    // A wallet may still pay the pair by hand, and that payment arrives untaxed.
    saleBlocked({ sellTax: 0 }),
  ),
  describeToken(
    'REVERTBOMB',
    revertBombSaleTokenArtifact,
    'Trap: every sale fails, with 200 kB of revert data.',
    saleBlocked(),
  ),
  describeToken('GASBOMB', gasBombSaleTokenArtifact, 'Trap: a sale runs until its gas is gone.', saleBlocked()),
  describeToken(
    'FALSESALE',
    falseSaleTokenArtifact,
    'Trap: a sale answers false and moves nothing, without a revert.',
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
    'Trap: balanceOf shows buyers what they were never given.',
    saleBlocked({ canTransfer: false, transferTax: null }),
  ),
  controlled(
    'ASKSOPEN',
    'Another contract decides about every sale; today it allows them.',
    true,
    tradable({
      powers: [{ effect: 'block-all-sales', by: 'hidden', external: true, functionName: 'setOpen', args: [false] }],
    }),
  ),
  controlled('ASKSSHUT', 'Trap: another contract decides about every sale, and refuses them.', false, saleBlocked()),
];
