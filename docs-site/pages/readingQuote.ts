import { code } from '../code.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** The meaning and origin of each number of a quote; the tables come from the code. */
export function readingQuote({ items, confidence, flags }: SiteFacts): Page {
  const quote = items.find(({ name }) => name === 'quote');
  return {
    path: '/guides/quote',
    title: 'Reading a quote',
    about: 'What each number of a truefill quote means, how it was measured, and how far to rely on it.',
    body: html`
<h1>Reading a quote</h1>
<p class="lead">Start with <code>amountOut</code>, <code>confidence</code> and <code>flags</code>. The other fields explain them.</p>
<dl>
<dt><code>amountOut</code></dt><dd>What a swap of the full size through <code>route</code> pays the receiver at <code>blockNumber</code>, in base units, after any transfer tax. <code>"0"</code> means that no covered venue fills the size; <code>notCovered</code> of <code>NO_ROUTE</code> names known venues that may trade the token and cannot be quoted.</dd>
<dt><code>executablePrice</code></dt><dd>tokenOut for one tokenIn at this size, in whole tokens.</dd>
<dt><code>spotPrice</code></dt><dd>The mid price, without fees, of the deepest qualifying pool; for several hops, the product of these prices. A pool qualifies if it has liquidity at its price and its mid price is at most 1 % below the price that the best single route gets in its pools. <code>null</code> when no pool qualifies.</dd>
<dt><code>priceImpactBps</code></dt><dd>How much worse the fill is than that mid price, fees included. Negative if another pool beats the mid price of the deepest one; for a single route without a transfer tax, by at most about 1 % per hop.</dd>
<dt><code>worstCaseSlippageBps</code></dt><dd>The same, if an identical order executes just before yours. 10000 means that yours could not be filled after it.</dd>
<dt><code>depthAtSize</code></dt><dd>How much tokenIn, in whole tokens, the market takes before the executable price falls 1 % below this one. It is a lower bound. Some pools cannot be computed: those with hooks or plugins, and those whose reported state a swap contradicts. They count only up to the executed amount, at most twice the order. <code>THIN_DEPTH</code> then states that the market was not measured further.</dd>
<dt><code>route</code></dt><dd>Leg by leg: venue, pool, fee, and the exact <code>amountIn</code> and <code>amountOut</code> in base units. <code>shareBps</code> is the leg's share of the total that the route sells of its tokenIn. On uniswap-v4 and balancer-v2 <code>pool</code> is the 32-byte pool id; on uniswap-v4 <code>poolKey</code> is its key. Legs may be on different venues; <code>dex</code> is then <code>mixed</code>. See also <a href="#split">split routes</a>.</dd>
<dt><code>venuesConsidered</code></dt><dd>How many venues were read, each for every pool of the pair with the fees and hooks in our lists. <a href="#other-pools">Other pools</a> are found in logs.</dd>
<dt><code>validUntil</code></dt><dd>Until then the same request gets this answer. The market may move earlier.</dd>
</dl>
<h2 id="split">Split routes</h2>
<p>The route is split if that pays over 1 bp more than the best single route after its extra gas at the base fee of the block. It may use pools with hooks or plugins, which are measured by executed swaps of several sizes. If no pool prices the native coin in tokenOut, the gas has no price; then the split must pay over 5 bps more. The flag <code>SPLIT_ROUTE</code> contains the gain and the best single route.</p>
<p>The legs are in an executable order, but a leg need not sell the output of the one before it. Execute the legs in order with their <code>amountIn</code>. If the market may have moved, sell <code>shareBps</code> of the plan's balance of each token instead, and let the last leg of a token sell the rest.</p>
<h2 id="other-pools">Pools outside the lists</h2>
<p>These pools are found once per token in the factories' logs: Uniswap v4 keys with another fee and spacing, pools of custom deployers at Algebra Integral's factories (<code>CUSTOM_POOL</code>), and pools against a token that we do not list. The 24 that hold most of the token are read.</p>
<p>Weighted pools of Balancer v2 (Polygon and Arbitrum, releases 1 to 3) are found in a list of the 2,000 oldest; at most eight pairs of a token are read.</p>
<p>Uniswap v4 pools whose unlisted hook acts on swaps or sets the fee are not used; <code>notCovered</code> of <code>NO_ROUTE</code> names them. If the logs could not be read, <code>NO_ROUTE</code> has <code>poolsMayBeMissing</code> and low confidence; with a route, the confidence is at most medium. The message states when the pools will be known, and advises another request only if it can find more.</p>
<p>Until then, pools that GeckoTerminal and DEX Screener list are used too, if the pool's factory or Uniswap's position manager confirms them. Confidence stays as it is. <code>NO_ROUTE</code> names these sources in <code>poolsListedBy</code>.</p>
<h2>Native coin, and addresses that are not tokens</h2>
<p><code>0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE</code> (any letter case) stands for the chain's native coin. It is quoted as the wrapped native token: <code>tokenIn</code>, <code>tokenOut</code> and <code>route</code> show the wrapped address, and the flag <code>NATIVE_AS_WRAPPED</code> names the side. Wrapping is 1:1. A quote between the native coin and its wrapped token is rejected with <code>400</code>.</p>
<p>An address without code on the chain is rejected with <code>400</code> before the payment is charged. For a contract without a valid <code>decimals()</code>, the quote is <code>NO_ROUTE</code> with the flag <code>NOT_A_TOKEN</code>; its <code>decimals</code> and <code>amountIn</code> are 0.</p>
<h2>Confidence</h2>
<p>The first row that applies determines the confidence.</p>
<div class="scroll stack" tabindex="0" role="region" aria-label="Confidence"><table><thead><tr><th>When</th><th>Confidence</th></tr></thead><tbody>
${confidence.map(({ when, gives }) => html`<tr><td>${when}</td><td><code>${gives}</code></td></tr>`)}
</tbody></table></div>
<h2>Flags</h2>
<div class="scroll stack" tabindex="0" role="region" aria-label="Flags"><table><thead><tr><th>Code</th><th>Severity</th><th>When</th></tr></thead><tbody>
${flags.map(({ code: flag, severity, when }) => html`<tr><td><code>${flag}</code></td><td>${severity}</td><td>${when}</td></tr>`)}
</tbody></table></div>
<h2>An example</h2>
${code(JSON.stringify(quote?.exampleAnswer, null, 2), 'A quote', 'json')}
`,
  };
}
