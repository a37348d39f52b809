import { encodeFunctionData, erc20Abi, numberToHex } from 'viem';
import type { NodeClient } from '../../rpc/nodeClient.ts';
import type { TestToken, TestTokenPool, TestTokens } from '../testTokenTypes.ts';
import { approval, type Exchange, openExchange, type TradeWorld } from '../trades.ts';
import { act, actUnlocked, balanceOf, type Haste, succeeded, type Trader } from './bench.ts';
import { giveCounter } from './giveCounter.ts';
import { readPairSwap, taxOf } from './measureTax.ts';

/** The bench of one test token at one of its pools. */
export interface Bench {
  node: NodeClient;
  world: TradeWorld & { testTokens: TestTokens };
  testToken: TestToken;
  /** Absent for a test token without a pool. */
  market?: { place: TestTokenPool; exchange: Exchange };
}

export function setUpBench(
  node: NodeClient,
  world: Bench['world'],
  testToken: TestToken,
  place: TestTokenPool | undefined = testToken.pools[0],
): Bench {
  const bench = { node, world, testToken };
  return place ? { ...bench, market: { place, exchange: openExchange(testToken, place, world) } } : bench;
}

const etherInHand = numberToHex(10n ** 21n);

/** Ether, counter-asset for some trades and the approvals that a trader gives once. */
export async function equip(bench: Bench, wallet: Trader, trades = 1n): Promise<void> {
  const { node, market, testToken, world } = bench;
  await node.call('anvil_setBalance', [wallet.address, etherInHand]);
  if (!market) return;
  const { place, exchange } = market;
  const deeds = [approval(testToken.address, exchange.spender)];
  if (!exchange.paysEther) {
    await giveCounter(node, world, place, wallet, place.tradeAmount * trades);
    deeds.push(approval(place.counter, exchange.spender));
  }
  await act(node, wallet, deeds);
}

/** What a wallet got, and by which tax less than the pool paid. */
export interface Holding {
  amount: bigint;
  buyTax: number | null;
}

/** Buys; undefined when the purchase reverts or brings nothing. */
export async function buy(
  bench: Bench,
  wallet: Trader,
  { times = 1n, haste = 'ordinary' }: { times?: bigint; haste?: Haste } = {},
): Promise<Holding | undefined> {
  const { node, market, testToken } = bench;
  if (!market) return undefined;
  const { place, exchange } = market;
  const read = () =>
    Promise.all([wallet.address, exchange.holder].map((holder) => balanceOf(node, testToken.address, holder)));
  const [walletBefore = 0n, poolBefore = 0n] = await read();
  const receipts = await act(node, wallet, [exchange.buy(place.tradeAmount * times, wallet.address)], haste);
  if (!succeeded(receipts)) return undefined;
  const [walletAfter = 0n, poolAfter = 0n] = await read();
  const paid = readPairSwap(receipts, place, testToken.address)?.out ?? poolBefore - poolAfter;
  const got = walletAfter - walletBefore;
  if (testToken.truth.balanceLies) return { amount: paid, buyTax: 0 };
  return got > 0n ? { amount: got, buyTax: taxOf(paid, got) } : undefined;
}

/** The team gives a wallet tokens, for tokens that cannot be bought. */
export async function giveTokens(bench: Bench, to: `0x${string}`, amount: bigint): Promise<boolean> {
  const { node, testToken, world } = bench;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
  return succeeded(await actUnlocked(node, world.testTokens.keeper, [{ to: testToken.address, data }]));
}

/** Sells; undefined when the sale reverts, else the share that did not reach the pool. */
export async function sell(
  bench: Bench,
  wallet: Trader,
  amount: bigint,
  haste: Haste = 'ordinary',
): Promise<number | undefined> {
  const { node, market, testToken } = bench;
  if (!market) return undefined;
  const { place, exchange } = market;
  const before = await balanceOf(node, testToken.address, exchange.holder);
  const receipts = await act(node, wallet, [exchange.sell(amount, wallet.address)], haste);
  if (!succeeded(receipts)) return undefined;
  const arrived = readPairSwap(receipts, place, testToken.address)?.in;
  return taxOf(amount, arrived ?? (await balanceOf(node, testToken.address, exchange.holder)) - before);
}

/** Pays the pool by hand; undefined when that reverts or takes nothing from the wallet. */
export async function payPool(bench: Bench, wallet: Trader, amount: bigint): Promise<number | undefined> {
  const { market } = bench;
  return market ? give(bench, wallet, market.exchange.holder, amount) : undefined;
}

/** Transfers from wallet to wallet; undefined when nothing leaves or nothing arrives at all. */
export async function give(
  { node, testToken: { address: token } }: Bench,
  wallet: Trader,
  to: `0x${string}`,
  amount: bigint,
): Promise<number | undefined> {
  const read = () => Promise.all([wallet.address, to].map((holder) => balanceOf(node, token, holder)));
  const [fromBefore = 0n, toBefore = 0n] = await read();
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
  if (!succeeded(await act(node, wallet, [{ to: token, data }]))) return undefined;
  const [fromAfter = 0n, toAfter = 0n] = await read();
  return fromAfter < fromBefore ? taxOf(amount, toAfter - toBefore) : undefined;
}
