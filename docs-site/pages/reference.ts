import { type DocumentedCall, documentedCalls, type Schema, schemaAt } from '../../router/index.ts';
import { code } from '../code.ts';
import { html, type Markup, withCode } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';
import { callTabs } from '../snippets.ts';
import { type Row, table } from '../table.ts';
import { fieldList } from './reference/fieldList.ts';

interface FreeOperation {
  summary: string;
  responses: Record<string, unknown>;
}

type Content = { content: { 'application/json': { schema: { $ref: string }; example: unknown } } };

/** A free operation with a body. */
interface FreeCall {
  operationId: string;
  summary: string;
  description: string;
  'x-payment-info'?: unknown;
  'x-limits': { requestsPerMinutePerAddress: number };
  requestBody: Content;
  responses: { '200': Content };
}

const headers = [
  {
    name: 'PAYMENT-REQUIRED',
    schema: 'PaymentOffer',
    when: 'Response header of a 402: the payment options, one for each network.',
  },
  { name: 'PAYMENT-SIGNATURE', schema: 'SignedPayment', when: 'Request header: one entry of accepts[], signed.' },
  { name: 'PAYMENT-RESPONSE', schema: 'PaymentReceipt', when: 'Response header of a paid answer: the receipt.' },
] as const;

/** Every call, field, header and status, from the published OpenAPI document. */
export function reference(facts: SiteFacts): Page {
  const { document, errors } = facts;
  const calls = documentedCalls(document);
  return {
    path: '/reference',
    title: 'API reference',
    about: 'Every call of truefill with its fields, examples, payment headers and errors.',
    sideLinks: [
      ...calls.map(({ name, path }) => ({ href: `#${name}`, name: `POST ${path}` })),
      ...freeCalls(document).map(([path, { operationId }]) => ({ href: `#${operationId}`, name: `POST ${path}` })),
      { href: '#payment-headers', name: 'Payment headers' },
      { href: '#free', name: 'Free endpoints' },
      { href: '#errors', name: 'Errors' },
    ],
    body: html`
<h1>API reference</h1>
<p class="lead">Generated from <a href="/openapi.json">openapi.json</a>. To send requests from this browser, open <a href="/docs/">Swagger UI</a>. The examples read the wallet's key from <code>TRUEFILL_KEY</code>: see <a href="/guides/first-call">first call</a>.</p>
${calls.map((call) => callSection(call, facts))}
${freeCalls(document).map((call) => freeCallSection(call, document))}
<section class="operation">
<h2 id="payment-headers">Payment headers</h2>
<p>Each is base64 of JSON. The <a href="/guides/first-call">first call</a> shows them in order.</p>
${headers.map(({ name, schema, when }) => headerSection(name, schemaAt(document, `#/components/schemas/${schema}`), when))}
</section>
<section class="operation">
<h2 id="free">Free endpoints</h2>
${table(['Path', 'Content'], freeOperations(document).map(freeRow), { label: 'Free endpoints' })}
</section>
<section class="operation">
<h2 id="errors">Errors</h2>
${table(
  ['Status', 'Code', 'When'],
  errors.map(({ status, code: name, when }) => ({
    cells: [String(status), html`<a href="/guides/errors#${name}"><code>${name}</code></a>`, when],
  })),
  { label: 'Errors' },
)}
</section>
`,
  };
}

function callSection(call: DocumentedCall, { document, baseUrl, mode, version }: SiteFacts): Markup {
  const { name, path, aliases, summary, description, priceUsd, hasFreeCall, limits, exampleRequest } = call;
  return html`<section class="operation" aria-labelledby="${name}">
<h2 id="${name}">${summary}</h2>
<p class="endpoint"><b class="method">POST</b> <code>${path}</code> <span>${priceUsd} USD${hasFreeCall && ', first call of a wallet free'}</span></p>
<div class="beside">
<div>
<p>${withCode(description)}</p>
<p class="under">${aliases.length > 0 && html`Also served as ${aliases.map((alias, index) => html`${index > 0 && ', '}<code>${alias}</code>`)}. `}On tRPC: <code>POST /trpc/${name}</code>. At most ${limits.requestsPerMinutePerAddress} requests a minute from one IP address and ${limits.requestsPerMinutePerWallet} of one paying wallet.</p>
<h3 id="${name}-request">Request body</h3>
${fieldList(schemaAt(document, call.inputRef))}
</div>
<div class="sticky">
${callTabs({ baseUrl, mode, version, path, name, body: exampleRequest })}
</div>
</div>
<h3 id="${name}-answer">Answer</h3>
<div class="beside">
<div>${fieldList(schemaAt(document, call.outputRef))}</div>
<div class="sticky">${code(JSON.stringify(call.exampleAnswer, null, 2), '200: an example', 'json')}</div>
</div>
</section>
`;
}

function freeCallSection([path, call]: [string, FreeCall], document: Record<string, unknown>): Markup {
  const { operationId, summary, description, requestBody, responses } = call;
  const [request, answer] = [requestBody, responses['200']].map(({ content }) => content['application/json']) as [
    Content['content']['application/json'],
    Content['content']['application/json'],
  ];
  const example = (value: unknown, title: string) => code(JSON.stringify(value, null, 2), title, 'json');
  return html`<section class="operation" aria-labelledby="${operationId}">
<h2 id="${operationId}">${summary}</h2>
<p class="endpoint"><b class="method">POST</b> <code>${path}</code> <span>free</span></p>
<div class="beside">
<div>
<p>${withCode(description)}</p>
<p class="under">On tRPC: <code>POST /trpc/${operationId}</code>. At most ${call['x-limits'].requestsPerMinutePerAddress} requests a minute from one IP address.</p>
<h3 id="${operationId}-request">Request body</h3>
${fieldList(schemaAt(document, request.schema.$ref))}
</div>
<div class="sticky">${example(request.example, 'An example request: a quote, and how to execute it')}</div>
</div>
<h3 id="${operationId}-answer">Answer</h3>
<div class="beside">
<div>${fieldList(schemaAt(document, answer.schema.$ref))}</div>
<div class="sticky">${example(answer.example, '200: an example')}</div>
</div>
</section>
`;
}

function freeCalls(document: Record<string, unknown>): [string, FreeCall][] {
  const paths = document.paths as Record<string, { post?: FreeCall }>;
  return Object.entries(paths).flatMap(([path, { post }]) => (post && !post['x-payment-info'] ? [[path, post]] : []));
}

function headerSection(name: string, schema: Schema, when: string): Markup {
  return html`<h3 id="${name}">${name}</h3>
<p>${when}</p>
<div class="beside"><div>${fieldList(schema)}</div><div class="sticky">${code(JSON.stringify(schema.examples?.[0], null, 2), `${name}, decoded`, 'json')}</div></div>
`;
}

/** Paths that some deployments do not have are no links. */
function freeRow([path, { summary, responses }]: [string, FreeOperation]): Row {
  const name = html`<code>GET ${path}</code>`;
  return { cells: ['404' in responses ? name : html`<a href="${path}">${name}</a>`, summary] };
}

function freeOperations(document: Record<string, unknown>): [string, FreeOperation][] {
  const paths = document.paths as Record<string, { get?: FreeOperation }>;
  return Object.entries(paths).flatMap(([path, { get }]) => (get ? [[path, get]] : []));
}
