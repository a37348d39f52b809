import { caddySite, headLimits, nginxLimits, nginxServer } from './behindProxy.ts';
import { callUnits, unitPrices, unitsMeasuredOn, unitsOf } from './callUnits.ts';
import { capacityFigures } from './capacityFigures.ts';
import { html, type Markup } from './html.ts';
import type { GuideFlags, GuideValues } from './renderGuide.ts';
import type { SiteFacts } from './siteFacts.ts';
import { callTabs } from './snippets.ts';
import { table } from './table.ts';

/** Names in a cell of a table, each set as code. */
const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
const inCode = (text: string): Markup => html`<code>${text}</code>`;

/** Parts of a guide that depend on the mode or the prices. */
export const guideFlags = ({ mode, items }: SiteFacts): GuideFlags => ({
  sandbox: mode === 'sandbox',
  live: mode === 'live',
  freeCheck: items.some(({ name, freeFirstCall }) => name !== 'quote' && freeFirstCall),
});

/** What the guides take from the service's own tables, by the name of the guide. */
export const guideValues: Readonly<Record<string, (facts: SiteFacts) => GuideValues>> = {
  'first-call': ({ baseUrl, usdcName, mode, version, networks }) => ({
    baseUrl,
    usdcName,
    networks: networks.map((network) => `\`${network}\``).join(', '),
    wholeCall: callTabs({ baseUrl, mode, version, path: '/v1/quote', name: 'quote', body: firstQuote }),
  }),
  typescript: ({ baseUrl, items }) => ({
    baseUrl,
    procedures: items.map(({ name }) => `\`POST /trpc/${name}\``).join(', '),
  }),
  agents: ({ baseUrl, items }) => ({ baseUrl, checkPath: checkOf(items)?.path ?? '' }),
  quote: ({ items, venues, confidence, flags }) => ({
    venues: table(
      ['Chain', 'Covered', 'Known, but not quoted'],
      venues.map(({ chain, covered, notCovered }) => ({ cells: [chain, codes(covered), codes(notCovered)] })),
      { label: 'Covered venues' },
    ),
    confidence: table(
      ['When', 'Confidence'],
      confidence.map(({ when, gives }) => ({ cells: [when, inCode(gives)] })),
      { label: 'Confidence' },
    ),
    flags: table(
      ['Code', 'Severity', 'When'],
      flags.map(({ code, severity, when }) => ({ cells: [inCode(code), severity, when] })),
      { label: 'Flags' },
    ),
    exampleQuote: JSON.stringify(items.find(({ name }) => name === 'quote')?.exampleAnswer, null, 2),
  }),
  verdict: ({ items }) => {
    const { path = '', priceUsd = '', aliases = [] } = checkOf(items) ?? {};
    return {
      checkPath: path,
      checkPrice: priceUsd,
      checkAliases: aliases.map((alias) => `, also \`${alias}\``).join(''),
    };
  },
  errors: ({ errors }) => ({
    errors: table(
      ['Status', 'Code', 'When'],
      errors.map(({ status, code, when }) => ({
        id: code,
        cells: [String(status), html`<a class="self" href="#${code}"><code>${code}</code></a>`, when],
      })),
    ),
  }),
  run: () => ({
    nginx: nginxServer({
      name: 'quotes.example',
      listen: '443',
      certificate: '/etc/ssl/quotes.example.pem',
      certificateKey: '/etc/ssl/private/quotes.example.key',
      service: 'http://127.0.0.1:4020',
    }),
    nginxLimits,
    caddy: caddySite({ name: 'quotes.example', service: '127.0.0.1:4020' }),
    maxHead: String(headLimits.head),
    maxRefusedPayment: String(headLimits.refusedPayment),
    maxOffer: String(headLimits.offer),
    maxSignature: String(headLimits.signature),
  }),
  configuration: ({ variables }) => {
    const sections = [...new Set(variables.map(({ section }) => section))];
    const rowsOf = (section: string) =>
      variables
        .filter((variable) => variable.section === section)
        .map(({ name, defaultValue, description }) => ({
          cells: [inCode(name), defaultValue ? inCode(defaultValue) : undefined, description],
        }));
    return {
      variables: html`${sections.map(
        (section) =>
          html`<h2>${section}</h2>\n${table(['Variable', 'Default', 'Meaning'], rowsOf(section), { label: `Variables: ${section}` })}`,
      )}`,
    };
  },
  threats: () => ({}),
  capacity: () => ({
    measuredOn: capacityFigures.date,
    machine: capacityFigures.machine,
    load: String(capacityFigures.load),
    idleMiB: String(capacityFigures.idleMiB),
    loadedMiB: String(capacityFigures.loadedMiB),
    bareCpuMicros: String(capacityFigures.bareCpuMicros),
    ...capacityTables(),
    unitsMeasuredOn,
  }),
};

const firstQuote = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '2.5',
};

const checkOf = (items: SiteFacts['items']) => items.find(({ name }) => name !== 'quote');

/** Figures of the last measurement, and what a call uses of an RPC plan. */
function capacityTables(): GuideValues {
  const { calls, replicas } = capacityFigures;
  return {
    callCosts: table(
      ['Call', 'CPU, µs', 'Calls a second and core', 'Relative to bare Node http'],
      calls.map(({ what, cpuMicros, ratio }) => ({ cells: [what, cpuMicros, Math.round(1e6 / cpuMicros), ratio] })),
      { label: 'What each kind of call costs', stack: false },
    ),
    replicaCosts: table(
      ['Database', 'Processes', 'CPU of a paid call, µs', 'CPU of the database, µs', 'Transactions'],
      replicas.map(({ where, replicas: processes, cpuMicros, databaseCpuMicros, commits }) => ({
        cells: [where, processes, cpuMicros, databaseCpuMicros, commits],
      })),
      { label: 'What replicas share costs', stack: false },
    ),
    rpcUnits: table(
      ['Paid call', 'Requests', 'eth_call', 'eth_getLogs', 'eth_simulateV1', 'Other calls'].concat(
        unitPrices.map(({ provider }) => `Units, ${provider}`),
      ),
      callUnits.map((row) => ({
        cells: [row.what, row.requests, row.ethCall, row.getLogs, row.simulate, row.other].concat(
          unitPrices.map((price) => unitsOf(row, price)),
        ),
      })),
      { label: 'What a paid call uses of an RPC plan', stack: false },
    ),
  };
}
