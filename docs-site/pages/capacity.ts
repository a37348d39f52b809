import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import { capacityFigures as figures } from './capacityFigures.ts';

const perSecond = (cpuMicros: number) => Math.round(1e6 / cpuMicros).toLocaleString('en');

/** What carries how much, and what changes when more is wanted. */
export function capacity(): Page {
  return {
    path: '/guides/capacity',
    title: 'Capacity',
    about:
      'What one core, one database and one RPC plan carry, and what changes at 10, 1,000 and 100,000 calls a second.',
    body: html`
<h1>Capacity</h1>
<p class="lead">What one core, one database and one RPC plan carry, where the next limit stands, and what changes beyond it.</p>
<p>Measured on ${figures.date} on ${figures.machine}: load average ${figures.load}, of which about half was other work. Calls a second are what a core has room for at that CPU. A crowded machine makes every one of these dearer by half and more. <code>npm run bench:http</code>, <code>npm run bench:scale</code> and <code>npm run soak</code> measure yours.</p>
<h2>One core</h2>
<div class="scroll" tabindex="0" role="region" aria-label="What each kind of call costs"><table><thead><tr><th>Call</th><th>CPU, µs</th><th>Calls a second and core</th><th>Beside bare Node http</th></tr></thead><tbody>
${figures.calls.map(({ what, cpuMicros, ratio }) => html`<tr><td>${what}</td><td class="num">${cpuMicros.toLocaleString('en')}</td><td class="num">${perSecond(cpuMicros)}</td><td class="num">${ratio}</td></tr>`)}
</tbody></table></div>
<p>Bare Node http, which parses a body and answers JSON, took ${figures.bareCpuMicros} µs in the same run. Memory: ${figures.idleMiB} MiB at rest, ${figures.loadedMiB} MiB under quotes and payments, ${figures.checksMiB} MiB under 32 checks at once. A paid call settles on chain by the service's own key: it is simulated, signed, journaled, sent and seen in a receipt, against a node that answers at once.</p>
<h2>One database</h2>
<div class="scroll" tabindex="0" role="region" aria-label="What replicas share costs"><table><thead><tr><th>Database</th><th>Processes</th><th>CPU of a paid call, µs</th><th>CPU of the database, µs</th><th>Transactions</th></tr></thead><tbody>
${figures.replicas.map(({ where, replicas, cpuMicros, databaseCpuMicros, commits }) => html`<tr><td>${where}</td><td class="num">${replicas}</td><td class="num">${cpuMicros.toLocaleString('en')}</td><td class="num">${databaseCpuMicros.toLocaleString('en')}</td><td class="num">${commits}</td></tr>`)}
</tbody></table></div>
<p>Replicas, their database, their node and who calls them had two cores together: the table shows what sharing costs when cores are fought for, not how far it scales.</p>
<p>A paid call is written down four times before it is answered: claimed, sent, settled, answered. Each waits for the disk, so a disk that takes 2 ms for a commit adds 8 ms to a call, and nothing to the others: the process goes on meanwhile. SQLite commits what comes within two milliseconds as one group; PostgreSQL groups by itself.</p>
<h2>One RPC plan</h2>
<ul>
<li>A quote that is not cached: one request of 60 kB with two calls (the block's header and one <code>eth_call</code>). One more request the first time a token is sold, and each time for a token whose storage slots only the node can name. A cached quote: none.</li>
<li>A check: one request of some fourteen calls, most of them <code>eth_simulateV1</code>; a second one of ten the first time a token is seen.</li>
<li>A settlement: <code>eth_estimateGas</code>, <code>eth_sendRawTransaction</code>, and <code>eth_getTransactionReceipt</code> every 10 to 150 ms until it is mined: some fifteen on a chain of two-second blocks; two more later, to see that it stayed. Fees are read for many at once; the chain's id is asked in the same request as what decides over money, so that a node that went astray moves none. A facilitator elsewhere takes all of that away.</li>
<li>A 402, a refusal, a replay: none.</li>
</ul>
<p>On a chain of two-second blocks a key of our own thus asks some twenty times for each paid call: a plan of 100 requests a second carries about five.</p>
<h2>Where the next limit stands</h2>
<ol>
<li><strong>The facilitator's key.</strong> Nonces of one key on one chain are given out one after another; where replicas share the key each is on disk before the next, one commit each. Spread payers over the four networks, or let a facilitator settle.</li>
<li><strong>The chain.</strong> A settlement took 86,120 gas on the sandbox's Base. That is a matter of what the chain has room for, and of its price; no server changes it.</li>
<li><strong>The RPC plan</strong>, through receipts first and cold quotes second.</li>
<li><strong>Connections.</strong> Ten thousand that said nothing took 52 MiB, and nobody else waited longer; after 15 s they are told so and closed. Each is a file to the system: the unit allows 65,536.</li>
<li><strong>The core.</strong> Add processes on one PostgreSQL: they share nothing else.</li>
<li><strong>The database.</strong> Some seven transactions a paid call, the four that write among them. Payments are found by their key alone, so they can be parted by it.</li>
</ol>
<h2>10 calls a second</h2>
<p>One process on SQLite, a hosted RPC with a second one behind it. Back up <code>DATA_DIR</code>; a restart takes up what was unfinished.</p>
<h2>1,000 calls a second</h2>
<p>Replicas on one PostgreSQL behind a balancer, as many as the table above asks for, and half as many again to lose one. Settlement by facilitators elsewhere, or keys of one's own on every network. Two RPC providers, or a node of one's own for each chain: what most ask for stands for all replicas until it runs out, so reading grows with the number of different questions in a block's time, not with calls.</p>
<h2>100,000 calls a second</h2>
<p>No chain settles each of these by itself: at 86,000 gas a call it would be over eight billion gas a second. It takes payments that settle many calls at once, which x402's scheme <code>exact</code> does not have, so this is a change of the product and not of its size. What carries over: 402s, refusals and replays scale with processes alone; payments part by key over several databases; answers are read once a block and region.</p>
`,
  };
}
