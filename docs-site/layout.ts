import type { Assets } from './build/buildAssets.ts';
import { guideGroups, guides } from './guides.ts';
import { anchorHeadings, type Section } from './headings.ts';
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
  /** Scripts that the page needs beside the site's own, by file name. Modules, except those of Swagger UI. */
  scripts?: readonly string[];
  styles?: readonly string[];
  /** A list of links instead of the guides' own in the side column. */
  sideLinks?: readonly { href: string; name: string }[];
}

/** A whole document around a page's body. */
export function layOut(page: Page, facts: Pick<SiteFacts, 'mode' | 'version' | 'baseUrl'>, assets: Assets): string {
  const { mode, version, baseUrl } = facts;
  const isGuide = page.path.startsWith('/guides');
  const inColumns = isGuide || page.sideLinks !== undefined;
  const { markup, sections } = inColumns ? anchorHeadings(page.body.text) : { markup: page.body.text, sections: [] };
  const scripts = ['site.js', ...(page.scripts ?? [])].map((name) =>
    name.startsWith('swagger-ui')
      ? html`<script defer src="${assets.url(name)}"></script>\n`
      : html`<script type="module" src="${assets.url(name)}"></script>\n`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.about}">
<title>${page.title}</title>
<meta property="og:type" content="website">
<meta property="og:site_name" content="truefill">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.about}">
<meta property="og:url" content="${baseUrl}${page.path}">
<meta property="og:image" content="${baseUrl}${assets.url('preview.png')}">
<meta name="twitter:card" content="summary_large_image">
<link rel="canonical" href="${baseUrl}${page.path}">
<link rel="icon" href="${assets.url('mark.svg')}" type="image/svg+xml">
<link rel="preload" href="${assets.url('geist-latin-wght-normal.woff2')}" as="font" type="font/woff2" crossorigin>
${['site.css', ...(page.styles ?? [])].map((name) => html`<link rel="stylesheet" href="${assets.url(name)}">\n`)}${scripts}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${mode === 'sandbox' && html`<p class="sandbox" role="note"><strong>SANDBOX</strong> Local chains, worthless money, real code. <a href="/sandbox">Wallets and tokens</a></p>`}
<header class="top">
<a class="name" href="/"><img src="${assets.url('mark.svg')}" alt="" width="22" height="22">truefill</a>
<nav aria-label="Site"><ul>
${[
  ['/guides', 'Guides', isGuide],
  ['/reference', 'Reference', page.path === '/reference'],
  ['/docs/', 'Swagger UI', page.path === '/docs/'],
].map(
  ([path, name, current]) =>
    html`<li><a href="${path as string}"${new Markup(current ? ' aria-current="page"' : '')}>${name as string}</a></li>`,
)}
</ul></nav>
<button class="find" type="button" hidden data-index="${assets.url('search.json')}"><span>Search</span> <kbd>/</kbd></button>
</header>
${inColumns ? docsColumns(page, markup, sections) : html`<main id="main">\n${new Markup(markup)}\n</main>`}
<footer class="foot">
<p>truefill ${version}. Informational on-chain data, not financial advice.</p>
<p><a href="/openapi.json">openapi.json</a> <a href="/llms.txt">llms.txt</a> <a href="/.well-known/agent-card.json">agent card</a> <a href="/health">health</a></p>
</footer>
</body>
</html>
`.text;
}

/** The list of pages beside the text, and the page's own headings where there is room. */
function docsColumns(page: Page, markup: string, sections: readonly Section[]): Markup {
  const here = (path: string) => new Markup(path === page.path ? ' aria-current="page"' : '');
  const links = page.sideLinks
    ? html`<ul>${page.sideLinks.map(({ href, name }) => html`<li><a href="${href}">${name}</a></li>`)}</ul>`
    : guideGroups.map(
        ({ group, guides: listed }) =>
          html`<p>${group}</p><ul>${listed.map(({ path, name }) => html`<li><a href="${path}"${here(path)}>${name}</a></li>`)}</ul>`,
      );
  const headings = sections.filter(({ level }) => level === 2);
  const toc =
    !page.sideLinks &&
    headings.length > 1 &&
    html`<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${headings.map(({ id, title }) => html`<li><a href="#${id}">${new Markup(title)}</a></li>`)}</ul></nav>`;
  return html`<div class="docs${page.sideLinks ? ' wide' : ''}">
<nav class="side" aria-label="${page.sideLinks ? 'This page' : 'Guides'}"><details><summary>${page.sideLinks ? 'On this page' : 'All guides'}</summary>${links}</details></nav>
<main id="main">
${new Markup(markup)}
${neighbours(page.path)}</main>
${toc}</div>`;
}

/** Links to the previous and the next guide. */
function neighbours(path: string): Markup | false {
  const at = guides.findIndex((guide) => guide.path === path);
  if (at < 0) return false;
  const link = (guide: (typeof guides)[number] | undefined, rel: 'prev' | 'next') =>
    guide &&
    html`<a rel="${rel}" href="${guide.path}"><span>${rel === 'prev' ? 'Previous' : 'Next'}</span>${guide.name}</a>`;
  return html`<nav class="neighbours" aria-label="Previous and next guide">${link(guides[at - 1], 'prev')}${link(guides[at + 1], 'next')}</nav>`;
}
