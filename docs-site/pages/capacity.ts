import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import { unitsTable } from './callUnits.ts';
import { capacityFigures as figures } from './capacityFigures.ts';

const perSecond = (cpuMicros: number) => Math.round(1e6 / cpuMicros).toLocaleString('en');

/** Throughput of each resource, and how to raise it. */
export function capacity(): Page {
  return {
    path: '/guides/capacity',
    title: 'Capacity',
    about:
      'What one core, one database and one RPC plan carry, and what changes at 10, 1,000 and 100,000 calls a second.',
    body: html`
<h1>Capacity</h1>
<p class="lead">What one core, one database and one RPC plan carry, which limit comes next, and what to change beyond it.</p>
<p>Measured on ${figures.date} on ${figures.machine}: load average ${figures.load}, of which about half was other work. Calls a second follow from the CPU time of one call. On a busy machine each call takes at least half as much again. <code>npm run bench:http</code>, <code>npm run bench:scale</code> and <code>npm run soak</code> measure yours.</p>
<p>The figures are older than the current payment pipeline (one Express app with the published x402 middleware, settlement in groups). They are also older than the quote engine that searches in the process. In one run with that pipeline, without a chain or a database, a 402 took 274 µs and a paid call 576 µs of CPU.</p>
<h2>One core</h2>
<div class="scroll" tabindex="0" role="region" aria-label="What each kind of call costs"><table><thead><tr><th>Call</th><th>CPU, µs</th><th>Calls a second and core</th><th>Beside bare Node http</th></tr></thead><tbody>
${figures.calls.map(({ what, cpuMicros, ratio }) => html`<tr><td>${what}</td><td class="num">${cpuMicros.toLocaleString('en')}</td><td class="num">${perSecond(cpuMicros)}</td><td class="num">${ratio}</td></tr>`)}
</tbody></table></div>
<p>Bare Node http, which parses a body and answers JSON, took ${figures.bareCpuMicros} µs in the same run. Memory: ${figures.idleMiB} MiB at rest, ${figures.loadedMiB} MiB under quotes and payments, ${figures.checksMiB} MiB under 32 checks at once. A paid call settles on chain by the service's own key: it is simulated, signed, journaled, sent and confirmed by a receipt, against a node that responds at once.</p>
<h2>One database</h2>
<div class="scroll" tabindex="0" role="region" aria-label="What replicas share costs"><table><thead><tr><th>Database</th><th>Processes</th><th>CPU of a paid call, µs</th><th>CPU of the database, µs</th><th>Transactions</th></tr></thead><tbody>
${figures.replicas.map(({ where, replicas, cpuMicros, databaseCpuMicros, commits }) => html`<tr><td>${where}</td><td class="num">${replicas}</td><td class="num">${cpuMicros.toLocaleString('en')}</td><td class="num">${databaseCpuMicros.toLocaleString('en')}</td><td class="num">${commits}</td></tr>`)}
</tbody></table></div>
<p>Replicas, database, node and clients shared two cores. The table shows the cost of sharing on a saturated machine, not how far it scales.</p>
<p>A paid call is written four times before it is answered: claimed, sent, settled, answered. Each write waits for the disk, so a disk that takes 2 ms for a commit adds 8 ms to that call and does not block others. SQLite commits the writes of two milliseconds as one group; PostgreSQL has its own group commit.</p>
<h2>One RPC plan</h2>
${unitsTable()}
<ul>
<li>A quote that is not cached: one request with three calls (the block's header, pool states, executions) if the market was read before, otherwise one or two requests. One more request the first time a token is sold, when the plan of a known market changes, and each time for a token whose storage slots only the node can find. A cached quote: none.</li>
<li>A check: one request of some eleven calls, most of them <code>eth_simulateV1</code>, and beside it one for logs. The first time a token is seen, a second request of ten calls and one more for logs; a further one when its pools need it.</li>
<li>A settlement: a simulation, a broadcast, and <code>eth_getTransactionReceipt</code> every 10 to 150 ms until the transaction is included, after five seconds once a second. That is some fifteen reads on a chain of two-second blocks, and later two rechecks of each payment. Up to 64 payments that wait together share one transaction and its receipt reads. A remote facilitator takes over these requests, except the rechecks.</li>
<li>A 402 or a replay: none.</li>
</ul>
<p>On a chain of two-second blocks a transaction takes some twenty requests. Without groups a plan of 100 requests a second carries about five paid calls a second. Groups share most of these requests: with 50 payers at once a payment takes 0.07 to 0.16 requests.</p>
<h2>Which limit comes next</h2>
<ol>
<li><strong>The facilitator's key.</strong> Nonces of one key on one chain are assigned one after another, one commit for each transaction. Payments that wait together share a transaction, but only within one replica. Spread payers over the four networks, or let a facilitator settle.</li>
<li><strong>The chain.</strong> On the sandbox's Base a payment takes 86,200 gas alone, 54,500 in a group of 10 and 48,200 in a group of 64. Block space and gas price set the limit.</li>
<li><strong>The RPC plan</strong>, through receipts first and cold quotes second.</li>
<li><strong>Connections.</strong> Ten thousand idle connections took 52 MiB and did not slow down others; after 15 s they are closed. Each needs a file descriptor: the systemd unit allows 65,536.</li>
<li><strong>The core.</strong> Add processes on one PostgreSQL; they share only the database and the key.</li>
<li><strong>The database.</strong> Some seven transactions a paid call, four of which write. Payments are looked up by key alone, so they can be sharded by key.</li>
</ol>
<h2>10 calls a second</h2>
<p>One process on SQLite, a hosted RPC with a second one as fallback. Back up <code>DATA_DIR</code>; a restart recovers unfinished payments.</p>
<h2>1,000 calls a second</h2>
<p>Replicas on one PostgreSQL behind a load balancer: as many as the table above requires, and half as many again for failures. Settlement by remote facilitators, or your own keys on every network. Two RPC providers, or your own node for each chain. All replicas share cached answers until these expire. So the number of reads depends on the number of different requests in a block's time, not on the number of calls.</p>
<h2>100,000 calls a second</h2>
<p>No chain settles one transfer for each of these calls: at 48,200 gas in a full group they take almost five billion gas a second. One payment would have to cover many calls, which x402's scheme <code>exact</code> does not offer, so this is a change of the product. The rest scales: 402s and replays by adding processes, payments by sharding over several databases, reads by reading once for each block and region.</p>
`,
  };
}
