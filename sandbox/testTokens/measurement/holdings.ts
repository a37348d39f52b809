import { encodeFunctionData, erc20Abi, numberToHex } from 'viem';
import type { NodeClient } from '../../rpc/nodeClient.ts';
import type { TestToken, TestTokenPool, TestTokens } from '../testTokenTypes.ts';
import { approval, type Exchange, openExchange, type TradeEnvironment } from '../trades.ts';
import { giveCounter } from './giveCounter.ts';
import { readPairSwap, taxOf } from './measureTax.ts';
import { balanceOf, type GasPriceLevel, sendAndMine, sendUnlockedAndMine, succeeded, type Trader } from './traders.ts';

/** A test token at one of its pools, with the node and the exchange that trade it. */
export interface TradeSetup {
  node: NodeClient;
  environment: TradeEnvironment & { testTokens: TestTokens };
  testToken: TestToken;
  /** Absent for a test token without a pool. */
  market?: { pool: TestTokenPool; exchange: Exchange };
}

export function createTradeSetup(
  node: NodeClient,
  environment: TradeSetup['environment'],
  testToken: TestToken,
  pool: TestTokenPool | undefined = testToken.pools[0],
): TradeSetup {
  const setup = { node, environment, testToken };
  return pool ? { ...setup, market: { pool, exchange: openExchange(testToken, pool, environment) } } : setup;
}

const etherInHand = numberToHex(10n ** 21n);

/** Gives a wallet ether, counter-asset for `trades` purchases, and the approvals that it needs. */
export async function equip(setup: TradeSetup, wallet: Trader, trades = 1n): Promise<void> {
  const { node, market, testToken, environment } = setup;
  await node.call('anvil_setBalance', [wallet.address, etherInHand]);
  if (!market) return;
  const { pool, exchange } = market;
  const transactions = [approval(testToken.address, exchange.spender)];
  if (!exchange.paysEther) {
    await giveCounter(node, environment, pool, wallet, pool.tradeAmount * trades);
    transactions.push(approval(pool.counter, exchange.spender));
  }
  await sendAndMine(node, wallet, transactions);
}

/** What a wallet received, and the tax on what the pool paid. */
export interface Holding {
  amount: bigint;
  buyTax: number | null;
}

/** Buys; undefined when the purchase reverts or brings nothing. */
export async function buy(
  setup: TradeSetup,
  wallet: Trader,
  { times = 1n, gasPriceLevel = 'ordinary' }: { times?: bigint; gasPriceLevel?: GasPriceLevel } = {},
): Promise<Holding | undefined> {
  const { node, market, testToken } = setup;
  if (!market) return undefined;
  const { pool, exchange } = market;
  const read = () =>
    Promise.all([wallet.address, exchange.holder].map((holder) => balanceOf(node, testToken.address, holder)));
  const [walletBefore = 0n, poolBefore = 0n] = await read();
  const receipts = await sendAndMine(
    node,
    wallet,
    [exchange.buy(pool.tradeAmount * times, wallet.address)],
    gasPriceLevel,
  );
  if (!succeeded(receipts)) return undefined;
  const [walletAfter = 0n, poolAfter = 0n] = await read();
  const paid = readPairSwap(receipts, pool, testToken.address)?.out ?? poolBefore - poolAfter;
  const got = walletAfter - walletBefore;
  if (testToken.truth.balanceIsFalse) return { amount: paid, buyTax: 0 };
  return got > 0n ? { amount: got, buyTax: taxOf(paid, got) } : undefined;
}

/** The team gives a wallet tokens, for tokens that cannot be bought. */
export async function giveTokens(setup: TradeSetup, to: `0x${string}`, amount: bigint): Promise<boolean> {
  const { node, testToken, environment } = setup;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
  return succeeded(await sendUnlockedAndMine(node, environment.testTokens.keeper, [{ to: testToken.address, data }]));
}

/** Sells; undefined when the sale reverts, else the share that did not reach the pool. */
export async function sell(
  setup: TradeSetup,
  wallet: Trader,
  amount: bigint,
  gasPriceLevel: GasPriceLevel = 'ordinary',
): Promise<number | undefined> {
  const { node, market, testToken } = setup;
  if (!market) return undefined;
  const { pool, exchange } = market;
  const before = await balanceOf(node, testToken.address, exchange.holder);
  const receipts = await sendAndMine(node, wallet, [exchange.sell(amount, wallet.address)], gasPriceLevel);
  if (!succeeded(receipts)) return undefined;
  const arrived = readPairSwap(receipts, pool, testToken.address)?.in;
  return taxOf(amount, arrived ?? (await balanceOf(node, testToken.address, exchange.holder)) - before);
}

/** Pays the pool by hand; undefined when that reverts or takes nothing from the wallet. */
export async function payPool(setup: TradeSetup, wallet: Trader, amount: bigint): Promise<number | undefined> {
  const { market } = setup;
  return market ? give(setup, wallet, market.exchange.holder, amount) : undefined;
}

/** Transfers from wallet to wallet; undefined when nothing leaves or nothing arrives at all. */
export async function give(
  { node, testToken: { address: token } }: TradeSetup,
  wallet: Trader,
  to: `0x${string}`,
  amount: bigint,
): Promise<number | undefined> {
  const read = () => Promise.all([wallet.address, to].map((holder) => balanceOf(node, token, holder)));
  const [fromBefore = 0n, toBefore = 0n] = await read();
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
  if (!succeeded(await sendAndMine(node, wallet, [{ to: token, data }]))) return undefined;
  const [fromAfter = 0n, toAfter = 0n] = await read();
  return fromAfter < fromBefore ? taxOf(amount, toAfter - toBefore) : undefined;
}
