import { chainFacts } from '../../client/chains/index.ts';
import type { QuoteOutput } from '../../router/index.ts';
import { el } from './dom.ts';
import { explorerLink, isSandbox } from './explorers.ts';
import { shorten, toTime, toWhole } from './numbers.ts';
import { dropSwap, readSwap, type SwapRecord } from './swapRecords.ts';
import { explainWallet } from './walletErrors.ts';

/** Prices may have moved much after this time, so the page then needs a second click. */
const oldMs = 60_000;

const sendLabel = 'Send with your wallet';
const rejected = 'You rejected the request in your wallet. It was not sent.';

/** A button that sends the swap of a quote with a wallet of this browser, and the state of the sent transaction. */
export function sendView(quote: QuoteOutput, nameOf: (address: string) => string): HTMLElement {
  if (isSandbox())
    return el(
      'p',
      { class: 'under' },
      'No wallet of a browser reaches the local chains of a sandbox: send it by code.',
    );
  const said = el('p', { class: 'notice', 'aria-live': 'polite' });
  const outcome = el('div', {});
  const send = el('button', { type: 'button', class: 'share' }, sendLabel);
  const release = el('button', { type: 'button', class: 'link' });
  const say = (text: string, bad = false) => {
    said.className = bad ? 'notice bad' : 'notice';
    said.textContent = text;
  };
  const show = () => {
    const record = readSwap(quote);
    outcome.replaceChildren(...(record ? [recordView(record, quote, nameOf)] : []));
    send.textContent = labelOf(record);
    send.hidden = record?.result?.succeeded === true && record.step === 'swap';
    send.disabled = record !== undefined && record.hash === undefined;
    const isReplaced = record?.isReplaced === true && !record.result;
    release.textContent = `${isReplaced ? 'The swap was not executed' : 'It was not sent'}: allow to send it again`;
    release.hidden = !send.disabled && !isReplaced;
  };
  let isConfirmed = false;
  send.addEventListener('click', async () => {
    const age = Date.now() - quote.ts;
    if (!readSwap(quote) && age > oldMs && !isConfirmed) {
      isConfirmed = true;
      send.textContent = 'Send it anyway';
      return say(
        `This quote is ${ageText(age)} old, and prices may have moved. The swap fails below the minimum above.`,
      );
    }
    // One sending at a time, also for a second click.
    send.disabled = true;
    try {
      const { sendSwap } = await import('./sendSwap.ts');
      await sendSwap({ quote, nameOf, say, onRecord: show });
      say('');
    } catch (error) {
      say(explainWallet(error, rejected), true);
    } finally {
      show();
    }
  });
  release.addEventListener('click', () => {
    dropSwap(quote);
    say('');
    show();
  });
  show();
  return el('div', { class: 'send' }, el('div', { class: 'build' }, send, release), said, outcome);
}

function labelOf(record: SwapRecord | undefined): string {
  if (!record || record.result?.succeeded === false) return sendLabel;
  return record.step === 'approval' ? 'Continue with your wallet' : 'Look up the result';
}

function ageText(ageMs: number): string {
  const minutes = Math.round(ageMs / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1_440)} days`;
}

/** The state of the last transaction that the wallet was asked to send. */
function recordView(
  { step, hash, account, requestedAt, result, isReplaced }: SwapRecord,
  quote: QuoteOutput,
  nameOf: (address: string) => string,
) {
  const name = step === 'swap' ? 'The swap' : 'The approval';
  if (hash === undefined)
    return el(
      'p',
      { class: 'notice bad' },
      `Your wallet was asked to send ${name.toLowerCase()} from ${shorten(account)} at ${toTime(requestedAt)}, and its reply did not arrive. It may have been sent: look at the activity of your wallet first.`,
    );
  const received =
    result?.received === undefined
      ? ''
      : ` The account received ${toWhole(result.received, quote.decimals.out)} ${nameOf(quote.tokenOut)}.`;
  const unknown = isReplaced
    ? `The swap was not mined under the hash that your wallet returned; another transaction of ${shorten(account)} may have replaced it. If you sped it up, it was executed, and sending it again sells a second time. Look at the activity of your wallet first.`
    : `${name} is sent; its result is not known yet.`;
  const text = !result
    ? unknown
    : result.succeeded
      ? `${name} succeeded in block ${result.block}.${received}`
      : `${name} failed in block ${result.block}: nothing was sold, and the gas was paid. The price may have fallen below the minimum. Buy a new quote, or select a larger slippage.`;
  return el(
    'p',
    { class: result?.succeeded === false || (isReplaced && !result) ? 'notice bad' : 'notice' },
    `${text} Transaction `,
    hashView(quote, hash),
    '.',
  );
}

function hashView({ chain }: QuoteOutput, hash: string): HTMLElement {
  const text = el('code', { title: hash }, shorten(hash));
  const link = explorerLink(`eip155:${chainFacts[chain].chainId}`, hash);
  return link ? el('a', { href: link.url, rel: 'noreferrer', target: '_blank' }, text, ` on ${link.name}`) : text;
}
