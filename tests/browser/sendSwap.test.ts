import type { Address } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Quote } from '../../client/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { balanceOf } from '../executor/openMarket.ts';
import { splitLink } from './answerLinks.ts';
import { chromiumPath, screenshotFolder } from './siteBrowser.ts';
import { baseOf, buySwapQuote, notices, openSwapPage, sendButton, traderOf } from './swapPage.ts';
import { useLiveSite } from './useSite.ts';

// The home page sends the swap of a quote by a wallet. The chain is the judge.

let bought: Quote;
let quote: Quote;
const setup = useLiveSite();
beforeAll(async () => {
  bought = await buySwapQuote(setup.live);
});

const node = () => createNodeClient(baseOf(setup.live).rpcUrl);
const held = (token: string) => balanceOf(baseOf(setup.live), token as Address, traderOf(setup.live));
let snapshot: string;
beforeEach(async () => {
  quote = { ...bought, ts: Date.now() };
  snapshot = await node().call<string>('evm_snapshot');
});
afterEach(async () => {
  await node().call('evm_setAutomine', [true]);
  await node().call('evm_revert', [snapshot]);
});

const open = () => openSwapPage(setup.browser, setup.live, quote);
const sent = (called: readonly string[]) => called.filter((method) => method === 'eth_sendTransaction').length;

describe.skipIf(!chromiumPath)('a swap that is sent', () => {
  test('default: approves the exact amount and swaps once on a double click; the balances move; a reload keeps it', async () => {
    const { page, wallet, openTab } = await open();
    const before = [await held(quote.tokenIn), await held(quote.tokenOut)];
    await sendButton(page).dblclick();
    await page.getByText(/The swap succeeded in block \d+/).waitFor();
    const after = [await held(quote.tokenIn), await held(quote.tokenOut)];
    expect((before[0] ?? 0n) - (after[0] ?? 0n)).toBe(BigInt(quote.amountIn));
    const received = (after[1] ?? 0n) - (before[1] ?? 0n);
    expect(received).toBeGreaterThan((BigInt(quote.amountOut) * 995n) / 1_000n - 1n);
    expect(sent(wallet.called)).toBe(2);
    expect(((await notices(page)) ?? '').replaceAll(',', '')).toContain(`received ${Number(received) / 1e6} USDC`);
    expect(await page.locator('.send a').getAttribute('href')).toMatch(/^https:\/\/basescan\.org\/tx\/0x\w{64}$/);
    expect(await sendButton(page).isVisible()).toBe(false);
    expect(await setup.site.findAccessibilityViolations(page)).toEqual([]);
    await page.locator('#try-answer').screenshot({ path: `${screenshotFolder}sent-swap.png` });
    for (const again of [page, await openTab()]) {
      await again.reload();
      await again.getByText('The transaction to send').click();
      await again.getByText(/The swap succeeded in block \d+/).waitFor();
      expect(await sendButton(again).isVisible()).toBe(false);
    }
    expect(sent(wallet.called)).toBe(2);
    await page.context().close();
  });

  test('behavior: a reload while the approval or the swap is pending continues where it stopped, and sends each once', async () => {
    const { page, wallet } = await open();
    await node().call('evm_setAutomine', [false]);
    await sendButton(page).click();
    await page.getByText('The approval is sent. Waiting').waitFor();
    await page.reload();
    await page.getByText('The transaction to send').click();
    await page.getByRole('button', { name: 'Continue with your wallet' }).click();
    await page.getByText('The approval is sent. Waiting').waitFor();
    await node().call('evm_mine');
    await page.getByText('The swap is sent. Waiting').waitFor();
    expect(sent(wallet.called)).toBe(2);
    await page.reload();
    await page.getByText('The transaction to send').click();
    await node().call('evm_mine');
    await page.getByRole('button', { name: 'Look up the result' }).click();
    await page.getByText(/The swap succeeded in block \d+/).waitFor();
    expect(sent(wallet.called)).toBe(2);
    await page.context().close();
  });

  test('behavior: while one tab waits for the wallet, another sends nothing; after a reload only the user allows it', async () => {
    const { page, wallet, openTab } = await open();
    const other = await openTab();
    wallet.replies.eth_sendTransaction = () => new Promise(() => undefined);
    await page.clock.install();
    await sendButton(page).click();
    await page.getByText('Approve exactly').waitFor();
    await expect.poll(() => sent(wallet.called)).toBe(1);
    await page.clock.fastForward(61_000);
    await page.getByText('Your wallet has not replied for a minute.').waitFor();
    await sendButton(other).click();
    await other.getByText('Another tab is sending this swap. Nothing was sent from here.').waitFor();
    expect(await sendButton(other).isDisabled()).toBe(true);
    expect(await notices(other)).toContain('its reply did not arrive');
    await page.close();
    await other.reload();
    await other.getByText('The transaction to send').click();
    expect(await sendButton(other).isDisabled()).toBe(true);
    expect(sent(wallet.called)).toBe(1);
    wallet.replies = {};
    await other.getByRole('button', { name: 'It was not sent' }).click();
    await sendButton(other).click();
    // The clock of the page is a minute ahead, so the quote is old.
    await other.getByRole('button', { name: 'Send it anyway' }).click();
    await other.getByText(/The swap succeeded/).waitFor();
    await other.context().close();
  });
});

describe.skipIf(!chromiumPath)('a quote that is not sent', () => {
  test('security: a quote that came with a link has no button that sends it', async () => {
    const { page } = await setup.site.open(`${setup.live.url}/${splitLink}`);
    await page.getByText('The transaction to send').click();
    await page.getByText('sends only quotes that were bought in this browser').waitFor();
    expect(await page.locator('.send').count()).toBe(0);
    await page.close();
  });

  test('behavior: an old quote is sent only after a second click', async () => {
    quote = { ...quote, ts: Date.now() - 7_200_000 };
    const { page, wallet } = await open();
    await sendButton(page).click();
    await page.getByText('This quote is 2 hours old').waitFor();
    expect(wallet.called).toEqual([]);
    await page.getByRole('button', { name: 'Send it anyway' }).click();
    await page.getByText(/The swap succeeded/).waitFor();
    await page.context().close();
  });
});
