import { code, html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';
import { tryBox } from './tryBox.ts';

/** What this is, what it costs, how to call it: in that order, above the fold. */
export function landing(facts: SiteFacts): Page {
  const { baseUrl, items } = facts;
  return {
    path: '/',
    title: 'truefill: know the fill before you trade',
    about:
      'The price at which your full size really fills on Base, Polygon and Arbitrum, and a pre-trade check that calls a trap only when it is proven. Paid per call in USDC over x402.',
    scripts: ['try.js'],
    body: html`
<div class="opening">
<div>
<h1>Know the fill before you trade.</h1>
<p class="lead"><strong>truefill runs your full size inside the node</strong> and tells you what arrives, to the wei: taxes, hooks and thin pools included. For a token it proves a trap, or says that none is proven. One HTTP call, paid in USDC. No key, no signup.</p>
<ul class="prices">
${items.map(
  ({ path, priceUsd, summary, freeFirstCall }) =>
    html`<li><code>POST ${path}</code> <b>${priceUsd} USD</b><span>${summary}.${freeFirstCall && ' The first call of a wallet is free.'}</span></li>`,
)}
<li><code>GET /health</code> <b>free</b><span>Is it up, and which chains can be read.</span></li>
</ul>
</div>
${tryBox(facts)}
</div>

<h2>Call it</h2>
<p>Ask without paying, and the <code>402</code> says what it costs and where to pay. Any x402 client signs that and asks again.</p>
${code(
  `curl -si ${baseUrl}/v1/quote -H 'content-type: application/json' -d '{
  "tokenIn":  "0x4200000000000000000000000000000000000006",
  "tokenOut": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  "sizeIn":   "2.5" }'

HTTP/1.1 402 Payment Required
PAYMENT-REQUIRED: eyJ4NDAyVmVyc2lvbiI6Mi…`,
  'Ask: the price of selling 2.5 WETH for USDC on Base',
)}
<p>Go on with the <a href="/guides/first-call">first call, header by header</a>, in <a href="/guides/typescript">TypeScript or typed tRPC</a>, or hand an agent <a href="/llms.txt">llms.txt</a>.</p>

<h2>What you pay for</h2>
<h3>A fill, not a feed</h3>
<p>A spot price is what the last person got for very little. <code>amountOut</code> is what a swap of your whole size pays the receiver at the block that the answer names: the swap is executed in the node and taken back. When nothing fills the size the answer says so. <a href="/guides/quote">How to read a quote</a>.</p>
<h3>Proof, not opinion</h3>
<p><code>avoid</code> means that one of three traps was proven at the block: no pool to sell into, a pool that has been drained, trading switched off by the token itself. Everything else is a measured fact with its source, and what could not be read is <code>unknown</code>, never clean. <a href="/guides/verdict">How to read a verdict</a>.</p>
<h3>One charge, one answer</h3>
<p>A payment buys one answer and is written down before it is sent. Ask again with the same signature and you get that answer again, uncharged. When something breaks after you paid, the credit stays. A refused request costs nothing. <a href="/guides/errors">Errors and retries</a>.</p>
`,
  };
}
