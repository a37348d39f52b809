import { expect, test } from 'vitest';
import { quoteInput, serveFakes } from './serveFakes.ts';

test('default: sends RateLimit headers, and 429 above the limit; free paths are not counted', async () => {
  const served = await serveFakes({ perMinute: 2 });
  try {
    const first = await served.post('/v1/quote', quoteInput);
    expect(first.status).toBe(402);
    expect(first.headers.get('ratelimit')).toMatch(/r=1/);
    expect(first.headers.get('ratelimit-policy')).toMatch(/q=2; w=60/);
    expect((await served.post('/trpc/quote', quoteInput)).status).toBe(402);

    const third = await served.post('/v1/quote', quoteInput, { 'payment-signature': 'eyJ9' });
    expect(third.status).toBe(429);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(third.headers.get('ratelimit')).toMatch(/r=0/);
    expect(await third.json()).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    expect(served.paymentService.attempts).toEqual([]);
    expect((await fetch(`${served.url}/health`)).status).toBe(200);
  } finally {
    await served.close();
  }
});

test('behavior: without a trusted proxy, ignores X-Forwarded-For', async () => {
  const served = await serveFakes({ perMinute: 1 });
  try {
    expect((await served.post('/v1/quote', quoteInput, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(402);
    expect((await served.post('/v1/quote', quoteInput, { 'x-forwarded-for': '203.0.113.2' })).status).toBe(429);
  } finally {
    await served.close();
  }
});

test('behavior: ignores a port in X-Forwarded-For; invalid addresses share one limit', async () => {
  const served = await serveFakes({ perMinute: 2, trustedProxies: 1 });
  try {
    const postFrom = (address: string) => served.post('/v1/quote', quoteInput, { 'x-forwarded-for': address });
    const statuses = [];
    for (const address of ['203.0.113.1:1', '203.0.113.1:65535', '203.0.113.1', '[2001:db8::1]:1', '[2001:db8::1]:2'])
      statuses.push((await postFrom(address)).status);
    for (const address of ['2001:db8::1', 'invalid', 'unknown', 'x'.repeat(5_000)])
      statuses.push((await postFrom(address)).status);
    expect(statuses).toEqual([402, 402, 429, 402, 402, 429, 402, 402, 429]);
  } finally {
    await served.close();
  }
});

test('behavior: behind one trusted proxy, uses the last X-Forwarded-For entry and ignores earlier ones', async () => {
  const served = await serveFakes({ perMinute: 1, trustedProxies: 1 });
  try {
    const postFrom = (addresses: string) => served.post('/v1/quote', quoteInput, { 'x-forwarded-for': addresses });
    expect((await postFrom('203.0.113.1')).status).toBe(402);
    expect((await postFrom('203.0.113.2')).status).toBe(402);
    expect((await postFrom('198.51.100.9, 203.0.113.1')).status).toBe(429);
  } finally {
    await served.close();
  }
});
