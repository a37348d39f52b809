import type { QuoteOutput, TransactionOutput } from '../../router/index.ts';
import { copyBy } from './copy.ts';
import { el } from './dom.ts';
import { chosenSlippageBps } from './leastReceived.ts';
import { toWhole } from './numbers.ts';
import { addressIn } from './tokens.ts';

/** Seconds until the transaction reverts. */
const validSeconds = 1_200;

/** A form that builds the transaction of a quote for an account, by the free call of the service. */
export function transactionView(quote: QuoteOutput, symbol: string): HTMLElement {
  const account = el('input', {
    id: 'taker',
    required: '',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: '0x…',
  });
  const shown = el('div', { 'aria-live': 'polite' });
  const form = el(
    'form',
    {},
    el('label', { for: 'taker' }, 'Your account, which sends it and receives the tokens'),
    el('div', { class: 'build' }, account, el('button', { type: 'submit', class: 'share' }, 'Build it, free')),
  );
  account.addEventListener('input', () => {
    account.setCustomValidity(addressIn(account.value) ? '' : 'Enter an address: 0x and 40 hexadecimal characters.');
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    shown.replaceChildren(await build(quote, addressIn(account.value) ?? '', symbol));
  });
  return el(
    'details',
    { class: 'transaction' },
    el('summary', {}, 'The transaction to send'),
    el(
      'p',
      { class: 'under' },
      'One transaction executes the whole route, through a contract that has not been audited. It fails if you would receive less than the amount above.',
    ),
    form,
    shown,
  );
}

async function build(quote: QuoteOutput, receiver: string, symbol: string): Promise<HTMLElement> {
  const { chain, tokenIn, tokenOut, amountIn, amountOut, route } = quote;
  const deadline = Math.floor(Date.now() / 1_000) + validSeconds;
  const order = { chain, tokenIn, tokenOut, amountIn, amountOut, route, receiver };
  try {
    const response = await fetch('/v1/quote/transaction', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...order, slippageBps: chosenSlippageBps(), deadline }),
    });
    const body: TransactionOutput & { detail?: string } = await response.json();
    if (!response.ok) return notice(body.detail ?? `The service returned ${response.status}.`);
    return steps(body, `${toWhole(body.minAmountOut, quote.decimals.out)} ${symbol}`);
  } catch {
    return notice('The service could not be reached. Nothing was sent. Try again.');
  }
}

const notice = (text: string) => el('p', { class: 'notice bad' }, text);

function steps({ chainId, approvals, to, data, value, warnings }: TransactionOutput, least: string): HTMLElement {
  const calls = [
    ...approvals.map((approval) => ({ name: 'Approve exactly the amount that you sell', ...approval, value: '0' })),
    { name: `Swap: you receive at least ${least}`, to, data, value },
  ];
  return el(
    'div',
    {},
    el('p', {}, `Send these on chain ${chainId} within 20 minutes, in this order:`),
    el('ol', {}, ...calls.map(callView)),
    ...warnings.map((warning) => el('p', { class: 'under' }, warning)),
  );
}

function callView({ name, to, data, value }: { name: string; to: string; data: string; value: string }): HTMLElement {
  const button = el('button', { type: 'button', class: 'share' }, 'Copy data');
  button.addEventListener('click', () => void copyBy(button, data));
  return el(
    'li',
    {},
    el('strong', {}, name),
    el('div', { class: 'under' }, 'to ', el('code', {}, to), `, value ${value} wei `, button),
  );
}
