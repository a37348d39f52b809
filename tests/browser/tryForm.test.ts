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
    ['2\u200b500', '2500'],
  ])('default: the size "%s" is requested as %s', async (typed, sizeIn) => {
    const { page } = await setup.site.open(setup.service.url);
    await field(page, 'Size, in whole tokens').fill(typed);
    expect(await requestedBody(page)).toMatchObject({ sizeIn });
    await page.close();
  });

  test.each([
    ['2,5', 'Write decimals with a point: 2.5.'],
    ['1 000,50', 'Write decimals with a point: 1000.50.'],
    ['1e18', 'Write all digits, without an exponent.'],
    ['-1', 'The amount must be above 0.'],
    ['9'.repeat(80), 'The amount has more than 78 characters.'],
    ['\u0663', 'Write a number, for example 2.5 or 2,500.'],
    ['\ud83d\ude80', 'Write a number, for example 2.5 or 2,500.'],
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
});

describe.skipIf(!chromiumPath)('a token of the form', () => {
  test.each<[string, (address: string) => string]>([
    ['in capitals', (address) => `0X${address.slice(2).toUpperCase()}`],
    ['with invisible characters', (address) => `\u200b${address.slice(0, 9)}\u2060${address.slice(9)}\u202c `],
    ['in the URL of an account', (address) => `https://base.blockscout.com/address/${address}`],
  ])('default: an address %s is requested as its token', async (_name, write) => {
    const { page } = await setup.site.open(setup.service.url);
    const address = setup.service.tokenThat('Only Uniswap v2');
    await field(page, 'Buy').fill(write(address));
    expect((await requestedBody(page)).tokenOut?.toLowerCase()).toBe(address.toLowerCase());
    await page.close();
  });

  test.each<[string, string]>([
    ['an ENS name', 'vitalik.eth'],
    ['an address without 0x', '12'.repeat(20)],
    ['an address of 39 characters', `0x${'1'.repeat(39)}`],
    ['the hash of a transaction', `https://basescan.org/tx/0x${'12'.repeat(32)}`],
    ['a program of Solana', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
    ['spaces', '   '],
    ['markup', '<img src=x>'],
    ['an emoji', '\ud83d\ude80'],
  ])('error: %s as the token is refused at its field, without a request', async (_name, typed) => {
    const { page } = await setup.site.open(setup.service.url);
    let requests = 0;
    page.on('request', (request) => request.url().includes('/v1/') && requests++);
    await field(page, 'Buy').fill(typed);
    await field(page, 'Buy').press('Escape');
    await button(page).click();
    expect(await problemOf(page, 'Buy')).toBe('Choose a token from the list, or paste its address.');
    expect(requests).toBe(0);
    await page.close();
  });

  test.each([
    ['https://basescan.org', 'base'],
    ['https://polygonscan.com', 'polygon'],
    ['https://arbiscan.io', 'arbitrum'],
  ])('error: a URL of %s is refused unless the quote is on %s', async (explorer, chain) => {
    const { page } = await setup.site.open(setup.service.url);
    const others = ['base', 'polygon', 'arbitrum'].filter((each) => each !== chain);
    for (const other of [...others, chain]) {
      await page.locator('[name=chain]').selectOption(other);
      await field(page, 'Buy').fill(`${explorer}/token/0x${'12'.repeat(20)}`);
      const expected = other === chain ? '' : `This link is for a token on ${chain}, not on ${other}.`;
      expect(await problemOf(page, 'Buy')).toBe(expected);
    }
    await page.close();
  });

  test('error: a URL of another chain is refused also without the list of tokens', async () => {
    const page = await setup.site.browser.newPage();
    await page.route('**/sandbox', (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto(setup.service.url);
    await field(page, 'Buy').fill(`https://polygonscan.com/token/0x${'12'.repeat(20)}`);
    expect(await problemOf(page, 'Buy')).toBe('This link is for a token on polygon, not on base.');
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('the two tokens of a quote', () => {
  test('default: a click before the list of tokens has arrived is sent when it arrives', async () => {
    const page = await setup.site.browser.newPage();
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/sandbox', async (route) => {
      await arrived;
      await route.continue();
    });
    await page.route('**/v1/**', (route) => route.fulfill({ status: 400, json: {} }));
    const requested = page.waitForRequest('**/v1/**');
    const listed = page.waitForRequest('**/sandbox');
    await page.goto(setup.service.url);
    await listed;
    await button(page).click();
    expect(await problemOf(page, 'Buy')).toBe('');
    arrive();
    expect((await requested).postDataJSON().tokenIn).toMatch(/^0x/);
    await page.close();
  });

  test('error: the token that is sold is refused at the field to buy, until one of the two changes', async () => {
    const { page } = await setup.site.open(setup.service.url);
    let requests = 0;
    page.on('request', (request) => request.url().includes('/v1/') && requests++);
    await field(page, 'Buy').fill('WETH');
    await field(page, 'Buy').press('Escape');
    await button(page).click();
    expect(await problemOf(page, 'Buy')).toBe('Choose another token than the one that you sell.');
    expect(requests).toBe(0);
    await field(page, 'Sell').fill('USDC');
    await field(page, 'Sell').press('Escape');
    expect(await requestedBody(page)).toMatchObject({ sizeIn: '2.5' });
    await page.close();
  });

  test('default: the URL of an explorer stands for the token that it shows', async () => {
    const { page } = await setup.site.open(setup.service.url);
    const address = setup.service.tokenThat('Only Uniswap v2');
    await field(page, 'Buy').fill(`https://basescan.org/token/${address}?a=1#code`);
    expect((await requestedBody(page)).tokenOut?.toLowerCase()).toBe(address.toLowerCase());
    await page.close();
  });

  test('error: a URL with two addresses is refused at its field', async () => {
    const { page } = await setup.site.open(setup.service.url);
    const [one, other] = [setup.service.tokenThat('Only Uniswap v2'), `0x${'12'.repeat(20)}`];
    await field(page, 'Buy').fill(`https://app.example/swap?inputCurrency=${one}&outputCurrency=${other}`);
    expect(await problemOf(page, 'Buy')).toContain('paste its address');
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('the keyboard in the form', () => {
  test('default: Enter takes the only match; Tab leads from a token to the next field', async () => {
    const { page } = await setup.site.open(setup.service.url);
    const options = page.getByRole('listbox').getByRole('option');
    await field(page, 'Sell').focus();
    // A list that scrolls could take the focus.
    await expect.poll(() => options.count()).toBeGreaterThan(8);
    await field(page, 'Sell').press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('tokenOut');
    await field(page, 'Sell').fill(setup.service.tokenThat('Only Uniswap v2').slice(0, 20));
    await expect.poll(() => options.count()).toBe(1);
    await field(page, 'Sell').press('Enter');
    expect(await field(page, 'Sell').inputValue()).not.toMatch(/^0x/);
    await field(page, 'Sell').press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('tokenOut');
    await page.close();
  });
});
