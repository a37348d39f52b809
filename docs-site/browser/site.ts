import { copyBy } from './copy.ts';
import { el } from './dom.ts';

// On every page: copy buttons, tabs and the search box. Without this script the pages are complete, only plainer.

for (const figure of document.querySelectorAll('figure.code')) addCopyButton(figure);
for (const group of document.querySelectorAll<HTMLElement>('.code-tabs')) addTabs(group);
addSearch();
showSideLists();

/** Copies what the code block shows. */
function addCopyButton(figure: Element): void {
  const source = figure.querySelector('pre');
  const label = figure.querySelector('figcaption')?.textContent ?? '';
  const button = el('button', { type: 'button', class: 'copy', 'aria-label': `Copy: ${label}` }, 'Copy');
  button.addEventListener('click', () => void copyBy(button, source?.textContent ?? ''));
  figure.append(button);
}

function storageKey(group: HTMLElement): string {
  return `truefill.tab.${group.dataset.tabs}`;
}

/** Turns a list of code blocks into tabs; the choice holds for every list of the same name, on later pages too. */
function addTabs(group: HTMLElement): void {
  const figures = [...group.querySelectorAll<HTMLElement>('figure.code')];
  const labels = figures.map((figure) => figure.querySelector('figcaption')?.textContent ?? '');
  const list = el('div', { role: 'tablist', class: 'tab-list', 'aria-label': 'Language' });
  const base = `tabs-${[...document.querySelectorAll('.code-tabs')].indexOf(group)}`;
  const tabs = labels.map((label, index) =>
    el(
      'button',
      { type: 'button', role: 'tab', id: `${base}-${index}`, 'aria-controls': `${base}-panel-${index}` },
      label,
    ),
  );
  const select = (chosen: number) => {
    for (const [index, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
      const figure = figures[index];
      if (figure) figure.hidden = index !== chosen;
    }
  };
  for (const [index, figure] of figures.entries()) {
    figure.id = `${base}-panel-${index}`;
    figure.setAttribute('role', 'tabpanel');
    figure.setAttribute('aria-labelledby', `${base}-${index}`);
  }
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => {
      remember(storageKey(group), labels[index] ?? '');
      document.dispatchEvent(new CustomEvent('tab', { detail: { name: group.dataset.tabs, label: labels[index] } }));
    });
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      if (step === 0 || !next) return;
      next.click();
      next.focus();
    });
  }
  document.addEventListener('tab', (event) => {
    const { name, label } = (event as CustomEvent<{ name: string; label: string }>).detail;
    const index = labels.indexOf(label);
    if (name === group.dataset.tabs && index >= 0) select(index);
  });
  list.append(...tabs);
  group.prepend(list);
  select(Math.max(0, labels.indexOf(recall(storageKey(group)) ?? '')));
}

/** Storage may be blocked; the choice then holds for this page only. */
function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

/** `/` or the button opens the search; index and code load on the first use. */
function addSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('.find');
  if (!button) return;
  button.hidden = false;
  const open = async () => {
    const { openSearch } = await import('./search.ts');
    await openSearch(button.dataset.index ?? '');
  };
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    const typing = target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]');
    if (key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    void open();
  });
}

/** Wide pages always show the list of pages; narrow ones fold it. */
function showSideLists(): void {
  const wide = matchMedia('(min-width: 60rem)');
  const showSide = () => {
    for (const side of document.querySelectorAll<HTMLDetailsElement>('.side details')) side.open = wide.matches;
  };
  wide.addEventListener('change', showSide);
  showSide();
}
