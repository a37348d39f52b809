import { encodeFunctionData } from 'viem';
import { adjustableTaxTokenArtifact } from '../../contracts/artifacts/testTokens/AdjustableTaxToken.ts';
import { bonusTokenArtifact } from '../../contracts/artifacts/testTokens/BonusToken.ts';
import { countedTaxTokenArtifact } from '../../contracts/artifacts/testTokens/CountedTaxToken.ts';
import { earlySellerTaxTokenArtifact } from '../../contracts/artifacts/testTokens/EarlySellerTaxToken.ts';
import { flatFeeTokenArtifact } from '../../contracts/artifacts/testTokens/FlatFeeToken.ts';
import { launchTaxTokenArtifact } from '../../contracts/artifacts/testTokens/LaunchTaxToken.ts';
import { onePoolTaxTokenArtifact } from '../../contracts/artifacts/testTokens/OnePoolTaxToken.ts';
import { startedTaxTokenArtifact } from '../../contracts/artifacts/testTokens/StartedTaxToken.ts';
import { taxTokenArtifact } from '../../contracts/artifacts/testTokens/TaxToken.ts';
import { thousandthMoreTokenArtifact } from '../../contracts/artifacts/testTokens/ThousandthMoreToken.ts';
import { describeToken, ownPair } from './describeToken.ts';
import type { GroundTruth, TokenDefinition } from './testTokenTypes.ts';
import { saleBlocked, tradable } from './truths.ts';

/** Taxes in percent. */
interface Taxes {
  buy: number;
  sale: number;
  transfer: number;
}

/** A token with fixed taxes. With a sale tax of 100 % the pool receives nothing, so the sale reverts. */
function taxed(symbol: string, about: string, { buy, sale, transfer }: Taxes): TokenDefinition {
  const taxes: Partial<GroundTruth> = { buyTax: buy / 100, sellTax: sale / 100, transferTax: transfer / 100 };
  const bps = { buyBps: BigInt(buy * 100), saleBps: BigInt(sale * 100), transferBps: BigInt(transfer * 100) };
  const truth = sale === 100 ? saleBlocked(taxes) : tradable(taxes);
  return describeToken(symbol, taxTokenArtifact, about, truth, { args: [bps] });
}

const startedTax = describeToken(
  'TAXV3',
  startedTaxTokenArtifact,
  'A tax of 5 % on every transfer. Its only pool is on Uniswap v3: the tax leaves that pool underpaid, so every sale reverts.',
  saleBlocked({ buyTax: 0.05, sellTax: 0.05, transferTax: 0.05, ownerRenounced: false }),
  {
    pools: [{ kind: 'venue', venue: 'uniswap-v3', counter: 'WETH', counterAmount: '30', tokenShare: 0.8, tier: 10000 }],
  },
);

const twoPoolTax = describeToken(
  'TAXPOOLS',
  startedTaxTokenArtifact,
  'A tax of 5 % on every transfer. Sales work in its own pair, and revert in its smaller Uniswap v3 pool.',
  tradable({
    ...{ buyTax: 0.05, sellTax: 0.05, transferTax: 0.05, ownerRenounced: false },
    otherPools: [{ venue: 'uniswap-v3', buyTax: 0.05, sellTax: null }],
  }),
  {
    pools: [
      { ...ownPair, tokenShare: 0.6, counterAmount: '20' },
      { kind: 'venue', venue: 'uniswap-v3', counter: 'WETH', counterAmount: '10', tokenShare: 0.3, tier: 10000 },
    ],
  },
);

/** Pools are created before the tax begins. */
const startingTax = (token: typeof startedTax): TokenDefinition => ({
  ...token,
  deploy: (deployer) => {
    const address = token.deploy(deployer);
    const { abi } = startedTaxTokenArtifact;
    deployer.afterwards(address, encodeFunctionData({ abi, functionName: 'startTax' }));
    return address;
  },
});

const launchTax = describeToken(
  'LAUNCHTAX',
  launchTaxTokenArtifact,
  'A launch tax of 99 % on purchases, against snipers. tradingOpen() returns true and swapEnabled() false. Sales work, and the owner can close trading.',
  tradable({
    buyTax: 0.99,
    ownerRenounced: false,
    tradingGate: { getter: 'tradingOpen', reads: true, ambiguous: false },
    powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'setTrading', args: [false] }],
  }),
  // The tax lasts a million blocks, more than any test mines.
  { args: [1_000_000n] },
);

/** Tokens with taxes on trades or transfers. */
export const taxTokens: readonly TokenDefinition[] = [
  taxed('TAX1', 'A tax of 1 % on every buy and sale.', { buy: 1, sale: 1, transfer: 0 }),
  taxed('TAX5', 'A tax of 5 % on every buy, sale and transfer.', { buy: 5, sale: 5, transfer: 5 }),
  taxed('TAX30', 'A tax of 30 % on every buy and sale.', { buy: 30, sale: 30, transfer: 0 }),
  taxed('TAX99', 'Trap: sales are taxed at 99 %.', { buy: 0, sale: 99, transfer: 0 }),
  taxed('TAX100', 'Trap: sales are taxed at 100 %.', { buy: 0, sale: 100, transfer: 0 }),
  taxed('BUYTAX', 'A tax of 8 % on buys only.', { buy: 8, sale: 0, transfer: 0 }),
  taxed('SALETAX', 'A tax of 12 % on sales only.', { buy: 0, sale: 12, transfer: 0 }),
  taxed('MOVETAX', 'A tax of 3 % on transfers between wallets only.', { buy: 0, sale: 0, transfer: 3 }),
  describeToken(
    'POOLTAX',
    onePoolTaxTokenArtifact,
    'A tax of 10 % in its own pair, and none in its Uniswap v3 pool.',
    tradable({ buyTax: 0.1, sellTax: 0.1, otherPools: [{ venue: 'uniswap-v3', buyTax: 0, sellTax: 0 }] }),
    {
      pools: [
        { ...ownPair, tokenShare: 0.4, counterAmount: '15' },
        { kind: 'venue', venue: 'uniswap-v3', counter: 'WETH', counterAmount: '15', tokenShare: 0.4, tier: 3000 },
      ],
    },
  ),
  describeToken(
    'BONUS',
    bonusTokenArtifact,
    'A negative tax: buyers receive 1 % more.',
    tradable({ buyTax: -0.01, mintable: null }),
  ),
  describeToken(
    'MORE',
    thousandthMoreTokenArtifact,
    'A small negative tax: every receiver gets 0.1 % more than the sent amount.',
    tradable({ buyTax: -0.001, sellTax: -0.001, transferTax: -0.001, taxTolerance: 0.0001, mintable: null }),
  ),
  describeToken(
    'EARLY',
    earlySellerTaxTokenArtifact,
    'A sale within 20 blocks of the purchase is taxed at 25 %, a later one at 2 %.',
    tradable({ sellTax: 0.02, sellTaxNextBlock: 0.25 }),
  ),
  describeToken(
    'COUNTED',
    countedTaxTokenArtifact,
    'A tax of 20 % until 500 purchases have been made.',
    tradable({ buyTax: 0.2, sellTax: 0.2 }),
  ),
  describeToken(
    'FLATFEE',
    flatFeeTokenArtifact,
    'Every transfer costs 10 tokens, so the tax rate is higher for small transfers.',
    // The measurement buys about 8,600 tokens, sells 4,300 and transfers 860. A sale of all of them has half the tax
    // rate.
    tradable({ buyTax: 0.00115, sellTax: 0.0023, transferTax: 0.0116, taxTolerance: 0.0012, mintable: false }),
    { args: [10n] },
  ),
  describeToken(
    'FLATFEE50',
    flatFeeTokenArtifact,
    'Every transfer costs 50 tokens: a trade of 1,000 USD works, but half of a 10 USD purchase cannot be sold.',
    tradable({
      ...{ buyTax: 0.0058, sellTax: 0.0117, transferTax: 0.058, taxTolerance: 0.006, mintable: false },
      // The owner scan trades small amounts, which fail here.
      powersHidden: true,
    }),
    { args: [50n] },
  ),
  {
    ...launchTax,
    deploy: (deployer) => {
      const token = launchTax.deploy(deployer);
      const { abi } = launchTaxTokenArtifact;
      deployer.call(token, encodeFunctionData({ abi, functionName: 'setTrading', args: [true] }));
      return token;
    },
  },
  describeToken(
    'SETTAX',
    adjustableTaxTokenArtifact,
    'A tax of 2 %, which the owner can raise to 100 %.',
    tradable({
      buyTax: 0.02,
      sellTax: 0.02,
      ownerRenounced: false,
      powers: [{ effect: 'raise-tax', by: 'owner', functionName: 'setFees', args: [9000, 9000] }],
    }),
  ),
  startingTax(startedTax),
  startingTax(twoPoolTax),
];
