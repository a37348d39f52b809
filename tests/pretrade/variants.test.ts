import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PretradeAnswer, toLowerAddress } from '../../engine/index.ts';
import { swapKinds } from '../../sandbox/execution/swapKinds.ts';
import { startSandbox, type TestToken } from '../../sandbox/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { expectation, outcomeOf, snapTaxes } from '../../sandbox/testTokens/compareTruth.ts';
import { createTradeSetup, type TradeSetup } from '../../sandbox/testTokens/measurement/holdings.ts';
import { advanceBlocks, useSteadyClock } from '../../sandbox/testTokens/measurement/traders.ts';
import { measurePower } from '../../sandbox/testTokens/measurePower.ts';
import { type Holders, measureTestToken, prepareHolders } from '../../sandbox/testTokens/measureTestToken.ts';
import { variantTokens } from '../../sandbox/testTokens/variantTokens.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { shareOf } from '../support/proofSize.ts';
import { checkAll, checkerOn, checkerOver, type TestTokensOnBase } from './checkOn.ts';
import { type CheckedToken, describeAnswers } from './describeAnswers.ts';
import { findUnusedTemplates, findWrongSentences, templatesOfVariants } from './findWrongSentences.ts';

// Variants of known patterns. Real trades confirm their ground truth, and the answers are compared with it. On one chain,
// the checks run first, then the trades.

let environment: TestTokensOnBase;
let node: NodeClient;
let fixture: TradeSetup['environment'];
let answers: Map<string, PretradeAnswer>;
let flooded: PretradeAnswer;
let byCreator: { answer: PretradeAnswer; requests: number };
/** Tokens that are traded, a part of all because real trades are slow. The answers about all tokens are compared. */
const traded = shareOf(variantTokens, 6);
const holders = new Map<string, Holders>();

beforeAll(async () => {
  const sandbox = await startSandbox({ chains: ['base'], testTokens: variantTokens });
  const { base } = sandbox.chains;
  if (!base || !sandbox.testTokens) throw new TypeError('Base did not start with the variants.');
  environment = { sandbox, base, testTokens: sandbox.testTokens };
  node = createNodeClient(base.rpcUrl);
  fixture = {
    chain: base,
    kinds: await swapKinds('base'),
    router: sandbox.testTokens.router,
    testTokens: sandbox.testTokens,
  };
  answers = await checkAll(environment, checkerOn(base).checker);
  byCreator = await checkWithCreator('LOPERATOR');
  const limited = createHttpRpcEndpoint({ url: base.rpcUrl, label: 'limited', timeoutMs: 30_000 });
  const query = { chain: 'base', token: find('OFLOOD').address } as const;
  flooded = await checkerOver(base, limited).check(query);
  await node.call('evm_setAutomine', [false]);
  await useSteadyClock(node);
  for (const { symbol } of traded)
    holders.set(symbol, await prepareHolders(createTradeSetup(node, fixture, find(symbol))));
  await advanceBlocks(node, 60);
}, 300_000);
afterAll(() => environment?.sandbox.close());

function find(symbol: string): TestToken {
  const testToken = environment.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`There is no ${symbol}.`);
  return testToken;
}

/** Checks with a vendor that returns the creator; no storage slot contains that address. */
async function checkWithCreator(symbol: string) {
  const endpoint = loopbackEndpoint(environment.base.rpcUrl);
  const fetchCreator = async () => ({ address: toLowerAddress(environment.testTokens.insider), source: 'explorer' });
  const checker = checkerOver(environment.base, endpoint, {
    powerDeadlineMs: 30_000,
    vendors: { creator: [{ label: 'explorer', fetchCreator }] },
  });
  await checker.check({ chain: 'base', token: find('RBURN').address });
  endpoint.requests = 0;
  const answer = await checker.check({ chain: 'base', token: find(symbol).address });
  return { answer, requests: endpoint.requests };
}

function findChecked(symbol: string): CheckedToken {
  const testToken = find(symbol);
  const answer = answers.get(symbol);
  if (!answer) throw new TypeError(`${symbol} was not checked.`);
  return { testToken, truth: testToken.truth, answer };
}

test.each(traded.map(({ symbol, about }) => [symbol, about]))(
  'real trades of %s confirm its ground truth: %s',
  async (symbol) => {
    const testToken = find(symbol);
    const prepared = holders.get(symbol);
    if (!prepared) throw new TypeError(`${symbol} was not bought.`);
    const measured = await measureTestToken(createTradeSetup(node, fixture, testToken), prepared);
    expect(snapTaxes(measured, testToken)).toEqual(expectation(testToken, measured));
    expect(testToken.truth.outcomes).toContain(outcomeOf(measured));
    if (testToken.truth.hasMaxLimit === true) expect(measured.canBuyTenfold && measured.canSellWhole).toBe(false);
    if (testToken.truth.hasMaxLimit === false && measured.canBuy) expect(measured.canBuyTenfold).toBe(true);
  },
);

const powers = variantTokens.flatMap(({ symbol, truth }) => truth.powers.map((power) => [symbol, power] as const));

test.each(shareOf(powers, 6))('a real call of a power over %s has the stated effect', async (symbol, power) => {
  expect(await measurePower(createTradeSetup(node, fixture, find(symbol)), power)).toBe(power.effect);
});

describeAnswers(variantTokens, findChecked);

test.each(variantTokens.map(({ symbol }) => [symbol]))('every sentence about %s is true', async (symbol) => {
  expect(await findWrongSentences(environment.base.rpcUrl, findChecked(symbol))).toEqual([]);
});

test('the variants reach the templates that no core token reaches', () => {
  const unused = findUnusedTemplates(answers.values());
  expect(templatesOfVariants.filter((template) => unused.includes(template))).toEqual([]);
});

test('tokens with the same code and different storage have different powers', () => {
  const transferabilityOf = (symbol: string) => findChecked(symbol).answer.risk_profile.transferability;
  // The owner of LLOCKED cannot execute the function; an unknown account might.
  expect(transferabilityOf('LLOCKED').hasBlacklist).toBeNull();
  expect(transferabilityOf('LUNLOCKED').hasBlacklist).toBe(true);
});

test('owner functions are tried by a creator that only a vendor returns, in the request for balances', () => {
  const { answer, requests } = byCreator;
  expect(findChecked('LOPERATOR').answer.risk_profile.transferability.hasBlacklist).toBeNull();
  expect(answer.risk_profile.transferability.hasBlacklist).toBe(true);
  expect(answer.reasons.join(' ')).toContain('The creator can block the sales of a single holder');
  // Two for the verdict, two for logs, one for owner functions, one for balances.
  expect(requests).toBe(6);
});

// A token can emit large events to prevent the real router's trade, by which detected simulations are recognised.
test('a sale that works counts as not measured if simulations exceed the response limit', () => {
  expect(flooded).toMatchObject({ verdict: 'clear', liquidityCoverage: { conclusive: true } });
  expect(flooded.risk_profile.transferability).toMatchObject({ outcome: 'unknown', sellTaxRaw: null, buyTaxRaw: 0 });
  expect(flooded.flags['F-FOT'].severity).toBe('unknown');
  expect(flooded.risk_profile.transferability.note).toContain('larger than the limit for one request');
});

test('there are at least sixty variants', () => {
  expect(new Set(variantTokens.map(({ symbol }) => symbol)).size).toBe(variantTokens.length);
  expect(variantTokens.length).toBeGreaterThanOrEqual(60);
});
