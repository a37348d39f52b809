import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { announceWallets } from './announceWallets.ts';
import { receivedOn } from './receivedOn.ts';
import { chromiumPath } from './siteBrowser.ts';
import { openSolanaPage, receivedOnSolana, solanaOf } from './solanaPage.ts';
import { useLiveSite } from './useSite.ts';

// "Execute" in Swagger UI pays with a wallet of the browser: on EVM chains by EIP-1193, on Solana by the wallet standard.

const price = 20_000n;

const setup = useLiveSite({ solana: true });
const path = '/docs/#/quote/quote';

async function execute(page: Page): Promise<void> {
  await page.locator('.try-out__btn').click();
  await page.getByLabel('Wallet').selectOption("this browser's wallet");
  await page.locator('.btn.execute').click();
}

describe.skipIf(!chromiumPath)('Swagger UI with a wallet of the browser', () => {
  test('default: an EVM wallet pays one quote on Base; the receipt is shown above the JSON', async () => {
    const before = await receivedOn(setup.live.sandbox);
    const page = await setup.browser.newPage();
    await page.addInitScript(announceWallets(setup.live.privateKey));
    await page.goto(setup.live.url + path);
    await execute(page);
    await page.getByRole('button', { name: 'Without Base' }).click();
    await page.locator('.receipt').waitFor();
    expect(await page.locator('.receipt').textContent()).toMatch(/Settled on Base in 0x/);
    expect(await receivedOn(setup.live.sandbox)).toBe(before + price);
    await page.close();
  });

  test('default: a wallet of Solana pays one quote on Solana', async () => {
    const solana = solanaOf(setup.live);
    const before = await receivedOnSolana(solana);
    const { page, wallet } = await openSolanaPage(setup.browser, setup.live.url + path, { solana });
    await execute(page);
    await page.locator('.receipt').waitFor();
    expect(await page.locator('.receipt').textContent()).toMatch(/Settled on Solana in /);
    expect(wallet.requests).toBe(1);
    expect(await receivedOnSolana(solana)).toBe(before + price);
    await page.close();
  });

  test('error: a rejected signature is explained, and nothing is charged', async () => {
    const before = await receivedOn(setup.live.sandbox);
    const page = await setup.browser.newPage();
    await page.addInitScript(announceWallets(setup.live.privateKey));
    await page.goto(setup.live.url + path);
    await execute(page);
    await page.getByRole('button', { name: 'Refusing' }).click();
    await page.getByText('You rejected the request in your wallet. Nothing was signed or charged.').first().waitFor();
    expect(await receivedOn(setup.live.sandbox)).toBe(before);
    await page.close();
  });

  test('default: no wallet is selected, and the response is the 402', async () => {
    const page = await setup.browser.newPage();
    await page.goto(setup.live.url + path);
    await page.locator('.try-out__btn').click();
    await page.locator('.btn.execute').click();
    await page.locator('.live-responses-table .response-col_status').getByText('402').waitFor();
    await page.close();
  });
});
