import type { Progress } from '../../client/index.ts';
import { answerView, receiptView } from './answerView.ts';
import { el } from './dom.ts';
import { knownNames } from './knownNames.ts';
import type { Bought } from './pay.ts';
import { dropPending, readPending } from './pendingPayments.ts';
import type { Names } from './quoteView.ts';

interface Token {
  chain: string;
  address: string;
  symbol: string;
  about: string;
}

const form = document.querySelector<HTMLFormElement>('#try-form');
if (form) start(form);

/** The form on the first page. In the sandbox it suggests the seeded tokens. */
function start(form: HTMLFormElement): void {
  const names = new Map(knownNames);
  form.addEventListener('change', () => showPart(form));
  showPart(form);
  if (readPending().length > 0)
    showMessage(
      form,
      'A payment was sent from this tab and its answer has not arrived. Fetching it costs nothing more.',
      true,
    );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(form, names);
  });
  form.querySelector('.discard')?.addEventListener('click', () => {
    for (const pending of readPending()) dropPending(pending);
    showMessage(form, 'Discarded. It may have been charged; its answer can no longer be fetched from here.');
    showButtons(form);
  });
  if (form.dataset.mode === 'sandbox') void suggestTokens(form, names);
}

/** Suggests the sandbox's tokens. Without them the form accepts typed addresses. */
async function suggestTokens(form: HTMLFormElement, names: Map<string, string>): Promise<void> {
  const answer = await fetch('/sandbox');
  if (!answer.ok) return;
  const { tokens } = (await answer.json()) as { tokens: Token[] };
  for (const { address, symbol } of tokens) names.set(address.toLowerCase(), symbol);
  const lists: [string, Token[]][] = [
    ['#tokens-quote', tokens],
    ['#tokens-check', tokens.filter(({ chain }) => chain === 'base')],
  ];
  for (const [selector, offered] of lists) {
    const options = offered.map(({ address, symbol, about, chain }) =>
      el('option', { value: address }, `${symbol} (${chain}): ${about}`),
    );
    form.querySelector(selector)?.replaceChildren(...options);
  }
}

function showPart(form: HTMLFormElement): void {
  const chosen = new FormData(form).get('what');
  for (const part of form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-what]')) {
    const here = part.dataset.what === chosen;
    part.hidden = !here;
    part.disabled = !here;
  }
  showButtons(form);
}

/** While a payment has no answer, the button fetches that answer instead of paying again. */
function showButtons(form: HTMLFormElement): void {
  const pending = readPending().length > 0;
  const price = form.querySelector<HTMLInputElement>('input[name=what]:checked')?.dataset.price;
  const button = form.querySelector<HTMLButtonElement>('.buy');
  if (button) button.textContent = pending ? 'Fetch the answer you paid for' : `Pay ${price} USD and ask`;
  const discard = form.querySelector<HTMLButtonElement>('.discard');
  if (discard) discard.hidden = !pending;
  // The fields describe the next request, not the one that was paid.
  form.noValidate = pending;
}

function showMessage(form: HTMLFormElement, text: string, bad = false): void {
  const output = form.querySelector('output');
  if (!output) return;
  output.className = bad ? 'said bad' : 'said';
  output.textContent = text;
}

async function submit(form: HTMLFormElement, names: Names): Promise<void> {
  const buttons = form.querySelectorAll('button');
  const shown = document.querySelector('#try-answer');
  if (!shown) return;
  for (const button of buttons) button.disabled = true;
  shown.replaceChildren();
  const [pending] = readPending();
  const payWith = form.dataset.mode === 'sandbox' ? 'demo' : 'browser';
  showMessage(form, pending ? 'Sending the same payment again…' : opening[payWith]);
  const { buyAnswer, explain, fetchPaidAnswer } = await import('./pay.ts');
  const onProgress = (progress: Progress) => showMessage(form, describe(progress));
  try {
    const bought = await (pending
      ? fetchPaidAnswer(pending, onProgress)
      : buyAnswer(toCall(form), payWith, onProgress));
    showMessage(form, 'Paid and answered.');
    show(shown, bought, names);
  } catch (error) {
    showMessage(form, explain(error), true);
  } finally {
    for (const button of buttons) button.disabled = false;
    showButtons(form);
  }
}

const opening = { demo: 'The demo wallet signs…', browser: 'Waiting for your wallet…' };

function describe(progress: Progress): string {
  switch (progress.stage) {
    case 'priced':
      return `${progress.priceUsd} USD on ${progress.network}: waiting for the signature…`;
    case 'settling':
      return 'The payment settles, the answer follows…';
    case 'waiting':
      return `No answer yet (${progress.reason}). Sending the same payment again in ${Math.ceil(progress.waitMs / 1000)} s…`;
  }
}

function show(target: Element, { answer, receipt }: Bought, names: Names): void {
  const view = answerView(answer, names);
  const json = el(
    'details',
    {},
    el('summary', {}, 'The JSON'),
    el('pre', { tabindex: 0 }, JSON.stringify(answer, null, 2)),
  );
  const paid = receipt && receiptView(receipt, receipt.replayed);
  target.replaceChildren(...[view, paid, json].filter((node) => node !== null && node !== undefined));
}

function toCall(form: HTMLFormElement): { path: string; body: unknown } {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  if (text('what') === 'check')
    return { path: '/v1/pretrade/check', body: { token: text('token'), ...given('sizeUSD', text('sizeUSD')) } };
  const body = { chain: text('chain'), tokenIn: text('tokenIn'), tokenOut: text('tokenOut'), sizeIn: text('sizeIn') };
  return { path: '/v1/quote', body };
}

const given = (name: string, value: string) => (value ? { [name]: value } : {});
