import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './findChromium.ts';

export const chromiumPath = findChromium();
export const shots = new URL('../../.cache/screenshots/', import.meta.url).pathname;

export interface SiteBrowser {
  browser: Browser;
  /** A page with a list of its script errors, failed loads, and requests that leave the site's origin. */
  open(url: string, options?: { width?: number; dark?: boolean }): Promise<{ page: Page; faults: string[] }>;
  /** Serious and critical findings of axe. */
  findFaults(page: Page): Promise<string[]>;
  close(): Promise<void>;
}

export async function openSiteBrowser(): Promise<SiteBrowser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await mkdir(shots, { recursive: true });
  return {
    browser,
    async open(url, { width = 1440, dark = false } = {}) {
      const page = await browser.newPage({ viewport: { width, height: 860 }, colorScheme: dark ? 'dark' : 'light' });
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        // A 402 is how a payment begins; Chromium logs it as a failed load.
        if (message.type() === 'error' && !message.text().includes('402')) faults.push(message.text());
      });
      page.on('request', (request) => {
        const { protocol, origin } = new URL(request.url());
        if (protocol.startsWith('http') && origin !== new URL(url).origin)
          faults.push(`left this origin: ${request.url()}`);
      });
      await page.goto(url);
      return { page, faults };
    },
    async findFaults(page) {
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
