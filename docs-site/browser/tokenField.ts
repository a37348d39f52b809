import { el } from './dom.ts';
import { shorten } from './numbers.ts';
import { tokenIcon } from './tokenIcon.ts';
import { addressIn, chainIn, findTokens, resolveToken, type Token } from './tokens.ts';

/** A token input: search by symbol, or a pasted address. An ARIA combobox with a list of its own. */
export interface TokenField {
  /** The chosen or pasted address; empty if the text matches no token. */
  address(): string;
  /**
   * Replaces the selectable tokens, all of one chain.
   * @param keepText true for the same chain: keeps the text. Otherwise keeps only a symbol that the new tokens include.
   */
  offer(tokens: readonly Token[], keepText: boolean): void;
  choose(addressOrSymbol: string): void;
  /** Rejects the token for a reason that this field does not know; empty if there is none. */
  reject(reason: string): void;
}

/** @param chain that the field's tokens are on, also while their list is missing */
export function tokenField(input: HTMLInputElement, chain: () => string, onChange: () => void): TokenField {
  let tokens: readonly Token[] = [];
  let chosen: Token | undefined;
  const { list, detail, icon } = makeCombobox(input);

  const select = (token: Token | undefined) => {
    chosen = token;
    const pasted = token ? undefined : addressIn(input.value);
    const shown = token ?? (pasted ? { chain: '', address: pasted, symbol: '' } : undefined);
    icon.replaceChildren(...(shown ? [tokenIcon(shown.chain, shown.address, shown.symbol)] : []));
    detail.textContent = token ? `${shorten(token.address)}${token.about ? ` · ${token.about}` : ''}` : (pasted ?? '');
    input.setCustomValidity(problem());
  };
  const problem = (): string => {
    if (input.value === '') return '';
    if (!chosen && !addressIn(input.value)) return 'Choose a token from the list, or paste its address.';
    const [named, here] = [chainIn(input.value), chain()];
    return named && named !== here ? `This link is for a token on ${named}, not on ${here}.` : '';
  };
  const pick = (token: Token) => {
    input.value = token.symbol;
    select(token);
    options.close();
    onChange();
  };
  const options = controlOptions(input, list, pick);

  input.addEventListener('focus', () => {
    input.select();
    options.open(tokens, '');
  });
  input.addEventListener('blur', options.close);
  input.addEventListener('input', () => {
    select(resolveToken(tokens, input.value));
    options.open(tokens, input.value);
    onChange();
  });
  input.addEventListener('keydown', (event) => {
    const marked = options.marked() ?? (chosen ? undefined : options.onlyMatch());
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (list.hidden) options.open(tokens, '');
      options.move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && marked) {
      event.preventDefault();
      pick(marked);
    } else if (event.key === 'Escape') options.close();
  });

  return {
    address: () => chosen?.address ?? addressIn(input.value) ?? '',
    offer(offered, keepText) {
      const wanted = keepText ? (chosen?.address ?? input.value) : (chosen?.symbol ?? '');
      const same = resolveToken(offered, wanted);
      tokens = offered;
      if (same) input.value = same.symbol;
      else if (!keepText) input.value = '';
      select(same);
      // The tokens may arrive after the user has typed.
      const query = options.query();
      if (query !== undefined) options.open(tokens, query);
    },
    choose(text) {
      const token = resolveToken(tokens, text);
      input.value = token?.symbol ?? text;
      select(token);
    },
    reject: (reason) => input.setCustomValidity(problem() || reason),
  };
}

/** Puts the input into an ARIA combobox, with an icon before it, and a closed list and a detail line after it. */
function makeCombobox(input: HTMLInputElement) {
  const list = el('ul', { class: 'options', role: 'listbox', id: `${input.name}-options`, 'aria-label': 'Tokens' });
  const detail = el('small', { class: 'chosen', id: `${input.name}-detail` });
  const icon = el('span', { class: 'icon' });
  list.hidden = true;
  // A browser puts a list that scrolls into the order of Tab.
  list.tabIndex = -1;
  const box = el('span', { class: 'combo' }, icon);
  input.replaceWith(box);
  box.append(input, list, detail);
  const attributes = {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    'aria-describedby': detail.id,
    autocomplete: 'off',
    spellcheck: 'false',
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  input.removeAttribute('pattern');
  return { list, detail, icon };
}

/** Opens and closes the list of a combobox, and marks one of its options. */
function controlOptions(input: HTMLInputElement, list: HTMLElement, pick: (token: Token) => void) {
  let shown: Token[] = [];
  let query: string | undefined;
  let at = -1;
  const optionId = (index: number) => `${input.name}-option-${index}`;

  return {
    /** The query that the list is open for; undefined while it is closed. */
    query: () => query,
    marked: () => shown[at],
    onlyMatch: () => (query && shown.length === 1 ? shown[0] : undefined),
    open(tokens: readonly Token[], wanted: string): void {
      query = wanted;
      shown = findTokens(tokens, wanted);
      list.replaceChildren(...shown.map((token, index) => optionView(token, optionId(index), () => pick(token))));
      list.hidden = shown.length === 0;
      input.setAttribute('aria-expanded', String(shown.length > 0));
      input.removeAttribute('aria-activedescendant');
      at = -1;
    },
    close(): void {
      query = undefined;
      list.hidden = true;
      at = -1;
      input.setAttribute('aria-expanded', 'false');
      input.removeAttribute('aria-activedescendant');
    },
    /** Marks the option after the marked one, or with -1 the one before it; wraps around at the ends. */
    move(step: 1 | -1): void {
      // Without a marked option, -1 marks the last one.
      const from = at < 0 && step < 0 ? 0 : at;
      at = shown.length === 0 ? -1 : (from + step + shown.length) % shown.length;
      for (const [index, option] of [...list.children].entries()) {
        option.setAttribute('aria-selected', String(index === at));
        if (index === at) option.scrollIntoView({ block: 'nearest' });
      }
      if (at >= 0) input.setAttribute('aria-activedescendant', optionId(at));
    },
  };
}

function optionView(token: Token, id: string, onPick: () => void): HTMLElement {
  const option = el(
    'li',
    { role: 'option', id, 'aria-selected': 'false' },
    tokenIcon(token.chain, token.address, token.symbol),
    el('strong', {}, token.symbol),
    el('code', {}, shorten(token.address)),
    el('small', {}, token.about ?? ''),
  );
  // Not click: blur closes the list before a click arrives.
  option.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    onPick();
  });
  return option;
}
