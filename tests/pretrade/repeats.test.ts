import { type Abi, type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PretradeAnswer, PretradeChecker } from '../../engine/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { zooTokens } from '../../sandbox/zoo/zooTokens.ts';
import { type CountingEndpoint, loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { checkerOver, startZoo, type ZooOnBase } from './checkOn.ts';

// A repeat asks less than a first check. Each test changes one thing between the two.

let world: ZooOnBase;
let node: NodeClient;
let endpoint: CountingEndpoint;
let checker: PretradeChecker;
let snapshot: Hex;
beforeAll(async () => {
  world = await startZoo();
  node = createNodeClient(world.base.rpcUrl);
});
afterAll(() => world?.sandbox.close());
beforeEach(async () => {
  snapshot = await node.call<Hex>('evm_snapshot');
  endpoint = loopbackEndpoint(world.base.rpcUrl);
  checker = checkerOver(world.base, endpoint);
});
afterEach(() => node.call('evm_revert', [snapshot]));

function addressOf(symbol: string): Address {
  const animal = world.zoo.animals.find((candidate) => candidate.symbol === symbol);
  if (!animal) throw new TypeError(`There is no ${symbol}.`);
  return animal.address;
}

const check = (symbol: string): Promise<PretradeAnswer> => checker.check({ chain: 'base', token: addressOf(symbol) });

/** Twice, because a repeat may simulate more pools than the first check. */
async function settle(symbol: string): Promise<PretradeAnswer> {
  await check(symbol);
  return check(symbol);
}

async function call(from: Address, to: Address, abi: Abi, args: readonly unknown[]): Promise<void> {
  await node.call('anvil_impersonateAccount', [from]);
  await node.call('anvil_setBalance', [from, '0xde0b6b3a7640000']);
  const params = { from, to, data: encodeFunctionData({ abi, args }), gas: '0x4c4b40' };
  const hash = await node.call<Hex>('eth_sendTransaction', [params]);
  await node.call('evm_mine');
  const receipt = await node.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]);
  expect(receipt?.status).toBe('0x1');
}

const byOwner = (symbol: string, signature: string, ...args: unknown[]) =>
  call(world.zoo.keeper, addressOf(symbol), parseAbi([`function ${signature}`]) as Abi, args);

const replaceCode = (symbol: string, by: string) => async () => {
  const code = await node.call<Hex>('eth_getCode', [addressOf(by), 'latest']);
  await node.call('anvil_setCode', [addressOf(symbol), code]);
};

/** What must not differ from a first check at the same block. Powers may: a repeat also knows those found before. */
function factsOf({ verdict, triggers, confidence, flags, risk_profile, liquidityCoverage }: PretradeAnswer) {
  const { note: _, hasBlacklist: __, fingerprints, ...transferability } = risk_profile.transferability;
  const words = fingerprints.split(', ').filter((word) => !word.startsWith('owner-can'));
  const { note: ___, ...liquidity } = risk_profile.liquidity;
  return { verdict, triggers, confidence, flags, transferability, words, liquidity, liquidityCoverage };
}

/** Taxes of trades that share simulations differ by less than this. */
const sharesFew = (key: string, value: unknown) =>
  typeof value === 'number' && /Tax|value/.test(key) ? Math.round(value * 1_000) / 1_000 : value;
const rounded = (facts: unknown): unknown => JSON.parse(JSON.stringify(facts, sharesFew));

const fresh = (symbol: string) =>
  checkerOver(world.base, loopbackEndpoint(world.base.rpcUrl)).check({ chain: 'base', token: addressOf(symbol) });

test.for(zooTokens.map(({ symbol, about }) => [symbol, about] as const))(
  'states the facts of a first check when %s is checked again: %s',
  async ([symbol]) => {
    await settle(symbol);
    await node.call('anvil_mine', ['0x3']);
    const [repeat, first] = [await check(symbol), await fresh(symbol)];
    expect(rounded(factsOf(repeat))).toEqual(rounded(factsOf(first)));
  },
);

/** One change each, between two checks. */
const changes: Record<string, { symbol: string; change: () => Promise<void> }> = {
  'a raised sale tax': { symbol: 'SETTAX', change: () => byOwner('SETTAX', 'setFees(uint256,uint256)', 200n, 2_500n) },
  'a sale tax of all': { symbol: 'SETTAX', change: () => byOwner('SETTAX', 'setFees(uint256,uint256)', 0n, 10_000n) },
  'a tax that begins': { symbol: 'TAXV3', change: () => byOwner('TAXV3', 'startTax()') },
  'a gate that is shut': { symbol: 'GATEOPEN', change: () => byOwner('GATEOPEN', 'setTrading(bool)', false) },
  'a gate that is opened': { symbol: 'GATESALE', change: () => byOwner('GATESALE', 'setTradingActive(bool)', true) },
  'an ambiguous gate that is opened': { symbol: 'UNLAUNCHED', change: () => byOwner('UNLAUNCHED', 'launch()') },
  'a limit of sales': { symbol: 'MAXSALE', change: () => byOwner('MAXSALE', 'setMaxSellAmount(uint256)', 1n) },
  'a limit of transfers': { symbol: 'TXLIMIT', change: () => byOwner('TXLIMIT', 'setTxLimit(uint256)', 1n) },
  'a pause behind a proxy': { symbol: 'REGUSD', change: () => byOwner('REGUSD', 'pause()') },
  'contract wallets that are refused': { symbol: 'PLAIN', change: replaceCode('PLAIN', 'NOSMART') },
  'contract wallets that move nothing': { symbol: 'PLAIN', change: replaceCode('PLAIN', 'DEAF') },
  'transfers that are refused': { symbol: 'PLAIN', change: replaceCode('PLAIN', 'TRADEONLY') },
  'sales that end': { symbol: 'NOSMART', change: replaceCode('NOSMART', 'FALSESALE') },
  'sales that only simulations can make': { symbol: 'NOSMART', change: replaceCode('NOSMART', 'SPY') },
  'sales that depend on the gas price': { symbol: 'NOSMART', change: replaceCode('NOSMART', 'GASSALE') },
  'one trade in a block': { symbol: 'PLAIN', change: replaceCode('PLAIN', 'ONCE') },
};

test.for(Object.entries(changes))('notices between two checks: %s', async ([, { symbol, change }]) => {
  const before = await settle(symbol);
  await change();
  const [repeat, first] = [await check(symbol), await fresh(symbol)];
  expect(rounded(factsOf(repeat))).not.toEqual(rounded(factsOf(before)));
  expect(rounded(factsOf(repeat))).toEqual(rounded(factsOf(first)));
});
