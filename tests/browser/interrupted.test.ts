import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/index.ts';
import { receivedOn } from './receivedOn.ts';
import { chromiumPath, screenshotFolder } from './siteBrowser.ts';
import { useDroppingSite } from './useSite.ts';

// The page when its connection breaks after the payment. payTo's USDC balance on chain shows the charges.

const price = 20_000n;
const fetchLabel = 'Fetch the answer you paid for';

const setup = useDroppingSite();

const received = () => receivedOn(setup.service.sandbox as unknown as Sandbox);
const stored = (page: Page) =>
  page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("truefill.pendingPayment."))');
const button = (page: Page) => page.locator('#try-form .buy');

describe.skipIf(!chromiumPath)('a lost answer', () => {
  test('behavior: fetches an answer that was lost after the payment with the same payment, charged once', async () => {
    const before = await received();
    const page = await setup.browser.newPage();
    await page.goto(setup.proxy.url);
    setup.proxy.dropping = true;
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    expect(await received()).toBe(before + price);
    setup.proxy.dropping = false;
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await received()).toBe(before + price);
    expect(new Set(setup.proxy.signatures).size).toBe(1);
    await page.close();
  });

  test('behavior: fetches a lost answer with the same payment after a reload, charged once', async () => {
    const before = await received();
    const page = await setup.browser.newPage();
    await page.goto(setup.proxy.url);
    await page.getByLabel('Size, in whole tokens').fill('3.25');
    setup.proxy.dropping = true;
    await button(page).click();
    await expect.poll(() => setup.proxy.dropped).toBeGreaterThan(0);
    await page.reload();
    expect(await button(page).textContent()).toBe(fetchLabel);
    expect(await page.locator('.notice').textContent()).toContain('costs nothing more');
    await page.screenshot({ path: `${screenshotFolder}pending-payment.png`, fullPage: true });
    setup.proxy.dropping = false;
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await page.locator('.under').filter({ hasText: 'for 3.25' }).count()).toBe(1);
    expect(await received()).toBe(before + price);
    expect(new Set(setup.proxy.signatures).size).toBe(1);
    expect(await stored(page)).toEqual([]);
    expect(await button(page).textContent()).toBe('Pay 0.02 USD and send');
    await page.close();
  });

  test.each(['localStorage', 'sessionStorage'])(
    'behavior: a payment that an earlier release stored in %s is fetched, charged once',
    async (storage) => {
      const before = await received();
      const page = await setup.browser.newPage();
      await page.goto(setup.proxy.url);
      setup.proxy.dropping = true;
      await button(page).click();
      await page.locator('.notice.bad').waitFor();
      await page.evaluate(`
      const [key] = Object.keys(localStorage).filter((key) => key.startsWith('truefill.pendingPayment.'));
      ${storage}.setItem('truefill.pendingPayments', '[' + localStorage.getItem(key) + ']');
      localStorage.removeItem(key);
    `);
      setup.proxy.dropping = false;
      await page.reload();
      expect(await button(page).textContent()).toBe(fetchLabel);
      expect(await stored(page)).toHaveLength(1);
      await button(page).click();
      await page.locator('#try-answer .answer').waitFor();
      expect(await received()).toBe(before + price);
      expect(await page.evaluate(`${storage}.getItem('truefill.pendingPayments')`)).toBeNull();
      expect(await stored(page)).toEqual([]);
      await page.close();
    },
  );

  test('behavior: another tab fetches the lost answer with the same payment, charged once', async () => {
    const before = await received();
    const context = await setup.browser.newContext();
    const [page, other] = [await context.newPage(), await context.newPage()];
    await page.goto(setup.proxy.url);
    await other.goto(setup.proxy.url);
    expect(await button(other).textContent()).toBe('Pay 0.02 USD and send');
    setup.proxy.dropping = true;
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    await page.close();
    setup.proxy.dropping = false;
    await expect.poll(() => button(other).textContent()).toBe(fetchLabel);
    await button(other).click();
    await other.locator('#try-answer .answer').waitFor();
    expect(await received()).toBe(before + price);
    expect(new Set(setup.proxy.signatures).size).toBe(1);
    await context.close();
  });
});

describe.skipIf(!chromiumPath)('a lost answer in Swagger UI', () => {
  test('behavior: the same request is repeated with the same payment', async () => {
    const before = await received();
    const page = await setup.browser.newPage();
    // Swagger UI calls the server URL of the document, not the proxy, so the test drops the answer in the browser.
    const signatures: string[] = [];
    let dropping = true;
    await page.route('**/v1/quote', async (route) => {
      const signature = route.request().headers()['payment-signature'];
      if (signature) signatures.push(signature);
      if (!signature || !dropping) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.goto(`${setup.service.url}/docs/#/quote/quote`);
    await page.locator('.try-out__btn').click();
    await page.locator('.btn.execute').click();
    await page.getByText('its answer has not arrived').first().waitFor();
    expect(await received()).toBe(before + price);
    dropping = false;
    await page.locator('.btn.execute').click();
    await page.locator('.answer').waitFor();
    expect(await received()).toBe(before + price);
    expect(new Set(signatures).size).toBe(1);
    expect(signatures.length).toBeGreaterThan(1);
    expect(await stored(page)).toEqual([]);
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('error responses', () => {
  test('behavior: keeps the payment after a 503, offers to discard it after a 409, and drops it after a 402', async () => {
    const page = await setup.browser.newPage();
    const unknown = { status: 503, code: 'SETTLEMENT_UNKNOWN', detail: 'Send the same PAYMENT-SIGNATURE again.' };
    let reply: typeof unknown & { charged: boolean | null } = { ...unknown, charged: null };
    await page.route('**/v1/quote', async (route) => {
      if (!route.request().headers()['payment-signature']) return route.continue();
      const { status, ...body } = reply;
      return route.fulfill({ status, headers: { 'retry-after': '0' }, json: body });
    });
    await page.goto(setup.proxy.url);
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    expect(await button(page).textContent()).toBe(fetchLabel);
    expect(await stored(page)).toHaveLength(1);

    reply = { status: 409, code: 'PAYMENT_REUSED', detail: 'You were charged and answered.', charged: true };
    await button(page).click();
    await page.getByText('You were charged and answered.').waitFor();
    expect(await stored(page)).toHaveLength(1);
    await page.getByRole('button', { name: 'Discard the pending payment' }).click();
    expect(await stored(page)).toEqual([]);

    const tooLow = 'The balance is too low. Nothing was charged.';
    reply = { status: 402, code: 'PAYMENT_REQUIRED', detail: tooLow, charged: false };
    await button(page).click();
    await page.getByText('Nothing was charged.').waitFor();
    expect(await stored(page)).toEqual([]);
    expect(await button(page).textContent()).toBe('Pay 0.02 USD and send');
    expect(await page.getByRole('button', { name: 'Discard the pending payment' }).isVisible()).toBe(false);
    await page.close();
  });

  test('error: sends no payment when the browser cannot store it', async () => {
    const before = await received();
    const page = await setup.browser.newPage();
    await page.addInitScript(
      'Storage.prototype.setItem = () => { throw new DOMException("The quota is exceeded.", "QuotaExceededError"); }',
    );
    await page.goto(setup.proxy.url);
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    expect(setup.proxy.signatures).toEqual([]);
    expect(await received()).toBe(before);
    await page.close();
  });
});
