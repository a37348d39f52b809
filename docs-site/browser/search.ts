import type { SearchEntry } from '../searchIndex.ts';
import { el } from './dom.ts';
import { rank } from './rank.ts';

const mostResults = 12;

let entries: Promise<SearchEntry[]> | undefined;

/** Opens the search box over the page. */
export async function openSearch(indexUrl: string): Promise<void> {
  if (document.querySelector('.searchbox')) return;
  entries ??= fetch(indexUrl).then((response) => response.json());
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
  const note = el('p', { role: 'status' }, 'Fields, errors, guides');
  const dialog = el('dialog', { class: 'searchbox', 'aria-label': 'Search' }, input, list, note);
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  let at = 0;
  const mark = (to: number) => {
    at = Math.max(0, Math.min(to, list.children.length - 1));
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(index === at));
      if (index === at) option.scrollIntoView({ block: 'nearest' });
    }
    if (list.children.length > 0) input.setAttribute('aria-activedescendant', `search-${at}`);
    else input.removeAttribute('aria-activedescendant');
  };
  const show = async () => {
    const found = rank((await entries) ?? [], input.value).slice(0, mostResults);
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
    mark(0);
  };
  const go = (url: string) => {
    dialog.close();
    location.assign(url);
  };
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      mark(at + (event.key === 'ArrowDown' ? 1 : -1));
    }
    const chosen = list.children[at];
    if (event.key === 'Enter' && chosen instanceof HTMLElement) go(chosen.dataset.url ?? '/');
  });
  dialog.showModal();
  input.focus();
}
