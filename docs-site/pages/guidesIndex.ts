import { guideGroups } from '../guides.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';

/** The list of guides with a sentence on each. */
export function guidesIndex(): Page {
  return {
    path: '/guides',
    title: 'Guides to truefill',
    about: 'Guides: the first paid call, clients, how to read answers and errors, and how to run the service.',
    body: html`
<h1>Guides</h1>
<p class="lead">Start with the <a href="/guides/first-call">first call</a>. Every field and status is in the <a href="/reference">API reference</a>.</p>
${guideGroups.map(
  ({ group, guides }) => html`<h2>${group}</h2>
<ul class="cards">${guides.map(({ path, name, about }) => html`<li><a href="${path}"><strong>${name}</strong><span>${about}</span></a></li>`)}</ul>
`,
)}
<h2>For machines</h2>
<ul class="plain">
<li><a href="/openapi.json">OpenAPI document</a>, also as a <a href="/reference">reference page</a> and in <a href="/docs/">Swagger UI</a></li>
<li><a href="/llms.txt">llms.txt</a> and <a href="/llms-full.txt">llms-full.txt</a> for language models</li>
<li><a href="/.well-known/agent-card.json">A2A agent card</a>, <a href="/.well-known/x402">x402 resources</a>, <a href="/.well-known/api-catalog">API catalog</a></li>
</ul>
`,
  };
}
