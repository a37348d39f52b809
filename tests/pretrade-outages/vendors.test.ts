import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ProxiedCall } from '../../sandbox/index.ts';
import { failing } from '../rpcFaults/rewriteReplies.ts';
import { shareOf } from '../support/proofSize.ts';
import { type Answer, type OutageEnvironment, openOutageEnvironment, type TestService } from './outageEnvironment.ts';
import { faultsOf, provenPart, sampleOf } from './provenPart.ts';
import type { SiteFault } from './vendorSite.ts';

// Runs the server with test tokens, fake vendors and signed payments. A vendor's fault may make only that vendor's fields
// unavailable.

let environment: OutageEnvironment;
let sample: string[];
const baseline = new Map<string, Answer>();

async function checkAll(
  service: TestService,
  each: (symbol: string, answer: Answer) => void,
  symbols = sample,
): Promise<void> {
  for (const symbol of symbols) {
    const { status, answer, text } = await service.check(environment.tokenOf(symbol));
    expect(status, `${symbol}: ${text}`).toBe(200);
    expect(faultsOf(answer), symbol).toEqual([]);
    expect(text).not.toMatch(/secret|127\.0\.0\.1/);
    each(symbol, answer);
  }
}
const baselineOf = (symbol: string): Answer => {
  const answer = baseline.get(symbol);
  if (!answer) throw new Error(`${symbol} has no baseline answer.`);
  return answer;
};

beforeAll(async () => {
  environment = await openOutageEnvironment();
  sample = sampleOf(environment.testTokens);
  const service = await environment.open();
  await checkAll(service, (symbol, answer) => baseline.set(symbol, answer));
  await service.close();
});
afterEach(() => environment.clearFaults());
afterAll(() => environment?.close());

interface Part {
  /** Paths of the explorer that fail; undefined: the market site fails. */
  paths?: RegExp;
  /** Expected confidence and number of reporting axes; without a fault `high` and 5. */
  confidence: ['high' | 'medium', number];
  /** Asserts that the vendor's fields are unavailable. */
  lost: (answer: Answer) => void;
  /** Asserts that all other fields equal the baseline. */
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
/** The holder count of the market section comes from the holder source. Without it, the note lists one vendor fewer. */
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
      'behavior: %s: only its fields are unavailable, with a reason, and the confidence is as expected',
      async (fault) => {
        const service = await environment.open(fault === 'slow' ? { VENDOR_TIMEOUT_MS: '2000' } : {});
        if (paths) environment.explorer.fault = (path) => (paths.test(path) ? fault : undefined);
        else environment.market.fault = () => fault;
        // The only token with a feed: without faults all five axes have a value.
        await checkAll(
          service,
          (_symbol, answer) => {
            const was = baselineOf('cbBTC');
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
  'behavior: with the fault %s of every vendor, verdicts are unchanged and vendor fields unavailable',
  async (fault) => {
    const service = await environment.open({ VENDOR_TIMEOUT_MS: '1000' });
    environment.explorer.fault = () => fault;
    environment.market.fault = () => fault;
    await checkAll(service, (symbol, answer) => {
      expect(provenPart(answer), symbol).toEqual(provenPart(baselineOf(symbol)));
      holdersLost(answer);
      ageLost(answer);
      marketLost(answer);
      expect(answer.ownership.creatorAddress).toBeNull();
      expect(answer.coverage.axesReporting).toBeLessThanOrEqual(3);
    });
    await service.close();
  },
);

test('behavior: chain reads do not wait for vendors', async () => {
  const service = await environment.open({ VENDOR_TIMEOUT_MS: '60000' });
  // Each vendor responds only after the service has requested the simulations, the last read that the verdict needs.
  const simulated = () =>
    environment.rpc.requests.some(({ calls }) => calls.some(({ method }) => method === 'eth_simulateV1'));
  const wait = () => vi.waitUntil(simulated, { timeout: 50_000, interval: 5 });
  environment.explorer.gate = async () => void (await wait());
  environment.market.gate = async () => void (await wait());
  const [, honest = ''] = sample;
  const { answer } = await service.check(environment.tokenOf(honest));
  expect(provenPart(answer)).toEqual(provenPart(baselineOf(honest)));
  holdersKept(answer, baselineOf(honest));
  ageKept(answer, baselineOf(honest));
  marketKept(answer, baselineOf(honest));
  await service.close();
});

test('behavior: returns the last holder measurement with its age and stale: true after the holder source fails', async () => {
  const [, honest = ''] = sample;
  const service = await environment.open();
  const fresh = (await service.check(environment.tokenOf(honest))).answer;
  environment.explorer.fault = () => 'down';
  const { answer } = await service.check(environment.tokenOf(honest));
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
  expect(answer.sources['risk_profile.concentration.top1SharePct']).toBe(
    'derived: risk_profile.concentration.ageSec; a stored measurement of that age',
  );
  expect(answer.confidence).toBe('low');
  expect(answer.coverage.axesReporting).toBe(fresh.coverage.axesReporting - 1);
  // The first transfer is stored without expiry, so the age does not need its source.
  expect(answer.risk_profile.age.genesisBlock).toBe(fresh.risk_profile.age.genesisBlock);
  expect(provenPart(answer)).toEqual(provenPart(fresh));
  await service.close();
});

test('behavior: uses the log index if the explorer fails', async () => {
  const service = await environment.open({ LOG_INDEX: 'on' });
  environment.explorer.fault = () => 'error';
  const [, honest = ''] = sample;
  const { answer } = await service.check(environment.tokenOf(honest));
  expect(answer.risk_profile.concentration.source).toBe('logs');
  expect(answer.risk_profile.concentration.top1SharePct).toBe(
    baselineOf(honest).risk_profile.concentration.top1SharePct,
  );
  expect(answer.risk_profile.age.genesisBlock).toBe(baselineOf(honest).risk_profile.age.genesisBlock);
  expect(answer.sources['risk_profile.age.genesisBlock']).toMatch(/^derived: token; the service’s index/);
  expect(answer.ownership.creatorAddress).toBe(baselineOf(honest).ownership.creatorAddress);
  await service.close();
});

test('behavior: without explorers and old logs, the answer states why age and holders are missing', async () => {
  const service = await environment.open({ LOG_INDEX: 'on' });
  environment.explorer.fault = () => 'error';
  const token = environment.tokenOf(sample[1] ?? '');
  const readsTransfers = ({ method, params }: ProxiedCall) =>
    method === 'eth_getLogs' && JSON.stringify(params).toLowerCase().includes(`"address":"${token.toLowerCase()}"`);
  environment.rpc.fault = (calls) => (calls.some(readsTransfers) ? failing(readsTransfers) : undefined);
  const { answer } = await service.check(token);
  expect(faultsOf(answer)).toEqual([]);
  const missing = /The nodes refuse old logs of this token, so .* cannot go on; a later check finds no more/;
  for (const path of [
    'risk_profile.age.ageDays',
    'risk_profile.concentration.top1SharePct',
    'ownership.creatorAddress',
  ])
    expect(answer.sources[path]).toMatch(new RegExp(`^unavailable: read failed: .*${missing.source}`));
  expect(answer.flags['F-AGE'].reason).toMatch(missing);
  expect(answer.risk_profile.concentration.note).toMatch(missing);
  await service.close();
});

test('behavior: reports a disabled vendor as not requested, and sends it no request', async () => {
  const service = await environment.open({ BLOCKSCOUT_URL: 'off', DEXSCREENER_URL: 'off' });
  await checkAll(
    service,
    (symbol, answer) => {
      expect(provenPart(answer), symbol).toEqual(provenPart(baselineOf(symbol)));
      holdersLost(answer);
      ageLost(answer);
      marketLost(answer);
      expect(answer.flags['F-CONC'].reason).toMatch(/no source is configured/);
    },
    sample.slice(0, 2),
  );
  expect(environment.explorer.requests).toEqual([]);
  expect(environment.market.requests).toEqual([]);
  await service.close();
});
