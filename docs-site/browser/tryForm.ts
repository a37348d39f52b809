import { readAmount } from '../../client/readAmount/index.ts';
import { type TokenField, tokenField } from './tokenField.ts';
import { nativeAddress, type Token } from './tokens.ts';

/** A request to the service. */
interface Call {
  path: string;
  body: Record<string, string>;
}

export interface TryForm {
  offer(tokens: readonly Token[]): void;
  /** The request that the fields describe. */
  toCall(): Call;
  /** Fills the fields from a request, for an answer to a request that was not typed here. */
  show(path: string, body: Record<string, unknown>): void;
  /** Disables the fields while a request is pending. */
  lock(locked: boolean): void;
  /** Whether the next call may be free for a wallet that has not used its free call. */
  mayBeFree(): boolean;
  priceUsd(): string;
  /** The network to pay on; undefined for any. */
  payOn(): `${string}:${string}` | undefined;
  /** The id of the quote's chain. */
  chainId(): number;
}

const paths = { quote: '/v1/quote', check: '/v1/pretrade/check' };

/** The fields of the form on the home page. `onChange` is called when an answer no longer belongs to them. */
export function tryForm(form: HTMLFormElement, onChange: () => void): TryForm {
  const input = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
  const text = (name: string) => input(name).value.trim();
  const field = (name: string, chain: () => string): TokenField => tokenField(input(name), chain, onChange);
  const [tokenIn, tokenOut] = [field('tokenIn', () => text('chain')), field('tokenOut', () => text('chain'))];
  const token = field('token', () => 'base');
  let tokens: readonly Token[] = [];

  const offerForChain = (keepText: boolean) => {
    const here = tokens.filter(({ chain }) => chain === text('chain'));
    for (const each of [tokenIn, tokenOut]) each.offer(here, keepText);
  };
  const showPart = () => {
    for (const part of form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-what]')) {
      const here = part.dataset.what === chosen(form).value;
      part.hidden = !here;
      part.disabled = !here;
    }
  };
  form.addEventListener('change', ({ target }) => {
    if (target === input('chain')) offerForChain(false);
    showPart();
    onChange();
  });
  const checkSizes = () => {
    for (const name of ['sizeIn', 'sizeUSD']) input(name).setCustomValidity(problemOf(input(name)));
  };
  form.addEventListener('input', () => {
    checkSizes();
    onChange();
  });
  // A click comes before the browser's own checks, also for Enter.
  form.querySelector('.buy')?.addEventListener('click', () => rejectSameToken(tokenIn, tokenOut));
  showPart();

  const amount = (name: string) => amountOf(input(name));
  return {
    offer(offered) {
      tokens = offered;
      offerForChain(true);
      // The check takes no native coin: it has no contract.
      const onBase = tokens.filter(({ chain, address }) => chain === 'base' && address !== nativeAddress);
      token.offer(onBase, true);
    },
    toCall() {
      if (chosen(form).value === 'check') {
        const size = amount('sizeUSD');
        return { path: paths.check, body: { token: token.address(), ...(size && { sizeUSD: size }) } };
      }
      const body = {
        chain: text('chain'),
        tokenIn: tokenIn.address(),
        tokenOut: tokenOut.address(),
        sizeIn: amount('sizeIn'),
      };
      return { path: paths.quote, body };
    },
    show(path, body) {
      const what = path === paths.quote ? 'quote' : 'check';
      for (const radio of form.querySelectorAll<HTMLInputElement>('input[name=what]'))
        radio.checked = radio.value === what;
      for (const name of ['chain', 'sizeIn', 'sizeUSD'])
        if (typeof body[name] === 'string') input(name).value = body[name];
      checkSizes();
      offerForChain(false);
      for (const [name, target] of Object.entries({ tokenIn, tokenOut, token }))
        if (typeof body[name] === 'string') target.choose(body[name]);
      showPart();
    },
    lock(locked) {
      for (const control of form.querySelectorAll<HTMLFieldSetElement | HTMLButtonElement>('fieldset, button'))
        control.disabled = locked;
      if (!locked) showPart();
    },
    mayBeFree: () => chosen(form).dataset.free === 'true',
    priceUsd: () => chosen(form).dataset.price ?? '',
    chainId: () => Number(form.querySelector<HTMLOptionElement>('[name=chain] option:checked')?.dataset.id),
    payOn: () => (input('payOn')?.value || undefined) as `${string}:${string}` | undefined,
  };
}

function amountOf({ value }: HTMLInputElement): string {
  const read = readAmount(value);
  return 'amount' in read ? read.amount : '';
}

/** Why the amount of a field cannot be sent; empty if it can. A field without `required` may be empty. */
function problemOf({ value, required }: HTMLInputElement): string {
  const read = readAmount(value);
  return 'amount' in read || (value.trim() === '' && !required) ? '' : read.problem;
}

function chosen(form: HTMLFormElement): HTMLInputElement {
  const radio = form.querySelector<HTMLInputElement>('input[name=what]:checked');
  if (!radio) throw new TypeError('The form has no service selected.');
  return radio;
}

function rejectSameToken(tokenIn: TokenField, tokenOut: TokenField): void {
  const sold = tokenIn.address().toLowerCase();
  // While the list of tokens loads, no symbol has an address yet: the request waits for the list.
  if (sold === '') return;
  const isSame = sold === tokenOut.address().toLowerCase();
  tokenOut.reject(isSame ? 'Choose another token than the one that you sell.' : '');
}
