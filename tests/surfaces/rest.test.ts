import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChainUnavailableError, DeadlineExceededError, RpcTransportError } from '../../engine/index.ts';
import { catalogue, type PaidItem } from '../../router/index.ts';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.engine.queries.length = 0;
  served.engine.down = false;
  served.paymentService.attempts.length = 0;
  served.paymentService.events.length = 0;
  served.paymentService.refusal = undefined;
});

const quote = (body: unknown, headers?: Record<string, string>) => served.post('/v1/quote', body, headers);

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test is about
const bodyOf = (response: Response): Promise<any> => response.json();

describe('paid answers', () => {
  test('default: a paid quote contains every field, bigints as decimal strings', async () => {
    const response = await quote({ ...quoteInput, chain: 'eip155:8453' }, payment());
    expect(response.status).toBe(200);
    expect(response.headers.get('payment-response')).toBeTruthy();
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const body = await bodyOf(response);
    expect(Object.keys(body).sort()).toEqual(
      [
        'chain',
        'tokenIn',
        'tokenOut',
        'amountIn',
        'amountOut',
        'executablePrice',
        'spotPrice',
        'priceImpactBps',
        'depthAtSize',
        'worstCaseSlippageBps',
        'route',
        'confidence',
        'venuesConsidered',
        'flags',
        'blockNumber',
        'decimals',
        'disclaimer',
        'ts',
        'validUntil',
      ].sort(),
    );
    expect(body).toMatchObject({ amountOut: '90071992547409931234', blockNumber: '38211450', spotPrice: null });
    expect(body.flags).toEqual([{ code: 'NO_MID', severity: 'warn', message: 'No mid.', pools: 1 }]);
    expect(body.disclaimer).toMatch(/not financial advice/i);
    expect(served.engine.queries).toEqual([
      {
        chain: 'base',
        tokenIn: quoteInput.tokenIn,
        tokenOut: quoteInput.tokenOut.toLowerCase(),
        size: { unit: 'token', mantissa: 15n, scale: 1 },
      },
    ]);
    expect(served.paymentService.events).toEqual(['complete']);
  });

  test('behavior: equivalent bodies have the same canonical input', async () => {
    await quote(
      `{"sizeIn":"1.5",\n "tokenOut":"${quoteInput.tokenOut}", "tokenIn":"${quoteInput.tokenIn}"}`,
      payment(),
    );
    await quote(quoteInput, payment());
    const [a, b] = served.paymentService.attempts;
    expect(a?.canonicalInput).toBe(b?.canonicalInput);
    expect(a?.route).toBe('POST /v1/quote');
  });

  test('behavior: sizeUSD takes precedence over sizeIn, `matic` is polygon, and a query string is ignored', async () => {
    const response = await served.post(
      '/v1/quote?sizeIn=9',
      { ...quoteInput, sizeUSD: '250', chain: 'matic' },
      payment(),
    );
    expect(response.status).toBe(200);
    expect(served.engine.queries[0]).toMatchObject({ chain: 'polygon', size: { unit: 'usd', mantissa: 250n } });
  });

  test('behavior: converts a body to its query once, which the engine receives', async () => {
    const item = catalogue.find(({ name }) => name === 'quote') as PaidItem;
    const toQuery = vi.spyOn(item, 'toQuery');
    expect((await quote(quoteInput, payment())).status).toBe(200);
    expect(toQuery).toHaveBeenCalledTimes(1);
    expect(served.engine.queries[0]).toBe(toQuery.mock.results[0]?.value);
    toQuery.mockRestore();
  });
});

describe('replays', () => {
  test('behavior: replays the same signature byte for byte without calling the engine', async () => {
    const signature = payment();
    const first = await quote(quoteInput, signature);
    const replay = await quote(quoteInput, signature);
    expect(await replay.text()).toBe(await first.text());
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(replay.headers.get('payment-response')).toBe(first.headers.get('payment-response'));
    expect(replay.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(served.engine.queries).toHaveLength(1);
  });

  test('behavior: a retry after a disconnect replays the complete answer', async () => {
    let release: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      served.engine.behaviour = () =>
        new Promise((answer) => {
          resolve();
          release = () => void import('./fakePorts.ts').then(({ fakeAnswer }) => answer(fakeAnswer));
        });
    });
    const signature = payment();
    const client = new AbortController();
    const aborted = fetch(`${served.url}/v1/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body: JSON.stringify(quoteInput),
      signal: client.signal,
    }).catch((error: unknown) => error);
    await reached;
    client.abort();
    await aborted;
    release();
    await served.idle();
    served.engine.behaviour = async () => (await import('./fakePorts.ts')).fakeAnswer;
    const replay = await quote(quoteInput, signature);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(await bodyOf(replay)).toMatchObject({ amountOut: '90071992547409931234' });
    expect(served.engine.queries).toHaveLength(1);
  });
});

describe('failures after the payment', () => {
  test.each([
    ['UPSTREAM_UNAVAILABLE', new ChainUnavailableError('base', 11), '11'],
    ['UPSTREAM_UNAVAILABLE', new RpcTransportError('http://node.example/secret-key broke'), '5'],
    ['DEADLINE_EXCEEDED', new DeadlineExceededError('base', 8000), '2'],
  ])('error: %s after the payment is 503 and reports the credit', async (code, error, retryAfter) => {
    served.engine.behaviour = async () => {
      throw error;
    };
    const response = await quote(quoteInput, payment());
    const text = await response.text();
    expect(response.status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ code, status: 503 });
    expect(text).toContain('send the same PAYMENT-SIGNATURE again');
    expect(text).not.toContain('secret-key');
    expect(response.headers.get('retry-after')).toBe(retryAfter);
    expect(response.headers.get('payment-response')).toBeTruthy();
    expect(served.paymentService.events).toEqual([`fail ${code}`]);
    served.engine.behaviour = async () => (await import('./fakePorts.ts')).fakeAnswer;
  });

  test('error: 500 without message or stack of an unexpected error', async () => {
    served.engine.behaviour = async () => {
      throw new Error('secret words of a bug');
    };
    const response = await quote(quoteInput, payment());
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code: 'INTERNAL' });
    expect(text).toContain('send the same PAYMENT-SIGNATURE again');
    expect(text).not.toMatch(/secret words|at .*\.ts/);
    expect(served.paymentService.events).toEqual(['fail INTERNAL']);
    served.engine.behaviour = async () => (await import('./fakePorts.ts')).fakeAnswer;
  });

  test('error: 503 with a credit, without the answer, when the answer cannot be stored', async () => {
    served.paymentService.cannotStore = true;
    const response = await quote(quoteInput, payment());
    served.paymentService.cannotStore = false;
    const text = await response.text();
    expect(response.status).toBe(503);
    expect(text).toContain('send the same PAYMENT-SIGNATURE again');
    expect(text).not.toMatch(/disk full|amountOut/);
    expect(response.headers.get('payment-response')).toBeTruthy();
  });
});

describe('refused payments', () => {
  test('error: PAYMENT_REQUIRED for a ticket of another input', async () => {
    served.paymentService.wrongTicket = true;
    const response = await quote(quoteInput, payment());
    served.paymentService.wrongTicket = false;
    expect(response.status).toBe(402);
    expect(served.engine.queries).toEqual([]);
    expect(served.paymentService.events).toEqual(['fail PAYMENT_REQUIRED']);
  });

  test.each([
    [400, 'INVALID_REQUEST'],
    [402, 'PAYMENT_REQUIRED'],
    [409, 'PAYMENT_REUSED'],
    [429, 'RATE_LIMITED'],
    [503, 'SETTLEMENT_UNKNOWN'],
  ] as const)(
    'error: a refusal of the payment service with %i %s keeps its headers and detail',
    async (status, code) => {
      served.paymentService.refusal = {
        kind: 'refuse',
        status,
        code,
        detail: 'The cause.',
        charged: null,
        headers: { 'Retry-After': '3' },
      };
      const response = await quote(quoteInput, payment());
      expect(response.status).toBe(status);
      expect(response.headers.get('retry-after')).toBe('3');
      expect(await bodyOf(response)).toMatchObject({ code, status, detail: 'The cause.', charged: null });
      expect(served.engine.queries).toEqual([]);
    },
  );
});

describe('unpaid', () => {
  test('default: 402 with header and summary, without a call of engine or payment service', async () => {
    const response = await quote(quoteInput);
    expect(response.status).toBe(402);
    expect(response.headers.get('payment-required')).toBeTruthy();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await bodyOf(response)).toMatchObject({
      code: 'PAYMENT_REQUIRED',
      status: 402,
      x402Version: 2,
      networks: ['eip155:8453'],
      docs: 'http://truefill.test/docs/',
    });
    expect(served.paymentService.attempts).toEqual([]);
    expect(served.engine.queries).toEqual([]);
  });

  test.each([
    ['an empty body', '', { 'content-type': 'application/json' }],
    ['an empty body without a content type', '', { 'content-type': '' }],
    ['{}', '{}', { 'content-type': 'application/json' }],
    ['{ } with another content type', ' { } ', { 'content-type': 'text/plain' }],
    ['an empty signature', '{}', { 'content-type': 'application/json', 'payment-signature': '' }],
  ])('behavior: an unpaid request with %s gets 402', async (_case, body, headers) => {
    const response = await quote(body, headers);
    expect(response.status).toBe(402);
    expect(response.headers.get('payment-required')).toBeTruthy();
  });

  test.each(['', '{}'])('error: 400, uncharged, for the body %j with a payment', async (body) => {
    const response = await quote(body, payment());
    expect(response.status).toBe(400);
    expect(served.paymentService.attempts).toEqual([]);
  });

  test('error: 503, uncharged, for an unavailable chain with and without a payment', async () => {
    served.engine.down = true;
    for (const headers of [{}, payment()]) {
      const response = await quote(quoteInput, headers);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('7');
      expect(await bodyOf(response)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    }
    expect(served.paymentService.attempts).toEqual([]);
    expect((await quote({ ...quoteInput, chain: 'polygon' })).status).toBe(402);
  });

  test('error: 422, uncharged, for a chain without a configured RPC', async () => {
    const response = await quote({ ...quoteInput, chain: 'arb' }, payment());
    expect(response.status).toBe(422);
    expect(await bodyOf(response)).toMatchObject({ code: 'UNSUPPORTED_CHAIN' });
    expect(served.paymentService.attempts).toEqual([]);
  });
});
