import { ruleTokenArtifact } from '../../contracts/artifacts/testTokens/RuleToken.ts';
import { describeToken } from './describeToken.ts';
import type { GroundTruth, TokenDefinition } from './testTokenTypes.ts';
import { saleBlocked, tradable } from './truths.ts';

const taxTo = { token: 0, burn: 1, dead: 2, deployer: 3 } as const;
const saleRule = {
  any: 0,
  never: 1,
  sellerIsOrigin: 2,
  originOncePerBlock: 3,
  cheapGas: 4,
  farBlock: 5,
  sellerHasNoCode: 6,
  keepsHalf: 7,
  callerIsNotSeller: 8,
} as const;
const refusal = { text: 0, customError: 1, panic: 2, empty: 3, invalidOpcode: 4 } as const;

const noRules = {
  buyBps: 0,
  saleBps: 0,
  transferBps: 0,
  earlySaleBps: 0,
  earlyBlocks: 0,
  launchBps: 0,
  launchBlocks: 0,
  maxTransferPpm: 0,
  maxWalletPpm: 0,
  maxSalePpm: 0,
  waitBlocks: 0,
  waitSeconds: 0,
  saleGapSeconds: 0,
  maxSales: 0,
  taxTo: 0,
  saleRule: 0,
  refusal: 0,
};

const ruled = (
  symbol: string,
  about: string,
  rules: Partial<Record<keyof typeof noRules, number>>,
  truth: GroundTruth,
) => describeToken(symbol, ruleTokenArtifact, about, truth, { args: [{ ...noRules, ...rules }] });

const contractsBlocked = { outcomes: ['contract-wallets-only-blocked'], contractWalletCanTrade: false } as const;
const sizeLimited = { outcomes: ['size-limited'], canSellWhole: false, hasMaxLimit: true } as const;
const waiting = {
  outcomes: ['sale-blocked-for-a-time'],
  canSellSameBlock: false,
  canSellNextBlock: false,
} as const;

/** Variants of taxes, limits and rules for sales. */
export const variantRules: readonly TokenDefinition[] = [
  ruled(
    'RBURN',
    'Burns 4 % of each trade.',
    { buyBps: 400, saleBps: 400, taxTo: taxTo.burn },
    tradable({ buyTax: 0.04, sellTax: 0.04 }),
  ),
  ruled(
    'RDEAD',
    'Sends 3 % of every transfer to a dead address.',
    { buyBps: 300, saleBps: 300, transferBps: 300, taxTo: taxTo.dead },
    tradable({ buyTax: 0.03, sellTax: 0.03, transferTax: 0.03 }),
  ),
  ruled(
    'RTEAM',
    'Sends 7 % of sales to the deployer.',
    { saleBps: 700, taxTo: taxTo.deployer },
    tradable({ sellTax: 0.07 }),
  ),
  ruled('RTINY', 'A tax of 0.3 % on sales.', { saleBps: 30 }, tradable({ sellTax: 0.003 })),
  ruled('RBUY49', 'A tax of 49 % on purchases.', { buyBps: 4_900 }, tradable({ buyTax: 0.49 })),
  ruled('RSALE49', 'A tax of 49 % on sales.', { saleBps: 4_900 }, tradable({ sellTax: 0.49 })),
  ruled('RSALE94', 'A sale tax of 94 %.', { saleBps: 9_400 }, tradable({ sellTax: 0.94 })),
  ruled('RSALE96', 'A sale tax of 96 %.', { saleBps: 9_600 }, tradable({ sellTax: 0.96 })),
  ruled(
    'RMOVE50',
    'A tax of 50 % on transfers between wallets.',
    { transferBps: 5_000 },
    tradable({ transferTax: 0.5 }),
  ),
  ruled(
    'REARLY40',
    'A sale within 10 blocks of the purchase is taxed at 40 %, a later one is not taxed.',
    { earlySaleBps: 4_000, earlyBlocks: 10 },
    tradable({ sellTaxNextBlock: 0.4 }),
  ),
  ruled(
    'REARLY30',
    'A sale within 30 blocks is taxed at 30 %, a later one at 5 %.',
    { earlySaleBps: 3_000, earlyBlocks: 30, saleBps: 500 },
    tradable({ sellTax: 0.05, sellTaxNextBlock: 0.3 }),
  ),
  ruled(
    'REARLY90',
    'A sale within 5 blocks is taxed at 90 %.',
    { earlySaleBps: 9_000, earlyBlocks: 5 },
    tradable({ sellTaxNextBlock: 0.9 }),
  ),
  ruled(
    'RDECAY',
    'A launch tax on trades that falls from 25 % to zero over a million blocks.',
    { launchBps: 2_500, launchBlocks: 1_000_000 },
    tradable({ buyTax: 0.25, sellTax: 0.25 }),
  ),
  ruled(
    'RDECAY2',
    'A launch tax of 30 % that falls slowly, and a tax of 2 % on sales.',
    { saleBps: 200, launchBps: 3_000, launchBlocks: 2_000_000 },
    tradable({ buyTax: 0.3, sellTax: 0.32 }),
  ),
  ruled(
    'RMAXTX',
    'Rejects transfers above 2 % of the supply.',
    { maxTransferPpm: 20_000 },
    tradable({ hasMaxLimit: true }),
  ),
  ruled(
    'RMAXTX20',
    'Rejects transfers above 20 % of the supply, which no tested trade reaches.',
    { maxTransferPpm: 200_000 },
    tradable(),
  ),
  ruled(
    'RMAXHOLD',
    'Rejects balances above 2 % of the supply.',
    { maxWalletPpm: 20_000 },
    tradable({ hasMaxLimit: true }),
  ),
  ruled(
    'RMAXSALE',
    'A sale can move at most 0.3 % of the supply.',
    { maxSalePpm: 3_000 },
    saleBlocked({
      outcomes: ['size-limited'],
      canSell: true,
      canSellSmall: true,
      sellTax: 0,
      hasMaxLimit: true,
      receiverCanSell: true,
    }),
  ),
  ruled(
    'RMAXSALE5',
    'A sale can move at most 0.5 % of the supply: half of 1,000 USD can be sold.',
    { maxSalePpm: 5_000 },
    tradable(sizeLimited),
  ),
  ruled(
    'RCRUMBS',
    'Trap: a sale can move at most 0.01 % of the supply, and is taxed at 10 %.',
    { maxSalePpm: 100, saleBps: 1_000 },
    saleBlocked({ outcomes: ['size-limited'], canSell: true, canSellSmall: true, sellTax: 0.1, hasMaxLimit: true }),
  ),
  ruled('RWAIT3', 'A buyer can sell only 3 blocks after the purchase.', { waitBlocks: 3 }, tradable(waiting)),
  ruled('RWAIT50', 'A buyer can sell only 50 blocks after the purchase.', { waitBlocks: 50 }, tradable(waiting)),
  ruled('RWAIT30S', 'A buyer can sell only 30 seconds after the purchase.', { waitSeconds: 30 }, tradable(waiting)),
  ruled(
    'RWAITTAX',
    'A buyer can sell only 10 blocks after the purchase, at a tax of 10 %.',
    { waitBlocks: 10, saleBps: 1_000 },
    tradable({ ...waiting, sellTax: 0.1 }),
  ),
  ruled('RGAP30', 'A wallet can sell only every 30 seconds.', { saleGapSeconds: 30 }, tradable()),
  ruled('RGAP1H', 'A wallet can sell only once an hour.', { saleGapSeconds: 3_600 }, tradable()),
  ruled('RONCE', 'A wallet can sell only once.', { maxSales: 1 }, tradable({ outcomes: ['tradable', 'unknown'] })),
  ruled(
    'RORIGIN',
    'Only the sender of the transaction can sell, so contract wallets cannot.',
    { saleRule: saleRule.sellerIsOrigin },
    tradable(contractsBlocked),
  ),
  ruled(
    'RNOCODE',
    'A wallet with code cannot sell.',
    { saleRule: saleRule.sellerHasNoCode },
    tradable(contractsBlocked),
  ),
  ruled(
    'RORIGINBLK',
    'A transaction sender can trade only once per block.',
    { saleRule: saleRule.originOncePerBlock },
    tradable({ outcomes: ['sale-blocked-same-block-only'], canSellSameBlock: false }),
  ),
  ruled(
    'RGAS',
    'A sale with a gas price above 5 gwei reverts without a reason.',
    { saleRule: saleRule.cheapGas, refusal: refusal.empty },
    tradable({ canSellAtHighGasPrice: false }),
  ),
  ruled(
    'RGASTAX',
    'A sale with a gas price above 5 gwei reverts; others are taxed at 5 %.',
    { saleRule: saleRule.cheapGas, saleBps: 500 },
    tradable({ canSellAtHighGasPrice: false, sellTax: 0.05 }),
  ),
  ruled(
    'RHALF',
    'A sale must leave half of the balance in the wallet.',
    { saleRule: saleRule.keepsHalf },
    tradable({ outcomes: ['size-limited', 'tradable'], canSellWhole: false, hasMaxLimit: null }),
  ),
  ruled('RFAR', 'Trap: sales revert for the next million blocks.', { saleRule: saleRule.farBlock }, saleBlocked()),
  ruled(
    'RERROR',
    'Trap: a sale reverts with a custom error.',
    { saleRule: saleRule.never, refusal: refusal.customError },
    saleBlocked(),
  ),
  ruled(
    'RPANIC',
    'Trap: a sale reverts with a panic.',
    { saleRule: saleRule.never, refusal: refusal.panic },
    saleBlocked(),
  ),
  ruled(
    'REMPTY',
    'Trap: a sale reverts without a reason.',
    { saleRule: saleRule.never, refusal: refusal.empty },
    saleBlocked(),
  ),
  ruled(
    'RINVALID',
    'Trap: a sale executes an invalid opcode, which uses all its gas.',
    { saleRule: saleRule.never, refusal: refusal.invalidOpcode },
    saleBlocked(),
  ),
  ruled(
    'RBYHAND',
    'A holder cannot transfer to the pool directly. Sales through routers work.',
    { saleRule: saleRule.callerIsNotSeller },
    tradable(),
  ),
];
