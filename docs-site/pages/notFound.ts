import { html } from '../html.ts';
import type { Page } from '../layout.ts';

/** Shown to a browser that requests a path which is not served. */
export function notFound(detail: string): Page {
  return {
    path: '/',
    title: 'Page not found',
    about: 'This path is not served.',
    body: html`
<h1>Page not found</h1>
<p class="lead">${detail}</p>
<p>Try the <a href="/">first page</a>, the <a href="/guides">guides</a>, or the <a href="/reference">API reference</a>.</p>
`,
  };
}
