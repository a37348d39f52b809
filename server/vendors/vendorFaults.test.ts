import { delay, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FetchOptions, type VendorFault, VendorUnavailableError } from '../../engine/index.ts';
import { openTemporaryStores } from '../../tests/support/temporaryStores.ts';
import { createVendors, type VendorFaultNotice } from './index.ts';

const token = '0x4200000000000000000000000000000000000006';
const holder = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const key = 'k3y-that-must-not-leak';
const options: FetchOptions = { signal: new AbortController().signal };

const vendors = setupServer();
beforeAll(() => vendors.listen({ onUnhandledRequest: 'error' }));
afterAll(() => vendors.close());

let clock = 0;
let notices: VendorFaultNotice[] = [];
/** New gates for each test, so that a pause after a 429 does not affect the next one. */
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
  const requests: Record<string, ((fetchOptions?: FetchOptions) => Promise<unknown>)[]> = {
    blockscout: [],
    etherscan: [],
    dexscreener: [],
    geckoterminal: [],
  };
  for (const source of holders) requests[source.label]?.push((o = options) => source.fetchTopHolders(token, o));
  for (const source of firstTransfer)
    requests[source.label]?.push((o = options) => source.fetchFirstTransfer(token, o));
  for (const source of holderMoves)
    requests[source.label]?.push((o = options) => source.fetchLastMove(token, holder, o));
  for (const source of creator) requests[source.label]?.push((o = options) => source.fetchCreator(token, o));
  for (const source of market) requests[source.label]?.push((o = options) => source.fetchMarket(token, o));
  return requests;
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

/** A body of `count` chunks with a pause before each. */
function repeatChunk(chunk: Uint8Array, count: number, pauseMs: number) {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (pauseMs > 0) await delay(pauseMs);
      sent += 1;
      if (sent > count) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

const failures: [string, VendorFault, () => Response | Promise<Response>][] = [
  ['silence', 'timeout', () => delay('infinite').then(() => HttpResponse.json({}))],
  ['a slow body', 'timeout', () => new HttpResponse(repeatChunk(Buffer.from(' '), 20, 20), json)],
  ['a refused connection', 'unreachable', () => HttpResponse.error()],
  ['429', 'rate-limited', () => new HttpResponse('slow down', { status: 429, headers: { 'retry-after': '7' } })],
  ['500', 'server-error', () => HttpResponse.json({ error: 'oops' }, { status: 500 })],
  ['502 in HTML', 'server-error', () => HttpResponse.html('<h1>Bad gateway</h1>', { status: 502 })],
  ['a challenge page', 'refused', () => HttpResponse.html('<h1>Are you human?</h1>', { status: 403 })],
  ['401', 'refused', () => HttpResponse.json({ error: 'invalid api key' }, { status: 401 })],
  ['HTML with 200', 'malformed', () => HttpResponse.html('<h1>Maintenance</h1>')],
  ['HTML with a JSON content type', 'malformed', () => new HttpResponse('<h1>Hello</h1>', json)],
  ['incomplete JSON', 'malformed', () => new HttpResponse('{"items":[{"address":{"hash":"0x42', json)],
  ['an empty body', 'malformed', () => new HttpResponse(null, json)],
  ['null', 'malformed', () => HttpResponse.json(null)],
  ['a number', 'malformed', () => HttpResponse.json(7)],
  ['an object with other fields', 'malformed', () => HttpResponse.json({ hello: 'world' })],
  ['50 MB', 'too-large', () => new HttpResponse(repeatChunk(Buffer.alloc(1_048_576, 32), 50, 0), json)],
  [
    'a redirect',
    'refused',
    () => new HttpResponse(null, { status: 302, headers: { location: 'https://elsewhere.test/' } }),
  ],
];

describe.each(['blockscout', 'etherscan', 'dexscreener', 'geckoterminal'])('%s', (vendor) => {
  test.each(failures)('maps %s to %s for every method', async (_, fault, respond) => {
    for (const [index] of (sources[vendor] ?? []).entries()) {
      vendors.resetHandlers(http.all(`https://${vendor}.test/*`, respond));
      const send = connect()[vendor]?.[index];
      const error = await failureOf(send?.() ?? Promise.resolve());
      expect(error.fault).toBe(fault);
      expect(error.vendor).toBe(vendor);
    }
    expect(sources[vendor]?.length).toBeGreaterThan(0);
  });

  test('reports a 404 with HTML as a fault, not as an unknown token', async () => {
    vendors.use(http.all(`https://${vendor}.test/*`, () => HttpResponse.html('<h1>Not found</h1>', { status: 404 })));
    for (const send of sources[vendor] ?? []) expect((await failureOf(send())).fault).toMatch(/^(refused|malformed)$/);
  });

  test('errors and notices contain neither key nor host name', async () => {
    for (const [, , respond] of failures) {
      vendors.resetHandlers(http.all(`https://${vendor}.test/*`, respond));
      for (const send of connect()[vendor] ?? []) {
        const error = await failureOf(send());
        const shown = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)} ${JSON.stringify(notices)}`;
        expect(shown).not.toContain(key);
        expect(shown).not.toContain(`${vendor}.test`);
        expect(shown).not.toContain('https:');
      }
    }
    expect(notices.length).toBeGreaterThan(0);
  });

  test('does not follow a redirect, which could disclose the key', async () => {
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

  test('sends nothing after a 429 until Retry-After has passed', async () => {
    let requests = 0;
    vendors.use(
      http.all(`https://${vendor}.test/*`, () => {
        requests += 1;
        return new HttpResponse(null, { status: 429, headers: { 'retry-after': '7' } });
      }),
    );
    const send = sources[vendor]?.at(-1);
    expect((await failureOf(send?.() ?? Promise.resolve())).retryAfterSeconds).toBe(7);
    expect(requests).toBe(1);
    clock += 6_000;
    const paused = await failureOf(send?.() ?? Promise.resolve());
    expect(paused).toMatchObject({ fault: 'rate-limited', retryAfterSeconds: 1 });
    expect(requests).toBe(1);
    clock += 1_000;
    await failureOf(send?.() ?? Promise.resolve());
    expect(requests).toBe(2);
  });

  test('pauses requests after three outages in a row', async () => {
    let requests = 0;
    vendors.use(
      http.all(`https://${vendor}.test/*`, () => {
        requests += 1;
        return new HttpResponse(null, { status: 503 });
      }),
    );
    const send = sources[vendor]?.at(-1);
    for (let turn = 0; turn < 6; turn += 1) {
      expect((await failureOf(send?.() ?? Promise.resolve())).fault).toBe('server-error');
    }
    expect(requests).toBe(3);
    clock += 15_000;
    await failureOf(send?.() ?? Promise.resolve());
    expect(requests).toBe(4);
  });

  test('an aborting caller gets a timeout that does not count as a vendor failure', async () => {
    vendors.use(http.all(`https://${vendor}.test/*`, () => delay('infinite').then(() => HttpResponse.json({}))));
    for (let turn = 0; turn < 5; turn += 1) {
      const controller = new AbortController();
      const aborted = failureOf(sources[vendor]?.[0]?.({ signal: controller.signal }) ?? Promise.resolve());
      controller.abort();
      expect((await aborted).fault).toBe('timeout');
    }
    vendors.resetHandlers(http.all(`https://${vendor}.test/*`, () => HttpResponse.json({}, { status: 500 })));
    expect((await failureOf(sources[vendor]?.[0]?.() ?? Promise.resolve())).fault).toBe('server-error');
  });
});

test('creates no sources for disabled vendors', () => {
  const none = createVendors({
    config: { timeoutMs: 100 },
    endpoints: [],
    logIndexes: facts.logIndexes,
    now: () => clock,
  });
  expect([none.holders, none.firstTransfer, none.holderMoves, none.creator, none.market]).toEqual([[], [], [], [], []]);
});
