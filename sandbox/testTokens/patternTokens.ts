import { foreignPoolTaxTokenArtifact } from '../../contracts/artifacts/testTokens/ForeignPoolTaxToken.ts';
import { guardianTokenArtifact } from '../../contracts/artifacts/testTokens/GuardianToken.ts';
import { patternTokenArtifact } from '../../contracts/artifacts/testTokens/PatternToken.ts';
import { shrinkingTokenArtifact } from '../../contracts/artifacts/testTokens/ShrinkingToken.ts';
import { signedAllowanceTokenArtifact } from '../../contracts/artifacts/testTokens/SignedAllowanceToken.ts';
import { describeToken, ownPair } from './describeToken.ts';
import type { GroundTruth, TokenDefinition } from './testTokenTypes.ts';
import { saleBlocked, tradable } from './truths.ts';

const patterns = {
  saleHours: 0,
  oneSalePerBlock: 1,
  dailyQuota: 2,
  buyCap: 3,
  leastSale: 4,
  partnerToken: 5,
  leastTip: 6,
} as const;

const patterned = (symbol: string, about: string, pattern: keyof typeof patterns, truth: GroundTruth) =>
  describeToken(symbol, patternTokenArtifact, about, truth, { args: [patterns[pattern]] });

/** Rules of real tokens that do not depend on the wallet's history (`Patterns.sol`). */
export const patternTokens: readonly TokenDefinition[] = [
  patterned(
    'QHOURS',
    'Sales work only in the first twelve hours of each day since deployment.',
    'saleHours',
    tradable(),
  ),
  patterned('QBLOCK', 'At most one sale per block works, whichever wallet sells.', 'oneSalePerBlock', tradable()),
  patterned(
    'QQUOTA',
    'All sales of a day together can move at most 2 % of the supply.',
    'dailyQuota',
    tradable({ hasMaxLimit: null }),
  ),
  patterned('QBUYCAP', 'A purchase can move at most 2 % of the supply.', 'buyCap', tradable({ hasMaxLimit: true })),
  patterned(
    'QLEAST',
    'A sale must move at least 200 tokens: 1,000 USD can be sold, 10 USD cannot.',
    'leastSale',
    // The owner scan trades small amounts, which fail here.
    tradable({ canSellSmall: false, powersHidden: true }),
  ),
  patterned('QPARTNER', 'Trap: sellers must hold another token.', 'partnerToken', saleBlocked()),
  patterned(
    'QTIP',
    'A sale with a tip below 0.002 gwei reverts.',
    'leastTip',
    saleBlocked({ canSellAtHighGasPrice: true }),
  ),
  describeToken(
    'QPERMIT',
    signedAllowanceTokenArtifact,
    'Trap: approve() reverts, and routers cannot use a permit.',
    saleBlocked({ sellTax: 0 }),
  ),
  describeToken(
    'QSHRINK',
    shrinkingTokenArtifact,
    'Every balance shrinks by 1 % a day; the owner can stop all transfers.',
    tradable({
      ownerRenounced: false,
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'halt', args: [true] }],
    }),
  ),
  {
    ...describeToken(
      'QGUARD',
      guardianTokenArtifact,
      'A wallet in storage can stop all transfers for a week.',
      tradable({
        ownerRenounced: false,
        powers: [{ effect: 'block-all-sales', by: 'hidden', functionName: 'quiet', args: [] }],
      }),
    ),
    deploy: ({ params, create, insider }) => create(guardianTokenArtifact, [params(), insider]),
  },
  describeToken(
    'QFOREIGN',
    foreignPoolTaxTokenArtifact,
    'No tax in its own pair, and a tax of 10 % on sales to any other pool.',
    tradable({ otherPools: [{ venue: 'uniswap-v2', buyTax: 0, sellTax: 0.1 }] }),
    {
      pools: [
        { ...ownPair, tokenShare: 0.4, counterAmount: '15' },
        { kind: 'venue', venue: 'uniswap-v2', counter: 'USDC', counterAmount: '45000', tokenShare: 0.4 },
      ],
    },
  ),
];
