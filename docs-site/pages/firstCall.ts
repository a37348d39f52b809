import { code } from '../code.ts';
import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';
import { callTabs, terminalCalls } from '../snippets.ts';

const quoteBody = `{ "tokenIn": "0x4200000000000000000000000000000000000006",
  "tokenOut": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  "sizeIn": "2.5" }`;

const demoKey = (baseUrl: string) =>
  `export TRUEFILL_KEY=$(curl -s ${baseUrl}/sandbox | \\
  node -p 'JSON.parse(fs.readFileSync(0)).wallets.find(({ role }) => role === "demo").privateKey')`;

/** The decoded header of the 402, shortened. */
const paymentRequired = ({ baseUrl, usdcName }: SiteFacts) =>
  `{
  "x402Version": 2,
  "resource": { "url": "${baseUrl}/v1/quote", "mimeType": "application/json", … },
  "accepts": [
    {
      "scheme": "exact",
      "network": "eip155:8453",
      "amount": "20000",
      "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      "payTo": "0x…",
      "maxTimeoutSeconds": 180,
      "extra": { "name": "${usdcName}", "version": "2", "paymentFlow": "upfront" }
    }
  ]
}`;

/** The EIP-712 typed data of an EIP-3009 transfer. */
const typedData = ({ usdcName }: SiteFacts) =>
  `domain   { name: "${usdcName}", version: "2", chainId: 8453, verifyingContract: <asset> }
types    TransferWithAuthorization(address from, address to, uint256 value,
                                   uint256 validAfter, uint256 validBefore, bytes32 nonce)
message  { from: <you>, to: <payTo>, value: <amount>, validAfter: 0,
           validBefore: <now + maxTimeoutSeconds>, nonce: <32 random bytes> }`;

/** The first paid call in each language, then header by header with curl. */
export function firstCall(facts: SiteFacts): Page {
  const { baseUrl, mode, version, networks } = facts;
  return {
    path: '/guides/first-call',
    title: 'Your first call to truefill',
    about: 'A paid quote with curl, step by step, each x402 header decoded.',
    body: html`
<h1>Your first call</h1>
<p class="lead">Four steps: send the request, read the price, sign, send the request again. Each direction uses one header.</p>

<h2>The whole call</h2>
<p>The examples use the published x402 packages and read the wallet's private key from <code>TRUEFILL_KEY</code>. The wallet needs USDC on one of the networks and no gas.${mode === 'sandbox' && ' Here the demo wallet of the sandbox pays:'}</p>
${code(mode === 'sandbox' ? demoKey(baseUrl) : 'export TRUEFILL_KEY=0x…', 'The wallet', 'sh')}
${callTabs({ baseUrl, mode, version, path: '/v1/quote', name: 'quote', body: JSON.parse(quoteBody) })}
<p><code>examples/python/truefill.py</code> in the project needs no package at all. Agents call <a href="/guides/agents#mcp">MCP tools</a>. In a clone of the project both calls are one line:</p>
${code(terminalCalls({ baseUrl, mode }), 'Command line', 'sh')}
<p>The next sections show the same call header by header.</p>

<h2>1. Send the request</h2>
${code(`curl -si ${baseUrl}/v1/quote -H 'content-type: application/json' -d '${quoteBody}'`, 'An unpaid POST', 'sh')}
<p>The response is <code>402 Payment Required</code>. No chain was read and nothing was stored.</p>

<h2>2. Read the price</h2>
<p>The header <code>PAYMENT-REQUIRED</code> is base64 of JSON. <code>… | base64 -d | jq</code> shows it:</p>
${code(paymentRequired(facts), 'PAYMENT-REQUIRED, decoded and shortened', 'json')}
<dl>
<dt><code>amount</code></dt><dd>Base units of USDC, six decimals: 20000 is 0.02 USD.</dd>
<dt><code>network</code></dt><dd>The network on which you pay: one entry for each of ${networks.map((network, index) => html`${index > 0 && ', '}<code>${network}</code>`)}. It is independent of the chain of the quote.</dd>
<dt><code>extra.paymentFlow</code></dt><dd><code>upfront</code>: the transfer settles before the answer is computed.</dd>
</dl>

<h2>3. Sign</h2>
<p>Pick one entry. On an EVM network you sign an EIP-3009 <code>TransferWithAuthorization</code> of the USDC contract as EIP-712 typed data; you need no gas and send no transaction. Take the domain's name and version from the entry's <code>extra</code>${mode === 'sandbox' && ': USDC in the sandbox has its own name, so a signature made here is worthless on mainnet'}. A client library does this in one line (<a href="/guides/typescript">TypeScript</a>), and so does <code>curl -si … | npm run -s truefill -- sign</code> in a clone of the project; this is the result:</p>
${code(typedData(facts), 'What is signed')}
${code(
  `{
  "x402Version": 2,
  "accepted": <the entry of accepts[] that you chose, unchanged>,
  "payload": { "signature": "0x…", "authorization": { "from": "0x…", "to": "0x…", "value": "20000",
               "validAfter": "0", "validBefore": "1…", "nonce": "0x…" } }
}`,
  'PAYMENT-SIGNATURE, before base64',
  'json',
)}

<h2>4. Send the request again</h2>
${code(
  `curl -si ${baseUrl}/v1/quote -H 'content-type: application/json' \\
  -H "PAYMENT-SIGNATURE: $SIGNED" -d '${quoteBody}'`,
  'The identical POST, with the signature',
  'sh',
)}
<p>The answer comes with <code>200</code> and a receipt in the header <code>PAYMENT-RESPONSE</code>:</p>
${code(`{ "success": true, "transaction": "0x…", "network": "eip155:8453", "payer": "0x…" }`, 'PAYMENT-RESPONSE, decoded', 'json')}
<p>Where <code>x-receipts</code> of the OpenAPI document names a key, <code>extensions["offer-receipt"]</code> holds a signed receipt for every paid answer. <code>truefill receipt verify</code> checks one.</p>
<p>If the connection breaks or the response is <code>503</code>, <strong>send the same signature again.</strong> It identifies the payment: you get your answer and are not charged twice.</p>

${
  mode === 'sandbox' &&
  html`<h2>All steps at once</h2>
<p>This is the sandbox: <a href="/sandbox"><code>GET /sandbox</code></a> lists funded wallets with their keys. From a clone of the project:</p>
${code('npm run demo', 'Buys a quote on each chain, executes it, and prints the difference in wei', 'sh')}`
}
`,
  };
}
