import { catalogue } from '../catalogue.ts';
import { guidance } from '../openapi/guidance.ts';
import { schemaName } from '../openapi/publishedSchemas.ts';
import type { PlaceFacts } from './placeFacts.ts';

/** `/.well-known/x402`, the form that crawlers fan out from: the paths that answer 402. */
export function wellKnownX402({ baseUrl }: PlaceFacts) {
  return { version: 1, resources: catalogue.map(({ path }) => baseUrl + path), instructions: guidance() };
}

/**
 * `/.well-known/x402.json`, the newer draft: the same with each offer.
 *
 * @param acceptsOf the ways to pay for a procedure, as its 402 says
 * @param startedAt when these terms began to hold, epoch milliseconds
 */
export function wellKnownX402Items(
  { baseUrl }: PlaceFacts,
  acceptsOf: (paid: string) => readonly unknown[],
  startedAt: number,
) {
  return {
    x402Version: 2,
    lastUpdated: Math.floor(startedAt / 1000),
    items: catalogue.map((item) => ({
      type: 'http',
      resource: { url: baseUrl + item.path, description: item.summary, mimeType: 'application/json' },
      accepts: acceptsOf(item.name),
      input: {
        method: 'POST',
        routeTemplate: item.path,
        bodyType: 'json',
        body: item.exampleRequest,
        schema: `${baseUrl}/openapi.json#/components/schemas/${schemaName(item.input)}`,
      },
      output: {
        mimeType: 'application/json',
        schema: `${baseUrl}/openapi.json#/components/schemas/${schemaName(item.output)}`,
      },
    })),
  };
}
