import { type Hex, hexToBigInt } from 'viem';
import { branch, freshWallet, handIn, pass, type Trader } from './judge/bench.ts';
import { type Bench, buy, equip, give, giveTokens, type Holding, payPool, sell } from './judge/holdings.ts';
import { createSmartWallet } from './smartWallet.ts';
import type { GroundTruth } from './testTokenTypes.ts';

type Judged =
  | 'canBuy'
  | 'canSell'
  | 'canSellSameBlock'
  | 'canSellNextBlock'
  | 'canSellAfter60Blocks'
  | 'canSellAfterOneDay'
  | 'canSellWhole'
  | 'canSellSmall'
  | 'canSellAtHighGasPrice'
  | 'canSellAfterHastyBuy'
  | 'canTransfer'
  | 'receiverCanSell'
  | 'contractWalletCanTrade'
  | 'buyTax'
  | 'sellTax'
  | 'transferTax';

/** What the chain did, under the names of the truths. */
export type Measured = Pick<GroundTruth, Judged> & {
  sellTaxNextBlock: number | null;
  /** A purchase of ten times the size. */
  canBuyTenfold: boolean;
};

/** Who bought some time ago; undefined holdings are purchases that failed. */
export interface Holders {
  trader: Trader;
  held: Holding;
  /** False when the holding is the team's gift. */
  bought: boolean;
  hasty: { trader: Trader; held: Holding | undefined };
  contract: { trader: Trader; held: Holding | undefined } | undefined;
}

const giftedTokens = 4000n;

/** Three wallets buy: an ordinary one, one at a high gas price, and a contract wallet. */
export async function prepareHolders(bench: Bench): Promise<Holders> {
  const { node, testToken } = bench;
  const [trader, hasty] = ['trader', 'hasty'].map((role) => freshWallet(`${testToken.symbol} ${role}`)) as [
    Trader,
    Trader,
  ];
  for (const wallet of [trader, hasty]) await equip(bench, wallet);
  const bought = await buy(bench, trader);
  const held = bought ?? (await giftInstead(bench, trader));
  const hastyHeld = bought && (await buy(bench, hasty, { haste: 'high' }));
  if (!bench.market)
    return { trader, held, bought: false, hasty: { trader: hasty, held: undefined }, contract: undefined };
  const contract = await createSmartWallet(node, trader);
  await equip(bench, contract);
  return {
    trader,
    held,
    bought: bought !== undefined,
    hasty: { trader: hasty, held: hastyHeld },
    contract: { trader: contract, held: await buy(bench, contract) },
  };
}

async function giftInstead(bench: Bench, trader: Trader): Promise<Holding> {
  const amount = giftedTokens * 10n ** BigInt(bench.testToken.decimals);
  if (!(await giveTokens(bench, trader.address, amount)))
    throw new Error(`${bench.testToken.symbol}: no gift arrives.`);
  return { amount, buyTax: null };
}

/**
 * Trades a test token for real, each time from the same starting point, which lies 60 blocks after its holders bought.
 * The node must not mine by itself.
 */
export async function measureTestToken(bench: Bench, holders: Holders): Promise<Measured> {
  const early = await measureEarly(bench);
  const late = await measureLate(bench, holders);
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

/** A wallet that buys now, and sells in the same block or the next. */
async function measureEarly(bench: Bench) {
  const { node, testToken } = bench;
  const trader = freshWallet(`${testToken.symbol} early`);
  return branch(node, async () => {
    await equip(bench, trader, 11n);
    const canBuyTenfold = await branch(node, async () => (await buy(bench, trader, { times: 10n })) !== undefined);
    const next = await branch(node, async () => {
      const bought = await buy(bench, trader);
      const { amount } = bought ?? (await giftInstead(bench, trader));
      return { amount: bought && amount, tax: await sell(bench, trader, amount / 2n) };
    });
    const { amount, tax: nextBlock } = next;
    const canSellSameBlock = amount !== undefined && (await sellInSameBlock(bench, trader, amount / 2n));
    return { canBuyTenfold, nextBlock, canSellSameBlock };
  });
}

/** What the holders can do now. */
async function measureLate(bench: Bench, { trader, held: { amount }, hasty, contract, bought }: Holders) {
  const { node } = bench;
  const later = (wallet: Trader, sold: bigint, haste: 'ordinary' | 'high' = 'ordinary') =>
    branch(node, () => sell(bench, wallet, sold, haste));
  const after60 = await later(trader, amount / 2n);
  const whole = await later(trader, amount);
  const small = await later(trader, amount / 100n);
  const high = await later(trader, amount / 2n, 'high');
  const afterHaste = hasty.held && (await later(hasty.trader, hasty.held.amount / 2n));
  const byContract = contract?.held && (await later(contract.trader, contract.held.amount / 2n));
  const afterDay = await branch(node, async () => {
    await pass(node, 1, 86_400);
    return sell(bench, trader, amount / 2n);
  });
  const byHand = await branch(node, () => payPool(bench, trader, amount / 2n));
  const gift = await branch(node, () => giveAndSell(bench, trader, amount / 10n));
  const taxes = [after60, small, afterDay, byHand].filter((tax) => tax !== undefined);
  return {
    canSellAfter60Blocks: after60 !== undefined,
    canSellAfterOneDay: afterDay !== undefined,
    canSellWhole: whole !== undefined,
    canSellSmall: small !== undefined,
    canSellAtHighGasPrice: high !== undefined,
    canSellAfterHastyBuy: bought ? afterHaste !== undefined : after60 !== undefined,
    contractWalletCanTrade: byContract !== undefined,
    canSell: [after60, afterDay, whole, small].some((sale) => sale !== undefined),
    sellTax: taxes[0] ?? null,
    ...gift,
  };
}

async function giveAndSell(bench: Bench, trader: Trader, amount: bigint) {
  const receiver = freshWallet(`${bench.testToken.symbol} receiver`);
  await equip(bench, receiver);
  const transferTax = await give(bench, trader, receiver.address, amount);
  if (transferTax === undefined) return { canTransfer: false, transferTax: null, receiverCanSell: false };
  const receiverCanSell = (await sell(bench, receiver, amount / 2n)) !== undefined;
  return { canTransfer: true, transferTax, receiverCanSell };
}

async function sellInSameBlock({ node, market }: Bench, trader: Trader, amount: bigint): Promise<boolean> {
  if (!market) return false;
  const { exchange, place } = market;
  const hashes = await handIn(node, trader, [
    exchange.buy(place.tradeAmount, trader.address),
    exchange.sell(amount, trader.address),
  ]);
  await node.call('evm_mine');
  const [bought, sold] = await node.batch<{ status: Hex; blockNumber: Hex } | null>(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  if (!bought || !sold || hexToBigInt(bought.status) !== 1n || bought.blockNumber !== sold.blockNumber) {
    throw new Error('The purchase and the sale did not both stand in one block.');
  }
  return sold.status === '0x1';
}
