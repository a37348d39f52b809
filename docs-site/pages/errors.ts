import { code } from '../code.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** Every status, its cost and the next step. The service's error table is the source. */
export function errors({ errors: rows }: SiteFacts): Page {
  return {
    path: '/guides/errors',
    title: 'Errors and retries',
    about: 'Every error of truefill, whether it was charged, and the one rule for retries.',
    body: html`
<h1>Errors and retries</h1>
<p class="lead">One rule: <strong>after you have sent a signature, send the same one again</strong>. A new signature is a new payment.</p>
${code(
  `{
  "type": "…/guides/errors#INVALID_REQUEST",
  "title": "Invalid request",
  "status": 400,
  "detail": "…",
  "charged": false,
  "instance": "urn:uuid:…",
  "code": "INVALID_REQUEST",
  "issues": [ { "path": "sizeIn", "message": "…" } ],
  "exampleRequest": { … },
  "docs": "…",
  "requestId": "…"
}`,
  'The body of every error',
  'json',
)}
<p>The first five members are those of RFC 9457; <code>type</code> is the row of the table below. The media type is <code>application/json</code>. On tRPC the body is in <code>error.data.reason</code>, on MCP in <code>structuredContent</code>.</p>
<p><code>charged</code> states whether the payment of this request was charged. <code>false</code>: it was not, and the service settles it only if you send it again. <code>true</code>: it was, and its answer or a credit for it exists. <code>null</code>: not known yet; send the same signature again. A <code>429</code>, <code>500</code> or <code>503</code> that is sent before the payment is looked up has <code>null</code>, because an earlier request may have charged it.</p>
<div class="scroll stack" tabindex="0" role="region" aria-label="Status, Code, When"><table><thead><tr><th>Status</th><th>Code</th><th>When</th></tr></thead><tbody>
${rows.map(({ status, code: name, when }) => html`<tr id="${name}"><td class="num">${status}</td><td><a class="self" href="#${name}"><code>${name}</code></a></td><td>${when}</td></tr>\n`)}</tbody></table></div>
<h2>An address without code</h2>
<p>Before a quote is charged, the service reads the code of <code>tokenIn</code> and <code>tokenOut</code>. If an address has no code on the chain, the status is <code>400</code>, and the body names the address, the chain and the block. If the address is a known token of another chain, it names that chain too. Nothing is charged, and the same signature can pay for a corrected request until it expires. When the code cannot be read the answer is <code>503</code>, also uncharged.</p>
<p>An unpaid request for such an address is <code>402</code> like any other, because a <code>402</code> reads no chain.</p>
<h2>Same signature, same request</h2>
<p>You get the stored answer, byte for byte, with <code>Idempotent-Replayed: true</code>. Repeated requests charge nothing. An answer is replayed until the payment's <code>validBefore</code>, for at most ten minutes: everything in the payment is public once it is on chain. With a <code>payment-identifier</code>, which no observer knows, it is replayed for 24 hours. It is then also replayed to a new signature of the same wallet for the same request, and the new payment is not settled. Afterwards the response is <code>409</code>, for any body: the payment was charged and answered, and its answer can no longer be replayed. A new payment is charged and gets a new answer.</p>
<h2>Same signature, other request</h2>
<p><code>409</code>: a payment buys the one request it was first sent with. This request charges nothing. A refused payment stays bound to its request for at least an hour.</p>
<h2>Settled in a third party's transaction</h2>
<p>Anyone with your authorization can submit it to the token contract, and the payment then reaches this service in a transaction that it did not send. Send the payment as usual until <code>validBefore</code>: if recipient, asset and amount are exact, it buys its answer once, without a second charge. On Solana the same holds while the blockhash is valid. If the chain shows that the authorization was cancelled or paid something else, the <code>402</code> names the transaction. If the chain cannot be read, the answer is <code>SETTLEMENT_UNKNOWN</code>.</p>
<p>A <code>402</code> with <code>charged: null</code> covers that request only: an earlier use of the same authorization may have moved money. Look it up before you sign a new one.</p>
<h2>Paid, and no answer</h2>
<p>Your payment settled, but the chain failed or your connection closed before the answer. The credit stays: the same request with the same signature is answered without a second charge for at least 24 hours. <code>Retry-After</code> contains the seconds to wait.</p>
<h2>502, 504 and lost connections</h2>
<p>A <code>502</code> or <code>504</code> without the body above comes from a proxy on the way, not from the service. If the request contained a signature, its payment may have been charged. Send the same signature again: it fetches the answer, or pays at most once.</p>
<h2>Refunds</h2>
<p>A payment is final once it has settled: it cannot be taken back, and the service refunds nothing by itself. A settled payment buys its answer, or leaves a credit for it. If the credit is not answered within a day, write to the operator with the transaction and the <code>requestId</code>.</p>
<h2>Several payments at once</h2>
<p>Pending payments reserve their amount. If the wallet's balance does not also cover a new payment, the answer is <code>402</code>; its detail states the balance and the reserved amount. Send the same signature again when the others have ended.</p>
<p>A wallet may have as many payments in flight as it has settled since its last payment that failed on chain, plus one. Further ones wait until others of the same wallet have ended, for at most 15 seconds; then the answer is <code>429</code> with <code>Retry-After</code>, uncharged. Payments of other wallets do not count.</p>
<h2>Failed on chain</h2>
<p>A transfer that fails on chain costs you nothing, but the service pays its gas. The wallet is paused for a minute, and twice as long after each further failure, up to a day: <code>429</code> with <code>Retry-After</code>. Contract wallets (ERC-1271, EIP-7702) also share one budget for the gas of failed settlements; when it is spent they get <code>429</code> until it refills.</p>
<h2>A network that cannot settle</h2>
<p>A network is offered only while it can settle: its nodes respond, the facilitator has gas, gas costs less than the call, the token is not paused and does not block the payee. A payment that was signed before the network was withdrawn gets <code>503</code> with <code>Retry-After</code>, uncharged. Pay on another network, or send the same signature again later. Payments that settled before are answered as usual. If no network is left, unpaid calls and new payments get <code>503</code>. <code>/health</code> states the reason for each network.</p>
<h2>Limits on Solana</h2>
<p>At most 200,000 compute units, a unit price of 50,000 microlamports and two signatures: those of the fee payer and the payer. Otherwise the answer is <code>402</code>, which states the value and the limit.</p>
<h2>Outcome not known</h2>
<p><code>SETTLEMENT_UNKNOWN</code>: the transfer was sent, or the authorization is used on chain, and the outcome is not known yet. The service keeps checking. Send the same signature after <code>Retry-After</code>.</p>
`,
  };
}
