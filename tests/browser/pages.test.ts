import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { isFullSize } from '../support/proofSize.ts';
import { findChromium } from './findChromium.ts';

const chromiumPath = findChromium();
const shots = new URL('../../.cache/screenshots/', import.meta.url).pathname;

if (!chromiumPath) {
  process.stderr.write(
    '\nNOT RUN: the browser tests. There is no Chromium on the PATH; set CHROMIUM_PATH or install one.\n\n',
  );
}

const paths = [
  '/',
  '/guides/first-call',
  '/guides/typescript',
  '/guides/agents',
  '/guides/quote',
  '/guides/verdict',
  '/guides/errors',
  '/guides/run',
  '/guides/configuration',
  '/guides/threats',
  '/guides/capacity',
];

describe.skipIf(!chromiumPath)('in a real browser', () => {
  let server: RunningServer;
  let browser: Browser;
  let axe: string;
  beforeAll(async () => {
    server = await startServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent' }));
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await mkdir(shots, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** A page that fails the test on any script error, refused load, or request that leaves this origin. */
  async function open(path: string, { width = 1280, dark = false } = {}): Promise<{ page: Page; faults: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 860 }, colorScheme: dark ? 'dark' : 'light' });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      // A 402 is how a payment begins; Chromium logs it as a failed load.
      if (message.type() === 'error' && !message.text().includes('402')) faults.push(message.text());
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== server.url) faults.push(`left this origin: ${request.url()}`);
    });
    await page.goto(server.url + path);
    return { page, faults };
  }

  /** Serious and critical findings of axe, in words. */
  async function findFaults(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
      violations: { id: string; impact: string; nodes: { target: string[] }[] }[];
    };
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  }

  test.each(paths)(
    'default: %s reads well on a phone and a desktop, light and dark, and axe finds nothing serious',
    async (path) => {
      const views = [
        ['phone', { width: 390 }],
        ['desktop', { width: 1280 }],
        ['dark', { width: 1280, dark: true }],
      ] as const;
      // In the suite one view of each page, in turn.
      const only = isFullSize ? undefined : views[paths.indexOf(path) % views.length];
      for (const [name, options] of only ? [only] : views) {
        const { page, faults } = await open(path, options);
        expect(await findFaults(page), name).toEqual([]);
        expect(
          await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
          `${name} scrolls sideways`,
        ).toBeLessThanOrEqual(0);
        await page.screenshot({ path: `${shots}${path.replaceAll('/', '_')}-${name}.png`, fullPage: true });
        expect(faults).toEqual([]);
        await page.close();
      }
    },
  );

  test('default: the first page buys a quote with the demo wallet, and shows fill, route and receipt', async () => {
    const { page, faults } = await open('/');
    await page.getByRole('button', { name: /Pay 0\.02 USD/ }).press('Enter');
    await page.locator('#try-answer .answer').waitFor();
    expect(await page.locator('.headline').textContent()).toMatch(/^[\d,.]+ USDC$/);
    expect(await page.locator('.legs li').count()).toBeGreaterThanOrEqual(2);
    expect(await page.getByRole('img', { name: /Price by size/ }).count()).toBe(1);
    expect(await page.locator('.receipt').textContent()).toMatch(/Settled on eip155:8453 in 0x/);
    expect(await findFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.screenshot({ path: `${shots}bought-quote.png`, fullPage: true });
    await page.close();
  });

  test('behavior: a token whose pool was drained is shown as avoid, with the trigger', async () => {
    const { tokens } = (await (await fetch(`${server.url}/sandbox`)).json()) as {
      tokens: { symbol: string; address: string; about: string }[];
    };
    const drained = tokens.find(({ symbol }) => symbol === 'DRAINED');
    const { page, faults } = await open('/');
    await page.getByLabel('Is it a trap?').check();
    await page.getByLabel('Token on Base').fill(drained?.address ?? '');
    await page.getByRole('button', { name: /Pay 0\.05 USD/ }).click();
    await page.locator('#try-answer .verdict').waitFor();
    expect(await page.locator('.verdict').textContent()).toContain('Avoid');
    expect(await page.locator('.reasons').textContent()).toContain('EXIT_LIQUIDITY_DRAINED');
    expect(await findFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.screenshot({ path: `${shots}bought-avoid.png`, fullPage: true });
    await page.close();
  });

  test('error: what the service refuses is said in its own words, and nothing is shown as an answer', async () => {
    const { page } = await open('/');
    await page.getByLabel('Size, in whole tokens').fill('0');
    await page.getByRole('button', { name: /Pay/ }).click();
    await page.locator('.said.bad').waitFor();
    expect(await page.locator('.said').textContent()).toMatch(/size/i);
    expect(await page.locator('#try-answer').textContent()).toBe('');
    await page.close();
  });

  /** Markup that a token or a vendor may inject. */
  const markup = `</script><script>window.owned = 1</script><img src="/x" onerror="window.owned = 1">"'\u202e\u001b[2J`;

  /** Every text of a body, however deep, but for words that choose a picture and addresses. */
  function poison(value: unknown): unknown {
    if (typeof value === 'string') return /^(0x[0-9a-fA-F]+|[\d.]+|avoid|clear)$/.test(value) ? value : markup;
    if (Array.isArray(value)) return value.map(poison);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poison(inner)]));
  }

  test.each([
    ['/', '**/v1/quote', 0],
    ['/', '**/v1/pretrade/check', 1],
    ['/docs/#/quote/quote', '**/v1/quote', 2],
  ] as const)('behavior: on %s no text of an answer to %s becomes markup', async (path, route, way) => {
    const page = await browser.newPage();
    await page.route(route, async (asked) => {
      const response = await asked.fetch();
      if (response.status() !== 200) return asked.fulfill({ response });
      return asked.fulfill({ response, json: poison(await response.json()) });
    });
    await page.goto(server.url + path);
    if (way === 1) await page.getByLabel('Is it a trap?').check();
    if (way === 2) await page.locator('.try-out__btn').click();
    await (way === 2 ? page.locator('.btn.execute') : page.getByRole('button', { name: /Pay/ })).click();
    await page.locator('.answer').first().waitFor();
    expect(await page.locator('.answer').first().textContent()).toContain('<script>window.owned');
    expect(await page.evaluate('globalThis.owned')).toBeUndefined();
    expect(await page.locator('img[src="/x"], .answer script').count()).toBe(0);
    await page.close();
  });

  test('behavior: a seeded token cannot put markup into the first page', async () => {
    const page = await browser.newPage();
    await page.route('**/sandbox', async (asked) => {
      const response = await asked.fetch();
      const body = (await response.json()) as { tokens: object[] };
      return asked.fulfill({ response, json: { ...body, tokens: body.tokens.map(poison) } });
    });
    await page.goto(server.url, { waitUntil: 'networkidle' });
    expect(await page.evaluate('globalThis.owned')).toBeUndefined();
    expect(await page.locator('img[src="/x"]').count()).toBe(0);
    await page.close();
  });

  test('default: Swagger UI names the price, pays, and shows receipt and picture above the JSON', async () => {
    const { page, faults } = await open('/docs/#/quote/quote');
    await page.locator('.try-out__btn').click();
    expect(await page.locator('.truefill-price').textContent()).toContain('0.02 USD');
    await page.locator('.btn.execute').click();
    await page.locator('.answer').waitFor();
    expect(await page.locator('.receipt').textContent()).toMatch(/Settled on/);
    expect(faults).toEqual([]);
    await page.screenshot({ path: `${shots}swagger.png` });
    await page.close();
  });

  test('behavior: a paid path opened in a browser explains itself, and is still 405', async () => {
    const page = await browser.newPage();
    const response = await page.goto(`${server.url}/v1/quote`);
    expect(response?.status()).toBe(405);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('POST');
    expect(await findFaults(page)).toEqual([]);
    await page.close();
    const plain = await fetch(`${server.url}/v1/quote`);
    expect(plain.status).toBe(405);
    expect(plain.headers.get('content-type')).toContain('application/json');
  });

  test('behavior: a page carries little: the first one under 40 kB beside the seeded tokens, scripts for payment only when paying', async () => {
    const page = await browser.newPage();
    const loaded: string[] = [];
    let bytes = 0;
    page.on('response', async (response) => {
      loaded.push(new URL(response.url()).pathname);
      bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
    });
    await page.goto(`${server.url}/guides/quote`, { waitUntil: 'networkidle' });
    expect(loaded.filter((path) => path.endsWith('.js'))).toEqual([]);
    loaded.length = 0;
    bytes = 0;
    const sandboxBytes = (await (await fetch(`${server.url}/sandbox`)).arrayBuffer()).byteLength;
    await page.goto(`${server.url}/`, { waitUntil: 'networkidle' });
    expect(loaded).not.toContain('/assets/pay.js');
    expect(loaded.length).toBeLessThanOrEqual(6);
    expect(bytes, loaded.join(' ')).toBeLessThan(40_000 + sandboxBytes);
    await page.close();
  });
});
