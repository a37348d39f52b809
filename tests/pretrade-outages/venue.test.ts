import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareOf } from '../support/proofSize.ts';
import { broken, returningWord, withCode } from './brokenCode.ts';
import { type Answer, type OutageEnvironment, openOutageEnvironment, type TestService } from './outageEnvironment.ts';
import { faultsOf, provenPart } from './provenPart.ts';

// One venue's contract fails on chain. Tokens that trade elsewhere keep their verdict. Answers about tokens that trade only
// there contain no fact that was not read.

let environment: OutageEnvironment;
let service: TestService;
beforeAll(async () => {
  environment = await openOutageEnvironment();
  service = await environment.open();
});
afterAll(() => environment?.close());

const factory = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6';
const check = async (symbol: string, at = service): Promise<Answer> => {
  const { status, answer, text } = await at.check(environment.tokenOf(symbol));
  expect(status, text).toBe(200);
  expect(faultsOf(answer), symbol).toEqual([]);
  return answer;
};

const failures = {
  down: broken.down,
  slow: broken.slow,
  'returning 50 MB': broken.flood,
  'returning a megabyte': broken.megabyte,
  'returning nothing': broken.empty,
  'returning nonsense': broken.nonsense,
  'returning a contract that is not a pool': returningWord('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  'returning an address without code': returningWord('0x00000000000000000000000000000000deadbeef'),
  'returning zero': returningWord('0x00'),
};

describe.each(shareOf(Object.entries(failures), 3))('uniswap-v2 is %s', (_how, code) => {
  test('behavior: the check of a token that trades there is inconclusive, with the venue in its reasons', async () => {
    const was = await check('PLAIN');
    expect(was).toMatchObject({ verdict: 'clear', liquidityCoverage: { conclusive: true, venuesUnread: 0 } });
    await withCode(environment.chain.rpcUrl, factory, code, async () => {
      // A new service must read the factory.
      const other = await environment.open();
      const answer = await check('PLAIN', other);
      await other.close();
      expect(answer.triggers).toEqual([]);
      expect(answer.verdict).toBe('clear');
      expect(answer.liquidityCoverage.conclusive).toBe(false);
      expect(answer.risk_profile.liquidity.exitLiquidityUsd).toBeNull();
      expect(answer.flags['F-LIQ']).toMatchObject({ severity: 'unknown', value: null });
      expect(answer.reasons.join(' ')).toMatch(/uniswap-v2/);
      expect(answer.confidence).not.toBe('high');
    });
  });

  test('a repeat check is conclusive, because it measures the pools found earlier', async () => {
    const was = await check('PLAIN');
    await withCode(environment.chain.rpcUrl, factory, code, async () => {
      const { verdict, triggers, risk_profile, liquidityCoverage } = await check('PLAIN');
      expect({ verdict, triggers, conclusive: liquidityCoverage.conclusive }).toEqual({
        verdict: 'clear',
        triggers: [],
        conclusive: true,
      });
      expect(risk_profile.liquidity.exitLiquidityUsd).toBe(was.risk_profile.liquidity.exitLiquidityUsd);
    });
  });

  test('behavior: a token that trades elsewhere keeps its verdict, outcome and exit liquidity', async () => {
    const was = await check('cbBTC');
    await withCode(environment.chain.rpcUrl, factory, code, async () => {
      const answer = await check('cbBTC');
      expect(answer.verdict).toBe(was.verdict);
      expect(answer.risk_profile.transferability.outcome).toBe(was.risk_profile.transferability.outcome);
      expect(answer.risk_profile.liquidity.exitLiquidityUsd).toBeGreaterThan(1_000);
    });
  });

  test('behavior: TRADING_DISABLED needs no venue and stays', async () => {
    await withCode(environment.chain.rpcUrl, factory, code, async () => {
      const answer = await check('GATEOFF');
      expect(answer.triggers).toEqual(['TRADING_DISABLED']);
      expect(answer.confidence).toBe('high');
    });
  });
});

test('behavior: the check is conclusive again after the venue recovers', async () => {
  const answer = await check('PLAIN');
  expect(provenPart(answer)).toMatchObject({ verdict: 'clear', coverage: { conclusive: true, venuesUnread: 0 } });
});
