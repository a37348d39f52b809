import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import { threats } from './threats.ts';

/** Who attacks what, what holds, and what does not. */
export function threatModel(): Page {
  return {
    path: '/guides/threats',
    title: 'Threat model',
    about: 'Who could attack truefill, what holds and which test shows it, and what does not hold.',
    body: html`
<h1>Threat model</h1>
<p class="lead">Everything that comes from outside is taken to be hostile: requests, payments, tokens, pools, vendors, nodes and facilitators. Here is what each of them could try, what holds, where that is shown, and what an operator or a buyer has to live with.</p>
<h2>What is worth attacking</h2>
<ul>
<li>Answers: sold once for each payment, never given away.</li>
<li>Buyers’ money: a payment moves once, to the payee, and buys an answer.</li>
<li>Verdicts: never <code>avoid</code> without proof, never <code>clear</code> where something could not be seen.</li>
<li>Keys: of nodes, vendors and facilitators, and the keys that settle.</li>
</ul>
${threats.map(
  ({ who, tries, holds, shownBy, left }) => html`<section>
<h2>${who}</h2>
<dl>
<dt>Tries</dt><dd>${tries}</dd>
<dt>Holds</dt><dd>${holds}</dd>
<dt>Shown by</dt><dd>${shownBy.map((file, at) => html`${at > 0 ? ', ' : ''}<code>${file}</code>`)}</dd>
<dt>Left</dt><dd>${left}</dd>
</dl>
</section>`,
)}
<h2>Found something else?</h2>
<p>Write to the contact in <a href="/openapi.json">openapi.json</a>, and give us time to mend it before you tell others.</p>
`,
  };
}
