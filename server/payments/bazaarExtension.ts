import { type PaidItem, propertyTypes } from '../../router/index.ts';

/**
 * The `bazaar` extension of a 402, for indexers of paid resources: the example request, and the name and type of each
 * property. /openapi.json contains the full schemas.
 *
 * It is part of a response header, and clients repeat it in a request header. nginx rejects a response whose headers
 * exceed 4,096 bytes, so the longer declaration of x402's `declareDiscoveryExtension` is not used.
 */
export function bazaarExtension({ exampleRequest, input }: PaidItem): Record<string, unknown> {
  const info = { input: { type: 'http', method: 'POST', bodyType: 'json', body: exampleRequest } };
  const schema = {
    properties: {
      input: { properties: { body: propertyTypes(input) } },
      // Indexers report an endpoint without a schema of its output.
      output: { properties: { example: { type: 'object' } } },
    },
  };
  return { bazaar: { info, schema } };
}
