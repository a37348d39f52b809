import type { QuoteOutput } from '../../router/index.ts';
import { type BuiltTransaction, buildTransaction } from './buildTransaction.ts';
import { copyBy } from './copy.ts';
import { el } from './dom.ts';
import { toWhole } from './numbers.ts';
import { sendView } from './sendView.ts';
import { addressIn } from './tokens.ts';

/**
 * The transaction of a quote: a button that sends it with a wallet, and a form that builds it for an account.
 * @param isOwn whether the quote was bought in this browser; no other quote is sent
 */
export function transactionView(quote: QuoteOutput, nameOf: (address: string) => string, isOwn: boolean): HTMLElement {
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
    el('label', { for: 'taker' }, 'Or build it for your account, which sends it and receives the tokens'),
    el('div', { class: 'build' }, account, el('button', { type: 'submit', class: 'share' }, 'Build it, free')),
  );
  account.addEventListener('input', () => {
    account.setCustomValidity(addressIn(account.value) ? '' : 'Enter an address: 0x and 40 hexadecimal characters.');
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const built = await buildTransaction(quote, addressIn(account.value) ?? '');
      shown.replaceChildren(
        steps(built, `${toWhole(built.minAmountOut, quote.decimals.out)} ${nameOf(quote.tokenOut)}`),
      );
    } catch (error) {
      shown.replaceChildren(el('p', { class: 'notice bad' }, error instanceof Error ? error.message : String(error)));
    }
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
    isOwn
      ? sendView(quote, nameOf)
      : el('p', { class: 'under' }, 'The home page sends only quotes that were bought in this browser.'),
    form,
    shown,
  );
}

function steps({ chainId, approvals, to, data, value, warnings }: BuiltTransaction, least: string): HTMLElement {
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
