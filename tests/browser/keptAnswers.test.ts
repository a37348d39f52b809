import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { splitLink } from './answerLinks.ts';
import { chromiumPath } from './siteBrowser.ts';
import { useSandboxSite } from './useSite.ts';

// Answers that were bought stay on the page and in the browser.

const setup = useSandboxSite();

const button = (page: Page) => page.locator('#try-form .buy');
const answer = (page: Page) => page.locator('#try-answer .answer');
const openHome = (fragment = '') => setup.site.open(`${setup.service.url}/${fragment}`);
describe.skipIf(!chromiumPath)('bought answers', () => {
  test('behavior: a changed input keeps the paid answer, marked as one to an earlier request', async () => {
    const { page } = await openHome();
    await button(page).click();
    await answer(page).waitFor();
    const headline = await page.locator('.headline').textContent();
    for (const change of [
      () => page.getByLabel('Size, in whole tokens').fill('3'),
      () => page.getByLabel('Chain').selectOption('arbitrum'),
      () => page.getByLabel('Is it a trap?').check(),
    ]) {
      await change();
      expect(await page.locator('.headline').textContent()).toBe(headline);
      expect(await page.locator('.earlier').count()).toBe(1);
    }
    await page.close();
  });

  test('behavior: answers stay in a list of this browser until they are deleted, and are not called foreign', async () => {
    const { page } = await openHome();
    for (const size of ['2', '4']) {
      await page.getByLabel('Size, in whole tokens').fill(size);
      await button(page).click();
      await page.getByText(`for ${size} WETH`).waitFor();
    }
    await page.reload();
    const items = page.locator('#kept-answers li');
    await expect.poll(() => items.allTextContents()).toHaveLength(2);
    expect(await answer(page).count()).toBe(1);
    expect(await page.locator('.from-link').count()).toBe(0);
    await items.filter({ hasText: '2 WETH to' }).getByRole('button').first().click();
    await page.getByText('for 2 WETH').waitFor();
    expect(await page.getByLabel('Size, in whole tokens').inputValue()).toBe('2');
    expect(await setup.site.findAccessibilityViolations(page)).toEqual([]);
    await items.filter({ hasText: '2 WETH to' }).getByRole('button', { name: 'Delete' }).click();
    await page.reload();
    await expect.poll(() => items.allTextContents()).toHaveLength(1);
    await page.close();
  });

  test('default: the least received follows the selected slippage, which the browser keeps', async () => {
    const { page } = await openHome(splitLink);
    await page.getByLabel('Slippage').selectOption('1 %');
    expect(await page.locator('.least').textContent()).toContain('At least 296,010 USDC');
    await page.reload();
    expect(await page.getByLabel('Slippage').inputValue()).toBe('100');
    await page.locator('summary', { hasText: 'Price impact' }).click();
    expect(await page.getByText('below the mid price, fees included').isVisible()).toBe(true);
    await page.close();
  });
});
