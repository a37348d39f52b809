import { generateOpenApiDocument } from 'trpc-to-openapi';
import { openApiRouter } from '../appRouter.ts';
import { catalogue, freeCalls, type PaidItem } from '../catalogue.ts';
import { licence, operator, serviceDescription, serviceTitle, serviceVersion } from '../service.ts';
import { errorExamples } from './errorExamples.ts';
import { freeOperation } from './freeOperation.ts';
import { freePath, freePaths } from './freePath.ts';
import { guidance } from './guidance.ts';
import { paidOperation } from './paidOperation.ts';
import { publishedSchemas, schemaName } from './publishedSchemas.ts';
import { responseHeaders } from './responseHeaders.ts';
import { trpcSurface } from './trpcSurface.ts';

/** The Link header of pages; other responses link only `service-desc` (RFC 8288; relations: RFC 8631, RFC 9727). */
const links = [
  { href: '/openapi.json', rel: 'service-desc', type: 'application/json' },
  { href: '/docs/', rel: 'service-doc', type: 'text/html' },
  { href: '/llms.txt', rel: 'describedby', type: 'text/plain' },
  { href: '/.well-known/agent-card.json', rel: 'service-meta', type: 'application/json' },
  { href: '/.well-known/api-catalog', rel: 'api-catalog', type: 'application/linkset+json' },
];

type Json = Record<string, unknown>;

/** Placeholder for a deployment's URL; RFC 2606 reserves the domain. */
const placeholderUrl = 'https://truefill.example';

/**
 * The OpenAPI 3.1 document. trpc-to-openapi generates an operation for each path of the router, aliases included.
 * Its request and response schemas are replaced with schemas from the same zod types: the generator omits
 * `additionalProperties: false` of a refined schema, shares error texts between procedures and cannot describe 402.
 */
export function buildDocument(): Json {
  const generated = generateOpenApiDocument(openApiRouter, {
    title: serviceTitle,
    version: serviceVersion,
    description: serviceDescription,
    baseUrl: '/',
    securitySchemes: {},
  }) as unknown as { paths: Record<string, { post: Json }>; info: Json } & Json;

  return {
    ...generated,
    info: {
      ...generated.info,
      contact: { name: operator, url: `${placeholderUrl}/`, email: 'operator@truefill.example' },
      license: licence,
      'x-guidance': guidance(),
    },
    externalDocs: { description: 'Guides', url: `${placeholderUrl}/` },
    'x-agentcash-guidance': { llmsTxtUrl: '/llms.txt' },
    'x-links': links,
    'x-trpc': trpcSurface(),
    tags: [
      { name: 'free', description: 'Operations without a price.' },
      { name: 'pretrade', description: 'Proven traps of a token, and its measurements.' },
      { name: 'quote', description: 'The price at which a trade of the full size executes.' },
    ],
    paths: {
      ...Object.assign({}, ...catalogue.map((item) => paidPaths(item, generated.paths))),
      ...Object.fromEntries(
        freeCalls.map((item) => {
          const names = { request: schemaName(item.input), answer: schemaName(item.output) };
          return [item.path, { post: freeOperation(item, { base: operationOf(generated.paths, item.path), names }) }];
        }),
      ),
      ...Object.fromEntries(freePaths.map((about) => [about.path, freePath(about)])),
    },
    components: { schemas: publishedSchemas(), headers: responseHeaders, examples: errorExamples },
  };
}

/** The path items of a product: its canonical path and every alias. */
function paidPaths(item: PaidItem, generated: Record<string, { post: Json }>): Json {
  const names = { request: schemaName(item.input), answer: schemaName(item.output) };
  return Object.fromEntries(
    [item.path, ...item.aliases].map((path) => {
      return [path, { post: paidOperation(item, { path, base: operationOf(generated, path), names }) }];
    }),
  );
}

function operationOf(generated: Record<string, { post: Json }>, path: string): Json {
  const base = generated[path]?.post;
  if (!base) throw new TypeError(`trpc-to-openapi generated no operation for ${path}.`);
  return base;
}
