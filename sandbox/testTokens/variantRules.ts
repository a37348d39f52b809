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
  ruled('RSALE49', 'A hidden tax of 49 % on sales.', { saleBps: 4_900 }, tradable({ sellTax: 0.49 })),
  ruled('RSALE94', 'A sale tax of 94 %.', { saleBps: 9_400 }, tradable({ sellTax: 0.94 })),
  ruled('RSALE96', 'A sale tax of 96 %.', { saleBps: 9_600 }, tradable({ sellTax: 0.96 })),
  ruled('RMOVE50', 'A tax of 50 % from wallet to wallet.', { transferBps: 5_000 }, tradable({ transferTax: 0.5 })),
  ruled(
    'REARLY40',
    'A sale within 10 blocks of the purchase is taxed at 40 %, a later one not at all.',
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
    'A launch tax of 30 % on top of 2 % on sales, falling slowly.',
    { saleBps: 200, launchBps: 3_000, launchBlocks: 2_000_000 },
    tradable({ buyTax: 0.3, sellTax: 0.32 }),
  ),
  ruled('RMAXTX', 'No transfer above 2 % of the supply.', { maxTransferPpm: 20_000 }, tradable({ hasMaxLimit: true })),
  ruled(
    'RMAXTX20',
    'No transfer above 20 % of the supply, which no trade here reaches.',
    { maxTransferPpm: 200_000 },
    tradable(),
  ),
  ruled('RMAXHOLD', 'No wallet above 2 % of the supply.', { maxWalletPpm: 20_000 }, tradable({ hasMaxLimit: true })),
  ruled(
    'RMAXSALE',
    'A sale moves at most 0.3 % of the supply.',
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
    'A sale moves at most 0.5 % of the supply: half of 1,000 USD passes.',
    { maxSalePpm: 5_000 },
    tradable(sizeLimited),
  ),
  ruled(
    'RCRUMBS',
    'Trap: a sale moves at most 0.01 % of the supply, taxed at 10 %.',
    { maxSalePpm: 100, saleBps: 1_000 },
    saleBlocked({ outcomes: ['size-limited'], canSell: true, canSellSmall: true, sellTax: 0.1, hasMaxLimit: true }),
  ),
  ruled('RWAIT3', 'A buyer waits 3 blocks.', { waitBlocks: 3 }, tradable(waiting)),
  ruled('RWAIT50', 'A buyer waits 50 blocks.', { waitBlocks: 50 }, tradable(waiting)),
  ruled('RWAIT30S', 'A buyer waits 30 seconds.', { waitSeconds: 30 }, tradable(waiting)),
  ruled(
    'RWAITTAX',
    'A buyer waits 10 blocks and then pays 10 %.',
    { waitBlocks: 10, saleBps: 1_000 },
    tradable({ ...waiting, sellTax: 0.1 }),
  ),
  ruled('RGAP30', 'A wallet waits 30 seconds between two sales.', { saleGapSeconds: 30 }, tradable()),
  ruled(
    'RGAP1H',
    'A wallet waits an hour between two sales; the first is free.',
    { saleGapSeconds: 3_600 },
    tradable(),
  ),
  ruled('RONCE', 'A wallet sells once in its life.', { maxSales: 1 }, tradable({ outcomes: ['tradable', 'unknown'] })),
  ruled(
    'RORIGIN',
    'Only the sender of the transaction may sell: wallets that are contracts cannot.',
    { saleRule: saleRule.sellerIsOrigin },
    tradable(contractsBlocked),
  ),
  ruled(
    'RNOCODE',
    'A seller with code is refused.',
    { saleRule: saleRule.sellerHasNoCode },
    tradable(contractsBlocked),
  ),
  ruled(
    'RORIGINBLK',
    'One trade per block and transaction sender.',
    { saleRule: saleRule.originOncePerBlock },
    tradable({ outcomes: ['sale-blocked-same-block-only'], canSellSameBlock: false }),
  ),
  ruled(
    'RGAS',
    'A sale above 5 gwei fails, without any reason.',
    { saleRule: saleRule.cheapGas, refusal: refusal.empty },
    tradable({ canSellAtHighGasPrice: false }),
  ),
  ruled(
    'RGASTAX',
    'A sale above 5 gwei fails; others pay 5 %.',
    { saleRule: saleRule.cheapGas, saleBps: 500 },
    tradable({ canSellAtHighGasPrice: false, sellTax: 0.05 }),
  ),
  ruled(
    'RHALF',
    'A seller keeps half of the balance at each sale.',
    { saleRule: saleRule.keepsHalf },
    tradable({ outcomes: ['size-limited', 'tradable'], canSellWhole: false, hasMaxLimit: null }),
  ),
  ruled(
    'RFAR',
    'Trap: no sale before a block that lies a million ahead.',
    { saleRule: saleRule.farBlock },
    saleBlocked(),
  ),
  ruled(
    'RERROR',
    'Trap: a sale fails with a custom error.',
    { saleRule: saleRule.never, refusal: refusal.customError },
    saleBlocked(),
  ),
  ruled(
    'RPANIC',
    'Trap: a sale fails with a panic.',
    { saleRule: saleRule.never, refusal: refusal.panic },
    saleBlocked(),
  ),
  ruled(
    'REMPTY',
    'Trap: a sale fails without any reason.',
    { saleRule: saleRule.never, refusal: refusal.empty },
    saleBlocked(),
  ),
  ruled(
    'RINVALID',
    'Trap: a sale runs into an invalid opcode and burns its gas.',
    { saleRule: saleRule.never, refusal: refusal.invalidOpcode },
    saleBlocked(),
  ),
  ruled(
    'RBYHAND',
    'A holder cannot pay the pool directly; sales through routers work.',
    { saleRule: saleRule.callerIsNotSeller },
    tradable(),
  ),
];
