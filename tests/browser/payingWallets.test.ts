import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { announceWallets } from './announceWallets.ts';
import { type LiveSite, startLive } from './liveSite.ts';
import { receivedOn } from './receivedOn.ts';
import { chromiumPath, screenshotFolder } from './siteBrowser.ts';
import { useSandboxSite } from './useSite.ts';

// Which wallet pays on a page: the sandbox's demo wallet, or one of the browser.

const price = 20_000n;

const setup = useSandboxSite();

const button = (page: Page) => page.locator('#try-form .buy');

describe.skipIf(!chromiumPath)('the wallet of a sandbox page', () => {
  test('security: a sandbox page requests no signature from a browser wallet', async () => {
    const page = await setup.browser.newPage();
    await page.addInitScript(
      'globalThis.requestedMethods = []; globalThis.ethereum = { request: ({ method }) => requestedMethods.push(method) && Promise.reject(new Error("no")) };',
    );
    await page.goto(setup.service.url);
    expect(await page.locator('#try-form').textContent()).not.toContain("browser's wallet");
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await page.evaluate('requestedMethods')).toEqual([]);
    await page.goto(`${setup.service.url}/docs/#/quote/quote`);
    await page.locator('.try-out__btn').click();
    expect(await page.getByLabel('Wallet').locator('option').allTextContents()).toEqual([
      'the demo wallet of the sandbox',
      'no wallet: show the 402',
    ]);
    await page.close();
  });
});

let live: LiveSite;
beforeAll(async () => {
  live = await startLive();
}, 60_000);
afterAll(() => live?.close());

describe.skipIf(!chromiumPath)('the wallet of a live page', () => {
  test("behavior: a live page buys a quote and checks with the browser's wallet by EIP-1193 and EIP-712", async () => {
    const before = await receivedOn(live.sandbox);
    const page = await setup.browser.newPage();
    await page.goto(live.url);
    // Injects an EIP-1193 provider, as wallet extensions do, that signs with the demo wallet's key.
    await page.evaluate(`
      globalThis.requestedMethods = [];
      globalThis.ethereum = {
        async request({ method, params }) {
          requestedMethods.push(method);
          const { privateKeyToAccount } = await import('/assets/demoAccount.js');
          const account = privateKeyToAccount('${live.privateKey}');
          if (method === 'eth_requestAccounts') return [account.address];
          if (method === 'wallet_switchEthereumChain') return null;
          const typed = JSON.parse(params[1]);
          delete typed.types.EIP712Domain;
          return account.signTypedData(typed);
        },
      };
    `);
    expect(await page.locator('#try-form').textContent()).toContain("browser's wallet");
    await button(page).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await page.evaluate('requestedMethods')).toEqual([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_call',
      'eth_signTypedData_v4',
    ]);
    expect(await page.locator('.receipt').textContent()).toMatch(/Settled on/);
    expect(await page.locator('.receipt a').getAttribute('href')).toMatch(/^https:\/\/basescan\.org\/tx\/0x\w{64}$/);
    expect(await receivedOn(live.sandbox)).toBe(before + price);

    await page.getByLabel('Is it a trap?').check();
    for (const [size, receipt, charged] of [
      ['1000', /Receipt: 0\.00 USD.*nothing was charged/s, 0n],
      ['2000', /Receipt: 0\.05 USD.*Settled on/s, 50_000n],
    ] as const) {
      await page.getByLabel('Size in USD').fill(size);
      await button(page).click();
      await page.locator('.receipt').waitFor();
      expect(await page.locator('.verdict').textContent()).toContain('Clear');
      expect(await page.locator('.receipt').textContent()).toMatch(receipt);
      expect(await receivedOn(live.sandbox)).toBe(before + price + charged);
    }
    await page.screenshot({ path: `${screenshotFolder}bought-check-live.png`, fullPage: true });
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('a wallet that cannot pay, or sells too much', () => {
  test('error: a wallet that can read the chain signs nothing for a size above the supply, or without enough USDC', async () => {
    const page = await setup.browser.newPage();
    const rpcUrl = String(live.sandbox.chains.base?.rpcUrl);
    await page.exposeFunction('readChain', async (method: string, params: unknown) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return ((await response.json()) as { result: unknown }).result;
    });
    await page.goto(live.url);
    await page.evaluate(`
      globalThis.requestedMethods = [];
      globalThis.ethereum = {
        async request({ method, params }) {
          requestedMethods.push(method);
          if (method === 'eth_requestAccounts') return ['0x${'11'.repeat(20)}'];
          if (method === 'wallet_switchEthereumChain') return null;
          if (method === 'eth_signTypedData_v4') throw new Error('No signature was to be requested.');
          return readChain(method, params);
        },
      };
    `);
    const notice = page.locator('#try-form .notice');
    await page.getByLabel('Size, in whole tokens').fill(`1${'0'.repeat(20)}`);
    await button(page).click();
    await expect.poll(() => notice.textContent()).toContain('larger than the whole supply');
    await page.getByLabel('Size, in whole tokens').fill(`0.${'0'.repeat(18)}1`);
    await button(page).click();
    await expect.poll(() => notice.textContent()).toContain('below the smallest unit');
    await page.getByLabel('Size, in whole tokens').fill('1');
    await button(page).click();
    await expect
      .poll(() => notice.textContent())
      .toBe('Your account has 0 USDC on Base, and this costs 0.02 USDC. Nothing was signed.');
    expect(await page.evaluate('requestedMethods')).not.toContain('eth_signTypedData_v4');
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('several wallets', () => {
  test('behavior: the user chooses among wallets that announce themselves; a missing chain is added', async () => {
    const page = await setup.browser.newPage();
    await page.addInitScript(announceWallets(live.privateKey));
    await page.goto(live.url);
    await button(page).click();
    await page.getByRole('button', { name: 'Refusing' }).click();
    await page.getByText('You rejected the request in your wallet.').waitFor();
    await button(page).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('No wallet was chosen.').waitFor();
    await button(page).click();
    await page.getByRole('button', { name: 'Without Base' }).click();
    await page.locator('#try-answer .answer').waitFor();
    expect(await page.evaluate('requestedMethods')).toEqual([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
      'eth_call',
      'eth_signTypedData_v4',
    ]);
    await page.close();
  });
});
