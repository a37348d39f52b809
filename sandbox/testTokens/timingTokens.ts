import { cooldownTokenArtifact } from '../../contracts/artifacts/testTokens/CooldownToken.ts';
import { keepOneTokenArtifact } from '../../contracts/artifacts/testTokens/KeepOneToken.ts';
import { launchTimeTokenArtifact } from '../../contracts/artifacts/testTokens/LaunchTimeToken.ts';
import { maxSaleTokenArtifact } from '../../contracts/artifacts/testTokens/MaxSaleToken.ts';
import { maxTransferTokenArtifact } from '../../contracts/artifacts/testTokens/MaxTransferToken.ts';
import { maxWalletTokenArtifact } from '../../contracts/artifacts/testTokens/MaxWalletToken.ts';
import { oncePerBlockTokenArtifact } from '../../contracts/artifacts/testTokens/OncePerBlockToken.ts';
import { saleWindowTokenArtifact } from '../../contracts/artifacts/testTokens/SaleWindowToken.ts';
import { describeToken } from './describeToken.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { saleBlocked, tradable, tradeBlocked } from './truths.ts';

/** Tokens whose behaviour depends on time or amount. */
export const timingTokens: readonly TokenDefinition[] = [
  describeToken(
    'ONCE',
    oncePerBlockTokenArtifact,
    'A wallet can transfer once per block, so a buyer can sell in the next block.',
    tradable({ outcomes: ['sale-blocked-same-block-only'], canSellSameBlock: false }),
  ),
  describeToken(
    'COOLDOWN',
    cooldownTokenArtifact,
    'A buyer can sell only 5 blocks after the purchase.',
    tradable({ outcomes: ['sale-blocked-for-a-time'], canSellSameBlock: false, canSellNextBlock: false }),
    { args: [{ blocks: 5n, time: 0n }] },
  ),
  describeToken(
    'DAYLOCK',
    cooldownTokenArtifact,
    'A buyer can sell only 20 hours after the purchase. A wallet that received a transfer can sell at once.',
    saleBlocked({
      outcomes: ['sale-blocked-for-a-time'],
      canSell: true,
      canSellAfterOneDay: true,
      receiverCanSell: true,
      sellTax: 0,
    }),
    { args: [{ blocks: 0n, time: 72_000n }] },
  ),
  describeToken(
    'WINDOW',
    saleWindowTokenArtifact,
    'Trap: a buyer can sell only within 20 blocks of the purchase.',
    saleBlocked({
      outcomes: ['sale-blocked-for-a-time', 'sale-blocked', 'unknown'],
      canSell: true,
      canSellSameBlock: true,
      canSellNextBlock: true,
      sellTaxNextBlock: 0,
    }),
  ),
  describeToken(
    'LAUNCHDAY',
    launchTimeTokenArtifact,
    'Only the team can trade before launchTime(), which is one year in the future.',
    tradeBlocked({ canTransfer: false, transferTax: null }),
  ),
  describeToken(
    'MAXSALE',
    maxSaleTokenArtifact,
    'A sale can move at most 0.01 % of the supply. The owner can lower the limit to zero.',
    saleBlocked({
      outcomes: ['size-limited'],
      canSell: true,
      canSellSmall: true,
      sellTax: 0,
      hasMaxLimit: true,
      ownerRenounced: false,
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'setMaxSellAmount', args: [0] }],
    }),
  ),
  describeToken(
    'MAXMOVE',
    maxTransferTokenArtifact,
    'Rejects transfers above 1 % of the supply; a trade of 1,000 USD is smaller.',
    tradable({
      hasMaxLimit: true,
      ownerRenounced: false,
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'setMaxTxAmount', args: [0] }],
    }),
  ),
  describeToken(
    'MAXWALLET',
    maxWalletTokenArtifact,
    'Rejects balances above 1 % of the supply; a trade of 1,000 USD is smaller.',
    tradable({ hasMaxLimit: true }),
    { args: [false] },
  ),
  describeToken(
    'MAXPOOL',
    maxWalletTokenArtifact,
    'Trap: rejects balances above 1 % of the supply, including that of the pool, so no wallet can sell.',
    saleBlocked({ hasMaxLimit: true }),
    { args: [true] },
  ),
  describeToken(
    'KEEPONE',
    keepOneTokenArtifact,
    'A sale must leave one whole token in the wallet.',
    tradable({ outcomes: ['tradable', 'size-limited'], canSellWhole: false, hasMaxLimit: null }),
  ),
];
