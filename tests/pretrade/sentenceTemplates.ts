import type { GroundTruth, OwnerPower } from '../../sandbox/testTokens/testTokenTypes.ts';
import { flagTemplates } from './flagTemplates.ts';
import { lossTemplates } from './lossTemplates.ts';
import type { Template } from './templateTypes.ts';

// Every sentence of an answer matches a template, and each template has a condition on the measured facts of its token.

const near = (percent: string | undefined, truth: number | null, { taxTolerance = 0.001 }: GroundTruth) =>
  truth !== null && Math.abs(Number(percent) / 100 - truth) <= taxTolerance + 0.0005;

/** Clauses about the result of a simulated trade, which occur in other sentences. */
const tradeClauses: Record<string, (truth: GroundTruth) => boolean> = {
  'no trade could be simulated': ({ outcomes }) => outcomes.includes('unknown'),
  'a simulated purchase by an ordinary wallet is refused': ({ canBuy }) => !canBuy,
  'a simulated sale by an ordinary wallet is refused': ({ canBuy, canSellAfter60Blocks }) =>
    canBuy && !canSellAfter60Blocks,
  'a simulated purchase and sale by an ordinary wallet work': ({ canBuy, canSell }) => canBuy && canSell,
};
const trade = `(${Object.keys(tradeClauses).join('|')})`;
const isTrue = (clause: string | undefined, truth: GroundTruth) => tradeClauses[clause ?? '']?.(truth) === true;

const effects: Record<string, OwnerPower['effect']> = {
  "take a holder's balance": 'seize',
  'block all sales': 'block-all-sales',
  'block the sales of a single holder': 'block-holder',
  'mint, or raise a balance': 'mint',
  'raise the sale tax': 'raise-tax',
  'limit the size or time of sales': 'limit-trades',
};
const caller =
  "(?:The owner|The proxy admin|The creator|A former owner|A role holder|The Superchain bridge, a predeploy of the chain,|An account in the token's (?:storage|code))";
const aMinute = 'a minute \\(at least 60 simulated blocks\\)';
const aDay = 'a day \\(at least 128 simulated blocks\\)';
const revertReason = '(?: \\((?:[^()]|\\(\\))*\\))?';

/** Templates of all sentences. */
export const templates: Template[] = [
  // Verdict.
  [
    'None of the (\\d+) covered factories has a pool of the token at block \\d+\\.',
    ({ testToken }) => testToken.pools.length === 0,
  ],
  [
    'Sales of any size can draw at most ([\\d.]+) USD from (\\d+) pool\\(s\\), less than 5 % of 1000 USD\\.',
    ({ truth }, most) => Number(most) < 50 && Number(most) + 0.01 >= (truth.exitLiquidityUsd?.[0] ?? 50),
  ],
  [
    'None of the listed traps is proven at this block\\. This is neither a rating nor a prediction\\.',
    ({ truth, answer }) => answer.verdict === 'clear' && truth.verdict === 'clear',
  ],
  // The trading gate.
  [
    `(\\w+)\\(\\) returns (true|false)(?:;| and) ${trade}\\.`,
    async ({ truth, readsTrue }, getter, returned, sentence) =>
      isTrue(sentence, truth) && String(await readsTrue(getter)) === returned,
  ],
  [
    `(\\w+)\\(\\) returns false, but (?:its name may mean something else|(\\w+)\\(\\) returns true) and ${trade}\\.`,
    async ({ truth, readsTrue }, getter, gate, sentence) =>
      isTrue(sentence, truth) && !(await readsTrue(getter)) && (!gate || (await readsTrue(gate))),
  ],
  // Trades.
  [`A simulated purchase by an ordinary wallet is refused${revertReason}\\.`, ({ truth }) => !truth.canBuy],
  [
    `An ordinary wallet cannot sell: simulated sales ${aMinute} and ${aDay} after its purchase are refused${revertReason}\\.( A sale in the block after the purchase works\\.)?`,
    ({ truth }, once) =>
      truth.canBuy && !truth.canSellAfter60Blocks && !truth.canSellAfterOneDay && (!once || truth.canSellNextBlock),
  ],
  [
    'A sale through the real router is refused, but works if the router’s code is replaced: the token detects simulations\\.',
    ({ truth }) => truth.canBuy && !truth.canSellAfter60Blocks,
  ],
  [
    'A sale through the real router works, but is refused if the router’s code is replaced: the token may detect simulations\\.',
    ({ truth }) => truth.refusesSimulations === true,
  ],
  [
    'transferFrom\\(\\) returns a number other than 0 and 1: some routers take it for true, others refuse the sale\\.',
    ({ truth }) => truth.refusesSimulations === true,
  ],
  [
    'The sale tax of one wallet changed: (?:[\\d.]+ % [^,.]*(?:, )?)+\\.',
    ({ truth }) => truth.laterSalesTaxed || Math.abs((truth.sellTaxNextBlock ?? 0) - (truth.sellTax ?? 0)) > 0.01,
  ],
  [
    'A sale of the requested size is taxed at ([\\d.]+) %, one of a small part of it at ([\\d.]+) %\\.',
    ({ truth }, requested, small) =>
      near(requested, truth.wholeSaleTax ?? null, truth) && near(small, truth.sellTax, truth),
  ],
  [
    'A sale of a part of the size, with a larger tip and a gas limit below a million, is taxed at ([\\d.]+) %\\.',
    ({ truth }, tax) => near(tax, truth.usualGasTax ?? null, truth),
  ],
  [
    'A sale in the block after the purchase is refused; a later one works\\.',
    ({ truth }) => !truth.canSellNextBlock && truth.canSellAfter60Blocks,
  ],
  [
    `Sales are refused in the block after the purchase and ${aMinute} later; one ${aDay} later works\\.`,
    ({ truth }) => !truth.canSellNextBlock && !truth.canSellAfter60Blocks && truth.canSellAfterOneDay,
  ],
  [
    `Small sales are refused at every time tried; larger ones work${revertReason}\\.`,
    // The simulated small sale is a hundredth of the ground truth's sale, which is half of the purchase.
    ({ truth }) => truth.canSellWhole,
  ],
  ['A sale in the block of the purchase is refused\\.', ({ truth }) => !truth.canSellSameBlock],
  [
    `The requested size cannot be (?:bought|sold) at once; (?:a part|a hundredth) of it can${revertReason}\\.`,
    ({ truth }) => !truth.canSellWhole && truth.canSell,
  ],
  [
    'A contract wallet cannot make a trade that an ordinary wallet can make\\.',
    ({ truth }) => !truth.contractWalletCanTrade && truth.canSell,
  ],
  [
    'A sale with a larger tip than the usual 0\\.001 gwei works\\.',
    // ETIPBAND accepts larger tips, but not the 100 gwei of the ground truth.
    ({ truth, testToken: { symbol } }) =>
      !truth.canSellAfter60Blocks && (truth.canSellAtHighGasPrice || symbol === 'ETIPBAND'),
  ],
  [
    'A sale with a larger tip than the usual 0\\.001 gwei is refused\\.',
    ({ truth }) => truth.canSellAfter60Blocks && !truth.canSellAtHighGasPrice,
  ],
  [
    'A purchase or sale of several times the size is refused, but one of the size works: the token limits amounts\\.',
    ({ truth }) => truth.hasMaxLimit !== false,
  ],
  [
    'At a gas price of 200 gwei, a trade that works at the usual gas price is refused\\.',
    ({ truth }) => !truth.canSellAtHighGasPrice || !truth.canSellAfterHighGasBuy,
  ],
  [
    'A trade of a contract wallet is taxed at ([\\d.]+) %\\.',
    ({ truth }, tax) => near(tax, truth.contractWalletTax ?? null, truth),
  ],
  [
    'At a gas price of 200 gwei, a trade that works at the usual gas price is taxed at ([\\d.]+) %\\.',
    ({ truth }, tax) => near(tax, truth.highGasPriceTax ?? null, truth),
  ],
  [
    'A wallet that received the token by transfer cannot sell it\\.',
    ({ truth }) => truth.canTransfer && !truth.receiverCanSell,
  ],
  [`A plain transfer is refused${revertReason}\\.`, ({ truth }) => !truth.canTransfer],
  // A flat fee exceeds the simulated small transfer, which is smaller than the transfer of the ground truth.
  [`A small transfer is refused${revertReason}\\.`, ({ truth }) => !truth.canTransfer || truth.transferTax !== 0],
  [
    'A plain transfer was not measured: [^.]+\\.',
    ({ truth, answer }) => !truth.canBuy || (answer.risk_profile.transferability.buyTaxRaw ?? 1) > 0,
  ],
  ['A plain transfer loses ([\\d.]+) %\\.', ({ truth }, tax) => near(tax, truth.transferTax, truth)],
  ['A plain transfer delivers [\\d.]+ % more than was sent\\.', ({ truth }) => (truth.transferTax ?? 0) < 0],
  [
    'balanceOf\\(\\) returns far more than the pool sent; taxes are measured by what the pool sent\\.',
    ({ truth }) => truth.balanceIsFalse === true,
  ],
  [
    'Balances change between blocks without a transfer\\.',
    ({ testToken }) => ['REBASE', 'QSHRINK'].includes(testToken.symbol),
  ],
  [
    'Owner functions were tried at block (\\d+), by the accounts known then\\.',
    ({ answer }, block) => Number(block) < (answer.liquidityCoverage.asOfBlock ?? 0),
  ],
  ['The token takes ([\\d.]+) % of a sale as tax\\.', ({ truth }, tax) => near(tax, truth.sellTax, truth)],
  ['The token takes ([\\d.]+) % of a purchase as tax\\.', ({ truth }, tax) => near(tax, truth.buyTax, truth)],
  [
    'In pool 0x[0-9a-fA-F]+: purchase tax (?:([-\\d.]+) %|not measured), (sale tax (?:[-\\d.]+ %|not measured)|a simulated sale is refused)\\.',
    ({ truth }, tax, sale) => {
      const pools = [{ buyTax: truth.buyTax, sellTax: truth.sellTax }, ...(truth.otherPools ?? [])];
      const isRefused = sale === 'a simulated sale is refused';
      return pools.some(
        ({ buyTax, sellTax }) => (tax === undefined || near(tax, buyTax, truth)) && (!isRefused || sellTax === null),
      );
    },
  ],
  ['Taxes are fractions, measured by simulated trades of an ordinary wallet\\.', () => true],
  [
    '(\\d+) of (\\d+) large holders other than owner and creator could sell in simulation\\.',
    ({ truth }, sold, tried) => Number(sold) <= Number(tried) && (truth.canSell || sold === '0'),
  ],
  [
    'Transfers read the block number, so the results may differ after more than 128 blocks\\.',
    // It does not state that they differ.
    ({ readsNumber }) => readsNumber(),
  ],
  // Powers.
  [
    `${caller} can ([^(]+?) by [^.]+? \\(simulated with this code at block \\d+\\)\\.`,
    ({ truth }, effect) => truth.powers.some((power) => power.effect === effects[effect ?? '']),
  ],
  [
    `In another token with the same code, ${caller.toLowerCase()} can ([^(]+?) by [^.]+? \\(simulated at block \\d+\\)\\.`,
    // UNOPENED has the code of OPENED, whose owner may block holders.
    ({ truth, testToken: { symbol } }, effect) =>
      truth.powers.some((power) => power.effect === effects[effect ?? '']) ||
      (symbol === 'UNOPENED' && effects[effect ?? ''] === 'block-holder'),
  ],
  [
    'Owner functions could not be evaluated, because the simulated control trade of a hundredth of the size failed\\.',
    ({ truth }) =>
      !truth.canBuy || !truth.canSellAfter60Blocks || truth.refusesSimulations === true || truth.powersHidden === true,
  ],
  [
    '(?:Owner functions were not tried: [^.]+|Not every owner function was tried|The code has (?:\\w+ functions|functions that change state), and (?:no account that may call them is known|no simulated call of them succeeded))\\.',
    ({ answer }) => answer.risk_profile.transferability.hasBlacklist !== false,
  ],
  [
    'Calls with an unknown selector may change state, so the code may hide functions\\.',
    ({ truth }) => truth.powersHidden === true,
  ],
  [
    'Transfers call (?:a contract that is not set yet, so its|the contract 0x[0-9a-fA-F]{40}, whose) functions were not tried\\.',
    ({ truth }) => truth.asksContract === true,
  ],
  [
    'No pool to simulate a trade in\\.',
    ({ testToken }) => testToken.pools.filter(({ venue }) => venue !== 'vault').length === 0,
  ],
  [
    'No pool in which a trade of this size can be simulated\\.',
    ({ answer }) => answer.risk_profile.transferability.outcome === 'unknown',
  ],
  // Failed reads.
  [
    'The bytecode could not be analysed completely(?:, so functions may be hidden)?\\.',
    ({ truth }) => truth.powersHidden === true,
  ],
  ['decimals\\(\\) cannot be read, so this may not be a token\\.', ({ answer }) => answer.identity.decimals === null],
  [
    'decimals\\(\\) returns different values to different callers, so amounts in whole tokens are unreliable\\.',
    ({ testToken }) => testToken.symbol === 'TWODEC',
  ],
  [
    'By balanceOf\\(\\), (.+) holds? more of the token than the measured pools explain; another exit may exist\\.',
    ({ truth }) => truth.unmeasuredVenue !== undefined || truth.liesToContracts === true,
  ],
  [
    '\\d+ pool\\(s\\) with a hook or plugin refused the simulated sale; they may accept other callers\\.',
    ({ truth }) => truth.poolRefuses === true,
  ],
  [
    '\\d+ pool\\(s\\) pay in an asset without a known USD price\\.',
    // Pools of other test tokens pay in these, too.
    ({ testToken }) =>
      ['PLAIN', 'JUNK'].includes(testToken.symbol) || testToken.pools.some((pool) => pool.counterUsd === 0),
  ],
  [
    '(F-[A-Z]+|O-SANITY) is unavailable\\. .+',
    ({ answer }, name) => answer.flags[name as 'F-LIQ'].severity === 'unknown',
  ],
  ['There is no executable quote from USDC\\. .+\\.', ({ answer }) => answer.quote === null],
  ...lossTemplates,
  ...flagTemplates,
];
