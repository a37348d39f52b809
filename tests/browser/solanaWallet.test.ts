import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { announceWallets } from './announceWallets.ts';
import { chromiumPath, screenshotFolder } from './siteBrowser.ts';
import { openSolanaPage, receivedOnSolana, solanaOf } from './solanaPage.ts';
import { useLiveSite } from './useSite.ts';

// Wallets of Solana pay by the wallet standard. The local Solana runs the real virtual machine and token program.

const price = 20_000n;

const setup = useLiveSite({ solana: true });
const solana = () => solanaOf(setup.live);

const button = (page: Page) => page.locator('#try-form .buy');
const notice = (page: Page) => page.locator('#try-form .notice');
const open = (role?: string) =>
  openSolanaPage(setup.browser, setup.live.url, { solana: solana(), ...(role && { role }) });

describe.skipIf(!chromiumPath)('a wallet of Solana', () => {
  test('default: the only wallet pays a quote; balance, receipt and explorer link are those of Solana', async () => {
    const before = await receivedOnSolana(solana());
    const { page, wallet } = await open();
    const notices: string[] = [];
    await page.exposeFunction('noteText', (text: string) => notices.push(text));
    await page.evaluate(`
      const output = document.querySelector('#try-form output');
      new MutationObserver(() => noteText(output.textContent)).observe(output, { childList: true });
    `);
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await page.locator('.receipt').textContent()).toContain('Settled on Solana');
    expect(await page.locator('.receipt a').getAttribute('href')).toMatch(/^https:\/\/solscan\.io\/tx\/\w{80,90}$/);
    expect(notices.join('\n')).toMatch(/Account \w+….* has 10,000 USDC on Solana\. Confirm the payment of 0\.02 USDC/);
    expect(wallet.requests).toBe(1);
    expect(await receivedOnSolana(solana())).toBe(before + price);
    await page.screenshot({ path: `${screenshotFolder}bought-on-solana.png`, fullPage: true });
    await page.close();
  });

  test('behavior: the payment with an instruction that the wallet added is accepted', async () => {
    const before = await receivedOnSolana(solana());
    const { page, wallet } = await open();
    wallet.addsInstruction = true;
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await receivedOnSolana(solana())).toBe(before + price);
    await page.close();
  });

  test('error: a rejected signature, and an account without USDC: nothing is charged', async () => {
    const before = await receivedOnSolana(solana());
    const rejecting = await open();
    rejecting.wallet.refusal = { code: 4001, message: 'User rejected the request.' };
    await button(rejecting.page).click();
    await rejecting.page.getByText('You rejected the request in your wallet.').waitFor();
    await rejecting.page.close();

    const { page, wallet } = await open('stranger');
    await button(page).click();
    await expect
      .poll(() => notice(page).textContent())
      .toBe('Your account has 0 USDC on Solana, and this costs 0.02 USDC. Nothing was signed.');
    expect(wallet.requests).toBe(0);
    expect(await receivedOnSolana(solana())).toBe(before);
    await page.close();
  });

  test('behavior: the user chooses among wallets of Solana and of EVM chains, or one network', async () => {
    const { page, wallet } = await open();
    await page.addInitScript(announceWallets(setup.live.privateKey));
    await page.reload();
    await button(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByRole('button').allTextContents()).toEqual([
      'Refusing on EVM chains',
      'Without Base on EVM chains',
      'Sun on Solana',
    ]);
    await page.screenshot({ path: `${screenshotFolder}wallets.png` });
    await page.keyboard.press('Escape');
    await page.getByText('No wallet was chosen.').waitFor();
    await page.getByLabel('Pay on').selectOption('Solana');
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(wallet.requests).toBe(1);
    expect(await page.evaluate('requestedMethods')).toEqual([]);
    await page.close();
  });

  test('error: without a wallet of Solana the page names what is missing', async () => {
    const page = await setup.browser.newPage();
    await page.goto(setup.live.url);
    await page.getByLabel('Pay on').selectOption('Solana');
    await button(page).click();
    await expect.poll(() => notice(page).textContent()).toContain('No wallet of Solana was found in this browser.');
    await page.close();
  });
});
