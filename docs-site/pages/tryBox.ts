import { html, type Markup } from '../html.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** CAIP-2 of Solana's mainnet. */
const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** A form that buys a real answer. It needs JavaScript; without it, it links to the guides. */
export function tryBox({ mode, items, chains, networks }: SiteFacts): Markup {
  // The sandbox's demo wallet pays on EVM chains.
  const known = mode === 'sandbox' ? chains : [...chains, { network: solanaNetwork, label: 'Solana' }];
  const payable = known.filter(({ network }) => networks.includes(network));
  const quote = items.find(({ name }) => name === 'quote');
  const check = items.find(({ name }) => name !== 'quote');
  return html`<section class="try" aria-labelledby="try-title">
<h2 id="try-title">Buy an answer now</h2>
<noscript><p>This box needs JavaScript. <a href="/guides/first-call">The same with curl.</a></p></noscript>
<form id="try-form" data-mode="${mode}" data-networks="${networks.join(' ')}" data-tokens="/assets/tokens.json">
<fieldset class="services"><legend class="under" hidden>Service</legend>
<label><input type="radio" name="what" value="quote" data-price="${quote?.priceUsd}" data-free="${String(quote?.freeFirstCall)}" checked> What would I get?</label>
${check && html`<label><input type="radio" name="what" value="check" data-price="${check.priceUsd}" data-free="${String(check.freeFirstCall)}"> Is it a trap?</label>`}
</fieldset>
<fieldset class="tabs" data-what="quote"><legend class="under" hidden>Quote</legend>
<div class="row">
<label class="field">Chain<select name="chain">${chains.map(({ name, label, network }) => html`<option value="${name}" data-id="${network.replace('eip155:', '')}">${label}</option>`)}</select></label>
<label class="field">Size, in whole tokens<input name="sizeIn" value="2.5" inputmode="decimal" autocomplete="off" required></label>
<label class="field wide" for="sell">Sell</label><input id="sell" name="tokenIn" value="WETH" required>
<label class="field wide" for="buy">Buy</label><input id="buy" name="tokenOut" value="USDC" required>
</div></fieldset>
<fieldset class="tabs" data-what="check" hidden><legend class="under" hidden>Check</legend>
<div class="row">
<label class="field wide" for="checked">Token on Base</label><input id="checked" name="token" value="WETH" required>
<label class="field">Size in USD<input name="sizeUSD" value="1000" inputmode="decimal" autocomplete="off"></label>
</div></fieldset>
<p class="under"><span class="cost">Paid by ${mode === 'sandbox' ? "the sandbox's demo wallet" : "this browser's wallet"}. A request that is refused costs nothing.</span>${payable.length > 1 && html` <label>Pay on <select name="payOn"><option value="">any network</option>${payable.map(({ network, label }) => html`<option value="${network}">${label}</option>`)}</select></label>`}</p>
<button class="buy" type="submit">Pay and send</button>
<button class="discard" type="button" hidden>Discard the pending payment</button>
<output class="notice" aria-live="polite"></output>
</form>
</section>`;
}
