import { html, Markup } from './html.ts';
import type { SiteFacts } from './siteFacts.ts';

/** One page of the site. */
export interface Page {
  /** Path it is served at. */
  path: string;
  title: string;
  /** One sentence for search engines and link previews. */
  about: string;
  body: Markup;
  /** Scripts of `browser/` that the page needs, by file name. */
  scripts?: readonly string[];
}

/** The guides in reading order; each has its page. */
const guides = [
  { path: '/guides/first-call', name: 'First call' },
  { path: '/guides/typescript', name: 'TypeScript' },
  { path: '/guides/agents', name: 'Agents' },
  { path: '/guides/quote', name: 'Reading a quote' },
  { path: '/guides/verdict', name: 'Reading a verdict' },
  { path: '/guides/errors', name: 'Errors and retries' },
  { path: '/guides/run', name: 'Running your own' },
  { path: '/guides/configuration', name: 'Configuration' },
  { path: '/guides/threats', name: 'Threat model' },
  { path: '/guides/capacity', name: 'Capacity' },
] as const;

/** A whole document around a page's body. */
export function layOut(page: Page, { mode, version }: Pick<SiteFacts, 'mode' | 'version'>): string {
  const links = [...guides, { path: '/docs/', name: 'API' }].map(
    ({ path, name }) =>
      html`<li><a href="${path}"${new Markup(path === page.path ? ' aria-current="page"' : '')}>${name}</a></li>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.about}">
<title>${page.title}</title>
<link rel="icon" href="/assets/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/site.css">
${(page.scripts ?? []).map((name) => html`<script type="module" src="/assets/${name}"></script>\n`)}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${mode === 'sandbox' && html`<p class="sandbox" role="note"><strong>SANDBOX</strong> Local chains, worthless money, real code. <a href="/sandbox">Wallets and tokens to play with</a></p>`}
<header class="top">
<a class="name" href="/"><img src="/assets/mark.svg" alt="" width="22" height="22">truefill</a>
<nav aria-label="Documentation"><ul>${links}</ul></nav>
</header>
<main id="main">
${page.body}
</main>
<footer class="foot">
<p>truefill ${version}. Informational on-chain data, not financial advice.</p>
<p><a href="/openapi.json">openapi.json</a> <a href="/llms.txt">llms.txt</a> <a href="/.well-known/agent-card.json">agent card</a> <a href="/health">health</a></p>
</footer>
</body>
</html>
`.text;
}
