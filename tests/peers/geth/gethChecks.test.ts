import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PretradeAnswer } from '../../../engine/index.ts';
import { loopbackEndpoint } from '../../engine/loopbackEndpoint.ts';
import { checkerOver, startTestTokens, type TestTokensOnBase } from '../../pretrade/checkOn.ts';
import { shareOf } from '../../support/proofSize.ts';
import { startGethChain } from './gethChains.ts';
import { gethProgram } from './gethProgram.ts';

// The test tokens' checks on go-ethereum. The truth of each token was measured by real trades on anvil.

const geth = gethProgram();

/** Differences with a cause: go-ethereum allows the calls of one request 50 M of gas, which sales of this token use up. */
const explained = new Set(['GASBOMB']);

/** What must not depend on the node. */
const comparable = ({ verdict, triggers, confidence, reasons, risk_profile: { transferability } }: PretradeAnswer) => {
  const { outcome, buyTaxRaw, sellTaxRaw } = transferability;
  const rounded = (tax: number | null) => (tax === null ? null : Math.round(tax * 1e4) / 1e4);
  return { verdict, triggers, confidence, outcome, buyTax: rounded(buyTaxRaw), sellTax: rounded(sellTaxRaw), reasons };
};

describe.skipIf(!geth)('go-ethereum', () => {
  let fixture: TestTokensOnBase;
  let onGeth: Awaited<ReturnType<typeof startGethChain>>;
  beforeAll(async () => {
    fixture = await startTestTokens();
    onGeth = await startGethChain(fixture.base, geth ?? '', {});
  }, 60_000);
  afterAll(async () => {
    await onGeth?.close();
    await fixture?.sandbox.close();
  });

  test('a check of each test token has the same result as on anvil', { timeout: 600_000 }, async () => {
    const [anvil, other] = [fixture.base, onGeth.chain].map((chain) =>
      checkerOver(chain, loopbackEndpoint(chain.rpcUrl)),
    );
    const differences: string[] = [];
    for (const { symbol, address } of shareOf(fixture.testTokens.tokens, 24)) {
      const token = { chain: 'base', token: address } as const;
      const [expected, seen] = [await anvil?.check(token), await other?.check(token)];
      const [a, b] = [expected, seen].map((answer) => JSON.stringify(answer && comparable(answer)));
      if (a !== b && !explained.has(symbol)) differences.push(`${symbol}: ${b} instead of ${a}`);
    }
    expect(differences).toEqual([]);
  });
});
