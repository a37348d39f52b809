import type { Browser, Page } from 'playwright-core';
import { privateKeyToAccount } from 'viem/accounts';
import { createTruefillClient, type Quote } from '../../client/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { findWallet } from '../support/findWallet.ts';
import { linkTo } from './answerLinks.ts';
import type { LiveSite } from './liveSite.ts';

// A page of a live service that shows a quote bought in its browser, and a wallet that forwards to the sandbox's chain.

type Reply = (params: unknown[], forward: () => Promise<unknown>) => unknown;

/** A wallet by EIP-6963 with the account of the trader. */
export interface FakeWallet {
  /** Every method, in order. */
  called: string[];
  /** Replies instead of the chain. A thrown plain object reaches the page as the wallet's error. */
  replies: Record<string, Reply>;
}

export const baseOf = ({ sandbox }: LiveSite): SandboxChain => {
  if (!sandbox.chains.base) throw new Error('The sandbox has no Base.');
  return sandbox.chains.base;
};

export const traderOf = ({ sandbox }: LiveSite) => findWallet(sandbox.wallets, 'trader').address;

/** Buys a quote of half a WETH with the published client. */
export async function buySwapQuote(live: LiveSite): Promise<Quote> {
  const wallet = privateKeyToAccount(live.privateKey as `0x${string}`);
  const truefill = createTruefillClient({ url: live.url, wallet, spendLimit: { totalUsd: 1 } });
  const { wrappedNative, usdc } = baseOf(live);
  return truefill.quote({ chain: 'base', tokenIn: wrappedNative, tokenOut: usdc, sizeIn: '0.5' });
}

/** Announces a wallet that passes each request on to the test. */
const announce = `
  const provider = {
    async request({ method, params }) {
      const { result, error } = await walletCall(method, params ?? []);
      if (error) throw error;
      return result;
    },
  };
  addEventListener('eip6963:requestProvider', () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: { name: 'Test' }, provider } })));
`;

/** Opens the page with a quote that its browser has bought. */
export async function openSwapPage(
  browser: Browser,
  live: LiveSite,
  quote: Quote,
): Promise<{ page: Page; wallet: FakeWallet; openTab: () => Promise<Page> }> {
  const context = await browser.newContext();
  const wallet: FakeWallet = { called: [], replies: {} };
  const node = createNodeClient(baseOf(live).rpcUrl);
  const trader = traderOf(live);
  await node.call('anvil_impersonateAccount', [trader]);
  const own: Record<string, unknown> = {
    eth_requestAccounts: [trader],
    eth_accounts: [trader],
    wallet_switchEthereumChain: null,
  };
  await context.exposeFunction('walletCall', async (method: string, params: unknown[]) => {
    wallet.called.push(method);
    const forward = async () => (method in own ? own[method] : node.call(method, params));
    try {
      return { result: await (wallet.replies[method] ?? ((_, next) => next()))(params, forward) };
    } catch (error) {
      return { error: error instanceof Error ? { code: -32_000, message: error.message } : error };
    }
  });
  await context.addInitScript(announce);
  const { chain, tokenIn, tokenOut } = quote;
  const shared = { request: { path: '/v1/quote', body: { chain, tokenIn, tokenOut, sizeIn: '0.5' } }, answer: quote };
  await context.addInitScript(
    `localStorage.setItem('truefill.answer.1.own', ${JSON.stringify(JSON.stringify(shared))});`,
  );
  const openTab = async () => {
    const page = await context.newPage();
    await page.goto(`${live.url}/${linkTo(shared)}`);
    await page.getByText('The transaction to send').click();
    return page;
  };
  return { page: await openTab(), wallet, openTab };
}

export const sendButton = (page: Page) => page.locator('.send .share');
export const notices = (page: Page) => page.locator('.send').textContent();
