import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './findChromium.ts';

export const chromiumPath = findChromium();
export const screenshotFolder = new URL('../../.cache/screenshots/', import.meta.url).pathname;

export interface SiteBrowser {
  browser: Browser;
  /** Opens a page; `errors` lists its script errors, failed loads, and requests to other origins. */
  open(url: string, options?: { width?: number; dark?: boolean }): Promise<{ page: Page; errors: string[] }>;
  /** Serious and critical violations that axe reports. */
  findAccessibilityViolations(page: Page): Promise<string[]>;
  close(): Promise<void>;
}

export async function openSiteBrowser(): Promise<SiteBrowser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await mkdir(screenshotFolder, { recursive: true });
  return {
    browser,
    async open(url, { width = 1440, dark = false } = {}) {
      const page = await browser.newPage({ viewport: { width, height: 860 }, colorScheme: dark ? 'dark' : 'light' });
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        // Chromium logs an expected 402 response as a failed load.
        if (message.type() === 'error' && !message.text().includes('status of 402')) errors.push(message.text());
      });
      page.on('request', (request) => {
        const { protocol, origin } = new URL(request.url());
        if (protocol.startsWith('http') && origin !== new URL(url).origin)
          errors.push(`request to another origin: ${request.url()}`);
      });
      await page.goto(url);
      return { page, errors };
    },
    async findAccessibilityViolations(page) {
      await page.evaluate(axe);
      const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
        violations: { id: string; impact: string; nodes: { target: string[] }[] }[];
      };
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
    },
    close: () => browser.close(),
  };
}
