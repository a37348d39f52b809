import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { shareOf } from '../support/proofSize.ts';
import { type Answer, type OutageWorld, openOutageWorld, type TestService } from './outageWorld.ts';
import { faultsOf, provenPart, sampleOf } from './provenPart.ts';
import type { SiteFault } from './vendorSite.ts';

// The real server, bought from with real signatures; behind it the test tokens, and stand-ins of the vendors that fail in every
// way. A vendor may cost its own fields, and nothing else.

let world: OutageWorld;
let sample: string[];
const calm = new Map<string, Answer>();

async function checkAll(
  service: TestService,
  each: (symbol: string, answer: Answer) => void,
  symbols = sample,
): Promise<void> {
  for (const symbol of symbols) {
    const { status, answer, text } = await service.check(world.tokenOf(symbol));
    expect(status, `${symbol}: ${text}`).toBe(200);
    expect(faultsOf(answer), symbol).toEqual([]);
    expect(text).not.toMatch(/secret|127\.0\.0\.1/);
    each(symbol, answer);
  }
}
const inCalm = (symbol: string): Answer => {
  const answer = calm.get(symbol);
  if (!answer) throw new Error(`${symbol} was not asked in calm weather.`);
  return answer;
};

beforeAll(async () => {
  world = await openOutageWorld();
  sample = sampleOf(world.testTokens);
  const service = await world.open();
  await checkAll(service, (symbol, answer) => calm.set(symbol, answer));
  await service.close();
});
afterEach(() => world.calm());
afterAll(() => world?.close());

interface Part {
  /** Which requests of the explorer it is; undefined: the market site. */
  paths?: RegExp;
  /** What is left of `high` and 5 axes. */
  confidence: ['high' | 'medium', number];
  /** That its fields say unknown. */
  lost: (answer: Answer) => void;
  /** That the others say what they said. */
  kept: (answer: Answer, was: Answer) => void;
}
const holdersLost = ({ flags, risk_profile: { concentration }, dormancy, sources }: Answer) => {
  expect(flags['F-CONC']).toMatchObject({ severity: 'unknown', value: null, cachedAgeSec: null });
  expect(concentration).toMatchObject({ top1SharePct: null, top10SharePct: null, holders: null, source: null });
  expect(concentration).toMatchObject({ stale: null, ageSec: null });
  expect(sources['risk_profile.concentration.top1SharePct']).toMatch(/^unavailable: .+/);
  expect(dormancy).toMatchObject({
    topHolderIdleDays: null,
    note: expect.stringMatching(/holders could not be measured/),
  });
};
const ageLost = ({ flags, risk_profile: { age }, sources }: Answer) => {
  expect(flags['F-AGE']).toMatchObject({ severity: 'unknown', value: null });
  expect(age).toMatchObject({ ageDays: null, genesisBlock: null });
  expect(sources['risk_profile.age.ageDays']).toMatch(/^unavailable: .+/);
};
const marketLost = ({ market, sources }: Answer) => {
  expect(market).toMatchObject({ priceUsdSpot: null, volume24hUsd: null, marketCapUsd: null, holderCount: null });
  expect(sources['market.priceUsdSpot']).toMatch(/^unavailable: .+/);
};
const holdersKept = (answer: Answer, was: Answer) =>
  expect(answer.flags['F-CONC'].severity).toBe(was.flags['F-CONC'].severity);
const ageKept = (answer: Answer, was: Answer) =>
  expect(answer.risk_profile.age.genesisBlock).toBe(was.risk_profile.age.genesisBlock);
const marketKept = (answer: Answer, was: Answer) => expect(answer.market).toEqual(was.market);
/** The holder count comes from the holder source, in the market block too; without it the note names one vendor less. */
const marketKeptBut = (answer: Answer, was: Answer) =>
  expect(answer.market).toEqual({
    ...was.market,
    holderCount: null,
    note: was.market.note.replace(' and blockscout', ''),
  });

const parts: Record<string, Part> = {
  'the holder source': {
    paths: /^\/api\/v2\/tokens\//,
    confidence: ['medium', 4],
    lost: holdersLost,
    kept: (answer, was) => {
      ageKept(answer, was);
      marketKeptBut(answer, was);
    },
  },
  'the age source': {
    paths: /^\/api$|^\/api\/v2\/transactions\//,
    confidence: ['medium', 4],
    lost: ageLost,
    kept: (answer, was) => {
      holdersKept(answer, was);
      marketKept(answer, was);
    },
  },
  'the market source': {
    confidence: ['high', 5],
    lost: marketLost,
    kept: (answer, was) => {
      holdersKept(answer, was);
      ageKept(answer, was);
    },
  },
};
const faults: SiteFault[] = ['down', 'slow', 'trickle', 'flood', 'html', 'broken', 'error', 'busy'];

describe.each(Object.entries(parts).map(([name, part], index) => [name, part, index] as const))(
  '%s',
  (_, part, index) => {
    const { paths, confidence, lost, kept } = part;
    test.each(shareOf(['down', 'slow', 'flood', 'broken'] as const, 2, index))(
      'behavior: %s: its fields are unknown with a reason, confidence follows, the verdict and all else stay',
      async (fault) => {
        const service = await world.open(fault === 'slow' ? { VENDOR_TIMEOUT_MS: '2000' } : {});
        if (paths) world.explorer.fault = (path) => (paths.test(path) ? fault : undefined);
        else world.market.fault = () => fault;
        // The only token with a feed: without faults all five axes have a value.
        await checkAll(
          service,
          (_symbol, answer) => {
            const was = inCalm('cbBTC');
            expect([was.confidence, was.coverage.axesReporting]).toEqual(['high', 5]);
            expect([answer.confidence, answer.coverage.axesReporting]).toEqual(confidence);
            expect(provenPart(answer)).toEqual(provenPart(was));
            lost(answer);
            kept(answer, was);
          },
          ['cbBTC'],
        );
        await service.close();
      },
    );
  },
);

test.each(shareOf(faults, 2))(
  'behavior: all of them %s: every verdict stands, and says what is not known',
  async (fault) => {
    const service = await world.open({ VENDOR_TIMEOUT_MS: '1000' });
    world.explorer.fault = () => fault;
    world.market.fault = () => fault;
    await checkAll(service, (symbol, answer) => {
      expect(provenPart(answer), symbol).toEqual(provenPart(inCalm(symbol)));
      holdersLost(answer);
      ageLost(answer);
      marketLost(answer);
      expect(answer.ownership.creatorAddress).toBeNull();
      expect(answer.coverage.axesReporting).toBeLessThanOrEqual(3);
    });
    await service.close();
  },
);

test('behavior: the chain is read while every vendor is still silent', async () => {
  const service = await world.open({ VENDOR_TIMEOUT_MS: '60000' });
  // Each answers only once the simulations, the last thing that the verdict needs, have been asked for.
  const simulated = () =>
    world.rpc.requests.some(({ calls }) => calls.some(({ method }) => method === 'eth_simulateV1'));
  const wait = () => vi.waitUntil(simulated, { timeout: 50_000, interval: 5 });
  world.explorer.gate = async () => void (await wait());
  world.market.gate = async () => void (await wait());
  const [, honest = ''] = sample;
  const { answer } = await service.check(world.tokenOf(honest));
  expect(provenPart(answer)).toEqual(provenPart(inCalm(honest)));
  holdersKept(answer, inCalm(honest));
  ageKept(answer, inCalm(honest));
  marketKept(answer, inCalm(honest));
  await service.close();
});

test('behavior: a holder source that goes out leaves its last measurement, with its age, and says so', async () => {
  const [, honest = ''] = sample;
  const service = await world.open();
  const fresh = (await service.check(world.tokenOf(honest))).answer;
  world.explorer.fault = () => 'down';
  const { answer } = await service.check(world.tokenOf(honest));
  expect(faultsOf(answer)).toEqual([]);
  const { concentration } = answer.risk_profile;
  const was = fresh.risk_profile.concentration;
  expect(concentration).toMatchObject({
    top1SharePct: was.top1SharePct,
    top10SharePct: was.top10SharePct,
    asOfBlock: was.asOfBlock,
    source: 'blockscout',
    stale: true,
    ageSec: expect.any(Number),
  });
  expect(answer.flags['F-CONC']).toMatchObject({
    severity: 'unknown',
    value: null,
    cachedAgeSec: concentration.ageSec,
  });
  expect(answer.confidence).toBe('low');
  expect(answer.coverage.axesReporting).toBe(fresh.coverage.axesReporting - 1);
  // The first transfer is kept for ever, so its source's loss costs nothing.
  expect(answer.risk_profile.age.genesisBlock).toBe(fresh.risk_profile.age.genesisBlock);
  expect(provenPart(answer)).toEqual(provenPart(fresh));
  await service.close();
});

test('behavior: where the explorer is out, our own index over the logs answers in its place', async () => {
  const service = await world.open({ LOG_INDEX: 'on' });
  world.explorer.fault = () => 'error';
  const [, honest = ''] = sample;
  const { answer } = await service.check(world.tokenOf(honest));
  expect(answer.risk_profile.concentration.source).toBe('logs');
  expect(answer.risk_profile.concentration.top1SharePct).toBe(inCalm(honest).risk_profile.concentration.top1SharePct);
  expect(answer.risk_profile.age.genesisBlock).toBe(inCalm(honest).risk_profile.age.genesisBlock);
  expect(answer.sources['risk_profile.age.genesisBlock']).toMatch(/^derived: token, by the service’s index/);
  expect(answer.ownership.creatorAddress).toBe(inCalm(honest).ownership.creatorAddress);
  await service.close();
});

test('behavior: a vendor that is switched off was not asked, and that is what the answer says', async () => {
  const service = await world.open({ BLOCKSCOUT_URL: 'off', DEXSCREENER_URL: 'off' });
  await checkAll(
    service,
    (symbol, answer) => {
      expect(provenPart(answer), symbol).toEqual(provenPart(inCalm(symbol)));
      holdersLost(answer);
      ageLost(answer);
      marketLost(answer);
      expect(answer.flags['F-CONC'].reason).toMatch(/no source is configured/);
    },
    sample.slice(0, 2),
  );
  expect(world.explorer.requests).toEqual([]);
  expect(world.market.requests).toEqual([]);
  await service.close();
});
