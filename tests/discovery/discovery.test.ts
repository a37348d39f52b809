import type { AgentCard } from '@a2a-js/sdk';
import {
  checkEndpointSchema,
  checkL2ForOpenAPI,
  checkL4ForOpenAPI,
  discoverOriginSchema,
  GuidanceMode,
  getL3,
  getOpenAPI,
  getProbe,
  getWarningsFor402Body,
  getWarningsForL2,
  getWarningsForL3,
  getWarningsForL4,
  getWarningsForOpenAPI,
  isOpenApiParseFailure,
  validatePaymentRequiredDetailed,
} from '@agentcash/discovery';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import {
  type DiscoveryExtension,
  extractDiscoveryInfo,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { agentCard, catalogue, messageExample } from '../../router/index.ts';
import { readConfig } from '../../server/config/index.ts';
import { type RunningServer, startServer } from '../../server/startServer.ts';

// Validates the documents of a running service with published validators and types.

let server: RunningServer;
beforeAll(async () => {
  const env = { PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_ADDRESS: '10000', CONTACT_EMAIL: 'ops@truefill.test' };
  server = await startServer(readConfig(env));
});
afterAll(() => server?.close());

const getJson = async (path: string) => {
  const response = await fetch(server.url + path);
  expect(response.status, path).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: a document of any depth
  return (await response.json()) as any;
};

const openApi = async () => {
  const discovered = (await getOpenAPI(server.url)).unwrapOr(null);
  if (!discovered || isOpenApiParseFailure(discovered))
    throw new Error(`The document is not found or not parsed: ${JSON.stringify(discovered)}`);
  return discovered;
};

test('default: @agentcash/discovery finds every paid path, its price and the guidance without a warning', async () => {
  const document = await openApi();
  const routes = checkL2ForOpenAPI(document);
  expect(getWarningsForOpenAPI(document)).toEqual([]);
  expect(getWarningsForL2(routes)).toEqual([]);
  expect(getWarningsForL4(checkL4ForOpenAPI(document))).toEqual([]);

  const discovered = await discoverOriginSchema({ target: server.url, guidance: GuidanceMode.Always });
  if (!discovered.found) throw new Error(discovered.message);
  expect(discovered.info?.contactEmail).toBe('ops@truefill.test');
  expect(discovered.guidance).toContain('same PAYMENT-SIGNATURE');
  for (const { path, aliases, priceUsd } of catalogue) {
    for (const alias of [path, ...aliases]) {
      expect(discovered.endpoints).toContainEqual(
        expect.objectContaining({ path: alias, method: 'POST', authMode: 'paid', price: `${priceUsd} USD` }),
      );
    }
  }
});

test.each(catalogue.flatMap(({ path, aliases }) => [path, ...aliases]))(
  'default: @agentcash/discovery probes %s, receives 402 and reports no issue',
  async (path) => {
    const document = await openApi();
    const probe = (await getProbe(server.url + path))._unsafeUnwrap();
    const details = getL3(document, probe, path, 'POST');
    expect(getWarningsForL3(details)).toEqual([]);

    const checked = await checkEndpointSchema({ url: server.url + path, probe: true });
    if (!checked.found) throw new Error(checked.message);
    const advisory = checked.advisories.find(({ method }) => method === 'POST');
    expect(advisory?.paymentOptions?.length).toBeGreaterThanOrEqual(4);
    const { input } = catalogue.find((item) => [item.path, ...item.aliases].includes(path)) ?? {};
    expect(Object.keys(advisory?.inputSchema?.properties ?? {})).toEqual(Object.keys(input?.shape ?? {}));
    expect(advisory?.outputSchema).toEqual({ type: 'object' });

    const response = await fetch(server.url + path, { method: 'POST' });
    expect(response.status).toBe(402);
    const offer = decodePaymentRequiredHeader(response.headers.get('payment-required') ?? '');
    const validation = validatePaymentRequiredDetailed(offer);
    expect(validation.issues.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(validation.valid).toBe(true);
    expect(getWarningsFor402Body(offer).filter(({ severity }) => severity !== 'info')).toEqual([]);
  },
);

test('default: the bazaar extension of each 402 is valid, and describes the example and each property', async () => {
  const { components } = await getJson('/openapi.json');
  for (const { path, exampleRequest, input, summary } of catalogue) {
    const { headers } = await fetch(server.url + path, { method: 'POST' });
    const offer = decodePaymentRequiredHeader(headers.get('payment-required') ?? '');
    const bazaar = offer.extensions?.bazaar as DiscoveryExtension;
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true });
    expect(validateDiscoveryExtensionSpec({ ...bazaar })).toEqual({ valid: true });
    expect(bazaar.info).toEqual({ input: { type: 'http', method: 'POST', bodyType: 'json', body: exampleRequest } });

    const { properties, required } = components.schemas[String(input.meta()?.title)];
    const types = Object.entries(properties).map(([name, property]) => [name, { type: (property as Typed).type }]);
    expect(bazaar.schema.properties).toEqual({
      input: { properties: { body: { type: 'object', properties: Object.fromEntries(types), required } } },
      output: { properties: { example: { type: 'object' } } },
    });

    // What a facilitator that indexes settled payments reads.
    const [accepted] = offer.accepts;
    if (!accepted) throw new Error('No offer.');
    expect(extractDiscoveryInfo({ ...offer, accepted, payload: {} }, accepted)).toMatchObject({
      resourceUrl: server.url + path,
      description: summary,
      serviceName: 'truefill',
      method: 'POST',
      discoveryInfo: bazaar.info,
    });
  }
});

interface Typed {
  type: string;
}

const postJson = (url: string, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

test('default: the agent card is an A2A card; its transport and the paths of its skills return 402', async () => {
  expectTypeOf(agentCard).returns.toExtend<AgentCard>();
  const card: AgentCard = await getJson('/.well-known/agent-card.json');
  expect(card.protocolVersion).toBe('0.3.0');
  expect(card.preferredTransport).toBe('HTTP+JSON');
  for (const { url } of [card, ...(card.additionalInterfaces ?? [])])
    expect((await postJson(`${url}/v1/message:send`, JSON.stringify(messageExample))).status, url).toBe(402);
  expect(card.skills.map(({ id }) => id)).toEqual(catalogue.map(({ name }) => name));
  for (const [at, { priceUsd, path }] of catalogue.entries()) {
    const skill = card.skills[at];
    expect(skill?.description).toContain(`${priceUsd} USD`);
    expect((await postJson(server.url + path, skill?.examples?.[0] ?? '')).status).toBe(402);
  }
});

test('default: both well-known documents list paths whose 402 has the same offers', async () => {
  const { resources } = await getJson('/.well-known/x402');
  expect(resources).toEqual(catalogue.map(({ path }) => server.url + path));
  const { x402Version, items } = await getJson('/.well-known/x402.json');
  expect(x402Version).toBe(2);
  for (const { resource, accepts } of items) {
    const response = await fetch(resource.url, { method: 'POST' });
    expect(decodePaymentRequiredHeader(response.headers.get('payment-required') ?? '').accepts).toEqual(accepts);
  }
});

test('default: llms.txt contains every path, price and rule, and llms-full.txt every field', async () => {
  const text = await (await fetch(`${server.url}/llms.txt`)).text();
  for (const { path, aliases, priceUsd } of catalogue)
    for (const entry of [path, ...aliases, `${priceUsd} USD`]) expect(text).toContain(entry);
  for (const entry of [
    'SANDBOX',
    'first call of a wallet is free',
    'SAME `PAYMENT-SIGNATURE`',
    'TransferWithAuthorization',
  ])
    expect(text).toContain(entry);
  const full = await (await fetch(`${server.url}/llms-full.txt`)).text();
  for (const field of ['`risk_profile.liquidity.exitLiquidityUsd`', '`route.legs[].feePips`', 'SETTLEMENT_UNKNOWN'])
    expect(full).toContain(field);
});

test('default: every response links to the OpenAPI document, and a page to all documents', async () => {
  const linksOf = async (path: string) => (await fetch(server.url + path)).headers.get('link');
  for (const path of ['/health', '/v1/quote', '/nowhere', '/openapi.json'])
    expect(await linksOf(path), path).toBe('</openapi.json>; rel="service-desc"; type="application/json"');

  const links = (await getJson('/openapi.json'))['x-links'] as { href: string }[];
  const targets = [...((await linksOf('/')) ?? '').matchAll(/<([^>]+)>/g)].map(([, target]) => target);
  expect(targets).toEqual(links.map(({ href }) => href));
  for (const target of targets) expect((await fetch(server.url + target)).status, target).toBe(200);
});

test('default: the served document contains this deployment’s URL and contact', async () => {
  const document = await getJson('/openapi.json');
  expect(document.info.contact).toEqual({
    name: expect.any(String),
    url: `${server.url}/`,
    email: 'ops@truefill.test',
  });
  expect(document.servers).toEqual([{ url: server.url }]);
});
