import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployments } from '../../engine/index.ts';
import { errorTable } from '../../router/index.ts';
import { type Served, serveFakes } from './serveFakes.ts';

let live: Served;
let sandbox: Served;
beforeAll(async () => {
  live = await serveFakes();
  sandbox = await serveFakes({ sandbox: { notice: 'SANDBOX', chains: {}, wallets: [], tokens: [] } });
});
afterAll(async () => {
  await live.close();
  await sandbox.close();
});

interface RawResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A GET without the decompression of `fetch`. */
const getRaw = (path: string, headers: Record<string, string> = {}, { port } = live): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    get({ port, path, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    }).on('error', reject);
  });

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

test.each([
  '/',
  '/guides',
  '/reference',
  '/docs/',
  '/docs/swagger-ui-bundle.js',
  '/assets/site.css',
  '/openapi.json',
  '/llms-full.txt',
])('default: %s is compressed if the client accepts compression, and revalidated by its entity tag', async (path) => {
  const plain = await getRaw(path);
  const brotli = await getRaw(path, { 'accept-encoding': 'gzip, br' });
  const gzip = await getRaw(path, { 'accept-encoding': 'gzip' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
  expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
  expect(brotli.body.length).toBeLessThan(plain.body.length / 2);
  for (const { headers } of [plain, brotli, gzip]) expect(headers.vary).toContain('Accept-Encoding');
  const revalidated = await getRaw(path, { 'accept-encoding': 'br', 'if-none-match': String(brotli.headers.etag) });
  expect(revalidated.status).toBe(304);
  expect(revalidated.body.length).toBe(0);
});

test('default: every file that a page loads has a content hash in its name and is immutable', async () => {
  for (const path of ['/', '/guides/quote', '/reference', '/docs/']) {
    const page = (await getRaw(path)).body.toString();
    const files = [...page.matchAll(/(?:src|href|data-index)="(\/(?:assets|docs)\/[^"]+)"/g)].map(
      ([, file]) => file ?? '',
    );
    const ownFiles = files.filter((file) => /\.\w+$/.test(file));
    expect(ownFiles.length).toBeGreaterThan(3);
    for (const file of ownFiles) {
      expect(file).toMatch(/\.[0-9A-Za-z]{8,10}\.\w+$/);
      const { status, headers } = await getRaw(file);
      expect(status, file).toBe(200);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
  }
});

test('security: pages allow no inline styles or scripts, and are revalidated', async () => {
  for (const path of ['/', '/guides', '/reference', '/docs/']) {
    const { headers, body } = await getRaw(path);
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['cache-control']).toBe('no-cache');
    expect(body.toString()).not.toMatch(/ style="|<style|<script(?![^>]*\ssrc=)/);
  }
});

test('default: every error code has an anchor in the errors guide', async () => {
  const page = (await getRaw('/guides/errors')).body.toString();
  for (const code of Object.keys(errorTable)) expect(page).toContain(`id="${code}"`);
});

test('default: the guide to quotes lists every venue of every chain', async () => {
  const page = await (await fetch(`${live.url}/guides/quote`)).text();
  for (const { label, venues, uncovered } of Object.values(deployments)) {
    const row = page.split(/<\/?tr/).find((part) => part.includes(`>${label}</td>`)) ?? '';
    const names = new Set([...row.matchAll(/<code>([^<]+)<\/code>/g)].map(([, name]) => name));
    expect(names).toEqual(new Set([...venues.map(({ venue }) => venue), ...uncovered.map(({ name }) => name)]));
  }
});

test('behavior: unknown paths and /sandbox are pages for browsers and JSON for programs', async () => {
  for (const path of ['/nowhere', '/guides/nowhere', '/sandbox']) {
    const page = await getRaw(path, browser);
    expect(page.status, path).toBe(404);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body.toString()).toContain('<h1>');
    const program = await getRaw(path, { accept: '*/*' });
    expect(program.status).toBe(404);
    expect(JSON.parse(program.body.toString())).toMatchObject({ code: 'NOT_FOUND' });
  }
  expect((await getRaw('/sandbox', browser, sandbox)).headers['content-type']).toContain('text/html');
  const json = await getRaw('/sandbox', {}, sandbox);
  expect(JSON.parse(json.body.toString())).toMatchObject({ notice: 'SANDBOX' });
  expect(json.headers.vary).toContain('Accept');
});

test('default: serves favicon, robots.txt and the site map, which lists every page', async () => {
  expect((await getRaw('/favicon.ico')).headers['content-type']).toContain('image/');
  expect((await getRaw('/robots.txt')).body.toString()).toContain('Sitemap: http://truefill.test/sitemap.xml');
  const map = (await getRaw('/sitemap.xml')).body.toString();
  const paths = [...map.matchAll(/<loc>http:\/\/truefill\.test([^<]+)<\/loc>/g)].map(([, path]) => path ?? '');
  expect(paths).toEqual(expect.arrayContaining(['/', '/guides', '/guides/errors', '/reference', '/docs/']));
  for (const path of paths) expect((await getRaw(path)).status, path).toBe(200);
});

test('default: security.txt contains the configured contact, and is 404 without one', async () => {
  expect((await getRaw('/.well-known/security.txt')).status).toBe(404);
  const served = await serveFakes({ contactEmail: 'security@truefill.test' });
  const text = (await getRaw('/.well-known/security.txt', {}, served)).body.toString();
  expect(text).toContain('Contact: mailto:security@truefill.test\n');
  const expires = Date.parse(/Expires: (.+)/.exec(text)?.[1] ?? '');
  expect(expires).toBeGreaterThan(1_795_254_662_000);
  expect(expires).toBeLessThan(1_795_254_662_000 + 365 * 86_400_000);
  await served.close();
});

test('default: the API catalog (RFC 9727) links to endpoints, documents and status', async () => {
  const { headers, body } = await getRaw('/.well-known/api-catalog');
  expect(headers['content-type']).toContain('application/linkset+json');
  expect(headers['content-type']).toContain('https://www.rfc-editor.org/info/rfc9727');
  const { linkset } = JSON.parse(body.toString());
  expect(linkset[0].item.map(({ href }: { href: string }) => href)).toContain('http://truefill.test/v1/quote');
  expect(linkset[1]).toMatchObject({
    anchor: 'http://truefill.test/',
    'service-desc': [{ href: 'http://truefill.test/openapi.json' }],
    'service-doc': [{ href: 'http://truefill.test/docs/' }],
    status: [{ href: 'http://truefill.test/health' }],
  });
  expect((await getRaw('/')).headers.link).toContain('</.well-known/api-catalog>; rel="api-catalog"');
});

test('default: every internal link leads to an existing page and anchor', async () => {
  const map = (await getRaw('/sitemap.xml')).body.toString();
  const paths = [...map.matchAll(/truefill\.test([^<]+)<\/loc>/g)].map(([, path]) => path ?? '');
  const pages = new Map(
    await Promise.all(paths.map(async (path) => [path, (await getRaw(path)).body.toString()] as const)),
  );
  for (const [path, page] of pages) {
    for (const [, href = ''] of page.matchAll(/<a [^>]*href="([/#][^"]*)"/g)) {
      const [target = '', anchor] = href.split('#');
      const found = target === '' ? page : pages.get(target);
      // Swagger UI creates its anchors in the browser.
      if (anchor && !anchor.startsWith('/')) expect(found, `${path} -> ${href}`).toContain(`id="${anchor}"`);
      else if (target && !pages.has(target)) expect((await getRaw(target)).status, `${path} -> ${href}`).toBe(200);
    }
  }
});
