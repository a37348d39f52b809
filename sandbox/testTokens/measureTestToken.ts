import { type Hex, hexToBigInt } from 'viem';
import { buy, equip, give, giveTokens, type Holding, payPool, sell, type TradeSetup } from './measurement/holdings.ts';
import { advanceBlocks, freshWallet, submit, type Trader, withRevert } from './measurement/traders.ts';
import { createSmartWallet } from './smartWallet.ts';
import type { GroundTruth } from './testTokenTypes.ts';

type MeasuredFact =
  | 'canBuy'
  | 'canSell'
  | 'canSellSameBlock'
  | 'canSellNextBlock'
  | 'canSellAfter60Blocks'
  | 'canSellAfterOneDay'
  | 'canSellWhole'
  | 'canSellSmall'
  | 'canSellAtHighGasPrice'
  | 'canSellAfterHighGasBuy'
  | 'canTransfer'
  | 'receiverCanSell'
  | 'contractWalletCanTrade'
  | 'buyTax'
  | 'sellTax'
  | 'transferTax';

/** Results of real transactions, with the field names of `GroundTruth`. */
export type Measured = Pick<GroundTruth, MeasuredFact> & {
  sellTaxNextBlock: number | null;
  /** The larger tax of purchase and sale. */
  contractWalletTax: number | null;
  highGasPriceTax: number | null;
  /** A purchase of ten times the size works. */
  canBuyTenfold: boolean;
};

/** Wallets that bought 60 blocks ago. `held` is undefined if the purchase failed. */
export interface Holders {
  trader: Trader;
  held: Holding;
  /** False if the purchase failed and the team transferred tokens instead. */
  bought: boolean;
  highGas: { trader: Trader; held: Holding | undefined };
  contract: { trader: Trader; held: Holding | undefined } | undefined;
}

/** Amount that the team transfers to a wallet that cannot buy, in whole tokens. */
const transferredTokens = 4000n;

/** Three wallets buy: an ordinary one, one at a high gas price, and a contract wallet. */
export async function prepareHolders(setup: TradeSetup): Promise<Holders> {
  const { node, testToken } = setup;
  const [trader, highGas] = ['trader', 'high gas'].map((role) => freshWallet(`${testToken.symbol} ${role}`)) as [
    Trader,
    Trader,
  ];
  for (const wallet of [trader, highGas]) await equip(setup, wallet);
  const bought = await buy(setup, trader);
  const held = bought ?? (await transferInstead(setup, trader));
  const highGasHeld = bought && (await buy(setup, highGas, { gasPriceLevel: 'high' }));
  if (!setup.market)
    return { trader, held, bought: false, highGas: { trader: highGas, held: undefined }, contract: undefined };
  const contract = await createSmartWallet(node, trader);
  await equip(setup, contract);
  return {
    trader,
    held,
    bought: bought !== undefined,
    highGas: { trader: highGas, held: highGasHeld },
    contract: { trader: contract, held: await buy(setup, contract) },
  };
}

async function transferInstead(setup: TradeSetup, trader: Trader): Promise<Holding> {
  const amount = transferredTokens * 10n ** BigInt(setup.testToken.decimals);
  if (!(await giveTokens(setup, trader.address, amount)))
    throw new Error(`${setup.testToken.symbol}: the team could not transfer tokens to ${trader.address}.`);
  return { amount, buyTax: null };
}

/**
 * Trades a test token in real transactions. Each trade starts from the same state, 60 blocks after the holders bought.
 * Automatic mining of the node must be off.
 */
export async function measureTestToken(setup: TradeSetup, holders: Holders): Promise<Measured> {
  const early = await measureEarly(setup);
  const late = await measureLate(setup, holders);
  return {
    canBuy: holders.bought,
    buyTax: holders.held.buyTax,
    ...late,
    canBuyTenfold: early.canBuyTenfold,
    canSellSameBlock: early.canSellSameBlock,
    canSellNextBlock: early.nextBlock !== undefined,
    sellTaxNextBlock: early.nextBlock ?? null,
    canSell: late.canSell || early.canSellSameBlock || early.nextBlock !== undefined,
  };
}

/** Trades of a wallet that buys now and sells in the same block or the next one. */
async function measureEarly(setup: TradeSetup) {
  const { node, testToken } = setup;
  const trader = freshWallet(`${testToken.symbol} early`);
  return withRevert(node, async () => {
    await equip(setup, trader, 11n);
    const canBuyTenfold = await withRevert(node, async () => (await buy(setup, trader, { times: 10n })) !== undefined);
    const next = await withRevert(node, async () => {
      const bought = await buy(setup, trader);
      const { amount } = bought ?? (await transferInstead(setup, trader));
      return { amount: bought && amount, tax: await sell(setup, trader, amount / 2n) };
    });
    const { amount, tax: nextBlock } = next;
    const canSellSameBlock = amount !== undefined && (await sellInSameBlock(setup, trader, amount / 2n));
    return { canBuyTenfold, nextBlock, canSellSameBlock };
  });
}

/** Trades of the holders, each from the current state. */
async function measureLate(setup: TradeSetup, { trader, held: { amount }, highGas, contract, bought }: Holders) {
  const { node } = setup;
  const later = (wallet: Trader, sold: bigint, gasPriceLevel: 'ordinary' | 'high' = 'ordinary') =>
    withRevert(node, () => sell(setup, wallet, sold, gasPriceLevel));
  const after60 = await later(trader, amount / 2n);
  const whole = await later(trader, amount);
  const small = await later(trader, amount / 100n);
  const high = await later(trader, amount / 2n, 'high');
  const afterHighGasBuy = highGas.held && (await later(highGas.trader, highGas.held.amount / 2n));
  const byContract = contract?.held && (await later(contract.trader, contract.held.amount / 2n));
  const afterDay = await withRevert(node, async () => {
    await advanceBlocks(node, 1, 86_400);
    return sell(setup, trader, amount / 2n);
  });
  const direct = await withRevert(node, () => payPool(setup, trader, amount / 2n));
  const transfer = await withRevert(node, () => giveAndSell(setup, trader, amount / 10n));
  const taxes = [after60, small, afterDay, direct].filter((tax) => tax !== undefined);
  return {
    canSellAfter60Blocks: after60 !== undefined,
    canSellAfterOneDay: afterDay !== undefined,
    canSellWhole: whole !== undefined,
    canSellSmall: small !== undefined,
    canSellAtHighGasPrice: high !== undefined,
    canSellAfterHighGasBuy: bought ? afterHighGasBuy !== undefined : after60 !== undefined,
    contractWalletCanTrade: byContract !== undefined,
    canSell: [after60, afterDay, whole, small].some((sale) => sale !== undefined),
    sellTax: taxes[0] ?? null,
    contractWalletTax: largestTax(contract?.held?.buyTax, byContract),
    highGasPriceTax: largestTax(highGas.held?.buyTax, high),
    ...transfer,
  };
}

/** null if no trade worked. */
function largestTax(...taxes: readonly (number | null | undefined)[]): number | null {
  const known = taxes.filter((tax) => typeof tax === 'number');
  return known.length > 0 ? Math.max(...known) : null;
}

async function giveAndSell(setup: TradeSetup, trader: Trader, amount: bigint) {
  const receiver = freshWallet(`${setup.testToken.symbol} receiver`);
  await equip(setup, receiver);
  const transferTax = await give(setup, trader, receiver.address, amount);
  if (transferTax === undefined) return { canTransfer: false, transferTax: null, receiverCanSell: false };
  const receiverCanSell = (await sell(setup, receiver, amount / 2n)) !== undefined;
  return { canTransfer: true, transferTax, receiverCanSell };
}

async function sellInSameBlock({ node, market }: TradeSetup, trader: Trader, amount: bigint): Promise<boolean> {
  if (!market) return false;
  const { exchange, pool } = market;
  const hashes = await submit(node, trader, [
    exchange.buy(pool.tradeAmount, trader.address),
    exchange.sell(amount, trader.address),
  ]);
  await node.call('evm_mine');
  const [bought, sold] = await node.batch<{ status: Hex; blockNumber: Hex } | null>(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  if (!bought || !sold || hexToBigInt(bought.status) !== 1n || bought.blockNumber !== sold.blockNumber) {
    throw new Error('The purchase failed, or the sale is not in the same block.');
  }
  return sold.status === '0x1';
}
