import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from './siteBrowser.ts';
import { useSandboxSite } from './useSite.ts';

// What people type and paste into the form of the home page.

const setup = useSandboxSite();

const button = (page: Page) => page.locator('#try-form .buy');
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const problemOf = (page: Page, name: string): Promise<string> =>
  field(page, name).evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage);

/** The body of the request that the form sends; the service does not see it. */
async function requestedBody(page: Page): Promise<Record<string, string>> {
  await page.route('**/v1/**', (route) => route.fulfill({ status: 400, json: {} }));
  const requested = page.waitForRequest('**/v1/**');
  await button(page).click();
  return (await requested).postDataJSON();
}

describe.skipIf(!chromiumPath)('the form', () => {
  test.each([
    ['2,500', '2500'],
    [' .5 ', '0.5'],
    ['1 000', '1000'],
  ])('default: the size "%s" is requested as %s', async (typed, sizeIn) => {
    const { page } = await setup.site.open(setup.service.url);
    await field(page, 'Size, in whole tokens').fill(typed);
    expect(await requestedBody(page)).toMatchObject({ sizeIn });
    await page.close();
  });

  test.each([
    ['2,5', 'Write decimals with a point: 2.5.'],
    ['0', 'The amount must be above 0.'],
    ['all', 'Write a number, for example 2.5 or 2,500.'],
  ])('error: the size "%s" is refused at its field, without a request', async (typed, problem) => {
    const { page } = await setup.site.open(setup.service.url);
    let requests = 0;
    page.on('request', (request) => request.url().includes('/v1/') && requests++);
    await field(page, 'Size, in whole tokens').fill(typed);
    await button(page).click();
    expect(await problemOf(page, 'Size, in whole tokens')).toBe(problem);
    expect(requests).toBe(0);
    await page.close();
  });

  test('default: the URL of an explorer stands for the token that it shows', async () => {
    const { page } = await setup.site.open(setup.service.url);
    const address = setup.service.tokenThat('pool');
    await field(page, 'Buy').fill(`https://basescan.org/token/${address}?a=1#code`);
    expect((await requestedBody(page)).tokenOut?.toLowerCase()).toBe(address.toLowerCase());
    await page.close();
  });

  test('error: a URL with two addresses is refused at its field', async () => {
    const { page } = await setup.site.open(setup.service.url);
    const [one, other] = [setup.service.tokenThat('pool'), `0x${'12'.repeat(20)}`];
    await field(page, 'Buy').fill(`https://app.example/swap?inputCurrency=${one}&outputCurrency=${other}`);
    expect(await problemOf(page, 'Buy')).toContain('paste its address');
    await page.close();
  });

  test('default: Enter takes the only match; Tab leads from a token to the next field', async () => {
    const { page } = await setup.site.open(setup.service.url);
    const options = page.getByRole('listbox').getByRole('option');
    await field(page, 'Sell').focus();
    // A list that scrolls could take the focus.
    await expect.poll(() => options.count()).toBeGreaterThan(8);
    await field(page, 'Sell').press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('tokenOut');
    await field(page, 'Sell').fill(setup.service.tokenThat('pool').slice(0, 20));
    await expect.poll(() => options.count()).toBe(1);
    await field(page, 'Sell').press('Enter');
    expect(await field(page, 'Sell').inputValue()).not.toMatch(/^0x/);
    await field(page, 'Sell').press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('tokenOut');
    await page.close();
  });
});
