import { code } from '../code.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts, SiteItem } from '../siteFacts.ts';

/** Shown when a paid path is opened in a browser: explains the POST. */
export function notAPage(
  { path, priceUsd, summary, exampleRequest }: SiteItem,
  { baseUrl }: Pick<SiteFacts, 'baseUrl'>,
): Page {
  return {
    path,
    title: `POST ${path}`,
    about: `${summary}, ${priceUsd} USD a call.`,
    body: html`
<h1>Send a POST to this path</h1>
<p class="lead">${summary}, ${priceUsd} USD a call. A browser sends a GET. The service returns 405 for it and charges nothing.</p>
${code(`curl -si ${baseUrl}${path} -H 'content-type: application/json' -d '${JSON.stringify(exampleRequest)}'`, 'The request', 'sh')}
<p>The first response is 402 and states how to pay. See the <a href="/guides/first-call">first call, header by header</a>, or <a href="/">buy an answer on the home page</a>.</p>
`,
  };
}
