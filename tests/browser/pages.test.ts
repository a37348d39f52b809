import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';
import { isFullSize, shareOf } from '../support/proofSize.ts';
import { chromiumPath, openSiteBrowser, type SiteBrowser, screenshotFolder } from './siteBrowser.ts';

if (!chromiumPath) {
  process.stderr.write('\nSkipped the browser tests: no Chromium on the PATH. Set CHROMIUM_PATH or install one.\n\n');
}

/** Guides share one layout: `npm test` opens some of them. */
const guides = [
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
const paths = [
  '/',
  '/guides',
  '/guides/first-call',
  ...shareOf(guides, 3),
  '/reference',
  '/docs/',
  '/sandbox',
  '/nowhere',
];

const widths = [390, 768, 1440];

let server: RunningServer;
let site: SiteBrowser;
let browser: Browser;
beforeAll(async () => {
  server = await startServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent' }));
  site = await openSiteBrowser();
  browser = site.browser;
});
afterAll(async () => {
  await site?.close();
  await server?.close();
});

const open = (path: string, options: { width?: number; dark?: boolean } = {}) => site.open(server.url + path, options);
const findAccessibilityViolations = (page: Page) => site.findAccessibilityViolations(page);
const buyButton = (page: Page) => page.locator('#try-form .buy');

/** Markup that a token or a vendor may inject. */
const markup = `</script><script>window.owned = 1</script><img src="/x" onerror="window.owned = 1">"'\u202e\u001b[2J`;

/** Replaces all texts of a body by markup, except addresses, numbers and verdicts. */
function injectMarkup(value: unknown): unknown {
  if (typeof value === 'string') return /^(0x[0-9a-fA-F]+|[\d.]+|avoid|clear)$/.test(value) ? value : markup;
  if (Array.isArray(value)) return value.map(injectMarkup);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, injectMarkup(inner)]));
}

/** Loads a page. Returns the transferred bytes and the paths of its responses. */
async function load(path: string): Promise<{ bytes: number; loaded: string[] }> {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const loaded: string[] = [];
  page.on('response', (response) => loaded.push(new URL(response.url()).pathname));
  await page.goto(server.url + path, { waitUntil: 'networkidle' });
  await page.close();
  return { bytes, loaded };
}

describe.skipIf(!chromiumPath)('every page', () => {
  test.each(paths)(
    'default: %s fits a phone, a tablet and a desktop, light and dark, without serious axe findings',
    async (path) => {
      // `npm test` opens one view of each page.
      const views = widths.flatMap((width) => [false, true].map((dark) => ({ width, dark })));
      const only = isFullSize ? undefined : views[paths.indexOf(path) % views.length];
      for (const { width, dark } of only ? [only] : views) {
        const { page, errors } = await open(path, { width, dark });
        const name = `${width}${dark ? '-dark' : ''}`;
        if (path === '/docs/') await page.locator('.opblock').first().waitFor();
        expect(await findAccessibilityViolations(page), name).toEqual([]);
        expect(
          await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
          `${name} scrolls horizontally`,
        ).toBeLessThanOrEqual(0);
        if (isFullSize)
          await page.screenshot({
            path: `${screenshotFolder}${path.replaceAll('/', '_')}-${name}.png`,
            fullPage: true,
          });
        // The browser reports the status of a missing page.
        expect(errors.filter((error) => path !== '/nowhere' || !error.includes('404'))).toEqual([]);
        await page.close();
      }
    },
  );
});

describe.skipIf(!chromiumPath)('the home page', () => {
  test('default: the home page buys a quote with the demo wallet and shows amount, route and receipt', async () => {
    const { page, errors } = await open('/');
    await page.getByRole('button', { name: /Pay 0\.02 USD/ }).press('Enter');
    await page.locator('#try-answer .answer').waitFor();
    expect(await page.locator('.headline').textContent()).toMatch(/^[\d,.]+ USDC$/);
    expect(await page.locator('.legs li').count()).toBeGreaterThanOrEqual(1);
    expect(await page.getByRole('img', { name: /Price by size/ }).count()).toBe(1);
    expect(await page.getByRole('img', { name: /^Route/ }).count()).toBe(1);
    expect(await page.locator('.receipt').textContent()).toMatch(/Settled on Base in 0x/);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.screenshot({ path: `${screenshotFolder}bought-quote.png`, fullPage: true });
    await page.close();
  });

  test('behavior: a token whose pool was drained is shown as avoid, with the trigger', async () => {
    const { tokens } = (await (await fetch(`${server.url}/sandbox`)).json()) as {
      tokens: { symbol: string; address: string; about: string }[];
    };
    const drained = tokens.find(({ symbol }) => symbol === 'DRAINED');
    const { page, errors } = await open('/');
    await page.getByLabel('Is it a trap?').check();
    await page.getByLabel('Token on Base').fill(drained?.address ?? '');
    await buyButton(page).click();
    await page.locator('#try-answer .verdict').waitFor();
    expect(await page.locator('.verdict').textContent()).toContain('Avoid');
    expect(await page.locator('.reasons').textContent()).toContain('EXIT_LIQUIDITY_DRAINED');
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.screenshot({ path: `${screenshotFolder}bought-avoid.png`, fullPage: true });
    await page.close();
  });

  test("error: the home page shows the service's error and no answer when the request is invalid", async () => {
    const { page } = await open('/');
    await page.getByLabel('Buy', { exact: true }).fill('ETH');
    await page.getByLabel('Buy', { exact: true }).press('Escape');
    await buyButton(page).click();
    await page.locator('.notice.bad').waitFor();
    expect(await page.locator('.notice').textContent()).toMatch(/tokenOut.*tokenIn/is);
    expect(await page.locator('#try-answer').textContent()).toBe('');
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('markup in data', () => {
  test.each<[path: string, pattern: string, submit: (page: Page) => Promise<void>]>([
    ['/', '**/v1/quote', (page) => buyButton(page).click()],
    [
      '/',
      '**/v1/pretrade/check',
      async (page) => {
        await page.getByLabel('Is it a trap?').check();
        await buyButton(page).click();
      },
    ],
    [
      '/docs/#/quote/quote',
      '**/v1/quote',
      async (page) => {
        await page.locator('.try-out__btn').click();
        await page.locator('.btn.execute').click();
      },
    ],
  ])('security: %s shows markup in an answer of %s as text', async (path, pattern, submit) => {
    const page = await browser.newPage();
    await page.route(pattern, async (route) => {
      const response = await route.fetch();
      if (response.status() !== 200) return route.fulfill({ response });
      return route.fulfill({ response, json: injectMarkup(await response.json()) });
    });
    await page.goto(server.url + path);
    await submit(page);
    await page.locator('.answer').first().waitFor();
    expect(await page.locator('.answer').first().textContent()).toContain('<script>window.owned');
    expect(await page.evaluate('globalThis.owned')).toBeUndefined();
    expect(await page.locator('img[src="/x"], .answer script').count()).toBe(0);
    await page.close();
  });

  test('security: the home page shows markup in the name of a sandbox token as text', async () => {
    const page = await browser.newPage();
    await page.route('**/sandbox', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { tokens: object[] };
      return route.fulfill({ response, json: { ...body, tokens: body.tokens.map(injectMarkup) } });
    });
    await page.goto(server.url, { waitUntil: 'networkidle' });
    expect(await page.evaluate('globalThis.owned')).toBeUndefined();
    expect(await page.locator('img[src="/x"]').count()).toBe(0);
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('Swagger UI and paid paths', () => {
  test('default: Swagger UI shows the price, pays, and shows receipt and diagram above the JSON', async () => {
    const { page, errors } = await open('/docs/#/quote/quote');
    await page.locator('.try-out__btn').click();
    expect(await page.locator('.truefill-price').textContent()).toContain('0.02 USD');
    await page.locator('.btn.execute').click();
    await page.locator('.answer').waitFor();
    expect(await page.locator('.receipt').textContent()).toMatch(/Settled on/);
    expect(errors).toEqual([]);
    await page.screenshot({ path: `${screenshotFolder}swagger.png` });
    await page.close();
  });

  test('behavior: a paid path returns 405 with an explanation page to browsers, with JSON to other clients', async () => {
    const page = await browser.newPage();
    const response = await page.goto(`${server.url}/v1/quote`);
    expect(response?.status()).toBe(405);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('POST');
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await page.close();
    const plain = await fetch(`${server.url}/v1/quote`);
    expect(plain.status).toBe(405);
    expect(plain.headers.get('content-type')).toContain('application/json');
  });
});

describe.skipIf(!chromiumPath)('bytes loaded', () => {
  test('behavior: the home page loads less than 150 kB, without the payment code', async () => {
    const { bytes, loaded } = await load('/');
    expect(bytes, loaded.join(' ')).toBeLessThan(150_000);
    expect(loaded.filter((path) => /\/(pay|demoAccount|search|solana\w*)\./.test(path))).toEqual([]);
  });

  test('behavior: a guide loads less than 60 kB and one script', async () => {
    const { bytes, loaded } = await load('/guides/quote');
    expect(bytes, loaded.join(' ')).toBeLessThan(60_000);
    expect(loaded.filter((path) => /\/(try|pay|demoAccount|search)\./.test(path))).toEqual([]);
  });

  test('behavior: Swagger UI loads less than 700 kB', async () => {
    const { bytes, loaded } = await load('/docs/');
    expect(bytes, loaded.join(' ')).toBeLessThan(700_000);
  });

  test.runIf(isFullSize).each(['/', '/guides/quote', '/docs/'])(
    'behavior: the fastest of ten first paints of %s takes less than 300 ms',
    async (path) => {
      const paints: number[] = [];
      for (let load = 0; load < 10; load += 1) {
        // A new context has an empty cache.
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(server.url + path, { waitUntil: 'load' });
        const paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
        await expect.poll(() => page.evaluate(paint)).toBeGreaterThan(0);
        paints.push(Number(await page.evaluate(paint)));
        await context.close();
      }
      paints.sort((a, b) => a - b);
      process.stdout.write(`\nFirst paint of ${path}: ${paints.map(Math.round).join(', ')} ms\n`);
      // Other work on the machine slows down some loads.
      expect(paints[0]).toBeLessThan(300);
    },
  );

  test.each(['/', '/docs/', '/guides/errors'])('behavior: %s does not move while it loads on a phone', async (path) => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await page.addInitScript(`
      globalThis.shifted = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) shifted += value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    await page.goto(server.url + path, { waitUntil: 'networkidle' });
    // Google's limit for a good page is 0.1.
    expect(await page.evaluate('shifted')).toBeLessThan(0.05);
    await page.close();
  });
});
