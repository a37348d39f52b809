import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** The meaning of avoid and clear, and of the facts beside them. */
export function readingVerdict({ items }: SiteFacts): Page {
  const check = items.find(({ name }) => name !== 'quote');
  return {
    path: '/guides/verdict',
    title: 'Reading a verdict',
    about: 'What avoid and clear mean, the three traps, and the facts that never change a verdict.',
    body: html`
<h1>Reading a verdict</h1>
<p class="lead"><code>avoid</code> means that a trap was proven. <code>clear</code> means that none was: it is neither a rating nor a prediction.</p>
<p>${check && html`<code>POST ${check.path}</code>${check.aliases.map((path) => html`, also <code>${path}</code>`)}, ${check.priceUsd} USD, Base only.${check.freeFirstCall && ' The first call of a wallet is free.'}`}</p>
<p>The check accepts any address. An address without a contract usually has no pool either, which is <code>NO_EXIT_VENUE</code>. For the native coin, send its wrapped token.</p>
<h2>The three traps</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Trigger, Proven"><table><thead><tr><th>Trigger</th><th>Proven</th></tr></thead><tbody>
<tr><td><code>NO_EXIT_VENUE</code></td><td>Every covered venue was read and none has a pool of the token.</td></tr>
<tr><td><code>EXIT_LIQUIDITY_DRAINED</code></td><td>Sales of any size would draw less than 5 % of the size in question (1,000 USD when none was given). Only an upper bound counts: pools in assets without a price are followed through at most 64 tokens, until no further pool appears.</td></tr>
<tr><td><code>TRADING_DISABLED</code></td><td>The token's own trading gate reads false. <code>paused()</code> counts if it reads true and a simulated purchase is refused.</td></tr>
</tbody></table></div>
<p>The list is closed. A honeypot (a token that can be bought and not sold), a tax of 100 % or an owner who can take balances is measured, but does not become <code>avoid</code>. <code>reasons</code> states it first; <code>transferability</code> and <code>F-FOT</code> contain the figures.</p>
<p><strong>Read <code>transferability</code> before the verdict.</strong> If <code>outcome</code> is not <code>tradable</code>, or a tax is above 50 %, this site and the command line (exit code 5) show a warning before the verdict. The client's <code>isTradable(check)</code> is then false.</p>
<h2>Inconclusive checks</h2>
<p>A venue that could not be read, or holds the token in a way that cannot be measured, might be an exit. If the measured pools also pay less than 5 % of the size, <code>liquidityCoverage.conclusive</code> is <code>false</code>: the two exit triggers are not raised, and <code>reasons</code> names the venue. The same holds if the market of an asset without a price is too large to follow, or if a pair outside the covered factories may pay that much. What anyone can add for dust changes nothing: tokens sent to a covered venue, or pools that pay nothing.</p>
<h2>The facts</h2>
<dl>
<dt><code>risk_profile.liquidity</code></dt><dd><code>exitLiquidityUsd</code> is the amount that simulated sales draw from the measured pools: a lower bound, never a balance.</dd>
<dt><code>risk_profile.transferability</code></dt><dd>Results of simulated purchases, transfers and sales by an ordinary wallet: in the next block, a minute (60 to 71 simulated blocks) later, and at the time of the next day (at least 128 simulated blocks). Base has 300 blocks a minute and 432,000 a day, so a limit in blocks ends sooner there than these times suggest. Taxes are fractions: 0.05 is 5 %. They are what the token and the pool's hook take, without the pool's own fee and the price impact; <code>reasons</code> names who takes what, and a pool fee above 3 %. <code>roundTripPct</code> is what a purchase of the size and its sale in the next block return, in percent, everything included. <code>outcome</code> is the most severe result; the API reference lists its values.</dd>
<dt><code>risk_profile.concentration</code></dt><dd>Shares of the largest holders. The named source lists them; their balances were read at the block. <code>stale: true</code>: the source is unavailable, and this is the last known value.</dd>
<dt><code>flags</code></dt><dd>Signals with a severity and a reason. <code>unknown</code>: it could not be measured. A token without a known price feed has <code>O-SANITY</code> <code>none</code> and a null value.</dd>
<dt><code>sources</code></dt><dd>For every value of the answer: <code>measured</code>, <code>derived</code> with the fields of the answer that it comes from, <code>vendor</code> with its name, or <code>unavailable</code> with its reason: <code>not found</code>, <code>read failed</code> or <code>not requested</code>.</dd>
</dl>
<h2>Confidence</h2>
<p>On <code>avoid</code> it is always <code>high</code>: confidence in the trigger. On <code>clear</code>:</p>
<ul>
<li><code>high</code>: all axes reported and the exit check was conclusive.</li>
<li><code>medium</code>: all axes but one reported and the exit check was conclusive, or all axes reported and it was inconclusive.</li>
<li><code>low</code>: anything less, a stale holder value, or a block over ten minutes old. Also if simulated sales are refused, with the usual or a larger tip, or taxed at more than 95 %.</li>
</ul>
`,
  };
}
