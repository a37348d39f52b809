import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Quote } from '../../client/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { chromiumPath } from './siteBrowser.ts';
import { baseOf, buySwapQuote, type FakeWallet, notices, openSwapPage, sendButton, traderOf } from './swapPage.ts';
import { useLiveSite } from './useSite.ts';

// What the home page states if a swap fails, and that it sends nothing that it should not.

let bought: Quote;
const setup = useLiveSite();
beforeAll(async () => {
  bought = await buySwapQuote(setup.live);
});

const node = () => createNodeClient(baseOf(setup.live).rpcUrl);
let snapshot: string;
beforeEach(async () => {
  snapshot = await node().call<string>('evm_snapshot');
});
afterEach(() => node().call('evm_revert', [snapshot]));

const open = () => openSwapPage(setup.browser, setup.live, { ...bought, ts: Date.now() });
const sent = ({ called }: FakeWallet) => called.filter((method) => method === 'eth_sendTransaction').length;
const trader = () => traderOf(setup.live).slice(2).toLowerCase();
const stored = 'Object.keys(localStorage).filter((key) => key.startsWith("truefill.swap."))';

describe.skipIf(!chromiumPath)('before anything is sent', () => {
  test.each<[name: string, replies: FakeWallet['replies'], text: string]>([
    ['no account', { eth_requestAccounts: () => [] }, 'The wallet returned no account.'],
    ['another chain', { eth_chainId: () => '0x1' }, 'Your wallet is on chain 1, and the swap is on Base.'],
    ['another account', { eth_accounts: () => [`0x${'22'.repeat(20)}`] }, 'Your wallet no longer offers account 0x'],
    ['no executor on its chain', { eth_getCode: () => '0x6001' }, 'is not the executor on the Base of your wallet'],
    ['too few tokens', { eth_call: () => `0x${'0'.repeat(64)}` }, 'has 0 WETH on Base, and the swap sells 0.5 WETH.'],
    ['no gas', { eth_getBalance: () => '0x0' }, 'has no ETH on Base to pay the gas.'],
    [
      'no chain',
      { wallet_switchEthereumChain: () => Promise.reject({ code: 4001, message: 'no' }) },
      'It was not sent.',
    ],
  ])('error: %s: the page states it, and asks for no transaction', async (_name, replies, text) => {
    const { page, wallet } = await open();
    wallet.replies = replies;
    await sendButton(page).click();
    await expect.poll(() => notices(page)).toContain(text);
    expect(sent(wallet)).toBe(0);
    expect(await page.evaluate(stored)).toEqual([]);
    expect(await sendButton(page).isEnabled()).toBe(true);
    await page.context().close();
  });

  const stranger = `0x${'44'.repeat(20)}`;
  test.each<[name: string, change: (built: Record<string, unknown>) => object, text: string]>([
    ['another recipient', () => ({ to: stranger }), 'not the executor of this service'],
    ['a value', () => ({ value: '1' }), 'it sends 1 wei'],
    ['a lower minimum', () => ({ minAmountOut: '1' }), 'its minimum is 1, not '],
    [
      'another receiver',
      ({ data }) => ({ data: String(data).toLowerCase().replaceAll(trader(), stranger.slice(2)) }),
      'another account would receive',
    ],
    ['another chain', () => ({ chainId: 1 }), 'it is for chain 1'],
    [
      'an unlimited approval',
      ({ approvals }) => ({
        approvals: (approvals as { data: string }[]).map((each) => ({
          ...each,
          data: each.data.slice(0, -64) + 'f'.repeat(64),
        })),
      }),
      'its approval is not for the exact amount',
    ],
  ])('security: a built transaction with %s is not sent', async (_name, change, text) => {
    const { page, wallet } = await open();
    await page.route('**/v1/quote/transaction', async (route) => {
      const response = await route.fetch();
      const built = (await response.json()) as Record<string, unknown>;
      return route.fulfill({ response, json: { ...built, ...change(built) } });
    });
    await sendButton(page).click();
    await page.getByText(/is not the expected one/).waitFor();
    expect(await notices(page)).toContain(text);
    expect(sent(wallet)).toBe(0);
    await page.context().close();
  });

  test('error: a swap that fails in the simulation is not sent; the approval stays usable', async () => {
    const { page, wallet } = await open();
    wallet.replies.eth_call = ([call], forward) => {
      if ('from' in (call as object)) throw { code: 3, message: 'execution reverted: TooLittle' };
      return forward();
    };
    await sendButton(page).click();
    await page.getByText('The swap would fail now (execution reverted: TooLittle). Nothing was sent.').waitFor();
    expect(sent(wallet)).toBe(1);
    wallet.replies = {};
    await sendButton(page).click();
    await page.getByText(/The swap succeeded/).waitFor();
    expect(sent(wallet)).toBe(2);
    await page.context().close();
  });

  test('error: without storage nothing is sent', async () => {
    const { page, wallet } = await open();
    await page.evaluate(
      'Storage.prototype.setItem = () => { throw new DOMException("The quota is exceeded.", "QuotaExceededError"); }',
    );
    await sendButton(page).click();
    await page.getByText('The quota is exceeded.').waitFor();
    expect(sent(wallet)).toBe(0);
    await page.context().close();
  });
});

describe.skipIf(!chromiumPath)('what the wallet is asked', () => {
  test('security: each transaction names its chain, so a wallet that changes its chain refuses it', async () => {
    const { page, wallet } = await open();
    const chains: unknown[] = [];
    wallet.replies.eth_sendTransaction = ([call], forward) => {
      chains.push((call as { chainId?: unknown }).chainId);
      return forward();
    };
    await sendButton(page).click();
    await page.getByText(/The swap succeeded/).waitFor();
    expect(chains).toEqual(['0x2105', '0x2105']);
    await page.context().close();
  });

  test('security: without locks, a step that another tab stored in the meantime is not sent', async () => {
    const { page, wallet } = await open();
    await page.evaluate('Object.defineProperty(navigator, "locks", { value: undefined })');
    const asked: unknown[] = [];
    wallet.replies.eth_sendTransaction = () => {
      asked.push('sent');
      return Promise.reject({ code: 4001, message: 'no' });
    };
    // The page stores a step of its own; the wallet rejects it, so the key becomes known and free again.
    await page.evaluate(
      'const set = Storage.prototype.setItem; Storage.prototype.setItem = function (key, value) { if (key.startsWith("truefill.swap.")) globalThis.swapKey = key; set.call(this, key, value); }',
    );
    await sendButton(page).click();
    await page.getByText('You rejected the request in your wallet.').waitFor();
    wallet.replies.eth_accounts = async (_params, forward) => {
      await page.evaluate(
        'localStorage.setItem(swapKey, JSON.stringify({ step: "approval", account: "0x", requestedAt: Date.now(), until: Date.now() }))',
      );
      return forward();
    };
    await sendButton(page).click();
    await page.getByText('Another tab is sending this swap. Nothing was sent from here.').waitFor();
    expect(asked).toEqual(['sent']);
    await page.context().close();
  });
});

describe.skipIf(!chromiumPath)('after the wallet was asked', () => {
  test('behavior: a rejected approval and a rejected swap can be asked for again, and the approval is sent once', async () => {
    const { page, wallet } = await open();
    const reject = () => Promise.reject({ code: 4001, message: 'User rejected.' });
    wallet.replies.eth_sendTransaction = reject;
    await sendButton(page).click();
    await page.getByText('You rejected the request in your wallet. It was not sent.').waitFor();
    expect(await page.evaluate(stored)).toEqual([]);
    let asked = 0;
    wallet.replies.eth_sendTransaction = (_params, forward) => (++asked === 2 ? reject() : forward());
    await sendButton(page).click();
    await page.getByText('The approval succeeded').waitFor();
    await page.getByText('You rejected the request in your wallet. It was not sent.').waitFor();
    await sendButton(page).click();
    await page.getByText(/The swap succeeded/).waitFor();
    expect(asked).toBe(3);
    await page.context().close();
  });

  test.each([-32_603, 4900, 4901])(
    'error: error %i of the wallet keeps the step, because it may have been sent',
    async (code) => {
      const { page, wallet } = await open();
      wallet.replies.eth_sendTransaction = () => Promise.reject({ code, message: 'Failed.' });
      await sendButton(page).click();
      await page.getByText(`The wallet reported error ${code}: Failed.`).waitFor();
      expect(await notices(page)).toContain('It may have been sent');
      expect(await sendButton(page).isDisabled()).toBe(true);
      await page.context().close();
    },
  );

  test('error: a reverted swap is called failed, and can be sent again', async () => {
    const { page, wallet } = await open();
    let asked = 0;
    wallet.replies.eth_sendTransaction = ([call], forward) =>
      ++asked === 2 ? node().call('eth_sendTransaction', [{ ...(call as object), gas: '0x10000' }]) : forward();
    await sendButton(page).click();
    await page.getByText(/The swap failed in block \d+: nothing was sold/).waitFor();
    await sendButton(page).click();
    await page.getByText(/The swap succeeded/).waitFor();
    expect(sent(wallet)).toBe(3);
    await page.context().close();
  });

  test('behavior: a node that does not answer delays the result only', async () => {
    const { page, wallet } = await open();
    wallet.replies.eth_getTransactionReceipt = () => Promise.reject({ code: -32_000, message: 'down' });
    await sendButton(page).click();
    await page.getByText("The approval is sent, but your wallet's node does not answer.").waitFor();
    wallet.replies = {};
    await page.getByText(/The swap succeeded/).waitFor();
    expect(sent(wallet)).toBe(2);
    await page.context().close();
  });
});

describe.skipIf(!chromiumPath)('a hash that is never mined', () => {
  /** The transaction of this request is mined under a hash that the page does not get, as after a speed-up. */
  const speedUp = (request: number, wallet: FakeWallet) => {
    let asked = 0;
    wallet.replies.eth_sendTransaction = async (_params, forward) => {
      const hash = await forward();
      return ++asked === request ? `0x${'5'.repeat(64)}` : hash;
    };
  };

  test('behavior: a swap that was replaced in the wallet is sent again only after the user has confirmed the risk', async () => {
    const { page, wallet } = await open();
    speedUp(2, wallet);
    await sendButton(page).click();
    await page.getByText('The page does not know whether the swap was executed.').waitFor();
    expect(await notices(page)).toContain(
      'If you sped it up, it was executed, and sending it again sells a second time.',
    );
    await page.reload();
    await page.getByText('The transaction to send').click();
    await page.getByRole('button', { name: 'Look up the result' }).click();
    await page.getByText('The page does not know whether the swap was executed.').waitFor();
    expect(sent(wallet)).toBe(2);
    await page.getByRole('button', { name: 'The swap was not executed: allow to send it again' }).click();
    expect(await page.evaluate(stored)).toEqual([]);
    expect(sent(wallet)).toBe(2);
    await page.context().close();
  });

  test('behavior: after an approval that was replaced in the wallet, the next press swaps', async () => {
    const { page, wallet } = await open();
    speedUp(1, wallet);
    await sendButton(page).click();
    await page.getByText('Another transaction of this account replaced the approval.').waitFor();
    await sendButton(page).click();
    await page.getByText(/The swap succeeded/).waitFor();
    expect(sent(wallet)).toBe(2);
    await page.context().close();
  });

  test('behavior: a swap that is not mined is given up only when the chain is past its deadline', async () => {
    const { page, wallet } = await open();
    let asked = 0;
    wallet.replies.eth_sendTransaction = (_params, forward) => (++asked === 2 ? `0x${'5'.repeat(64)}` : forward());
    await page.clock.install();
    await sendButton(page).click();
    await page.getByText('The swap is sent. Waiting').waitFor();
    await page.clock.fastForward(1_400_000);
    await page.getByText("The swap was sent, and your wallet's node does not answer. Look it up later.").waitFor();
    await node().call('evm_increaseTime', [1_400]);
    await node().call('evm_mine');
    await page.getByRole('button', { name: 'Look up the result' }).click();
    await page.getByText('The swap was not mined before its deadline, so it moved nothing.').waitFor();
    expect(sent(wallet)).toBe(2);
    await page.context().close();
  });
});
