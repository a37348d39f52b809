import { html, type Markup } from '../html.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** A form that buys a real answer. It needs JavaScript; without it, it links to the guides. */
export function tryBox({ mode, items }: SiteFacts): Markup {
  const priceOf = (name: string) => items.find((item) => item.name === name)?.priceUsd ?? '';
  const check = items.find(({ name }) => name !== 'quote');
  return html`<section class="try" aria-labelledby="try-title">
<h2 id="try-title">Buy an answer now</h2>
<noscript><p>This box needs JavaScript. <a href="/guides/first-call">The same with curl.</a></p></noscript>
<form id="try-form" data-mode="${mode}">
<fieldset class="tabs"><legend class="under">Question</legend>
<label><input type="radio" name="what" value="quote" data-price="${priceOf('quote')}" checked> What would I get?</label>
${check && html`<label><input type="radio" name="what" value="check" data-price="${check.priceUsd}"> Is it a trap?</label>`}
</fieldset>
<fieldset class="tabs" data-what="quote"><legend class="under" hidden>Quote</legend>
<div class="row">
<label class="field">Chain<select name="chain"><option>base</option><option>polygon</option><option>arbitrum</option></select></label>
<label class="field">Size, in whole tokens<input name="sizeIn" value="2.5" inputmode="decimal" required></label>
<label class="field wide">Sell<input name="tokenIn" list="tokens-quote" value="0x4200000000000000000000000000000000000006" pattern="0x[0-9a-fA-F]{40}" required></label>
<label class="field wide">Buy<input name="tokenOut" list="tokens-quote" value="0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" pattern="0x[0-9a-fA-F]{40}" required></label>
</div></fieldset>
<fieldset class="tabs" data-what="check" hidden><legend class="under" hidden>Check</legend>
<div class="row">
<label class="field wide">Token on Base<input name="token" list="tokens-check" value="0x4200000000000000000000000000000000000006" pattern="0x[0-9a-fA-F]{40}" required></label>
<label class="field">Size in USD<input name="sizeUSD" value="1000" inputmode="decimal"></label>
</div></fieldset>
<p class="under">Paid by ${mode === 'sandbox' ? "the sandbox's demo wallet" : "this browser's wallet"}.</p>
<button class="buy" type="submit">Pay and ask</button>
<button class="discard" type="button" hidden>Discard that payment</button>
<output class="said" aria-live="polite"></output>
</form>
<datalist id="tokens-quote"></datalist><datalist id="tokens-check"></datalist>
<div id="try-answer"></div>
</section>`;
}
