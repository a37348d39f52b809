import { documentedCalls } from './documentedCalls.ts';
import type { ServiceFacts } from './serviceFacts.ts';

type Json = Record<string, unknown>;

/** `/.well-known/x402` for crawlers: the URLs that return 402. */
export function wellKnownX402(document: Json, { baseUrl }: Pick<ServiceFacts, 'baseUrl'>) {
  return {
    version: 1,
    resources: documentedCalls(document).map(({ path }) => baseUrl + path),
    instructions: (document.info as Json)['x-guidance'],
  };
}

/**
 * `/.well-known/x402.json`, a newer draft: the paid resources with their payment options.
 *
 * @param acceptsOf the entries of `accepts` in the 402 of a procedure; none while no network can settle
 * @param now epoch milliseconds
 */
export function wellKnownX402Items(
  document: Json,
  { baseUrl }: Pick<ServiceFacts, 'baseUrl'>,
  acceptsOf: (procedure: string) => readonly unknown[],
  now: number,
) {
  return {
    x402Version: 2,
    ...(document['x-receipts'] !== undefined && { receipts: document['x-receipts'] }),
    lastUpdated: Math.floor(now / 1000),
    items: documentedCalls(document).map((call) => ({
      type: 'http',
      resource: { url: baseUrl + call.path, description: call.summary, mimeType: 'application/json' },
      accepts: acceptsOf(call.name),
      input: {
        method: 'POST',
        routeTemplate: call.path,
        bodyType: 'json',
        body: call.exampleRequest,
        schema: `${baseUrl}/openapi.json${call.inputRef}`,
      },
      output: { mimeType: 'application/json', schema: `${baseUrl}/openapi.json${call.outputRef}` },
    })),
  };
}
