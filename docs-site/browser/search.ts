import type { SearchEntry } from '../searchIndex.ts';
import { el } from './dom.ts';
import { rank } from './rank.ts';

const maxResults = 12;

let entries: Promise<SearchEntry[]> | undefined;

/** Opens the search box over the page. */
export async function openSearch(indexUrl: string): Promise<void> {
  if (document.querySelector('.searchbox')) return;

  const input = el('input', {
    type: 'search',
    placeholder: 'Search the documentation',
    role: 'combobox',
    'aria-label': 'Search the documentation',
    'aria-expanded': 'true',
    'aria-controls': 'search-results',
    autocomplete: 'off',
  });
  const list = el('ul', { id: 'search-results', role: 'listbox', 'aria-label': 'Results' });
  const note = el('p', { role: 'status' }, 'Searches fields, errors and guides.');
  const dialog = el('dialog', { class: 'searchbox', 'aria-label': 'Search' }, input, list, note);
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  let selected = 0;
  const select = (to: number) => {
    selected = Math.max(0, Math.min(to, list.children.length - 1));
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(index === selected));
      if (index === selected) option.scrollIntoView({ block: 'nearest' });
    }
    if (list.children.length > 0) input.setAttribute('aria-activedescendant', `search-${selected}`);
    else input.removeAttribute('aria-activedescendant');
  };
  const show = async () => {
    const loaded = await loadEntries(indexUrl);
    if (!loaded) {
      note.textContent = 'The search index could not be loaded. Check your connection and type again.';
      return;
    }
    const found = rank(loaded, input.value).slice(0, maxResults);
    list.replaceChildren(
      ...found.map(({ url, page, title, text }, index) => {
        const option = el(
          'li',
          { role: 'option', id: `search-${index}`, 'data-url': url },
          title,
          el('small', {}, title === page ? text : `${page}: ${text}`),
        );
        option.addEventListener('click', () => go(url));
        return option;
      }),
    );
    note.textContent = input.value && found.length === 0 ? `Nothing matches “${input.value}”.` : '';
    select(0);
  };
  const go = (url: string) => {
    dialog.close();
    location.assign(url);
  };
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      select(selected + (event.key === 'ArrowDown' ? 1 : -1));
    }
    const chosen = list.children[selected];
    if (event.key === 'Enter' && chosen instanceof HTMLElement) go(chosen.dataset.url ?? '/');
  });
  dialog.showModal();
  input.focus();
}

/** Undefined if the download failed; the next call tries again. */
async function loadEntries(indexUrl: string): Promise<SearchEntry[] | undefined> {
  entries ??= fetch(indexUrl).then((response) => response.json());
  try {
    return await entries;
  } catch {
    entries = undefined;
    return undefined;
  }
}
