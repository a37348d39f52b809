import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { z } from 'zod';
import { appRouter } from '../appRouter.ts';
import { catalogue, type PaidItem } from '../catalogue.ts';
import { errorBody } from '../errors/toErrorBody.ts';
import { healthBody } from '../free/healthBody.ts';
import { sandboxBody } from '../free/sandboxBody.ts';
import { serviceDescription, serviceTitle, serviceVersion } from '../service.ts';
import { freePath } from './freePath.ts';
import { paidOperation } from './paidOperation.ts';
import { paymentRequiredBody } from './paymentRequiredBody.ts';
import { responseHeaders } from './responseHeaders.ts';
import { toSchema } from './toSchema.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document. trpc-to-openapi makes the operations from the router; request bodies and
 * answers are written here from the same zod schemas, because the generator drops strictness from a
 * refined schema, shares error texts between procedures and knows neither aliases nor 402.
 */
export function buildDocument(): Json {
  const generated = generateOpenApiDocument(appRouter, {
    title: serviceTitle,
    version: serviceVersion,
    description: serviceDescription,
    baseUrl: '/',
    securitySchemes: {},
  }) as unknown as { paths: Record<string, { post: Json }> } & Json;

  return {
    ...generated,
    tags: [
      { name: 'quote', description: 'What a trade really fills at.' },
      { name: 'pretrade', description: 'Whether a trap is proven, and what was measured.' },
      { name: 'free', description: 'Not paid for.' },
    ],
    paths: { ...Object.assign({}, ...catalogue.map((item) => paidPaths(item, generated.paths))), ...freePaths() },
    components: {
      schemas: {
        ...Object.fromEntries(
          catalogue.flatMap((item) =>
            [item.input, item.output].map((schema) => [
              schemaName(schema),
              toSchema(schema, schema === item.input ? 'input' : 'output'),
            ]),
          ),
        ),
        Error: toSchema(errorBody, 'output'),
        PaymentRequired: toSchema(paymentRequiredBody, 'output'),
        Health: toSchema(healthBody, 'output'),
        Sandbox: toSchema(sandboxBody, 'output'),
      },
      headers: responseHeaders,
    },
  };
}

/** The canonical path and every alias, each with its own operationId. */
function paidPaths(item: PaidItem, generated: Record<string, { post: Json }>): Json {
  const base = generated[item.path]?.post;
  if (!base) throw new TypeError(`The generator left ${item.path} out.`);
  const names = { request: schemaName(item.input), answer: schemaName(item.output) };
  return Object.fromEntries(
    [item.path, ...item.aliases].map((path) => [path, { post: paidOperation(item, { base, names, path }) }]),
  );
}

function freePaths(): Json {
  return {
    '/health': freePath({
      operationId: 'health',
      summary: 'Liveness: version, mode and the state of each chain',
      schema: 'Health',
    }),
    '/sandbox': freePath({
      operationId: 'sandbox',
      summary: 'What a visitor needs to play; 404 outside of sandbox mode',
      schema: 'Sandbox',
      mayBeMissing: true,
    }),
  };
}

function schemaName(schema: z.ZodType): string {
  const title = schema.meta()?.title;
  if (!title) throw new TypeError('A published schema needs a title in its meta.');
  return title;
}
