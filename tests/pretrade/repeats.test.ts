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
import { addressIn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// A repeat check reads less than a first check. Each test changes one thing between the two.

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

const addressOf = (symbol: string) => addressIn(fixture, symbol);

const check = (symbol: string): Promise<PretradeAnswer> => checker.check({ chain: 'base', token: addressOf(symbol) });

/** Checks twice, because a repeat may simulate more pools than the first check. */
async function checkTwice(symbol: string): Promise<PretradeAnswer> {
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

function callAsOwner(symbol: string, signature: string, ...args: unknown[]): Promise<void> {
  return call(fixture.testTokens.deployer, addressOf(symbol), encode(signature, ...args));
}

const replaceCode = (symbol: string, by: string) => async () => {
  const code = await node.call<Hex>('eth_getCode', [addressOf(by), 'latest']);
  await node.call('anvil_setCode', [addressOf(symbol), code]);
};

/**
 * The part of an answer that must equal that of a first check at the same block. Powers may differ: a repeat includes
 * those found earlier.
 */
function factsOf({ verdict, triggers, confidence, flags, risk_profile, liquidityCoverage }: PretradeAnswer) {
  const { note: _, hasBlacklist: __, roundTripPct: ____, fingerprints, ...trades } = risk_profile.transferability;
  const words = fingerprints.split(', ').filter((word) => !word.startsWith('owner-can'));
  const { note: ___, ...liquidity } = risk_profile.liquidity;
  return { verdict, triggers, confidence, flags, trades, words, liquidity, liquidityCoverage };
}

/** Rounds taxes to 0.001: those of trades in a shared simulation differ by less. */
const roundTaxes = (key: string, value: unknown) =>
  typeof value === 'number' && /Tax|value/.test(key) ? Math.round(value * 1_000) / 1_000 : value;
const rounded = (facts: unknown): unknown => JSON.parse(JSON.stringify(facts, roundTaxes));

/** In a shared simulation, the trades of other wallets move the price between purchase and sale. */
function expectSameTrip(repeat: PretradeAnswer, first: PretradeAnswer): void {
  const [a, b] = [repeat, first].map((answer) => answer.risk_profile.transferability.roundTripPct ?? -1);
  expect(Math.abs((a ?? 0) - (b ?? 0))).toBeLessThan(0.6);
}

const checkFirst = (symbol: string) =>
  checkerOver(fixture.base, loopbackEndpoint(fixture.base.rpcUrl)).check({ chain: 'base', token: addressOf(symbol) });

test.for(shareOf(coreTokens, 6).map(({ symbol, about }) => [symbol, about] as const))(
  'a repeat check of %s returns the facts of a first check: %s',
  async ([symbol]) => {
    await checkTwice(symbol);
    await node.call('anvil_mine', ['0x3']);
    const [repeat, first] = [await check(symbol), await checkFirst(symbol)];
    expect(rounded(factsOf(repeat))).toEqual(rounded(factsOf(first)));
    expectSameTrip(repeat, first);
    // The balance of REBASE grows with the node's time.
    if (symbol !== 'REBASE') expect(repeat.quote).toEqual(first.quote);
  },
);

/** One change each, between two checks, and the requests of the second one if it takes more than three. */
const changes: Record<string, { symbol: string; change: () => Promise<void>; requests?: number }> = {
  'the sale tax rises': {
    symbol: 'SETTAX',
    change: () => callAsOwner('SETTAX', 'setFees(uint256,uint256)', 200n, 2_500n),
  },
  'the sale tax becomes 100 %': {
    symbol: 'SETTAX',
    change: () => callAsOwner('SETTAX', 'setFees(uint256,uint256)', 0n, 10_000n),
  },
  'a tax begins': { symbol: 'TAXV3', change: () => callAsOwner('TAXV3', 'startTax()') },
  'the trading gate closes': { symbol: 'GATEOPEN', change: () => callAsOwner('GATEOPEN', 'setTrading(bool)', false) },
  'the trading gate opens': {
    symbol: 'GATESALE',
    change: () => callAsOwner('GATESALE', 'setTradingActive(bool)', true),
  },
  'an ambiguous gate opens': { symbol: 'UNLAUNCHED', change: () => callAsOwner('UNLAUNCHED', 'launch()') },
  'sales become limited': { symbol: 'MAXSALE', change: () => callAsOwner('MAXSALE', 'setMaxSellAmount(uint256)', 1n) },
  'transfers become limited': { symbol: 'TXLIMIT', change: () => callAsOwner('TXLIMIT', 'setTxLimit(uint256)', 1n) },
  'a proxy token is paused': { symbol: 'REGUSD', change: () => callAsOwner('REGUSD', 'pause()') },
  'contract wallets are refused': { symbol: 'PLAIN', change: replaceCode('PLAIN', 'NOSMART') },
  'transfers of contract wallets move nothing': { symbol: 'PLAIN', change: replaceCode('PLAIN', 'DEAF') },
  'transfers are refused': { symbol: 'PLAIN', change: replaceCode('PLAIN', 'TRADEONLY') },
  'sales are refused': { symbol: 'NOSMART', change: replaceCode('NOSMART', 'FALSESALE') },
  'only simulated sales work': { symbol: 'NOSMART', change: replaceCode('NOSMART', 'SPY') },
  'sales depend on the gas price': { symbol: 'NOSMART', change: replaceCode('NOSMART', 'GASSALE') },
  // A second order right after the first is refused, so further pools are searched.
  'trades are limited to one per block': { symbol: 'PLAIN', change: replaceCode('PLAIN', 'ONCE'), requests: 8 },
};

const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** Points a proxy to the implementation of another proxy. */
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

/** Removes a part of the pair's wrapped ether. */
const removeReserve = (symbol: string, partOf: (held: bigint) => bigint) => async () => {
  const pool = poolOf(symbol);
  const { wrappedNative } = deployments.base;
  const held = BigInt(await read(wrappedNative, 'balanceOf(address)', pool));
  await call(pool, wrappedNative, encode('transfer(address,uint256)', fixture.testTokens.deployer, partOf(held)));
  await call(fixture.testTokens.deployer, pool, encode('sync()'));
};
const drain = (symbol: string) => removeReserve(symbol, (held) => held - held / 1_000_000n);

/** Creates an empty pair at the factory of the token's pair, and returns its address. */
async function createPairOf(symbol: string, counter: Address): Promise<Address> {
  const factory: Address = `0x${(await read(poolOf(symbol), 'factory()')).slice(26)}`;
  await call(fixture.testTokens.deployer, factory, encode('createPair(address,address)', addressOf(symbol), counter));
  return `0x${(await read(factory, 'getPair(address,address)', addressOf(symbol), counter)).slice(26)}`;
}
const createPair = (symbol: string, counter: () => Address) => async () => {
  await createPairOf(symbol, counter());
};

/** Moves 99.9 % of the liquidity to a new pair with USDC, at 3,000 USDC for each ether. */
const movePool = (symbol: string) => async () => {
  const [token, old, { wrappedNative }] = [addressOf(symbol), poolOf(symbol), deployments.base];
  const pair = await createPairOf(symbol, usdc());
  const held = BigInt(await read(wrappedNative, 'balanceOf(address)', old));
  const stock = BigInt(await read(token, 'balanceOf(address)', old));
  await call(
    old,
    wrappedNative,
    encode('transfer(address,uint256)', fixture.testTokens.deployer, held - held / 1_000n),
  );
  await call(old, token, encode('transfer(address,uint256)', pair, stock - stock / 1_000n));
  await call(fixture.testTokens.deployer, old, encode('sync()'));
  // USDC has six decimals.
  const holder = fixture.base.pools.find(({ token0, token1 }) =>
    [token0, token1].some((each) => each.toLowerCase() === usdc().toLowerCase()),
  );
  if (!holder) throw new TypeError('The sandbox has no pool with USDC.');
  await call(holder.pool as Address, usdc(), encode('transfer(address,uint256)', pair, (held * 3_000n) / 10n ** 12n));
  await call(fixture.testTokens.deployer, pair, encode('mint(address)', fixture.testTokens.deployer));
};
const usdc = () => deployments.base.pricingAssets.find(({ symbol }) => symbol === 'USDC')?.address ?? '0x';

Object.assign(changes, {
  'a third of the reserve is gone': { symbol: 'PLAIN', change: removeReserve('PLAIN', (held) => held / 3n) },
  'the market moves to a new pool': { symbol: 'SETTAX', change: movePool('SETTAX'), requests: 6 },
  'the owner renounces': { symbol: 'SETTAX', change: () => callAsOwner('SETTAX', 'renounceOwnership()') },
  'the pool is drained': { symbol: 'PLAIN', change: drain('PLAIN') },
  'a pool with a base asset is created': { symbol: 'PLAIN', change: createPair('PLAIN', usdc), requests: 4 },
  'a pool with an unlisted asset is created': {
    symbol: 'PLAIN',
    change: createPair('PLAIN', () => addressOf('TAX5')),
    requests: 4,
  },
  'a proxy gets another implementation': { symbol: 'REGUSD', change: replaceImplementation('REGUSD', 'GATEPROXY') },
  'replaced code has another getter': { symbol: 'SWAPFLAG', change: replaceCode('SWAPFLAG', 'UNLAUNCHED') },
});

test.for(Object.entries(changes))(
  'a repeat check equals a first check when %s',
  async ([, { symbol, change, requests }]) => {
    const before = await checkTwice(symbol);
    await change();
    endpoint.requests = 0;
    const repeat = await check(symbol);
    // Including the request for logs. The whole market of a trap takes three more.
    expect(endpoint.requests).toBeLessThanOrEqual(repeat.verdict === 'avoid' ? 6 : (requests ?? 3));
    const first = await checkFirst(symbol);
    expect(rounded(factsOf(repeat))).not.toEqual(rounded(factsOf(before)));
    expect(rounded(factsOf(repeat))).toEqual(rounded(factsOf(first)));
  },
);

test.for(['MINT', 'REGUSD'])('reports the block at which the owner functions of %s were tried', async (symbol) => {
  const noteOf = ({ risk_profile }: PretradeAnswer) => risk_profile.transferability.note;
  const first = await check(symbol);
  expect(noteOf(first)).not.toContain('Owner functions were tried');
  await node.call('anvil_mine', ['0x3']);
  const { asOfBlock } = first.liquidityCoverage;
  expect(noteOf(await check(symbol))).toContain(
    `Owner functions were tried at block ${asOfBlock}, by the accounts known then.`,
  );
});

/** Checks the token, and returns whether the check simulates calls by the account. */
async function checkSimulates(symbol: string, account: Address): Promise<boolean> {
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

const roleHolder: Address = '0x1234567890123456789012345678901234567890';

test.for([20, 3])('a repeat check quotes as a first check after the pool lost 1/%s of its reserve', async (part) => {
  await checkTwice('PLAIN');
  await removeReserve('PLAIN', (held) => held / BigInt(part))();
  const [repeat, first] = [(await check('PLAIN')).quote, (await checkFirst('PLAIN')).quote];
  expect(repeat).toEqual({ ...first, depthAtSize: expect.any(Number) });
  // A depth measured with a few sizes is a lower bound.
  expect(repeat?.depthAtSize).toBeLessThanOrEqual(first?.depthAtSize ?? 0);
  expect(repeat?.depthAtSize).toBeGreaterThan((first?.depthAtSize ?? 0) * 0.85);
});

test('a repeat check simulates calls by an account that received a role since the first check', async () => {
  await checkTwice('ROLES');
  expect(await checkSimulates('ROLES', roleHolder)).toBe(false);
  await callAsOwner('ROLES', 'grantRole(bytes32,address)', keccak256(toHex('MINTER_ROLE')), roleHolder);
  expect(await checkSimulates('ROLES', roleHolder)).toBe(true);
  expect(await checkSimulates('ROLES', roleHolder)).toBe(false);
  expect((await check('ROLES')).ownership.isMintable).toBe(true);
});

/** Bytecode that emits RoleGranted(0, roleHolder, roleHolder). */
const grantingCode: Hex = concatHex([
  ...(['0x73', roleHolder, '0x73', roleHolder, '0x6000', '0x7f'] as const),
  ...([toEventSelector('RoleGranted(bytes32,address,address)'), '0x60006000a400'] as const),
]);

test('finds role holders of replaced code whose roles were granted before the replacement', async () => {
  await checkTwice('PLAIN');
  const token = addressOf('PLAIN');
  await node.call('anvil_setCode', [token, grantingCode]);
  await call(fixture.testTokens.deployer, token, '0x');
  // Every check reads the logs of the last minute, at most 300 blocks, so move the grant before them.
  await node.call('anvil_mine', ['0x190']);
  await replaceCode('PLAIN', 'ROLES')();
  expect((await check('PLAIN')).ownership.isMintable).toBeNull();
  expect(await checkSimulates('PLAIN', roleHolder)).toBe(true);
});
