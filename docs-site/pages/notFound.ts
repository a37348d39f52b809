import { html } from '../html.ts';
import type { Page } from '../layout.ts';

/** Shown for a path that is not served. */
export function notFound(detail: string): Page {
  return {
    // The layout marks the current page in the navigation by this path; no page of its own exists for a 404.
    path: '/',
    title: 'Page not found',
    about: 'The service has no page at this path.',
    body: html`
<h1>Page not found</h1>
<p class="lead">${detail}</p>
<p>Try the <a href="/">home page</a>, the <a href="/guides">guides</a>, or the <a href="/reference">API reference</a>.</p>
`,
  };
}
