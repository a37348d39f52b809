import { delay, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FetchOptions, type VendorFault, VendorUnavailableError } from '../../engine/index.ts';
import { openTemporaryStores } from '../storage/index.ts';
import { createVendors, type VendorFaultNotice } from './index.ts';

const token = '0x4200000000000000000000000000000000000006';
const holder = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const key = 'k3y-that-must-not-leak';
const options: FetchOptions = { signal: new AbortController().signal };

const vendors = setupServer();
beforeAll(() => vendors.listen({ onUnhandledRequest: 'error' }));
afterAll(() => vendors.close());

let clock = 0;
let notices: VendorFaultNotice[] = [];
/** Fresh gates each time: a rest after a 429 belongs to one test. */
let sources: ReturnType<typeof connect>;
const stores = await openTemporaryStores();
const facts = stores.facts('base');
afterAll(() => stores.close());

function connect() {
  const { holders, firstTransfer, holderMoves, creator, market } = createVendors({
    config: {
      blockscout: { url: 'https://blockscout.test/', key },
      etherscan: { url: 'https://etherscan.test', key },
      dexscreener: { url: 'https://dexscreener.test' },
      geckoterminal: { url: 'https://geckoterminal.test' },
      timeoutMs: 150,
    },
    endpoints: [],
    logIndexes: facts.logIndexes,
    now: () => clock,
    onFault: (notice) => notices.push(notice),
  });
  const asks: Record<string, ((fetchOptions?: FetchOptions) => Promise<unknown>)[]> = {
    blockscout: [],
    etherscan: [],
    dexscreener: [],
    geckoterminal: [],
  };
  for (const source of holders) asks[source.label]?.push((o = options) => source.fetchTopHolders(token, o));
  for (const source of firstTransfer) asks[source.label]?.push((o = options) => source.fetchFirstTransfer(token, o));
  for (const source of holderMoves) asks[source.label]?.push((o = options) => source.fetchLastMove(token, holder, o));
  for (const source of creator) asks[source.label]?.push((o = options) => source.fetchCreator(token, o));
  for (const source of market) asks[source.label]?.push((o = options) => source.fetchMarket(token, o));
  return asks;
}

beforeEach(() => {
  clock = 1_800_000_000_000;
  notices = [];
  sources = connect();
});
afterEach(() => vendors.resetHandlers());

async function failureOf(work: Promise<unknown>): Promise<VendorUnavailableError> {
  const error = await work.then(
    (value) =>
      new Error(`answered ${JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))}`),
    (reason: unknown) => reason,
  );
  if (error instanceof VendorUnavailableError) return error;
  throw error;
}

const json = { headers: { 'content-type': 'application/json' } };

/** So many pieces of a body, with a pause before each. */
function piecewise(piece: Uint8Array, count: number, pauseMs: number) {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (pauseMs > 0) await delay(pauseMs);
      sent += 1;
      if (sent > count) controller.close();
      else controller.enqueue(piece);
    },
  });
}

const failures: [string, VendorFault, () => Response | Promise<Response>][] = [
  ['silence', 'timeout', () => delay('infinite').then(() => HttpResponse.json({}))],
  ['a body that trickles', 'timeout', () => new HttpResponse(piecewise(Buffer.from(' '), 20, 20), json)],
  ['a refused connection', 'unreachable', () => HttpResponse.error()],
  ['429', 'rate-limited', () => new HttpResponse('slow down', { status: 429, headers: { 'retry-after': '7' } })],
  ['500', 'server-error', () => HttpResponse.json({ error: 'oops' }, { status: 500 })],
  ['502 in HTML', 'server-error', () => HttpResponse.html('<h1>Bad gateway</h1>', { status: 502 })],
  ['a challenge page', 'refused', () => HttpResponse.html('<h1>Are you human?</h1>', { status: 403 })],
  ['401', 'refused', () => HttpResponse.json({ error: 'invalid api key' }, { status: 401 })],
  ['HTML with 200', 'malformed', () => HttpResponse.html('<h1>Maintenance</h1>')],
  ['HTML that calls itself JSON', 'malformed', () => new HttpResponse('<h1>Hello</h1>', json)],
  ['JSON that breaks off', 'malformed', () => new HttpResponse('{"items":[{"address":{"hash":"0x42', json)],
  ['nothing at all', 'malformed', () => new HttpResponse(null, json)],
  ['null', 'malformed', () => HttpResponse.json(null)],
  ['a number', 'malformed', () => HttpResponse.json(7)],
  ['an object of other things', 'malformed', () => HttpResponse.json({ hello: 'world' })],
  ['50 MB', 'too-large', () => new HttpResponse(piecewise(Buffer.alloc(1_048_576, 32), 50, 0), json)],
  [
    'a redirect',
    'refused',
    () => new HttpResponse(null, { status: 302, headers: { location: 'https://elsewhere.test/' } }),
  ],
];

describe.each(['blockscout', 'etherscan', 'dexscreener', 'geckoterminal'])('%s', (vendor) => {
  test.each(failures)('error: VendorUnavailableError: %s is %s, whatever was asked', async (_, fault, respond) => {
    for (const [index] of (sources[vendor] ?? []).entries()) {
      vendors.resetHandlers(http.all(`https://${vendor}.test/*`, respond));
      const ask = connect()[vendor]?.[index];
      const error = await failureOf(ask?.() ?? Promise.resolve());
      expect(error.fault).toBe(fault);
      expect(error.vendor).toBe(vendor);
    }
    expect(sources[vendor]?.length).toBeGreaterThan(0);
  });

  test('error: VendorUnavailableError: a 404 page is no word about the token', async () => {
    vendors.use(http.all(`https://${vendor}.test/*`, () => HttpResponse.html('<h1>Not found</h1>', { status: 404 })));
    for (const ask of sources[vendor] ?? []) expect((await failureOf(ask())).fault).toMatch(/^(refused|malformed)$/);
  });

  test('behavior: no error and no notice holds the key, the address or a host name', async () => {
    for (const [, , respond] of failures) {
      vendors.resetHandlers(http.all(`https://${vendor}.test/*`, respond));
      for (const ask of connect()[vendor] ?? []) {
        const error = await failureOf(ask());
        const shown = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)} ${JSON.stringify(notices)}`;
        expect(shown).not.toContain(key);
        expect(shown).not.toContain(`${vendor}.test`);
        expect(shown).not.toContain('https:');
      }
    }
    expect(notices.length).toBeGreaterThan(0);
  });

  test('behavior: a redirect is not followed, so that the key stays where it belongs', async () => {
    let elsewhere = 0;
    vendors.use(
      http.all(
        `https://${vendor}.test/*`,
        () => new HttpResponse(null, { status: 307, headers: { location: 'https://elsewhere.test/x' } }),
      ),
      http.all('https://elsewhere.test/*', () => {
        elsewhere += 1;
        return HttpResponse.json({});
      }),
    );
    await failureOf(sources[vendor]?.[0]?.() ?? Promise.resolve());
    expect(elsewhere).toBe(0);
  });

  test('behavior: after a 429 nothing is sent until the time it asked for is over', async () => {
    let requests = 0;
    vendors.use(
      http.all(`https://${vendor}.test/*`, () => {
        requests += 1;
        return new HttpResponse(null, { status: 429, headers: { 'retry-after': '7' } });
      }),
    );
    const ask = sources[vendor]?.at(-1);
    expect((await failureOf(ask?.() ?? Promise.resolve())).retryAfterSeconds).toBe(7);
    expect(requests).toBe(1);
    clock += 6_000;
    const resting = await failureOf(ask?.() ?? Promise.resolve());
    expect(resting).toMatchObject({ fault: 'rate-limited', retryAfterSeconds: 1 });
    expect(requests).toBe(1);
    clock += 1_000;
    await failureOf(ask?.() ?? Promise.resolve());
    expect(requests).toBe(2);
  });

  test('behavior: after three outages in a row it is left alone for a while, so that asking costs no time', async () => {
    let requests = 0;
    vendors.use(
      http.all(`https://${vendor}.test/*`, () => {
        requests += 1;
        return new HttpResponse(null, { status: 503 });
      }),
    );
    const ask = sources[vendor]?.at(-1);
    for (let turn = 0; turn < 6; turn += 1) {
      expect((await failureOf(ask?.() ?? Promise.resolve())).fault).toBe('server-error');
    }
    expect(requests).toBe(3);
    clock += 15_000;
    await failureOf(ask?.() ?? Promise.resolve());
    expect(requests).toBe(4);
  });

  test('behavior: who runs out of time gets a timeout, and the vendor is not blamed for it', async () => {
    vendors.use(http.all(`https://${vendor}.test/*`, () => delay('infinite').then(() => HttpResponse.json({}))));
    for (let turn = 0; turn < 5; turn += 1) {
      const controller = new AbortController();
      const asked = failureOf(sources[vendor]?.[0]?.({ signal: controller.signal }) ?? Promise.resolve());
      controller.abort();
      expect((await asked).fault).toBe('timeout');
    }
    vendors.resetHandlers(http.all(`https://${vendor}.test/*`, () => HttpResponse.json({}, { status: 500 })));
    expect((await failureOf(sources[vendor]?.[0]?.() ?? Promise.resolve())).fault).toBe('server-error');
  });
});

test('behavior: a vendor that is turned off is not there to be asked', () => {
  const none = createVendors({
    config: { timeoutMs: 100 },
    endpoints: [],
    logIndexes: facts.logIndexes,
    now: () => clock,
  });
  expect([none.holders, none.firstTransfer, none.holderMoves, none.creator, none.market]).toEqual([[], [], [], [], []]);
});
