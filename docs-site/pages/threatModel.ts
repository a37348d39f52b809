import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import { threats } from './threats.ts';

/** Attackers, defences, tests and remaining risks. */
export function threatModel(): Page {
  return {
    path: '/guides/threats',
    title: 'Threat model',
    about: 'Attacks on truefill, the defences and their tests, and the remaining risks.',
    body: html`
<h1>Threat model</h1>
<p class="lead">All external input is treated as hostile: requests, payments, tokens, pools, vendors, nodes and facilitators. For each, this page lists the attacks, the defences, the tests, and the remaining risk for an operator or a buyer.</p>
<h2>What is worth attacking</h2>
<ul>
<li>Answers: sold once for each payment, never given away.</li>
<li>Buyers’ money: a payment moves once, to the payee, and buys an answer.</li>
<li>Verdicts: <code>avoid</code> needs proof, and no trigger depends on data that could not be read.</li>
<li>Keys of nodes, vendors and facilitators, and the settlement keys.</li>
</ul>
${threats.map(
  ({ who, tries, holds, shownBy, left }) => html`<section>
<h2>${who}</h2>
<dl>
<dt>Attacks</dt><dd>${tries}</dd>
<dt>Defences</dt><dd>${holds}</dd>
<dt>Tests</dt><dd>${shownBy.map((file, at) => html`${at > 0 ? ', ' : ''}<code>${file}</code>`)}</dd>
<dt>Left</dt><dd>${left}</dd>
</dl>
</section>`,
)}
<h2>Found something else?</h2>
<p>Write to the contact in <a href="/openapi.json">openapi.json</a>, and give us time to fix it before you disclose it.</p>
`,
  };
}
