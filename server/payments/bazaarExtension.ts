import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { compactSchema, type PaidItem } from '../../router/index.ts';

/**
 * The `bazaar` extension of a 402: request and response schemas, for indexers of paid resources.
 * Clients echo it in their payment, so it is short: no descriptions, and only two levels of the schemas. /openapi.json
 * contains the full schemas.
 */
export function bazaarExtension(item: PaidItem): Record<string, unknown> {
  const { bazaar } = declareDiscoveryExtension({
    bodyType: 'json',
    input: item.exampleRequest as Record<string, unknown>,
    inputSchema: compactSchema(item.input, 'input', 2),
    output: { example: shallow(item.exampleAnswer), schema: compactSchema(item.output, 'output', 2) },
  });
  if (!bazaar) throw new TypeError('declareDiscoveryExtension returned no bazaar extension.');
  const { info } = bazaar;
  // x402's middleware would add the method of its route; this offer is built without a route.
  return { bazaar: { ...bazaar, info: { ...info, input: { ...info.input, method: 'POST' } } } };
}

/** Returns an answer without its nested values and long strings. */
function shallow(answer: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answer).filter(([, value]) => typeof value !== 'object' && String(value).length < 80),
  );
}
