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
    'One transfer a block for every wallet: a sale passes in the next block.',
    tradable({ outcomes: ['sale-blocked-same-block-only'], canSellSameBlock: false }),
  ),
  describeToken(
    'COOLDOWN',
    cooldownTokenArtifact,
    'A buyer waits 5 blocks before he sells.',
    tradable({ outcomes: ['sale-blocked-for-a-time'], canSellSameBlock: false, canSellNextBlock: false }),
    { args: [{ blocks: 5n, time: 0n }] },
  ),
  describeToken(
    'DAYLOCK',
    cooldownTokenArtifact,
    'A buyer waits 20 hours before he sells; who was given tokens does not.',
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
    'Trap: a buyer sells within 20 blocks or never.',
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
    'Only the team can trade before launchTime(), a year ahead.',
    tradeBlocked({ canTransfer: false, transferTax: null }),
  ),
  describeToken(
    'MAXSALE',
    maxSaleTokenArtifact,
    'A sale moves at most 0.01 % of the supply; the owner may change that to nothing.',
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
    'No transfer above 1 % of the supply; 1,000 USD stay below it.',
    tradable({
      hasMaxLimit: true,
      ownerRenounced: false,
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'setMaxTxAmount', args: [0] }],
    }),
  ),
  describeToken(
    'MAXWALLET',
    maxWalletTokenArtifact,
    'No wallet above 1 % of the supply; 1,000 USD stay below it.',
    tradable({ hasMaxLimit: true }),
    { args: [false] },
  ),
  describeToken(
    'MAXPOOL',
    maxWalletTokenArtifact,
    'Trap: no wallet above 1 % of the supply, the pool included, so no wallet can sell.',
    saleBlocked({ hasMaxLimit: true }),
    { args: [true] },
  ),
  describeToken(
    'KEEPONE',
    keepOneTokenArtifact,
    'A holder always keeps one token: all but that can be sold.',
    tradable({ outcomes: ['tradable', 'size-limited'], canSellWhole: false, hasMaxLimit: null }),
  ),
];
