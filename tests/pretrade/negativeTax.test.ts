import { afterAll, beforeAll, expect, test } from 'vitest';
import { swapKinds } from '../../sandbox/execution/swapKinds.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { buy, createTradeSetup, equip } from '../../sandbox/testTokens/measurement/holdings.ts';
import { freshWallet, withRevert } from '../../sandbox/testTokens/measurement/traders.ts';
import { checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// Tokens that credit a receiver with more than was sent. The quoted price includes the extra amount.

let fixture: TestTokensOnBase;
let node: NodeClient;
beforeAll(async () => {
  fixture = await startTestTokens();
  node = createNodeClient(fixture.base.rpcUrl);
});
afterAll(() => fixture?.sandbox.close());

test.each(['MORE', 'BONUS'])('behavior: the quote of %s is within 2 % of a real purchase', async (symbol) => {
  const { base, testTokens } = fixture;
  const testToken = testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`There is no ${symbol}.`);
  const { quote, reasons, risk_profile } = await checkerOn(base).checker.check({
    chain: 'base',
    token: testToken.address,
  });
  const setup = createTradeSetup(
    node,
    { chain: base, kinds: await swapKinds('base'), router: testTokens.router, testTokens },
    testToken,
  );
  const held = await withRevert(node, async () => {
    await node.call('evm_setAutomine', [false]);
    const wallet = freshWallet(`${symbol} buyer`);
    await equip(setup, wallet);
    return buy(setup, wallet);
  });
  await node.call('evm_setAutomine', [true]);
  // The real wallet pays with ether and the quote with USDC, so fees and prices differ slightly.
  const bought = Number(held?.amount ?? 0n) / 10 ** testToken.decimals;
  expect(bought).toBeGreaterThan(0);
  expect(risk_profile.transferability.outcome).toBe('tradable');
  expect(reasons.join('\n')).not.toContain('no executable quote');
  expect(quote).not.toBeNull();
  expect(Math.abs((quote?.executablePrice ?? 0) * 1_000 - bought) / bought).toBeLessThan(0.02);
});
