import { caddySite, headLimits, nginxServer } from '../behindProxy.ts';
import { code } from '../code.ts';
import { html, type Markup } from '../html.ts';
import type { Page } from '../layout.ts';

const bytes = (count: number): string => count.toLocaleString('en');

const inFront = html`<h2>Limits</h2>
<p>Let only the proxy reach the service's port. The proxy must limit these (nginx: <code>limit_conn</code>, <code>limit_req</code>), because the service sees only the proxy's connections:</p>
<ul>
<li>Connections of each client address, for example 100, and new connections a second.</li>
<li>The time for a complete header (10 s) and body (30 s). The service applies the same limits to the proxy.</li>
<li>Bodies above 64 KiB. The service itself refuses bodies above 16 KiB (<code>413</code>).</li>
</ul>
<p>Without a proxy the service itself closes connections of one address above <code>CONNECTIONS_PER_ADDRESS</code> (256) and above 4,000 in all. With <code>TRUSTED_PROXIES</code> the limit of each address is off, unless you set it. <code>CONNECTIONS_UNLIMITED_FROM</code> exempts proxies and health checks.</p>
<p>A request without <code>PAYMENT-SIGNATURE</code>, or of a wallet that never paid, counts for its client address (<code>RATE_LIMIT_PER_ADDRESS</code>). A verified payment of a wallet with a settled payment counts for the wallet (<code>RATE_LIMIT_PER_WALLET</code>). Set <code>TRUSTED_PROXIES</code>, or all clients share one address.</p>
<h2>The clock</h2>
<p>Synchronise the clock (NTP). A payment is valid for minutes. If the clock is ahead, payments are refused as expired; if it is behind, as not yet valid (<code>402</code>, uncharged). A difference of more than 30 s from the newest blocks is logged with both times, and <code>/health</code> shows <code>degraded</code> and <code>clock</code>.</p>`;

const money = html`<h2>Revenue and margin</h2>
${code(
  `npm run ledger -- report                                      # by UTC day, product and network
npm run ledger -- report --from 2026-11-01 --to 2026-12-01    # November; --to is not included
npm run ledger -- report --csv > payments.csv                 # or --json
npm run ledger -- report --from 2026-11-28 --reconcile        # compares with the USDC that PAY_TO received`,
  'The report writes nothing and may run beside the service',
  'sh',
)}
<p>Each line counts payments: answered, paid but not answered (credits), redeemed, free and refused. It also has the revenue, the gas, and the margin, which is revenue minus gas. One USDC counts as one dollar. The fees of RPC providers and remote facilitators are not included: <a href="/guides/capacity">Capacity</a> has the units of a call.</p>
<p>A value that is not known is never counted as zero: the report states how many payments have no recorded amount or gas, and why. Payments that an earlier version recorded have no amount. The gas of Solana payments is not read.</p>
<p><code>--reconcile</code> needs the live configuration. On each EVM network it reads the <code>Transfer</code> events to <code>PAY_TO_EVM</code> and the balance. It names each transfer without a payment, each payment without a transfer, and the blocks that no node returned. It exits with 1 if ledger and chain differ. It sends at most 2,000 log requests for a network, so compare some days at a time where a node returns few blocks. Solana is not compared.</p>`;

const upkeep = html`<h2>Backups</h2>
<p>Back up <code>DATA_DIR</code>, or the database of <code>DATABASE_URL</code>. It records every payment and every free call. For PostgreSQL, any consistent backup suffices. For SQLite use <code>npm run ledger -- backup /backups/truefill.sqlite</code>, also while the service runs. After a clean stop <code>truefill.sqlite</code> alone is complete, too. A start on an empty file creates a new ledger and warns with its path.</p>
<p>After an older backup is restored, payments made since are unknown to the service. Each can buy its answer once more until its <code>validBefore</code>, without a second charge.</p>
<h2>Upgrade and rollback</h2>
<p>A new version upgrades the tables in place when it starts. Stored payments, credits, answers and free calls keep their meaning. Stop the replicas of the old version first, unless the CHANGELOG states that both versions can run together.</p>
<p><code>ops/runbook</code> has a page for each alert, and for backup, restore, upgrade, key rotation, gas, abuse and a lost payment.</p>
<p>An older version does not start on tables of a newer one: it names both versions. To roll back, restore the backup from before the upgrade.</p>`;

const sandbox = html`<h2>The sandbox</h2>
${code('npm start', 'Node 20.20 or newer, nothing else', 'sh')}
<p>It starts local chains for Base, Polygon and Arbitrum with the venues' real contracts at their own addresses. It also starts USDC, a market with honest tokens and one token for each kind of trap, funded wallets, and this page. Every answer is computed by the code that runs live.</p>
<p>The sandbox's USDC has its own EIP-712 name, so a signature made for it is worthless on mainnet.</p>`;

const offline = html`
<p>To try live mode offline, start the local chains alone, with USDC under its mainnet name:</p>
${code(
  `npm run -s chains -- --mainnet-usdc > live.env &   # RPC URLs, payees and keys, as environment variables
set -a; . ./live.env; npm start                    # once the file is written`,
  'Live mode on local chains',
  'sh',
)}`;

/** From a clone to a live service: sandbox, live mode, replicas, observability, backups, upgrades. */
export function runYourOwn(): Page {
  return {
    path: '/guides/run',
    title: 'Running your own truefill',
    about: 'Start the sandbox with one command, and run a live service with replicas, metrics and backups.',
    body: html`
<h1>Running your own</h1>
<p class="lead">One command without configuration starts the whole service on local chains. An RPC URL makes it live.</p>
${sandbox}
<h2>Live mode</h2>
${code(
  `TRUEFILL_MODE=live
PUBLIC_URL=https://quotes.example
RPC_URL_BASE=https://first…,https://second…
RPC_URL_POLYGON=…
RPC_URL_ARBITRUM=…
PAY_TO_EVM=0x…              # receives the payments
FACILITATOR_KEY_EVM=0x…     # submits the payments; holds a little gas on each chain, never USDC
DATA_DIR=/var/lib/truefill  # the payment ledger`,
  'The minimum',
  'sh',
)}
<p>At start the service prints one block: the bound address, public URL, storage, chains, payees, settling accounts, payment networks with their state, and prices. Read it before you announce the service. The log line <code>started</code> has the same facts.</p>
<p>It does not start without <code>PUBLIC_URL</code> (https; http only for this machine). It refuses a payee that is the settling account, a token, or a known contract. It also refuses a variable that is within two edits of one of its own, such as <code>DATABSE_URL</code>.</p>
<p>The service checks the chain id behind every RPC URL and USDC's EIP-712 domain, and does not start when one differs. Nothing of the sandbox can be reached in live mode. All variables are under <a href="/guides/configuration">Configuration</a>.</p>
<p>When you withdraw earnings, leave at least 1 USDC at <code>PAY_TO_EVM</code> on each network. A first transfer to an empty account costs more gas, so payments in flight can fail on chain when its balance becomes exactly zero; they charge nothing, and their payers are paused for a minute.</p>
${offline}
<h2>What the RPC must offer</h2>
<ul>
<li><code>eth_call</code> with state overrides of code, balance and storage. Without it, quotes come from published quoters with confidence <code>low</code> and the flag <code>QUOTERS_ONLY</code>, and checks answer 503.</li>
<li>Preferably <code>eth_createAccessList</code>: it returns the storage slots of tokens with an unusual layout. Without it, the tax on a sale of such a token is not measured.</li>
<li>For the check: <code>eth_simulateV1</code>, and <code>eth_getLogs</code> by topic over the whole chain. Where no node has <code>eth_simulateV1</code>, state overrides and blocks of the last seconds, checks get 503 without a charge. Where a node refuses logs, the answer names what could not be measured, and no exit trigger is raised.</li>
<li>The service tests what each node can do at start, after refusals and every ten minutes. The start, <code>/health</code>, metrics and a log line name what is missing or limited.</li> <li><code>RPC_BUDGET_BASE=500 units</code> or <code>25 calls</code> states what a URL accepts a second. Without it the service learns the limit from HTTP 429. Calls wait for the budget within their deadline, and settlements come first. While it is used up, new calls get 503 with <code>Retry-After</code>, without a charge.</li>
<li>Set <code>sysctl -w net.ipv4.tcp_slow_start_after_idle=0</code> on this host, and on your own node's. A quote sends 46 kB. By default Linux sends 14 kB and then waits a round trip after each pause, so such a quote takes four round trips instead of one.</li>
<li>Where a node refuses logs of all blocks, the service builds an index of pools in the background, in <code>truefill.pools.sqlite</code> beside the ledger. The start, <code>/health</code> (<code>poolIndex</code>), the metrics <code>truefill_pool_index_*</code> and a log line show its state. <b>scanning:</b> wait for the time that is left; quotes of unusual pools may miss them. <b>complete:</b> nothing to do. <b>failing, logs are refused:</b> use a node that returns logs, at least in short ranges. <b>failing, no node responds:</b> see the node's own line. <b>failing, the index could not be stored:</b> check the disk. The file needs no backup; delete it while the service is stopped to build it again. A deployment can start from a copy: <code>npm run index -- export base base.ndjson.gz</code> on one machine, and <code>npm run index -- import base.ndjson.gz &lt;SHA-256&gt;</code> on another. Import only files of authors whom you trust: a file cannot add a false pool, but it can omit one.</li>
<li>Until that index is complete, the service asks GeckoTerminal and DEX Screener for pools of a token, at most once in ten minutes for each token and only for paid calls. These companies see the addresses of the tokens that your callers ask about, and your IP address; no wallet and no size. <code>POOL_HINTS=off</code> disables it. Every pool must be confirmed by the chain.</li>
<li>One URL a chain is enough. Batches may be limited or refused, and the nodes behind the URL may be some blocks apart. <code>npm run prove:nodes</code> tries the service with such endpoints.</li>
<li>On Base: a node for blocks of 200 ms (base-reth-node 1.5.1 or later; op-geth no longer serves Base). A limit in blocks is short there: 10,000 blocks of logs are 33 minutes, 128 kept states are 26 s. A log limit below some hundred blocks is too small for the check. The service measures block intervals itself.</li>
<li><code>PRECONFIRMED_NETWORKS</code> cannot contain <code>base</code>: Base has had no preconfirmations since 5 November 2026, and includes a transaction in a block within 200 ms.</li>
</ul>
${behindProxy()}
<h2>Replicas</h2>
<p>Give every process the same variables and one <code>DATABASE_URL</code>. The first process creates the tables, also when several start at once. Together the replicas charge a payment once, give a wallet one free call, share the rate limits, and return the same answer to the same request until <code>validUntil</code>. If a replica is killed during a settlement, another one finishes it within half a minute.</p>
<p>Put a load balancer in front, set <code>TRUSTED_PROXIES</code>, and keep the clocks within a second of each other. On SIGTERM a process finishes its open requests, while <code>/health</code> and new paid calls answer 503, uncharged.</p>
${code(
  `npm run cluster:demo     # three services, a balancer and a real PostgreSQL on this machine; then one is killed
npm run ledger -- show   # payments by state; also: show <key, payer or transaction>, credits, report, export, backup, reconcile`,
  'Try it',
  'sh',
)}
${inFront}
<h2>Health, metrics and logs</h2>
<ul>
<li><code>GET /health</code>: the process is up; which chains can be read, whether payments can be recorded, which payment networks can settle (<code>payment.settlement</code>), and how much gas is left. <code>degraded</code> has status 200: do not restart the process for it.</li>
<li><code>GET /ready</code>: whether a load balancer may send requests here. 503 while the process starts or stops, and while a payment cannot be written: database unreachable, read-only, or disk full; <code>missing</code> names the reason. A chain that is down does not make it unready.</li>
<li><code>METRICS_PORT=9464</code>: Prometheus metrics at <code>/metrics</code> on a port of its own. Binds to 127.0.0.1 by default (<code>METRICS_HOST</code>). The endpoint has no authentication. <code>ops/alerts.yaml</code> and <code>ops/dashboard.json</code> use these metrics.</li>
<li><code>OTEL_EXPORTER_OTLP_ENDPOINT</code>: one trace for each request, over OTLP.</li>
<li>Logs are JSON lines on standard error. Each has the request id; none has headers, bodies or secrets.</li>
</ul>
<p><code>ops/</code> also has a Dockerfile, a compose file with PostgreSQL, Prometheus, Alertmanager and Grafana, and a hardened systemd unit. <code>npm install --omit=dev</code> leaves out the third-party contracts, which only the sandbox and the tests need.</p>
${money}
${upkeep}
<h2>Measure and audit</h2>
${code(
  `npm run bench:http       # requests a second and CPU of each kind of call, beside bare Node http
npm run bench:scale      # one to three replicas on one PostgreSQL
npm run soak             # ten minutes of mixed calls at a fixed rate: memory and p99 by window
npm run audit:lock       # sources, hashes, versions, licences and install scripts of the lock file; no network
npm sbom --sbom-format cyclonedx --omit dev > sbom.json   # bill of materials of the running service (or spdx)
npm run check:container  # every step of the Dockerfile in an empty folder; needs the npm registry`,
  'On your own machine',
  'sh',
)}
<p>What one core, one database and one RPC plan carry is under <a href="/guides/capacity">Capacity</a>; attacks and defences under <a href="/guides/threats">Threat model</a>.</p>
`,
  };
}

function behindProxy(): Markup {
  return html`
<h2>Behind a reverse proxy</h2>
<p>The service has no TLS, so put a proxy in front. nginx needs no settings beyond these:</p>
${code(
  nginxServer({
    name: 'quotes.example',
    listen: '443',
    certificate: '/etc/ssl/quotes.example.pem',
    certificateKey: '/etc/ssl/private/quotes.example.key',
    service: 'http://127.0.0.1:4020',
  }),
  'A server block of nginx',
)}
${code(caddySite({ name: 'quotes.example', service: '127.0.0.1:4020' }), 'The same for Caddy (Caddyfile)')}
<p>Set <code>HOST=127.0.0.1</code>, so that every request passes the proxy, and <code>TRUSTED_PROXIES=1</code>, so that the rate limit counts the client's address.</p>
<p>Cloudflare in front of nginx or Caddy: set <code>TRUSTED_PROXIES=2</code>, admit only Cloudflare's addresses to the proxy, and let the proxy keep Cloudflare's <code>X-Forwarded-For</code>. nginx appends to it as above; Caddy needs <code>trusted_proxies</code> with those addresses. Agents cannot solve challenges: exempt <code>/v1/*</code>, <code>/trpc/*</code>, <code>/mcp</code> and <code>/a2a/*</code> from bot protection, and do not cache them. Tests buy through nginx, and through Caddy where it is installed. Nothing here tests Cloudflare.</p>
<p>x402 sends the payment options in a response header. A proxy answers 502 if the headers of a response exceed its buffer, which has 4,096 bytes in nginx by default. These maxima hold with all four networks and a <code>PUBLIC_URL</code> of up to 64 characters:</p>
<div class="scroll" tabindex="0" role="region" aria-label="Maximum sizes of headers"><table><thead><tr><th>What</th><th>Bytes</th></tr></thead><tbody>
<tr><td>Status line and headers of a response</td><td>${bytes(headLimits.head)}</td></tr>
<tr><td>The same of a refused payment</td><td>${bytes(headLimits.refusedPayment)}</td></tr>
<tr><td>Value of <code>PAYMENT-REQUIRED</code></td><td>${bytes(headLimits.offer)}</td></tr>
<tr><td>Value of <code>PAYMENT-SIGNATURE</code> from published clients</td><td>${bytes(headLimits.signature)}</td></tr>
</tbody></table></div>`;
}
