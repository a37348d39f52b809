import { answerView, receiptView } from './answerView.ts';
import { el } from './dom.ts';
import { knownNames } from './knownNames.ts';
import type { Names } from './quoteView.ts';
import type { PayWith } from './wallets.ts';

interface Token {
  chain: string;
  address: string;
  symbol: string;
  about: string;
}

const form = document.querySelector<HTMLFormElement>('#try-form');
if (form) start(form);

/** The box on the first page: choose, pay, see. In the sandbox it offers the seeded tokens. */
function start(form: HTMLFormElement): void {
  const names = new Map(knownNames);
  form.addEventListener('change', () => showPart(form));
  showPart(form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void buy(form, names);
  });
  if (form.dataset.mode === 'sandbox') void offer(form, names);
}

/** Without its tokens the box works all the same: addresses can be typed. */
async function offer(form: HTMLFormElement, names: Map<string, string>): Promise<void> {
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
  const price = form.querySelector<HTMLInputElement>('input[name=what]:checked')?.dataset.price;
  const button = form.querySelector('button');
  if (button) button.textContent = `Pay ${price} USD and ask`;
}

async function buy(form: HTMLFormElement, names: Names): Promise<void> {
  const said = form.querySelector('output');
  const button = form.querySelector('button');
  const shown = document.querySelector('#try-answer');
  if (!said || !button || !shown) return;
  const { path, body, payWith } = toCall(form);
  button.disabled = true;
  said.className = 'said';
  said.textContent =
    payWith === 'demo' ? 'The demo wallet signs, the payment settles, the answer follows…' : 'Waiting for your wallet…';
  shown.replaceChildren();
  try {
    const { openPayingFetch, readReceipt } = await import('./pay.ts');
    const pay = await openPayingFetch(payWith);
    const answer = await pay(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const told = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(refusalOf(answer.status, told));
    const receipt = readReceipt(answer.headers.get('payment-response'));
    said.textContent = 'Paid and answered.';
    const view = answerView(told, names);
    const json = el(
      'details',
      {},
      el('summary', {}, 'The JSON'),
      el('pre', { tabindex: 0 }, JSON.stringify(told, null, 2)),
    );
    shown.replaceChildren(
      ...[view, receipt && receiptView(receipt, answer.headers.has('idempotent-replayed')), json].filter(
        (node) => node !== null,
      ),
    );
  } catch (error) {
    said.className = 'said bad';
    said.textContent = error instanceof Error ? error.message : 'It failed.';
  } finally {
    button.disabled = false;
  }
}

function toCall(form: HTMLFormElement): { path: string; body: unknown; payWith: PayWith } {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const payWith = text('payWith') as PayWith;
  if (text('what') === 'check')
    return {
      path: '/v1/pretrade/check',
      body: { token: text('token'), ...given('sizeUSD', text('sizeUSD')) },
      payWith,
    };
  const body = { chain: text('chain'), tokenIn: text('tokenIn'), tokenOut: text('tokenOut'), sizeIn: text('sizeIn') };
  return { path: '/v1/quote', body, payWith };
}

const given = (name: string, value: string) => (value ? { [name]: value } : {});

/** The service's own words, with every issue it found. */
function refusalOf(status: number, { detail, issues }: Record<string, unknown>): string {
  const found = Array.isArray(issues) ? issues.map(({ path, message }) => `${path}: ${message}`) : [];
  return [typeof detail === 'string' ? detail : `The service answered ${status}.`, ...found].join(' ');
}
