import { code, html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts, SiteItem } from '../siteFacts.ts';

/** What a person sees who opens a paid path in a browser: it wants a POST, and how that looks. */
export function notAPage(
  { path, priceUsd, summary, exampleRequest }: SiteItem,
  { baseUrl }: Pick<SiteFacts, 'baseUrl'>,
): Page {
  return {
    path,
    title: `POST ${path}`,
    about: `${summary}, ${priceUsd} USD a call.`,
    body: html`
<h1>This path is for POST.</h1>
<p class="lead">${summary}, ${priceUsd} USD a call. Opening it in a browser is a GET, which is answered 405 and costs nothing.</p>
${code(`curl -si ${baseUrl}${path} -H 'content-type: application/json' -d '${JSON.stringify(exampleRequest)}'`, 'Ask like this')}
<p>The first answer is 402 and says how to pay. <a href="/guides/first-call">The whole way, header by header</a>, or <a href="/">buy an answer on the first page</a>.</p>
`,
  };
}
