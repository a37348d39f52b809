import { afterAll, beforeAll, expect, test } from 'vitest';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

let plain: Served;
let secure: Served;
beforeAll(async () => {
  plain = await serveFakes();
  secure = await serveFakes({ baseUrl: 'https://truefill.test' });
});
afterAll(async () => {
  await plain.close();
  await secure.close();
});

const get =
  (path: string, headers: Record<string, string> = {}) =>
  () =>
    fetch(secure.url + path, { headers, redirect: 'manual' });

/** One request for each type of response. */
const kinds: [string, () => Promise<Response>][] = [
  ['a page', get('/')],
  ['a guide', get('/guides/first-call')],
  ['an asset', get('/assets/site.css')],
  ['Swagger UI', get('/docs/')],
  ['a script of Swagger UI', get('/docs/swagger-ui-bundle.js')],
  ['a redirect', get('/docs')],
  ['health', get('/health')],
  ['ready', get('/ready')],
  ['the OpenAPI document', get('/openapi.json')],
  ['llms.txt', get('/llms.txt')],
  ['404', get('/nowhere')],
  ['404 below the guides', get('/guides/nowhere', { accept: 'text/html' })],
  ['404 of an asset', get('/assets/nowhere.js')],
  ['405', get('/v1/quote')],
  ['405 for a browser', get('/v1/quote', { accept: 'text/html' })],
  ['402', () => secure.post('/v1/quote', quoteInput)],
  ['400', () => secure.post('/v1/quote', { html: '<b>' })],
  ['415', () => secure.post('/v1/quote', 'x', { 'content-type': 'text/html' })],
  ['413', () => secure.post('/v1/quote', 'x'.repeat(20_000))],
  ['a paid answer', () => secure.post('/v1/quote', quoteInput, payment())],
  ['OPTIONS', () => fetch(`${secure.url}/v1/quote`, { method: 'OPTIONS' })],
  ['MCP', () => secure.post('/mcp', {})],
];

test.each(kinds)('default: %s has nosniff and HSTS', async (_case, send) => {
  const { headers } = await send();
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  expect(headers.get('x-powered-by')).toBeNull();
  expect(headers.get('set-cookie')).toBeNull();
});

test.each(kinds)('security: %s, if HTML, allows only scripts of its own origin and no frames', async (_case, send) => {
  const response = await send();
  const body = await response.text();
  if (!/text\/html/.test(response.headers.get('content-type') ?? '')) {
    expect(body).not.toMatch(/^\s*<(!doctype|html)/i);
    return;
  }
  const policy = response.headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    expect(policy).toContain(rule);
  }
  expect(policy).not.toMatch(/script-src[^;]*(unsafe|\*|data:)/);
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
});

test('error: NOT_FOUND is JSON for programs and a page for browsers, also below /docs and /assets', async () => {
  for (const path of ['/guides/nowhere', '/docs/nowhere.js', '/assets/nowhere.css']) {
    const response = await get(path)();
    expect(response.status, path).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    const page = await get(path, { accept: 'text/html' })();
    expect(page.status, path).toBe(404);
    expect(page.headers.get('content-type')).toContain('text/html');
  }
});

test('behavior: sends no HSTS without TLS', async () => {
  expect((await fetch(`${plain.url}/health`)).headers.get('strict-transport-security')).toBeNull();
});
