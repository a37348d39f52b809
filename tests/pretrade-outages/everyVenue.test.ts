import { type Address, getAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployments, type PretradeAnswer } from '../../engine/index.ts';
import { checkerOn, startTestTokens, type TestTokensOnBase } from '../pretrade/checkOn.ts';
import { shareOf } from '../support/proofSize.ts';
import { broken, returningWord, withCode } from './brokenCode.ts';
import { faultsOf } from './provenPart.ts';

// The contracts of every venue family and singleton fail in each way. The answer about a token that trades there contains
// no fact that was not read. A token that trades elsewhere keeps its proven facts.

let environment: TestTokensOnBase;
beforeAll(async () => {
  environment = await startTestTokens();
});
afterAll(() => environment?.sandbox.close());

/** A checker without memory, so that no earlier read helps. */
async function check(symbol: string): Promise<PretradeAnswer> {
  const token = environment.base.tokens.find((entry) => entry.symbol === symbol);
  if (!token) throw new TypeError(`No ${symbol}.`);
  const answer = await checkerOn(environment.base).checker.check({ chain: 'base', token: token.address });
  expect(faultsOf({ ...answer, disclaimer: '' }), symbol).toEqual([]);
  return answer;
}

/** Address of the first factory or manager of a venue. */
function addressOf(venue: string): Address {
  const row = deployments.base.venues.find((entry) => entry.venue === venue);
  if (!row) throw new TypeError(`No ${venue}.`);
  return 'manager' in row ? row.manager : row.factory;
}

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

/** Venues, each with a token that trades only there. */
const families: [venue: string, symbol: string][] = [
  ['uniswap-v2', 'PLAIN'],
  ['uniswap-v3', 'V3ONLY'],
  ['uniswap-v4', 'V4ONLY'],
  ['uniswap-v4', 'V4HOOK'],
  ['aerodrome', 'AEROONLY'],
  ['aerodrome-slipstream', 'SLIPONLY'],
  ['pancakeswap-v3', 'YEW'],
  ['pancakeswap-v2', 'PINE'],
  ['sushiswap-v2', 'RUSH'],
  ['sushiswap-v3', 'SEDGE'],
  ['quickswap-v4', 'ALGEBRA'],
];

describe.each(families)('%s, and %s, which trades only there', (venue, symbol) => {
  const index = families.findIndex((family) => family[1] === symbol);
  const tried = shareOf(Object.entries(failures), 3, index);

  test.each(tried)('behavior: no trigger, and a reason with the venue, while it is %s', async (_how, code) => {
    await withCode(environment.base.rpcUrl, addressOf(venue), code, async () => {
      const answer = await check(symbol);
      expect([answer.verdict, answer.triggers]).toEqual(['clear', []]);
      expect(answer.liquidityCoverage.conclusive, answer.reasons.join(' ')).toBe(false);
      expect(answer.reasons.join(' ')).toContain(venue);
      expect(answer.confidence).toBe('low');
    });
  });

  test.each(tried)(
    'behavior: while it is %s, tokens of other venues keep their verdict and get no further trigger',
    async (_how, code) => {
      // cbBTC trades on several venues; GATEOFF has a closed trading gate.
      for (const name of ['cbBTC', 'GATEOFF']) {
        const was = await check(name);
        await withCode(environment.base.rpcUrl, addressOf(venue), code, async () => {
          const answer = await check(name);
          expect([name, answer.verdict]).toEqual([name, was.verdict]);
          expect(answer.triggers.filter((trigger) => !was.triggers.includes(trigger))).toEqual([]);
          expect(answer.triggers.includes('TRADING_DISABLED')).toBe(was.triggers.includes('TRADING_DISABLED'));
        });
      }
    },
  );
});

const unreadable = {
  down: broken.down,
  slow: broken.slow,
  'returning nothing': broken.empty,
  'returning nonsense': broken.nonsense,
};
const venues = [...new Set(deployments.base.venues.map(({ venue }) => venue))];
test.each(venues)('behavior: no NO_EXIT_VENUE while %s cannot be read', async (venue) => {
  for (const [how, code] of Object.entries(unreadable)) {
    await withCode(environment.base.rpcUrl, addressOf(venue), code, async () => {
      const answer = await check('NOPOOL');
      const { conclusive, venuesUnread } = answer.liquidityCoverage;
      expect([how, answer.triggers, conclusive, venuesUnread]).toEqual([how, [], false, 1]);
      expect(answer.reasons.join(' ')).toContain(venue);
    });
  }
});

/** Tokens with exactly one pool. */
const onePool: [venue: string, symbol: string][] = [
  ['uniswap-v2', 'SIX'],
  ['uniswap-v3', 'V3ONLY'],
  ['aerodrome', 'AEROONLY'],
  ['aerodrome-slipstream', 'SLIPONLY'],
];
describe.each(onePool)('the pool of %s that %s trades in', (_venue, symbol) => {
  const pools = {
    down: broken.down,
    slow: broken.slow,
    'returning 50 MB': broken.flood,
    'returning nothing': broken.empty,
    'returning nonsense': broken.nonsense,
  };
  test.each(Object.entries(pools))(
    'behavior: while it is %s the check is inconclusive and raises no trigger',
    async (_how, code) => {
      const testToken = environment.testTokens.tokens.find((entry) => entry.symbol === symbol);
      const pool = testToken?.pools[0]?.pool;
      if (!pool) throw new TypeError(`${symbol} has no pool.`);
      await withCode(environment.base.rpcUrl, getAddress(pool), code, async () => {
        const answer = await check(symbol);
        expect(answer.triggers).not.toContain('NO_EXIT_VENUE');
        expect([answer.verdict, answer.liquidityCoverage.conclusive], answer.reasons.join(' ')).toEqual([
          'clear',
          false,
        ]);
        expect(answer.risk_profile.transferability.outcome).not.toBe('tradable');
      });
    },
  );
});

const singletons: [name: string, address: Address, symbol: string][] = [
  ['balancer', '0xBA12222222228d8Ba445958a75a0704d566BF2C8', 'VAULTED'],
];
test.each(singletons)(
  'behavior: while %s fails, the check is inconclusive and reports it as a venue that holds the token',
  async (name, address, symbol) => {
    for (const code of Object.values(failures)) {
      await withCode(environment.base.rpcUrl, address, code, async () => {
        const answer = await check(symbol);
        expect([answer.verdict, answer.triggers]).toEqual(['clear', []]);
        expect(answer.liquidityCoverage.conclusive).toBe(false);
        expect(answer.liquidityCoverage.unmeasuredVenueNames.join()).toContain(name);
      });
    }
  },
);

test('behavior: liquidity is unknown and no trigger is raised while all venues fail', async () => {
  const addresses = [...new Set(deployments.base.venues.map(({ venue }) => addressOf(venue)))];
  const breakAll = async (rest: readonly Address[], work: () => Promise<void>): Promise<void> => {
    const [next, ...others] = rest;
    if (!next) return work();
    await withCode(environment.base.rpcUrl, next, broken.slow, () => breakAll(others, work));
  };
  await breakAll(addresses, async () => {
    for (const symbol of ['PLAIN', 'NOPOOL', 'DRAINED', 'V4ONLY']) {
      const answer = await check(symbol);
      expect([symbol, answer.triggers, answer.liquidityCoverage.conclusive]).toEqual([symbol, [], false]);
      expect(answer.liquidityCoverage.venuesUnread).toBeGreaterThan(3);
      expect(answer.flags['F-LIQ'].severity).toBe('unknown');
    }
  });
});
