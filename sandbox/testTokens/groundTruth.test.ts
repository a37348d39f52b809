import { type Hex, hexToBigInt, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareOf } from '../../tests/support/proofSize.ts';
import { swapKinds } from '../execution/swapKinds.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../index.ts';
import { createNodeClient, type NodeClient } from '../rpc/nodeClient.ts';
import { expectation, outcomeOf, snapTaxes } from './compareTruth.ts';
import { coreTokens } from './coreTokens.ts';
import { buy, createTradeSetup, equip, sell, type TradeSetup } from './measurement/holdings.ts';
import { measureExitLiquidity } from './measurement/measureExitLiquidity.ts';
import { advanceBlocks, callContract, freshWallet, useSteadyClock, withRevert } from './measurement/traders.ts';
import { measurePower } from './measurePower.ts';
import { type Holders, measureTestToken, prepareHolders } from './measureTestToken.ts';
import type { TestToken, TestTokens } from './testTokenTypes.ts';

let sandbox: Sandbox;
let base: SandboxChain;
let node: NodeClient;
let testTokens: TestTokens;
let environment: TradeSetup['environment'];
const selected = shareOf(coreTokens, 5);
const exitLiquidity = new Map<string, number>();
const holders = new Map<string, Holders>();

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'], testTokens: true });
  if (!sandbox.chains.base || !sandbox.testTokens) throw new TypeError('Base did not start with its test tokens.');
  base = sandbox.chains.base;
  testTokens = sandbox.testTokens;
  node = createNodeClient(base.rpcUrl);
  environment = { chain: base, kinds: await swapKinds('base'), router: testTokens.router, testTokens };
  // Only the test mines blocks.
  await node.call('evm_setAutomine', [false]);
  await useSteadyClock(node);
  // Measure exit liquidity first, because purchases increase it.
  const measured = selected.map(({ symbol }) => findTestToken(symbol));
  for (const testToken of measured)
    exitLiquidity.set(testToken.symbol, await measureExitLiquidity(createTradeSetup(node, environment, testToken)));
  for (const testToken of measured)
    holders.set(testToken.symbol, await prepareHolders(createTradeSetup(node, environment, testToken)));
  await advanceBlocks(node, 60);
});
afterAll(() => sandbox.close());

const findTestToken = (symbol: string): TestToken => {
  const testToken = testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`${symbol} is not a test token.`);
  return testToken;
};

test.each(selected.map(({ symbol, about }) => [symbol, about]))('default: %s. %s', async (symbol) => {
  const testToken = findTestToken(symbol);
  const { truth } = testToken;
  const prepared = holders.get(symbol);
  if (!prepared) throw new TypeError(`${symbol} was not bought.`);
  const measured = await measureTestToken(createTradeSetup(node, environment, testToken), prepared);
  expect(snapTaxes(measured, testToken)).toEqual(expectation(testToken, measured));
  if (!truth.outcomes.includes('unknown')) expect(truth.outcomes).toContain(outcomeOf(measured));
  if (truth.hasMaxLimit === true) expect(measured.canBuyTenfold && measured.canSellWhole).toBe(false);
  if (truth.hasMaxLimit === false && measured.canBuy) expect(measured.canBuyTenfold).toBe(true);
});

test.each(selected.map(({ symbol }) => [symbol]))(
  'behavior: the exit liquidity of %s matches its triggers',
  async (symbol) => {
    const testToken = findTestToken(symbol);
    const { truth } = testToken;
    const exitLiquidityUsd = exitLiquidity.get(symbol) ?? Number.NaN;
    const measurable = !truth.unmeasuredVenue;
    const [min, max] = truth.exitLiquidityUsd ?? (measurable ? [50, Number.POSITIVE_INFINITY] : [0, 0]);
    expect(exitLiquidityUsd).toBeGreaterThanOrEqual(min);
    expect(exitLiquidityUsd).toBeLessThanOrEqual(max);
    expect(truth.triggers.includes('NO_EXIT_VENUE')).toBe(testToken.pools.length === 0 && symbol !== 'JUNK');
    const hasDrainedPool =
      exitLiquidityUsd < 50 && measurable && !truth.triggers.includes('NO_EXIT_VENUE') && !truth.poolRefuses;
    expect(truth.triggers.includes('EXIT_LIQUIDITY_DRAINED')).toBe(hasDrainedPool);
  },
);

test('measures the same tax on a slow machine if balances grow with time', async () => {
  const setup = createTradeSetup(node, environment, findTestToken('REBASE'));
  const trader = freshWallet('REBASE on a slow machine');
  const tax = await withRevert(node, async () => {
    await equip(setup, trader);
    const held = await buy(setup, trader);
    if (!held) throw new Error('REBASE could not be bought.');
    await node.call('evm_increaseTime', [600]);
    return sell(setup, trader, held.amount / 2n);
  });
  expect(Math.abs(tax ?? 1)).toBeLessThan(0.006);
});

const powers = coreTokens.flatMap(({ symbol, truth }) =>
  truth.powers.map((power) => [symbol, power.effect, power] as const),
);

test.each(shareOf(powers, 4))(
  'behavior: a power over holders of %s has the effect %s',
  async (symbol, effect, power) => {
    expect(await measurePower(createTradeSetup(node, environment, findTestToken(symbol)), power)).toBe(effect);
  },
);

const gated = coreTokens.filter(({ truth }) => truth.tradingGate).map(({ symbol }) => [symbol]);

test.each(gated)('behavior: the gate getter of %s returns its expected value', async (symbol) => {
  const { address, truth } = findTestToken(symbol);
  const answer = await callContract(node, address, toFunctionSelector(`${truth.tradingGate?.getter}()`));
  expect(answer === undefined ? 'reverts' : hexToBigInt(answer) === 1n).toBe(truth.tradingGate?.reads);
});

const owned = coreTokens.filter(({ truth }) => truth.ownerRenounced !== null).map(({ symbol }) => [symbol]);

test.each(owned)('behavior: owner() of %s returns its expected value', async (symbol) => {
  const { address, truth } = findTestToken(symbol);
  const answer = (await callContract(node, address, '0x8da5cb5b')) as Hex;
  expect(hexToBigInt(answer) === 0n).toBe(truth.ownerRenounced);
});

test.each(coreTokens.flatMap(({ symbol, truth }) => (truth.otherPools ?? []).map((pool) => [symbol, pool] as const)))(
  'behavior: a further pool of %s has its expected taxes',
  async (symbol, { venue, buyTax, sellTax }) => {
    const testToken = findTestToken(symbol);
    const further = testToken.pools.find((candidate) => candidate.venue === venue);
    const setup = createTradeSetup(node, environment, testToken, further);
    const wallet = freshWallet(`${symbol} at ${venue}`);
    await withRevert(node, async () => {
      await equip(setup, wallet);
      const held = await buy(setup, wallet);
      expect(held?.buyTax).toBeCloseTo(buyTax, 3);
      const sale = await sell(setup, wallet, (held?.amount ?? 0n) / 2n);
      if (sellTax === null) expect(sale).toBeUndefined();
      else expect(sale).toBeCloseTo(sellTax, 3);
    });
  },
);

test('behavior: the facts of each token are consistent', () => {
  for (const { symbol, truth } of coreTokens) {
    const effects = truth.powers.map(({ effect }) => effect);
    if (truth.mintable !== null) expect([symbol, effects.includes('mint')]).toEqual([symbol, truth.mintable]);
    if (truth.hasBlacklist !== null)
      expect([symbol, effects.includes('block-holder')]).toEqual([symbol, truth.hasBlacklist]);
    expect([symbol, truth.verdict]).toEqual([symbol, truth.triggers.length > 0 ? 'avoid' : 'clear']);
  }
  expect(new Set(coreTokens.map(({ symbol }) => symbol)).size).toBe(coreTokens.length);
});
