import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { shareOf } from '../support/proofSize.ts';
import { linkTo, splitLink } from './answerLinks.ts';
import { chromiumPath, screenshotFolder } from './siteBrowser.ts';
import { useSandboxSite } from './useSite.ts';

// The form of the home page, and the answers that the page shows.

const setup = useSandboxSite();

const button = (page: Page) => page.locator('#try-form .buy');
const answer = (page: Page) => page.locator('#try-answer .answer');
const openHome = (fragment = '', options: { width?: number; dark?: boolean } = {}) =>
  setup.site.open(`${setup.service.url}/${fragment}`, options);
describe.skipIf(!chromiumPath)('the form', () => {
  test('default: finds tokens by symbol and requests the selected one', async () => {
    const { page, errors } = await openHome();
    await page.getByLabel('Sell', { exact: true }).fill('aero');
    await page
      .getByRole('option', { name: /^AERO\b/ })
      .first()
      .click();
    expect(await page.locator('.combo .token-icon').count()).toBeGreaterThan(0);
    const requested = page.waitForRequest('**/v1/quote');
    await button(page).click();
    const { tokenIn } = (await requested).postDataJSON();
    expect(tokenIn).toBe(
      setup.service.sandbox.tokens.find(({ chain, symbol }) => chain === 'base' && symbol === 'AERO')?.address,
    );
    await answer(page).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  test('behavior: text typed before the tokens have loaded finds them when they load', async () => {
    const { page } = await setup.site.open('about:blank');
    let deliver: () => Promise<void> = () => Promise.reject(new Error('The page has not requested the tokens.'));
    const requested = new Promise<void>((resolve) => {
      void page.route('**/sandbox', (route) => {
        deliver = () => route.continue();
        resolve();
      });
    });
    await page.goto(`${setup.service.url}/`);
    await page.getByLabel('Sell', { exact: true }).fill('aer');
    const options = page.getByRole('option', { name: /^AERO\b/ });
    expect(await options.count()).toBe(0);
    await requested;
    await deliver();
    await options.first().click();
    expect(await page.getByLabel('Sell', { exact: true }).inputValue()).toBe('AERO');
    await page.close();
  });

  test('error: text that matches no token is rejected without a request', async () => {
    const { page } = await openHome();
    await page.getByLabel('Sell', { exact: true }).fill('no such token');
    let sent = 0;
    page.on('request', ({ url }) => url().endsWith('/v1/quote') && sent++);
    await page.getByLabel('Sell', { exact: true }).press('Escape');
    await button(page).click();
    expect(await page.getByLabel('Sell', { exact: true }).evaluate((input) => input.validationMessage)).toContain(
      'Choose a token',
    );
    expect(sent).toBe(0);
    await page.close();
  });

  test('behavior: changing the chain selects its tokens with the same symbols and clears a pasted address', async () => {
    const { page } = await openHome();
    await page.getByLabel('Buy', { exact: true }).fill(setup.service.tokenThat('pool'));
    await page.getByLabel('Buy', { exact: true }).press('Escape');
    await page.getByLabel('Chain').selectOption('polygon');
    expect(await page.getByLabel('Buy', { exact: true }).inputValue()).not.toMatch(/^0x/);
    await page.getByLabel('Buy', { exact: true }).fill('USDC');
    await page.getByLabel('Buy', { exact: true }).press('Escape');
    const requested = page.waitForRequest('**/v1/quote');
    await button(page).click();
    const body = (await requested).postDataJSON();
    const symbols = new Map(
      setup.service.sandbox.tokens.map(({ chain, address, symbol }) => [chain + address, symbol]),
    );
    expect(symbols.get(`polygon${body.tokenIn}`)).toBe('WETH');
    expect(symbols.get(`polygon${body.tokenOut}`)).toBe('USDC');
    await answer(page).waitFor();
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('calls and payments', () => {
  test('behavior: the button offers the free call until it is used, then shows the price; the receipt states the charge', async () => {
    const { page } = await openHome();
    await page.getByLabel('Is it a trap?').check();
    expect(await button(page).textContent()).toBe('Send: free, or 0.05 USD if used before');
    await button(page).click();
    await page.locator('.receipt').waitFor();
    expect(await page.locator('.receipt').textContent()).toMatch(/Receipt: 0\.00 USD.*nothing was charged/s);
    expect(await button(page).textContent()).toBe('Pay 0.05 USD and send');
    await page.getByLabel('Size in USD').fill('2000');
    await button(page).click();
    await page.locator('.receipt').waitFor();
    expect(await page.locator('.receipt').textContent()).toMatch(/Receipt: 0\.05 USD.*Settled on/s);
    expect(await page.locator('.signals .value').count()).toBe(5);
    expect(await page.locator('.signals').textContent()).toMatch(/Exit liquidity.*\$[\d.,]+/);
    await page.close();
  });

  test('security: signs nothing when the requested price exceeds the displayed one', async () => {
    const { page } = await openHome();
    const signatures: string[] = [];
    page.on('request', (request) => request.headers()['payment-signature'] && signatures.push(request.url()));
    await page.locator('input[name=what]:checked').evaluate((input) => {
      input.dataset.price = '0.01';
    });
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    expect(await page.locator('.notice').textContent()).toMatch(/0\.02/);
    expect(signatures).toEqual([]);
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('links that contain an answer', () => {
  test('default: a link contains the answer; opening it sends no request and no payment', async () => {
    const { page } = await openHome();
    await button(page).click();
    await answer(page).waitFor();
    const headline = await page.locator('.headline').textContent();
    await expect.poll(() => page.evaluate('location.hash')).toMatch(/^#answer=/);
    const fragment = String(await page.evaluate('location.hash'));
    await page.close();

    const requested: string[] = [];
    const { page: other, errors } = await openHome();
    other.on('request', (request) => requested.push(`${request.method()} ${request.url()}`));
    await other.goto(`${setup.service.url}/${fragment}`);
    await other.reload();
    await answer(other).waitFor();
    expect(await other.locator('.headline').textContent()).toBe(headline);
    expect(await other.locator('.from-link').textContent()).toContain('Anyone can edit a link');
    expect(requested.filter((line) => line.startsWith('POST'))).toEqual([]);
    expect(requested.join('\n')).not.toContain('answer=');
    expect(errors).toEqual([]);
    await other.close();
  });

  test.each([
    ['not compressed', '#answer=AAAA'],
    ['no answer', linkTo({ answer: 1 })],
    [
      'an answer of other types',
      linkTo({ request: { path: '/v1/quote', body: {} }, answer: { executablePrice: 1, route: 1 } }),
    ],
    [
      'a text longer than any answer',
      linkTo({ request: { path: '', body: {} }, answer: { text: 'x'.repeat(500_000) } }),
    ],
  ])('error: a damaged link (%s) shows no answer', async (_name, fragment) => {
    const { page, errors } = await openHome(fragment);
    await page.getByText('The link is damaged').waitFor();
    expect(await answer(page).count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('diagrams', () => {
  test.each(shareOf([390, 768, 1440], 3))('default: draws a split plan as parallel parts at %i px', async (width) => {
    const { page, errors } = await openHome(splitLink, { width });
    await answer(page).waitFor();
    const route = page.getByRole('img', { name: /^Route/ });
    expect(await route.getAttribute('aria-label')).toBe(
      'Route. 1: 60 % of the order, WETH to USDC on uniswap-v3. 2: 40 % of the order, WETH to DAI on aerodrome. ' +
        '3: 28 % of the order, DAI to USDC on uniswap-v4. 4: 12 % of the order, DAI to USDC on pancakeswap-v3.',
    );
    expect(await route.locator('.band').count()).toBe(4);
    expect(await route.getByText('60 % uniswap-v3').count()).toBe(1);
    expect(await route.locator('.token').count()).toBe(3);
    expect(await page.getByText('a leg does not always sell').count()).toBe(1);
    expect(await setup.site.findAccessibilityViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.locator('#try-answer').screenshot({ path: `${screenshotFolder}split-${width}.png` });
    await page.close();
  });

  test('default: the depth chart has numbers on both axes, at least 11 px high at 390 px', async () => {
    const { page } = await openHome(splitLink, { width: 390 });
    const chart = page.getByRole('img', { name: /^Price by size/ });
    await chart.waitFor();
    const texts = await chart
      .locator('text')
      .evaluateAll((found) =>
        found.map((text): [string, string | null, number] => [
          text.textContent ?? '',
          text.getAttribute('text-anchor'),
          text.getBoundingClientRect().height,
        ]),
      );
    expect(texts.filter(([text, anchor]) => anchor === 'end' && /^[\d,.]+$/.test(text)).length).toBeGreaterThanOrEqual(
      3,
    );
    expect(texts.map(([text]) => text)).toEqual(expect.arrayContaining(['0', 'Size, WETH']));
    // Straight lines connect the sizes of the answer: no curve suggests values between them.
    expect(await chart.locator('path').count()).toBe(0);
    expect((await chart.locator('polyline').getAttribute('points'))?.split(' ')).toHaveLength(3);
    expect(await chart.locator('circle.fill').count()).toBe(2);
    expect(await chart.locator('circle.bound').count()).toBe(1);
    for (const [text, , height] of texts) expect(height, text).toBeGreaterThanOrEqual(11);
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('search and code samples', () => {
  test('default: search by keyboard finds an error code and opens its page', async () => {
    const { page, errors } = await setup.site.open(`${setup.service.url}/guides/quote`);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /Search/ }).fill('PAYMENT_REUSED');
    await page.getByRole('option').first().waitFor();
    expect(await setup.site.findAccessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith('/guides/quote'));
    expect(await page.locator('main').textContent()).toContain('PAYMENT_REUSED');
    expect(errors).toEqual([]);
    await page.close();
  });

  test('default: code samples have copy buttons, and other pages keep the selected tab', async () => {
    const { page, errors } = await setup.site.open(`${setup.service.url}/guides/first-call`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByRole('button', { name: 'Copy: Python' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('x402_requests');
    await page.goto(`${setup.service.url}/reference`);
    expect(await page.getByRole('tab', { name: 'Python', selected: true }).count()).toBe(2);
    expect(errors).toEqual([]);
    await page.close();
  });
});
