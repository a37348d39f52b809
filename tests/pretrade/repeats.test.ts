import {
  type Abi,
  type AbiFunction,
  type Address,
  concatHex,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiItem,
  toEventSelector,
  toHex,
} from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployments, type PretradeAnswer, type PretradeChecker } from '../../engine/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { type CountingEndpoint, loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { shareOf } from '../support/proofSize.ts';
import { checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// A repeat asks less than a first check. Each test changes one thing between the two.

let fixture: TestTokensOnBase;
let node: NodeClient;
let endpoint: CountingEndpoint;
let checker: PretradeChecker;
let snapshot: Hex;
beforeAll(async () => {
  fixture = await startTestTokens();
  node = createNodeClient(fixture.base.rpcUrl);
});
afterAll(() => fixture?.sandbox.close());
beforeEach(async () => {
  snapshot = await node.call<Hex>('evm_snapshot');
  endpoint = loopbackEndpoint(fixture.base.rpcUrl);
  checker = checkerOver(fixture.base, endpoint);
});
afterEach(() => node.call('evm_revert', [snapshot]));

function addressOf(symbol: string): Address {
  const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`There is no ${symbol}.`);
  return testToken.address;
}

const check = (symbol: string): Promise<PretradeAnswer> => checker.check({ chain: 'base', token: addressOf(symbol) });

/** Twice, because a repeat may simulate more pools than the first check. */
async function settle(symbol: string): Promise<PretradeAnswer> {
  await check(symbol);
  return check(symbol);
}

async function call(from: Address, to: Address, data: Hex): Promise<void> {
  await node.call('anvil_impersonateAccount', [from]);
  await node.call('anvil_setBalance', [from, '0xde0b6b3a7640000']);
  const params = { from, to, data, gas: '0x4c4b40' };
  const hash = await node.call<Hex>('eth_sendTransaction', [params]);
  await node.call('evm_mine');
  const receipt = await node.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]);
  expect(receipt?.status).toBe('0x1');
}

function byOwner(symbol: string, signature: string, ...args: unknown[]): Promise<void> {
  return call(fixture.testTokens.deployer, addressOf(symbol), encode(signature, ...args));
}

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
  checkerOver(fixture.base, loopbackEndpoint(fixture.base.rpcUrl)).check({ chain: 'base', token: addressOf(symbol) });

test.for(shareOf(coreTokens, 6).map(({ symbol, about }) => [symbol, about] as const))(
  'states the facts of a first check when %s is checked again: %s',
  async ([symbol]) => {
    await settle(symbol);
    await node.call('anvil_mine', ['0x3']);
    const [repeat, first] = [await check(symbol), await fresh(symbol)];
    expect(rounded(factsOf(repeat))).toEqual(rounded(factsOf(first)));
    // A balance that grows with time differs between two calls of a node that runs them in the next block.
    if (symbol !== 'REBASE') expect(repeat.quote).toEqual(first.quote);
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

const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** The proxy points to the code behind another one. */
const replaceImplementation = (symbol: string, by: string) => async () => {
  const word = await node.call<Hex>('eth_getStorageAt', [addressOf(by), implementationSlot, 'latest']);
  await node.call('anvil_setStorageAt', [addressOf(symbol), implementationSlot, word]);
};

function poolOf(symbol: string): Address {
  const pool = fixture.testTokens.tokens.find((testToken) => testToken.symbol === symbol)?.pools[0]?.pool;
  if (!pool) throw new TypeError(`${symbol} has no pool.`);
  return pool;
}

const encode = (signature: string, ...args: unknown[]) =>
  encodeFunctionData({ abi: [parseAbiItem(`function ${signature}` as string) as AbiFunction] as Abi, args });
const read = (to: Address, signature: string, ...args: unknown[]) =>
  node.call<Hex>('eth_call', [{ to, data: encode(signature, ...args) }, 'latest']);

/** A part of what the pair pays sales with is gone. */
const take = (symbol: string, partOf: (held: bigint) => bigint) => async () => {
  const pool = poolOf(symbol);
  const { wrappedNative } = deployments.base;
  const held = BigInt(await read(wrappedNative, 'balanceOf(address)', pool));
  await call(pool, wrappedNative, encode('transfer(address,uint256)', fixture.testTokens.deployer, partOf(held)));
  await call(fixture.testTokens.deployer, pool, encode('sync()'));
};
const drain = (symbol: string) => take(symbol, (held) => held - held / 1_000_000n);

/** An empty pair of the factory that made the token's own. */
const createPair = (symbol: string, counter: () => Address) => async () => {
  const factory: Address = `0x${(await read(poolOf(symbol), 'factory()')).slice(26)}`;
  await call(fixture.testTokens.deployer, factory, encode('createPair(address,address)', addressOf(symbol), counter()));
};
const usdc = () => deployments.base.pricingAssets.find(({ symbol }) => symbol === 'USDC')?.address ?? '0x';

Object.assign(changes, {
  'a drained pool': { symbol: 'PLAIN', change: drain('PLAIN') },
  'a new pool with a base asset': { symbol: 'PLAIN', change: createPair('PLAIN', usdc) },
  'a new pool with an unlisted asset': { symbol: 'PLAIN', change: createPair('PLAIN', () => addressOf('TAX5')) },
  'another implementation behind a proxy': { symbol: 'REGUSD', change: replaceImplementation('REGUSD', 'GATEPROXY') },
  'a getter of replaced code': { symbol: 'SWAPFLAG', change: replaceCode('SWAPFLAG', 'UNLAUNCHED') },
});

test.for(['PLAIN', 'REGUSD'])(
  'a repeat of %s asks no factory for pools, and sends no code of a search',
  async (symbol) => {
    await settle(symbol);
    const sizes: number[] = [];
    const { send } = endpoint;
    endpoint.send = async (calls, options) => {
      sizes.push(JSON.stringify(calls).length);
      return send(calls, options);
    };
    await check(symbol);
    // Adding ExitLens (45 kB) or QuoteLens (53 kB) would exceed this.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(50_000);
  },
);

test.for(Object.entries(changes))('notices between two checks: %s', async ([, { symbol, change }]) => {
  const before = await settle(symbol);
  await change();
  const [repeat, first] = [await check(symbol), await fresh(symbol)];
  expect(rounded(factsOf(repeat))).not.toEqual(rounded(factsOf(before)));
  expect(rounded(factsOf(repeat))).toEqual(rounded(factsOf(first)));
});

test.for(['MINT', 'REGUSD'])('states at which block the owner functions of %s were tried', async (symbol) => {
  const noteOf = ({ risk_profile }: PretradeAnswer) => risk_profile.transferability.note;
  const first = await check(symbol);
  expect(noteOf(first)).not.toContain('Owner functions were tried');
  await node.call('anvil_mine', ['0x3']);
  const { asOfBlock } = first.liquidityCoverage;
  expect(noteOf(await check(symbol))).toContain(
    `Owner functions were tried at block ${asOfBlock}, by the accounts known then.`,
  );
});

/** Whether a check of the token simulates calls by this account. */
async function tries(symbol: string, account: Address): Promise<boolean> {
  const sent: string[] = [];
  const { send } = endpoint;
  endpoint.send = (calls, options) => {
    sent.push(JSON.stringify(calls));
    return send(calls, options);
  };
  await check(symbol);
  endpoint.send = send;
  return sent.some((text) => text.includes(`"from":"${account}"`));
}

const member: Address = '0x1234567890123456789012345678901234567890';

test.for([20, 3])('quotes the known routes after a pool lost 1/%s of its reserve', async (part) => {
  await settle('PLAIN');
  await take('PLAIN', (held) => held / BigInt(part))();
  const [repeat, first] = [(await check('PLAIN')).quote, (await fresh('PLAIN')).quote];
  expect(repeat).toEqual({ ...first, depthAtSize: expect.any(Number) });
  // A depth that is found by a few sizes is a lower bound.
  expect(repeat?.depthAtSize).toBeLessThanOrEqual(first?.depthAtSize ?? 0);
  expect(repeat?.depthAtSize).toBeGreaterThan((first?.depthAtSize ?? 0) * 0.85);
});

test('tries the powers of an account that was given a role between two checks', async () => {
  await settle('ROLES');
  expect(await tries('ROLES', member)).toBe(false);
  await byOwner('ROLES', 'grantRole(bytes32,address)', keccak256(toHex('MINTER_ROLE')), member);
  expect(await tries('ROLES', member)).toBe(true);
  expect(await tries('ROLES', member)).toBe(false);
  expect((await check('ROLES')).ownership.isMintable).toBe(true);
});

/** Emits RoleGranted(0, member, member). */
const grantingCode: Hex = concatHex([
  ...(['0x73', member, '0x73', member, '0x6000', '0x7f'] as const),
  ...([toEventSelector('RoleGranted(bytes32,address,address)'), '0x60006000a400'] as const),
]);

test('reads roles again that were granted before the code that gives them', async () => {
  await settle('PLAIN');
  const token = addressOf('PLAIN');
  await node.call('anvil_setCode', [token, grantingCode]);
  await call(fixture.testTokens.deployer, token, '0x');
  // The logs of the last 64 blocks are read again anyway.
  await node.call('anvil_mine', ['0x64']);
  await replaceCode('PLAIN', 'ROLES')();
  expect((await check('PLAIN')).ownership.isMintable).toBeNull();
  expect(await tries('PLAIN', member)).toBe(true);
});
