import { flagTemplateTokenArtifact } from '../../contracts/artifacts/testTokens/FlagTemplateToken.ts';
import { harmlessTemplateTokenArtifact } from '../../contracts/artifacts/testTokens/HarmlessTemplateToken.ts';
import { lockTemplateTokenArtifact } from '../../contracts/artifacts/testTokens/LockTemplateToken.ts';
import { statusTemplateTokenArtifact } from '../../contracts/artifacts/testTokens/StatusTemplateToken.ts';
import { describeToken } from './describeToken.ts';
import type { GroundTruth, TokenDefinition } from './testTokenTypes.ts';
import { tradable } from './truths.ts';

const template = {
  listedPools: 0,
  exemptPool: 1,
  status: 2,
  lockUntil: 3,
  vesting: 4,
  contractTax: 5,
  gasTax: 6,
  harmless: 7,
} as const;

const owned = (differs: Partial<GroundTruth>) => tradable({ ownerRenounced: false, ...differs });

/** Later than any test. */
const year2100 = 4_102_444_800;

/** Rules and owner functions of launch templates. */
export const templateTokens: readonly TokenDefinition[] = [
  describeToken(
    'MLISTED',
    flagTemplateTokenArtifact,
    'Transfers need a listed sender or receiver. The owner can remove the pool from the list.',
    owned({
      canTransfer: false,
      receiverCanSell: false,
      transferTax: null,
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'setListed', args: ['pool', false] }],
    }),
    { args: [template.listedPools] },
  ),
  describeToken(
    'MEXEMPT',
    flagTemplateTokenArtifact,
    'Rejects balances above 2 % of the supply. The owner can apply that to the pool.',
    owned({
      hasMaxLimit: true,
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'setListed', args: ['pool', false] }],
    }),
    { args: [template.exemptPool] },
  ),
  describeToken(
    'MSTATUS',
    statusTemplateTokenArtifact,
    'The owner gives holders a status. That of number 3 cannot sell.',
    owned({
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'setStatus', args: ['holder', 3] }],
    }),
    { args: [template.status] },
  ),
  describeToken(
    'MLOCK',
    lockTemplateTokenArtifact,
    'The owner locks a holder until a time in 32 bits.',
    owned({
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'lockUntil', args: ['holder', year2100] }],
    }),
    { args: [template.lockUntil] },
  ),
  describeToken(
    'MVEST',
    flagTemplateTokenArtifact,
    '5 % of a purchase can be transferred at once, the rest is released over 30 days.',
    owned({
      outcomes: ['size-limited'],
      canSellSameBlock: false,
      canSellNextBlock: false,
      canSellAfter60Blocks: false,
      canSellAfterOneDay: false,
      canSellWhole: false,
      canSellAtHighGasPrice: false,
      canSellAfterHighGasBuy: false,
      contractWalletCanTrade: false,
      canTransfer: false,
      receiverCanSell: false,
      transferTax: null,
      hasMaxLimit: true,
    }),
    { args: [template.vesting] },
  ),
  describeToken(
    'MCODETAX',
    flagTemplateTokenArtifact,
    'A sale by a wallet with code is taxed at 50 %.',
    owned({ contractWalletTax: 0.5 }),
    { args: [template.contractTax] },
  ),
  describeToken(
    'MGASTAX',
    flagTemplateTokenArtifact,
    'A purchase at a gas price above 10 gwei is taxed at 90 %.',
    owned({ highGasPriceTax: 0.9 }),
    { args: [template.gasTax] },
  ),
  describeToken(
    'MVOTES',
    harmlessTemplateTokenArtifact,
    'Honest: delegates votes by signature, and its owner sets an amount within bounds.',
    owned({}),
    { args: [template.harmless] },
  ),
];
