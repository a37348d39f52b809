import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/index.ts';
import { receivedOn } from './receivedOn.ts';
import { chromiumPath } from './siteBrowser.ts';
import { useDroppingSite } from './useSite.ts';

// Two tabs that store at the same time. Browsers show the storage of other tabs late, so one tab reads an old state.

const setup = useDroppingSite();

const price = 20_000n;
const received = () => receivedOn(setup.service.sandbox as unknown as Sandbox);
const button = (page: Page) => page.locator('#try-form .buy');
const items = (page: Page) => page.locator('#kept-answers li');

/** From now on the page sees none of the values that are stored. */
const blind = (page: Page) => page.evaluate('Storage.prototype.getItem = () => null');

async function openTwo() {
  const context = await setup.browser.newContext();
  const pages: [Page, Page] = [await context.newPage(), await context.newPage()];
  for (const page of pages) await page.goto(setup.proxy.url);
  return { context, pages };
}

async function order(page: Page, size: string): Promise<void> {
  await page.getByLabel('Size, in whole tokens').fill(size);
  await button(page).click();
}

describe.skipIf(!chromiumPath)('two tabs at the same time', () => {
  test('behavior: both keep their answers, and the list of the other tab follows', async () => {
    const { context, pages } = await openTwo();
    const [page, other] = pages;
    await blind(other);
    await order(page, '2');
    await page.getByText('for 2 WETH').waitFor();
    await order(other, '3');
    await other.getByText('for 3 WETH').waitFor();
    await expect.poll(() => items(page).allTextContents()).toHaveLength(2);
    await items(page).filter({ hasText: '2 WETH to' }).getByRole('button', { name: 'Delete' }).click();
    await page.reload();
    await expect.poll(() => items(page).allTextContents()).toEqual([expect.stringContaining('3 WETH to')]);
    await context.close();
  });

  test('behavior: two payments without an answer are both kept, and fetched with one charge each', async () => {
    const before = await received();
    const { context, pages } = await openTwo();
    const [page, other] = pages;
    await blind(other);
    setup.proxy.dropping = true;
    await order(page, '4');
    await page.locator('.notice.bad').waitFor();
    await order(other, '5');
    await other.locator('.notice.bad').waitFor();
    setup.proxy.dropping = false;
    await page.reload();
    for (const size of ['4', '5']) {
      expect(await button(page).textContent()).toBe('Fetch the answer you paid for');
      await button(page).click();
      await page.getByText(`for ${size} WETH`).waitFor();
    }
    await expect.poll(() => button(page).textContent()).toBe('Pay 0.02 USD and send');
    expect(await received()).toBe(before + 2n * price);
    await context.close();
  });
});
