import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/index.ts';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { type DroppingProxy, startDroppingProxy } from './dropAnswers.ts';
import { receivedOn } from './receivedOn.ts';
import { chromiumPath, openSiteBrowser, screenshotFolder } from './siteBrowser.ts';

// The page when its connection breaks after the payment. payTo's USDC balance on chain shows the charges.

const price = 20_000n;
const fetchLabel = 'Fetch the answer you paid for';

let service: StartedSandbox;
let proxy: DroppingProxy;
let browser: Browser;
beforeAll(async () => {
  service = await startedSandbox();
  proxy = await startDroppingProxy(service.url);
  ({ browser } = await openSiteBrowser());
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await service?.close();
});
beforeEach(() => {
  proxy.dropping = false;
  proxy.signatures = [];
  proxy.dropped = 0;
});

const received = () => receivedOn(service.sandbox as unknown as Sandbox);
const stored = (page: Page) =>
  page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("truefill.pendingPayment."))');
const button = (page: Page) => page.locator('#try-form .buy');

describe.skipIf(!chromiumPath)('a lost answer', () => {
  test('behavior: fetches an answer that was lost after the payment with the same payment, charged once', async () => {
    const before = await received();
    const page = await browser.newPage();
    await page.goto(proxy.url);
    proxy.dropping = true;
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    expect(await received()).toBe(before + price);
    proxy.dropping = false;
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await received()).toBe(before + price);
    expect(new Set(proxy.signatures).size).toBe(1);
    await page.close();
  });

  test('behavior: fetches a lost answer with the same payment after a reload, charged once', async () => {
    const before = await received();
    const page = await browser.newPage();
    await page.goto(proxy.url);
    await page.getByLabel('Size, in whole tokens').fill('3.25');
    proxy.dropping = true;
    await button(page).click();
    await expect.poll(() => proxy.dropped).toBeGreaterThan(0);
    await page.reload();
    expect(await button(page).textContent()).toBe(fetchLabel);
    expect(await page.locator('.notice').textContent()).toContain('costs nothing more');
    await page.screenshot({ path: `${screenshotFolder}pending-payment.png`, fullPage: true });
    proxy.dropping = false;
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await page.locator('.under').filter({ hasText: 'for 3.25' }).count()).toBe(1);
    expect(await received()).toBe(before + price);
    expect(new Set(proxy.signatures).size).toBe(1);
    expect(await stored(page)).toEqual([]);
    expect(await button(page).textContent()).toBe('Pay 0.02 USD and send');
    await page.close();
  });

  test('behavior: another tab fetches the lost answer with the same payment, charged once', async () => {
    const before = await received();
    const context = await browser.newContext();
    const [page, other] = [await context.newPage(), await context.newPage()];
    await page.goto(proxy.url);
    await other.goto(proxy.url);
    expect(await button(other).textContent()).toBe('Pay 0.02 USD and send');
    proxy.dropping = true;
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    await page.close();
    proxy.dropping = false;
    await expect.poll(() => button(other).textContent()).toBe(fetchLabel);
    await button(other).click();
    await other.locator('#try-answer .answer').waitFor();
    expect(await received()).toBe(before + price);
    expect(new Set(proxy.signatures).size).toBe(1);
    await context.close();
  });
});

describe.skipIf(!chromiumPath)('a lost answer in Swagger UI', () => {
  test('behavior: the same request is repeated with the same payment', async () => {
    const before = await received();
    const page = await browser.newPage();
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
    await page.goto(`${service.url}/docs/#/quote/quote`);
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
    const page = await browser.newPage();
    const unknown = { status: 503, code: 'SETTLEMENT_UNKNOWN', detail: 'Send the same PAYMENT-SIGNATURE again.' };
    let reply: typeof unknown & { charged: boolean | null } = { ...unknown, charged: null };
    await page.route('**/v1/quote', async (route) => {
      if (!route.request().headers()['payment-signature']) return route.continue();
      const { status, ...body } = reply;
      return route.fulfill({ status, headers: { 'retry-after': '0' }, json: body });
    });
    await page.goto(proxy.url);
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    expect(await button(page).textContent()).toBe(fetchLabel);
    expect(await stored(page)).toHaveLength(1);

    reply = { status: 409, code: 'PAYMENT_REUSED', detail: 'You were charged and answered.', charged: true };
    await button(page).click();
    await page.getByText('You were charged and answered.').waitFor();
    expect(await stored(page)).toHaveLength(1);
    await page.getByRole('button', { name: 'Discard that payment' }).click();
    expect(await stored(page)).toEqual([]);

    const tooLow = 'The balance is too low. Nothing was charged.';
    reply = { status: 402, code: 'PAYMENT_REQUIRED', detail: tooLow, charged: false };
    await button(page).click();
    await page.getByText('Nothing was charged.').waitFor();
    expect(await stored(page)).toEqual([]);
    expect(await button(page).textContent()).toBe('Pay 0.02 USD and send');
    expect(await page.getByRole('button', { name: 'Discard that payment' }).isVisible()).toBe(false);
    await page.close();
  });

  test('error: sends no payment when the browser cannot store it', async () => {
    const before = await received();
    const page = await browser.newPage();
    await page.addInitScript(
      'Storage.prototype.setItem = () => { throw new DOMException("The quota is exceeded.", "QuotaExceededError"); }',
    );
    await page.goto(proxy.url);
    await button(page).click();
    await page.locator('.notice.bad').waitFor();
    expect(proxy.signatures).toEqual([]);
    expect(await received()).toBe(before);
    await page.close();
  });
});
