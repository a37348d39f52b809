import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** What avoid and clear mean, and what the facts beside them are. */
export function readingVerdict({ items }: SiteFacts): Page {
  const check = items.find(({ name }) => name !== 'quote');
  return {
    path: '/guides/verdict',
    title: 'Reading a verdict',
    about: 'What avoid and clear mean, the three traps, and the facts that never change a verdict.',
    body: html`
<h1>Reading a verdict</h1>
<p class="lead"><code>avoid</code> is a proof. <code>clear</code> is the absence of one: it is neither a rating nor a prediction.</p>
<p>${check && html`<code>POST ${check.path}</code>${check.aliases.map((path) => html`, also <code>${path}</code>`)}, ${check.priceUsd} USD, Base only.${check.freeFirstCall && ' The first call of a wallet is free.'}`}</p>
<p>The check answers for any address. An address without a contract usually has no pool either, which is <code>NO_EXIT_VENUE</code>. For the native coin send its wrapped token.</p>
<h2>The three traps</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Trigger, What was proven"><table><thead><tr><th>Trigger</th><th>What was proven</th></tr></thead><tbody>
<tr><td><code>NO_EXIT_VENUE</code></td><td>Every covered venue was asked and none has a pool of the token.</td></tr>
<tr><td><code>EXIT_LIQUIDITY_DRAINED</code></td><td>Sales down to a hundredth of today's price would draw less than 5 % of the size (1,000 USD when none was given).</td></tr>
<tr><td><code>TRADING_DISABLED</code></td><td>The token's own trading gate reads false.</td></tr>
</tbody></table></div>
<p>The list is closed. A sale that always reverts, a tax of 100 %, an owner who can take balances: these are measured, stand first in <code>reasons</code>, in <code>transferability</code> and in <code>F-FOT</code>, and do not become <code>avoid</code>. Read them.</p>
<h2>When nothing can be concluded</h2>
<p>A venue that did not answer, or holds the token in a way that cannot be measured, might be an exit. Then <code>liquidityCoverage.conclusive</code> is <code>false</code>, the two exit triggers are not raised, and <code>reasons</code> names the venue. <code>venuesUnread</code> above zero: asking again may complete the answer.</p>
<h2>The facts</h2>
<dl>
<dt><code>risk_profile.liquidity</code></dt><dd><code>exitLiquidityUsd</code> is what simulated sales really draw from every pool, never a balance.</dd>
<dt><code>risk_profile.transferability</code></dt><dd>What an ordinary wallet met in simulated purchases, transfers and sales, in the next block, about 60 blocks and a day later. Taxes are fractions: 0.05 is 5 %. <code>outcome</code> says it in a word.</dd>
<dt><code>risk_profile.concentration</code></dt><dd>Shares of the largest holders; who they are comes from the source that is named, what they hold was read at the block. <code>stale: true</code>: the source is out, this is the last known.</dd>
<dt><code>flags</code></dt><dd>Five signals with a severity. <code>unknown</code> means it could not be measured, and why.</dd>
<dt><code>sources</code></dt><dd>For every value of the answer: <code>measured</code>, <code>derived</code>, <code>vendor</code> or <code>unavailable</code>, and of the latter which kind of nothing it is: none, unread or not asked.</dd>
</dl>
<h2>Confidence</h2>
<p>On <code>avoid</code> always <code>high</code>: it is confidence in the trigger. On <code>clear</code>: <code>high</code> when all five axes reported and the exit check was conclusive, <code>medium</code> with four of them or without a conclusion, <code>low</code> with less than that, with a stale holder value, at a block over ten minutes old, or when a sale by an ordinary wallet is proven impossible.</p>
`,
  };
}
