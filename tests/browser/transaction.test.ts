import { describe, expect, test } from 'vitest';
import { chromiumPath, screenshotFolder } from './siteBrowser.ts';
import { useSandboxSite } from './useSite.ts';

// The transaction that the home page builds for a quote, by the free call of the service.

const setup = useSandboxSite();

const account = `0x${'ab'.repeat(20)}`;

describe.skipIf(!chromiumPath)('the transaction of a quote', () => {
  test('default: shows the approval and the swap with the minimum at the selected slippage', async () => {
    const { page, errors } = await setup.site.open(setup.service.url);
    await page.locator('#try-form .buy').click();
    await page.locator('#try-answer .answer').waitFor();
    await page.getByLabel('Slippage').selectOption('100');
    await page.getByText('The transaction to send').click();
    const built = page.waitForResponse('**/v1/quote/transaction');
    await page.getByLabel(/^Or build it/).fill(account);
    await page.getByRole('button', { name: 'Build it, free' }).click();
    const { to, minAmountOut } = await (await built).json();
    const shown = page.locator('.transaction');
    await shown.getByText(/you receive at least/).waitFor();
    expect(await shown.getByRole('button', { name: 'Copy data' }).count()).toBe(2);
    expect(await shown.textContent()).toContain(to);
    const { amountOut } = JSON.parse(String(await page.locator('#try-answer pre').textContent()));
    expect(Number(minAmountOut) / Number(amountOut)).toBeCloseTo(0.99, 6);
    expect(await setup.site.findAccessibilityViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.locator('#try-answer').screenshot({ path: `${screenshotFolder}transaction.png` });
    await page.close();
  });

  test('error: a text that is no address is refused at its field; an error of the service is shown', async () => {
    const { page } = await setup.site.open(setup.service.url);
    await page.locator('#try-form .buy').click();
    await page.locator('#try-answer .answer').waitFor();
    await page.getByText('The transaction to send').click();
    const field = page.getByLabel(/^Or build it/);
    await field.fill('me');
    expect(
      await field.evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage),
    ).toContain('Enter an address');
    await page.route('**/v1/quote/transaction', (route) =>
      route.fulfill({ status: 422, json: { detail: 'The executor is not deployed on base.' } }),
    );
    await field.fill(account);
    await page.getByRole('button', { name: 'Build it, free' }).click();
    await page.getByText('The executor is not deployed on base.').waitFor();
    await page.close();
  });
});
