import { code } from '../code.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';
import { tryBox } from './tryBox.ts';

/** Purpose, price and a first call. */
export function landing(facts: SiteFacts): Page {
  const { baseUrl, items } = facts;
  return {
    path: '/',
    title: 'truefill: know the fill before you trade',
    about:
      'Executable quotes for the full size on Base, Polygon and Arbitrum, and a pretrade check that reports only proven traps. Paid per call in USDC through x402.',
    scripts: ['try.js'],
    body: html`
<div class="opening">
<div class="pitch">
<h1>Know the fill before you trade.</h1>
<p class="lead"><strong>A node simulates your whole trade.</strong> The answer is the exact amount that arrives, after pool fees, token taxes and hooks. For a token on Base you see whether a trap is proven. One HTTP call, paid in USDC. No key, no signup.</p>
</div>
${tryBox(facts)}
<section id="try-answer" aria-label="Answer"></section>
<ul class="prices">
${items.map(
  ({ path, priceUsd, summary, freeFirstCall }) =>
    html`<li><code>POST ${path}</code> <b>${priceUsd} USD</b><span>${summary}.${freeFirstCall && ' The first call of a wallet is free.'}</span></li>`,
)}
<li><code>GET /health</code> <b>free</b><span>Whether the service is up, and which chains it can read.</span></li>
</ul>
</div>
<section id="kept-answers" aria-labelledby="kept-title" hidden>
<h2 id="kept-title">Your answers in this browser</h2>
<p>This browser stores the last 30 until you delete them. The service also stores each paid answer, for a day by default, so that it can send it again.</p>
<ul></ul>
</section>

<h2>Call it</h2>
<p>Send the request without a payment. The <code>402</code> response states the price and where to pay. Any x402 client signs a payment and sends the request again.</p>
${code(
  `curl -si ${baseUrl}/v1/quote -H 'content-type: application/json' -d '{
  "tokenIn":  "0x4200000000000000000000000000000000000006",
  "tokenOut": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  "sizeIn":   "2.5" }'

HTTP/1.1 402 Payment Required
PAYMENT-REQUIRED: eyJ4NDAyVmVyc2lvbiI6Mi…`,
  'A quote for selling 2.5 WETH for USDC on Base',
  'sh',
)}
<p>Continue with the <a href="/guides/first-call">first call in curl, TypeScript, Python or Go</a>, read the <a href="/reference">API reference</a>, or give an agent <a href="/llms.txt">llms.txt</a>.</p>

<h2>What you pay for</h2>
<div class="benefits">
<div>
<h3>The price of your full size</h3>
<p>A spot price holds for a very small trade. <code>amountOut</code> is what a swap of your full size pays the receiver at the block named in the answer: the node executes the swap in a simulated call. When no venue fills the size, the answer has the flag <code>NO_ROUTE</code>. <a href="/guides/quote">How to read a quote</a>.</p>
</div>
<div>
<h3>Proof instead of a score</h3>
<p><code>avoid</code> means that one of three traps was proven at the block: no pool to sell into, drained exit liquidity, or trading disabled by the token itself. Everything else is a measured fact with its source. A value that could not be read is <code>unknown</code>; it never counts as safe. <a href="/guides/verdict">How to read a verdict</a>.</p>
</div>
<div>
<h3>One charge, one answer</h3>
<p>A payment buys one answer, and a refused request costs nothing. If something fails after you paid, the same request with the same signature is answered without a second charge. <a href="/guides/errors">Errors and retries</a>.</p>
</div>
</div>
`,
  };
}
