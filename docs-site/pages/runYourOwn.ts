import { code, html } from '../html.ts';
import type { Page } from '../layout.ts';

/** From a clone to a live service. */
export function runYourOwn(): Page {
  return {
    path: '/guides/run',
    title: 'Running your own truefill',
    about: 'The sandbox in one command, and what a live service needs.',
    body: html`
<h1>Running your own</h1>
<p class="lead">One command and no configuration gives the whole service on local chains. An RPC URL makes it real.</p>
<h2>The sandbox</h2>
${code('npm start', 'Node 20.20 or newer, nothing else')}
<p>It brings up local chains for Base, Polygon and Arbitrum with the venues' real contracts at their own addresses, USDC, a market with honest tokens and one for each kind of trap, funded wallets, and this page. Every answer is worked out by the code that runs live.</p>
<h2>Live</h2>
${code(
  `TRUEFILL_MODE=live
PUBLIC_URL=https://quotes.example
RPC_URL_BASE=https://first…,https://second…
RPC_URL_POLYGON=…
RPC_URL_ARBITRUM=…
PAY_TO_EVM=0x…              # who is paid
FACILITATOR_KEY_EVM=0x…     # submits the payments; holds a little gas on each chain, never USDC
DATA_DIR=/var/lib/truefill  # the payment ledger`,
  'The least it needs',
)}
<p>It never starts half-configured: one message lists all that is missing or wrong. The chain behind every RPC URL is checked, and so is USDC's EIP-712 domain. To try live mode offline, <code>npm run -s chains -- --mainnet-usdc</code> starts local chains and prints the environment for them. All variables are in the README.</p>
<h2>What the RPC must offer</h2>
<ul>
<li><code>eth_call</code> with state overrides of code, balance and storage. Without it, quotes come from published quoters with confidence <code>low</code> and the flag <code>QUOTERS_ONLY</code>, and checks answer 503.</li>
<li>Preferably <code>eth_createAccessList</code>: it returns the storage slots of tokens with an unusual layout. Without it, the tax on a sale of such a token is not measured.</li>
<li>For the check: <code>eth_simulateV1</code>, and <code>eth_getLogs</code> by topic over the whole chain. Where the node refuses either, the answer says what could not be measured, and no exit trigger is raised on it.</li>
</ul>
<h2>See how it stands</h2>
<ul>
<li><code>GET /health</code>: the process answers; which chains can be read, and whether there is gas to settle with.</li>
<li><code>GET /ready</code>: whether a balancer may send requests here. 503 while it starts, while it ends, and while its store does not answer; <code>missing</code> says which. A chain that is down does not make it unready: the others sell on.</li>
<li><code>METRICS_PORT=9464</code>: metrics for Prometheus at <code>/metrics</code> on a port of its own, on the loopback unless <code>METRICS_HOST</code> says otherwise. A scrape asks no node, and the store one small question. <code>ops/alerts.yaml</code> and <code>ops/dashboard.json</code> go with them.</li>
<li><code>OTEL_EXPORTER_OTLP_ENDPOINT</code>: a trace for each request, over OTLP.</li>
<li>The log is JSON lines on standard error, each with the request's id, without headers, bodies and secrets.</li>
</ul>
<p>A container file, a compose file with PostgreSQL and Prometheus, and a hardened systemd unit are in <code>ops/</code>.</p>
<h2>Keep</h2>
<p>Back up <code>DATA_DIR</code>, or the database of <code>DATABASE_URL</code>. It knows every payment that was ever taken; without it an old signature might be answered anew.</p>
`,
  };
}
