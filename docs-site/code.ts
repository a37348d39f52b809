import { highlight, type Language } from './highlight.ts';
import { html, type Markup } from './html.ts';

/** A block of code with a caption. The page's script adds a copy button. */
export function code(source: string, label: string, language: Language = 'text'): Markup {
  return html`<figure class="code"><figcaption>${label}</figcaption><pre tabindex="0" aria-label="${label}"><code>${highlight(source.trim(), language)}</code></pre></figure>`;
}

export interface Tab {
  label: string;
  language: Language;
  source: string;
}

/** One example in several languages, as tabs. Without JavaScript the blocks are listed one below the other. */
export function codeTabs(name: string, tabs: readonly Tab[]): Markup {
  return html`<div class="code-tabs" data-tabs="${name}">${tabs.map(({ label, language, source }) => code(source, label, language))}</div>`;
}
