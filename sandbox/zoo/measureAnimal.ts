import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex, hexToBigInt } from 'viem';
import { smartWalletArtifact } from '../../contracts/artifacts/zoo/SmartWallet.ts';
import { act, branch, freshWallet, handIn, pass, succeeded, type Trader } from './judge/bench.ts';
import { type Bench, buy, equip, give, giveTokens, type Holding, payPool, sell } from './judge/holdings.ts';
import type { ZooTruth } from './zooTypes.ts';

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
export type Measured = Pick<ZooTruth, Judged> & {
  sellTaxNextBlock: number | null;
  /** A purchase of ten times the size. */
  canBuyTenfold: boolean;
};

const giftedTokens = 4000n;

/**
 * Trades an animal for real: an ordinary wallet buys, waits, sells, gives away, through the real router, each from the
 * same starting point. The node must not mine by itself.
 */
export async function measureAnimal(bench: Bench): Promise<Measured> {
  const { node, animal } = bench;
  const trader = freshWallet(`${animal.symbol} trader`);
  return branch(node, async () => {
    await equip(bench, trader);
    const canBuyTenfold = await branch(node, async () => (await buy(bench, trader, { times: 10n })) !== undefined);
    const hasty = await branch(node, () => sellAfterHastyBuy(bench, trader));
    const contractWalletCanTrade = await branch(node, () => tradeByContract(bench, trader));
    const before = await node.call<string>('evm_snapshot');
    const bought = await buy(bench, trader);
    const held = bought ?? (await giftInstead(bench, trader));
    const later = await measureHolder(bench, trader, held.amount);
    await node.call('evm_revert', [before]);
    const canSellSameBlock = bought
      ? await branch(node, () => sellInSameBlock(bench, trader, held.amount / 2n))
      : later.canSellNextBlock;
    return {
      canBuy: bought !== undefined,
      buyTax: bought?.buyTax ?? null,
      canBuyTenfold,
      canSellAfterHastyBuy: bought ? hasty : later.canSellAfter60Blocks,
      contractWalletCanTrade,
      canSellSameBlock,
      ...later,
      canSell: later.canSell || canSellSameBlock,
    };
  });
}

async function giftInstead(bench: Bench, trader: Trader): Promise<Holding> {
  const amount = giftedTokens * 10n ** BigInt(bench.animal.decimals);
  if (!(await giveTokens(bench, trader.address, amount))) throw new Error(`${bench.animal.symbol}: no gift arrives.`);
  return { amount, buyTax: null };
}

/** Everything that starts from a wallet that holds tokens since the last block. */
async function measureHolder(bench: Bench, trader: Trader, held: bigint) {
  const { node } = bench;
  const later = (amount: bigint, haste: 'ordinary' | 'high' = 'ordinary', seconds = 0) =>
    branch(node, async () => {
      await pass(node, 60, seconds);
      return sell(bench, trader, amount, haste);
    });
  const next = await branch(node, () => sell(bench, trader, held / 2n));
  const after60 = await later(held / 2n);
  const afterDay = await later(held / 2n, 'ordinary', 86_400);
  const whole = await later(held);
  const small = await later(held / 100n);
  const high = await later(held / 2n, 'high');
  const byHand = await branch(node, () => payPool(bench, trader, held / 2n));
  const gift = await branch(node, () => giveAndSell(bench, trader, held / 10n));
  const taxes = [after60, small, afterDay, byHand].filter((tax) => tax !== undefined);
  const sales = [next, after60, afterDay, whole, small];
  return {
    canSellNextBlock: next !== undefined,
    canSellAfter60Blocks: after60 !== undefined,
    canSellAfterOneDay: afterDay !== undefined,
    canSellWhole: whole !== undefined,
    canSellSmall: small !== undefined,
    canSellAtHighGasPrice: high !== undefined,
    canSell: sales.some((sale) => sale !== undefined),
    sellTax: taxes[0] ?? null,
    sellTaxNextBlock: next ?? null,
    ...gift,
  };
}

async function giveAndSell(bench: Bench, trader: Trader, amount: bigint) {
  const receiver = freshWallet(`${bench.animal.symbol} receiver`);
  await equip(bench, receiver);
  await pass(bench.node, 60);
  const transferTax = await give(bench, trader, receiver.address, amount);
  if (transferTax === undefined) return { canTransfer: false, transferTax: null, receiverCanSell: false };
  const receiverCanSell = (await sell(bench, receiver, amount / 2n)) !== undefined;
  return { canTransfer: true, transferTax, receiverCanSell };
}

async function sellAfterHastyBuy(bench: Bench, trader: Trader): Promise<boolean> {
  const held = await buy(bench, trader, { haste: 'high' });
  if (!held) return false;
  await pass(bench.node, 60);
  return (await sell(bench, trader, held.amount / 2n)) !== undefined;
}

async function sellInSameBlock({ node, market }: Bench, trader: Trader, amount: bigint): Promise<boolean> {
  if (!market) return false;
  const { desk, place } = market;
  const hashes = await handIn(node, trader, [
    desk.buy(place.tradeAmount, trader.address),
    desk.sell(amount, trader.address),
  ]);
  await node.call('evm_mine');
  const receipts = await node.batch<{ status: Hex; blockNumber: Hex } | null>(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  const [bought, sold] = receipts;
  if (bought?.status !== '0x1' || bought.blockNumber !== sold?.blockNumber) {
    throw new Error('The purchase and the sale did not both stand in one block.');
  }
  return sold.status === '0x1';
}

/** A wallet that is a contract does everything by itself: it holds, approves, buys and, 60 blocks later, sells half. */
async function tradeByContract(bench: Bench, owner: Trader): Promise<boolean> {
  const { node, market } = bench;
  if (!market) return false;
  const nonce = hexToBigInt(await node.call<Hex>('eth_getTransactionCount', [owner.address, 'latest']));
  const address = getContractAddress({ from: owner.address, nonce });
  const { abi, bytecode } = smartWalletArtifact;
  const creation = { data: encodeDeployData({ abi, bytecode, args: [owner.address] }) };
  if (!succeeded(await act(node, owner, [creation]))) throw new Error('The smart wallet was not created.');
  const wallet: Trader = {
    address,
    key: owner.key,
    through: ({ to = address, value = 0n, data }) => ({
      to: address,
      data: encodeFunctionData({ abi, functionName: 'execute', args: [to, value, data] }),
    }),
  };
  await equip(bench, wallet);
  const held = await buy(bench, wallet);
  if (!held) return false;
  await pass(node, 60);
  return (await sell(bench, wallet, held.amount / 2n)) !== undefined;
}
