import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cooldownTokenArtifact } from '../../contracts/artifacts/testTokens/CooldownToken.ts';
import type { PretradeAnswer } from '../../engine/index.ts';
import { swapKinds } from '../../sandbox/execution/swapKinds.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { describeToken } from '../../sandbox/testTokens/describeToken.ts';
import { buy, createTradeSetup, equip, sell, type TradeSetup } from '../../sandbox/testTokens/measurement/holdings.ts';
import {
  advanceBlocks,
  freshWallet,
  useSteadyClock,
  withRevert,
} from '../../sandbox/testTokens/measurement/traders.ts';
import { tradable } from '../../sandbox/testTokens/truths.ts';
import { checkerOn, type TestTokensOnBase } from './checkOn.ts';

// What an answer states about a lock is compared with real sales, in mined blocks.

const hours = 3_600n;
const locks = [
  { symbol: 'LOCK30', about: '30 blocks', wait: { blocks: 30n, time: 0n } },
  { symbol: 'LOCK100', about: '100 blocks', wait: { blocks: 100n, time: 0n } },
  { symbol: 'LOCK200', about: '200 blocks', wait: { blocks: 200n, time: 0n } },
  { symbol: 'LOCK2H', about: '2 hours', wait: { blocks: 0n, time: 2n * hours } },
  { symbol: 'LOCK23H', about: '23 hours', wait: { blocks: 0n, time: 23n * hours } },
  // The simulated sale a day later is up to 25.03 hours after the purchase.
  { symbol: 'LOCK26H', about: '26 hours', wait: { blocks: 0n, time: 26n * hours } },
] as const;
const tokens = locks.map(({ symbol, about, wait }) =>
  describeToken(symbol, cooldownTokenArtifact, `A buyer can sell after ${about}.`, tradable(), { args: [wait] }),
);

/**
 * Blocks and seconds from the purchase to a sale. A day has 432,000 blocks on Base, of which the local node mines 250: more
 * than each lock by blocks.
 */
const moments = {
  next: { blocks: 0, seconds: 0 },
  later: { blocks: 60, seconds: 0 },
  simulatedDay: { blocks: 127, seconds: 0 },
  day: { blocks: 250, seconds: 86_000 },
};
type Sales = Record<keyof typeof moments, boolean>;

let environment: TestTokensOnBase;
let node: NodeClient;
const answers = new Map<string, PretradeAnswer>();
const real = new Map<string, Sales>();

beforeAll(async () => {
  const sandbox = await startSandbox({ chains: ['base'], testTokens: tokens });
  const { base } = sandbox.chains;
  if (!base || !sandbox.testTokens) throw new TypeError('Base did not start with its test tokens.');
  environment = { sandbox, base, testTokens: sandbox.testTokens };
  node = createNodeClient(base.rpcUrl);
  const { checker } = checkerOn(base);
  for (const { symbol, address } of sandbox.testTokens.tokens)
    answers.set(symbol, await checker.check({ chain: 'base', token: address }));
  await node.call('evm_setAutomine', [false]);
  await useSteadyClock(node);
  const trade = { chain: base, kinds: await swapKinds('base'), router: sandbox.testTokens.router };
  for (const testToken of sandbox.testTokens.tokens) {
    const setup = createTradeSetup(node, { ...trade, testTokens: sandbox.testTokens }, testToken);
    real.set(testToken.symbol, await measureSales(setup));
  }
}, 300_000);
afterAll(() => environment?.sandbox.close());

/** Buys once, and sells at each moment from the same state. */
async function measureSales(setup: TradeSetup): Promise<Sales> {
  const trader = freshWallet(`${setup.testToken.symbol} trader`);
  const sales: Partial<Sales> = {};
  await withRevert(node, async () => {
    await equip(setup, trader);
    const held = await buy(setup, trader);
    if (!held) throw new Error(`${setup.testToken.symbol} could not be bought.`);
    for (const [moment, { blocks, seconds }] of Object.entries(moments)) {
      sales[moment as keyof Sales] = await withRevert(node, async () => {
        if (blocks > 0) await advanceBlocks(node, blocks, seconds);
        return (await sell(setup, trader, held.amount / 2n)) !== undefined;
      });
    }
  });
  return sales as Sales;
}

const blocked =
  /^An ordinary wallet cannot sell: simulated sales a minute \(at least 60 simulated blocks\) and a day \(at least 128 simulated blocks\) after its purchase are refused \(.*\)\.$/;
const worksInADay =
  'Sales are refused in the block after the purchase and a minute (at least 60 simulated blocks) later; one a day (at least 128 simulated blocks) later works.';
const worksLater = 'A sale in the block after the purchase is refused; a later one works.';
const mayDiffer = 'Transfers read the block number, so the results may differ after more than 128 blocks.';

describe.each(locks)('a lock of $about', ({ symbol, wait }) => {
  const answer = () => answers.get(symbol) as PretradeAnswer;
  const sales = () => real.get(symbol) as Sales;

  test('real sales show the lock', () => {
    expect(sales()).toEqual({
      next: false,
      later: wait.blocks === 30n,
      simulatedDay: wait.blocks > 0n && wait.blocks < 128n,
      day: wait.time < 24n * hours,
    });
  });

  test('the sentence about it agrees with the real sales', () => {
    const { reasons, risk_profile } = answer();
    const { later, day, simulatedDay } = sales();
    const found = reasons.filter((reason) => reason === worksLater || reason === worksInADay || blocked.test(reason));
    // After 128 blocks at a time one day later, a lock by time has ended if it ends within a day.
    const endsInSimulation = wait.time > 0n ? day : simulatedDay;
    if (later) expect(found).toEqual([worksLater]);
    else if (endsInSimulation) expect(found).toEqual([worksInADay]);
    else expect(found).toEqual([expect.stringMatching(blocked)]);
    expect(risk_profile.transferability.outcome).toBe(
      later || endsInSimulation ? 'sale-blocked-for-a-time' : 'sale-blocked',
    );
  });

  test('a refusal that may end after more blocks is stated as such', () => {
    if (blocked.test(answer().reasons[0] ?? '')) expect(answer().reasons).toContain(mayDiffer);
    else expect(answer().reasons).not.toContain(mayDiffer);
  });
});
