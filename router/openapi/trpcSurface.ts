import { catalogue } from '../catalogue.ts';
import { schemaName } from './publishedSchemas.ts';

type Json = Record<string, unknown>;

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const object = (properties: Json): Json => ({ type: 'object', properties, required: Object.keys(properties) });

/**
 * The `x-trpc` member: the same calls as tRPC mutations, with the schemas of their REST operations. It is not a path item,
 * because crawlers would list each call twice and generated clients would have every method twice.
 */
export function trpcSurface(): Json {
  return {
    description:
      'tRPC 11 over HTTP: one mutation per POST, the input as the JSON body. No batches, no query string. ' +
      'Price, status codes and payment headers are those of the REST operation.',
    version: 11,
    paymentHeaders: { offer: 'PAYMENT-REQUIRED', payment: 'PAYMENT-SIGNATURE', receipt: 'PAYMENT-RESPONSE' },
    procedures: Object.fromEntries(
      catalogue.map((item) => [
        item.name,
        {
          type: 'mutation',
          method: 'POST',
          path: `/trpc/${item.name}`,
          'x-canonical-path': item.path,
          input: ref(schemaName(item.input)),
          output: ref(schemaName(item.output)),
          response: object({ result: object({ data: ref(schemaName(item.output)) }) }),
        },
      ]),
    ),
    errorResponse: object({
      error: object({
        code: { type: 'integer', description: 'The JSON-RPC code of tRPC.' },
        message: { type: 'string', description: 'The same as reason.detail.' },
        data: object({
          code: { type: 'string', description: 'The name of the code in tRPC.' },
          httpStatus: { type: 'integer', description: 'The HTTP status, repeated.' },
          path: { type: ['string', 'null'], description: 'The procedure.' },
          reason: { anyOf: [ref('Error'), ref('PaymentRequired')], description: 'The error body of REST.' },
        }),
      }),
    }),
  };
}
