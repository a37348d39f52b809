import { encodeFunctionData, erc20Abi, numberToHex } from 'viem';
import type { NodeClient } from '../../rpc/nodeClient.ts';
import type { TestToken, TestTokenPool, TestTokens } from '../testTokenTypes.ts';
import { approval, type Exchange, openExchange, type TradeEnvironment } from '../trades.ts';
import { giveCounter } from './giveCounter.ts';
import { readPairSwap, taxOf } from './measureTax.ts';
import { balanceOf, type GasPriceLevel, sendAndMine, sendUnlockedAndMine, succeeded, type Trader } from './traders.ts';

/** A test token and one of its pools, with the node and the transactions to trade there. */
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

const etherBalance = numberToHex(10n ** 21n);

/** Gives a wallet ether, counter-asset for `trades` purchases, and the approvals for trades. */
export async function equip(setup: TradeSetup, wallet: Trader, trades = 1n): Promise<void> {
  const { node, market, testToken, environment } = setup;
  await node.call('anvil_setBalance', [wallet.address, etherBalance]);
  if (!market) return;
  const { pool, exchange } = market;
  const transactions = [approval(testToken.address, exchange.spender)];
  if (!exchange.paysEther) {
    await giveCounter(node, environment, pool, wallet, pool.tradeAmount * trades);
    transactions.push(approval(pool.counter, exchange.spender));
  }
  await sendAndMine(node, wallet, transactions);
}

/** The amount that a wallet received, and the tax as a fraction of the amount that the pool paid. */
export interface Holding {
  amount: bigint;
  buyTax: number | null;
}

/** Buys for `times` x 1,000 USD; undefined if the purchase reverts or the wallet receives nothing. */
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
  const received = walletAfter - walletBefore;
  if (testToken.truth.balanceIsFalse) return { amount: paid, buyTax: 0 };
  return received > 0n ? { amount: received, buyTax: taxOf(paid, received) } : undefined;
}

/** Transfers tokens from the team to a wallet. Returns false if the transfer reverts. */
export async function giveTokens(setup: TradeSetup, to: `0x${string}`, amount: bigint): Promise<boolean> {
  const { node, testToken, environment } = setup;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
  return succeeded(await sendUnlockedAndMine(node, environment.testTokens.deployer, [{ to: testToken.address, data }]));
}

/** Sells, and returns the share that did not reach the pool; undefined if the sale reverts. */
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

/** Transfers to the pool directly, and returns the share that did not arrive; undefined as for `give`. */
export async function payPool(setup: TradeSetup, wallet: Trader, amount: bigint): Promise<number | undefined> {
  const { market } = setup;
  return market ? give(setup, wallet, market.exchange.holder, amount) : undefined;
}

/** Transfers, and returns the share that did not arrive; undefined if the transfer reverts or the sender loses nothing. */
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
