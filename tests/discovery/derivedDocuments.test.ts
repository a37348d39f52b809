import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  agentCard,
  linkHeader,
  llmsFullText,
  llmsText,
  mcpTools,
  publishDocument,
  wellKnownX402,
  wellKnownX402Items,
} from '../../router/index.ts';

// The discovery documents are derived from the OpenAPI document, so a change of it appears in each of them.

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
type Json = any;

const deployment = {
  baseUrl: 'https://truefill.test',
  mode: 'live' as const,
  paymentNetworks: ['eip155:8453'],
  freeTrialGroups: ['pretrade'],
};
const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

/** Changes the OpenAPI document and derives all documents from it. */
function derive(change: (document: Json) => void = () => undefined, overrides: Partial<typeof deployment> & Json = {}) {
  const context = { ...deployment, ...overrides };
  const source = JSON.parse(text);
  change(source);
  const document = publishDocument(source, context) as Json;
  return {
    document,
    card: agentCard(document, context),
    llms: llmsText(document, context),
    full: llmsFullText(document, context),
    tools: mcpTools(document),
    wellKnown: wellKnownX402(document, context),
    items: wellKnownX402Items(document, context, () => [], 0).items,
    link: linkHeader(document),
  };
}

const quoteOf = (document: Json) => document.paths['/v1/quote'].post;

test('default: a changed price appears in the agent card, llms.txt and the MCP tool', () => {
  const { card, llms, tools } = derive((document) => {
    quoteOf(document)['x-payment-info'].price.amount = '0.07';
  });
  expect(card.skills[0]?.description).toContain('Price: 0.07 USD');
  expect(llms).toContain('### POST /v1/quote (0.07 USD)');
  expect(tools[0]?.description).toContain('Costs 0.07 USD');
  for (const description of [card.skills[0]?.description, llms, tools[0]?.description])
    expect(description).not.toContain('0.02 USD');
});

test('default: a changed description appears in the agent card, llms.txt and the MCP tool', () => {
  const { card, llms, tools, items } = derive((document) => {
    quoteOf(document).summary = 'Another summary';
    quoteOf(document).description = 'Another description.\n\nPrice: 0.02 USD.';
  });
  expect(card.skills[0]).toMatchObject({ name: 'Another summary' });
  expect(card.skills[0]?.description).toMatch(/^Another description\. POST /);
  expect(llms).toContain('(0.02 USD)\n\nAnother description.\n');
  expect(tools[0]).toMatchObject({ title: 'Another summary' });
  expect(tools[0]?.description).toMatch(/^Another description\. Costs /);
  expect(items[0]?.resource.description).toBe('Another summary');
});

test('default: an added alias appears in the agent card and llms.txt, and adds no tool or resource', () => {
  const { card, llms, tools, wellKnown } = derive((document) => {
    document.paths['/v1/price'] = { post: { ...quoteOf(document), operationId: 'price' } };
    delete document.paths['/v1/rug-check'];
  });
  expect(card.skills[0]?.description).toContain('POST https://truefill.test/v1/price');
  expect(llms).toContain('Aliases of this endpoint: `/v1/price`.');
  expect(JSON.stringify([card, llms])).not.toContain('rug-check');
  expect(tools.map(({ name }) => name)).toEqual(['quote', 'pretrade_check', 'build_transaction', 'health']);
  expect(wellKnown.resources).toEqual(['https://truefill.test/v1/quote', 'https://truefill.test/v1/pretrade/check']);
});

test('default: changed schema, example, tool name and error appear in the documents that contain them', () => {
  const { card, full, tools, items } = derive((document) => {
    document.components.schemas.QuoteRequest.properties.sizeIn.description = 'Another size.';
    quoteOf(document).requestBody.content['application/json'].example = { tokenIn: '0x1' };
    quoteOf(document)['x-mcp-tool'] = 'executable_quote';
    quoteOf(document).responses['409'].description = '`PAYMENT_REUSED`: Another cause.';
  });
  expect(full).toContain('`sizeIn` (string, optional): Another size.');
  expect(full).toContain('- 409 `PAYMENT_REUSED`: Another cause.');
  expect(card.skills[0]?.examples).toEqual(['{"tokenIn":"0x1"}']);
  expect(items[0]?.input.body).toEqual({ tokenIn: '0x1' });
  expect(tools[0]?.name).toBe('executable_quote');
  expect(JSON.stringify(tools[0]?.inputSchema)).toContain('Another size.');
});

test('default: a removed paid operation disappears from every document', () => {
  const { card, llms, tools, wellKnown, items } = derive((document) => {
    delete document.paths['/v1/quote'];
    delete document['x-trpc'].procedures.quote;
  });
  expect(card.url).toBe('https://truefill.test/a2a');
  expect(card.skills).toHaveLength(1);
  expect(llms).not.toContain('POST /v1/quote ');
  expect(llms).not.toContain('/trpc/quote');
  expect(tools.map(({ name }) => name)).toEqual(['pretrade_check', 'build_transaction', 'health']);
  expect(wellKnown.resources).toHaveLength(1);
  expect(items).toHaveLength(1);
});

test('default: the Link header is derived from x-links of the document', () => {
  expect(derive().link).toContain('</openapi.json>; rel="service-desc"; type="application/json"');
  const { link } = derive((document) => {
    document['x-links'] = [{ href: '/another.json', rel: 'service-desc', type: 'application/json' }];
  });
  expect(link).toBe('</another.json>; rel="service-desc"; type="application/json"');
});

test('behavior: the deployment’s free calls and limits appear in the operations and the derived documents', () => {
  const { document, card, llms, tools } = derive(undefined, {
    freeTrialGroups: ['quote'],
    limits: { requestsPerMinutePerAddress: 7 },
  });
  expect(quoteOf(document)['x-free-trial']).toEqual({ group: 'quote', enabled: true });
  expect(quoteOf(document)['x-limits']).toMatchObject({ requestsPerMinutePerAddress: 7, maxBodyBytes: 16_384 });
  expect(llms).toContain('Requests per minute: 7 for each client address, 600 for each wallet.');
  expect([card.skills, tools].map(([quote, check]) => [isFree(quote), isFree(check)])).toEqual([
    [true, false],
    [true, false],
  ]);
});

const isFree = (entry: { description: string } | undefined) => entry?.description.includes('of a wallet is free');
