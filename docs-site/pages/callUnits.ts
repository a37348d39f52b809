import { html, type Markup } from '../html.ts';

/** JSON-RPC calls of one paid call, from `npm run bench:units` (`bench/units.json`). A new run replaces all values. */
interface CallUnits {
  /** Key in `bench/units.json`. */
  name: string;
  what: string;
  requests: number;
  ethCall: number;
  getLogs: number;
  simulate: number;
  /** Calls of other methods. */
  other: number;
}

const unitsDate = '29 November 2026';

export const callUnits: readonly CallUnits[] = [
  {
    name: 'quote, cached answer',
    what: 'quote, cached: the settlement alone',
    requests: 3,
    ethCall: 0,
    getLogs: 0,
    simulate: 0,
    other: 9,
  },
  { name: 'quote, known pair', what: 'quote, known pair', requests: 6, ethCall: 2, getLogs: 0, simulate: 0, other: 13 },
  { name: 'quote, new pair', what: 'quote, new pair', requests: 9, ethCall: 4, getLogs: 3, simulate: 0, other: 18 },
  {
    name: 'check, first of a token',
    what: 'check, first of a token',
    requests: 24,
    ethCall: 9,
    getLogs: 6,
    simulate: 13,
    other: 43,
  },
  { name: 'check, repeated', what: 'check, repeated', requests: 18, ethCall: 4, getLogs: 5, simulate: 2, other: 23 },
  {
    name: 'minute after a call',
    what: 'the minute after a call, in the background',
    requests: 40,
    ethCall: 15,
    getLogs: 0,
    simulate: 0,
    other: 85,
  },
  { name: 'idle minute', what: 'an idle minute', requests: 11, ethCall: 1, getLogs: 0, simulate: 0, other: 14 },
];

/** Published units of a call. A method without a published unit counts as `eth_call`: an upper bound. */
const prices = [
  { provider: 'Alchemy', ethCall: 26, getLogs: 60, simulate: 40 },
  { provider: 'Infura', ethCall: 80, getLogs: 255, simulate: 80 },
] as const;

const unitsOf = (calls: CallUnits, price: (typeof prices)[number]): number =>
  (calls.ethCall + calls.other) * price.ethCall + calls.getLogs * price.getLogs + calls.simulate * price.simulate;

/** What each kind of paid call uses of an RPC plan. */
export const unitsTable =
  (): Markup => html`<div class="scroll" tabindex="0" role="region" aria-label="What a paid call uses of an RPC plan"><table><thead><tr><th>Paid call</th><th>Requests</th><th>eth_call</th><th>eth_getLogs</th><th>eth_simulateV1</th><th>Other calls</th>${prices.map(({ provider }) => html`<th>Units, ${provider}</th>`)}</tr></thead><tbody>
${callUnits.map(
  (row) =>
    html`<tr><td>${row.what}</td><td class="num">${row.requests}</td><td class="num">${row.ethCall}</td><td class="num">${row.getLogs}</td><td class="num">${row.simulate}</td><td class="num">${row.other}</td>${prices.map((price) => html`<td class="num">${unitsOf(row, price).toLocaleString('en')}</td>`)}</tr>`,
)}
</tbody></table></div>
<p>Measured on ${unitsDate} with <code>npm run bench:units</code>, on the sandbox's Base with blocks of 200 ms, one payer, one URL and no vendors. Each paid call includes the settlement by the service's own key. Providers bill each call of a batch. The units are those that the providers publish: <code>eth_call</code> (Alchemy 26, Infura 80), <code>eth_getLogs</code> (60, 255) and <code>eth_simulateV1</code> (Alchemy 40). All other methods count as <code>eth_call</code>, so the sums are upper bounds. Payments that wait together share the requests of a settlement.</p>
<p>The cost of a month is calls × units × your provider's price of a unit. Add one background minute for each minute with calls. <a href="/guides/run">The report</a> has the revenue and gas of the same days.</p>`;
