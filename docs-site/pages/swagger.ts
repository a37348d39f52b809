import { generateHTML } from 'swagger-ui-express';
import { html, Markup } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';

const loading = '<p class="under">Loading Swagger UI…</p>';

/**
 * The body of swagger-ui-express's page: its icons, and the element that Swagger UI is mounted in. Its scripts are cut off,
 * because the site serves them under hashed names. Its inline style is replaced, because the Content-Security-Policy
 * forbids it.
 */
function mountPoint(): Markup {
  const [, body = ''] = generateHTML().split('<body>');
  const [markup = ''] = body.split('<script');
  return new Markup(markup.replace(/ style="[^"]*"/, ' hidden').replace('"swagger-ui">', `"swagger-ui">${loading}`));
}

/** `/docs/`: Swagger UI under the site's own header, with the paid calls first. `browser/swagger.ts` starts Swagger UI. */
export function swagger({ items, mode }: Pick<SiteFacts, 'items' | 'mode'>): Page {
  return {
    path: '/docs/',
    title: mode === 'sandbox' ? 'truefill API (SANDBOX)' : 'truefill API',
    about: 'Call every endpoint of truefill from the browser: price, payment, answer and receipt.',
    styles: ['swagger-ui.css', 'swagger.css'],
    scripts: ['swagger-ui-bundle.js', 'swagger.js'],
    body: html`
<h1>Call the API</h1>
<p class="lead">Open a call, press “Try it out”, then “Execute”. The <a href="/reference">reference</a> explains the fields, and the guide <a href="/guides/first-call">First call</a> explains the payment.</p>
<ul class="prices">
${items.map(
  ({ name, path, priceUsd, summary, freeFirstCall }) =>
    html`<li><a href="#/${name === 'quote' ? 'quote' : 'pretrade'}/${name}"><code>POST ${path}</code></a> <b>${priceUsd} USD</b><span>${summary}.${freeFirstCall && ' The first call of a wallet is free.'}</span></li>`,
)}
</ul>
${mountPoint()}
<noscript><p>Swagger UI needs JavaScript. The <a href="/reference">reference</a> does not.</p></noscript>
`,
  };
}
