import { catalogue, freeCalls } from '../catalogue.ts';
import { schemaName } from './publishedSchemas.ts';

type Json = Record<string, unknown>;

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const object = (properties: Json): Json => ({ type: 'object', properties, required: Object.keys(properties) });

/**
 * The `x-trpc` member: the calls as tRPC mutations, with the schemas of their REST operations. It is not a path
 * item: crawlers would list each call twice, and generated clients would have each method twice.
 */
export function trpcSurface(): Json {
  return {
    description:
      'tRPC 11 over HTTP: one mutation per POST, with the input as JSON body. Batches and query strings are not supported. ' +
      'Price, status codes and payment headers equal those of the REST operation; an operation without `x-payment-info` is free.',
    version: 11,
    paymentHeaders: { offer: 'PAYMENT-REQUIRED', payment: 'PAYMENT-SIGNATURE', receipt: 'PAYMENT-RESPONSE' },
    procedures: Object.fromEntries(
      [...catalogue, ...freeCalls].map((item) => [
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
        code: { type: 'integer', description: "tRPC's JSON-RPC error code." },
        message: { type: 'string', description: 'Equals reason.detail.' },
        data: object({
          code: { type: 'string', description: "Name of tRPC's error code." },
          httpStatus: { type: 'integer', description: 'The HTTP status of the response.' },
          path: { type: ['string', 'null'], description: 'Name of the procedure.' },
          reason: {
            anyOf: [ref('Error'), ref('PaymentRequired')],
            description: 'The error body of the REST operation.',
          },
        }),
      }),
    }),
  };
}
