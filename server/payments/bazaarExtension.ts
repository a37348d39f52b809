import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { compactSchema, type PaidItem } from '../../router/index.ts';

/**
 * The `bazaar` extension of a 402: how the path is called and what it returns, for indexers of paid resources.
 * Clients echo it in their payment, so it is kept short: no words, and the answer's schema two levels deep; the whole
 * stands in /openapi.json.
 */
export function bazaarExtension(item: PaidItem): Record<string, unknown> {
  const { bazaar } = declareDiscoveryExtension({
    bodyType: 'json',
    input: item.exampleRequest as Record<string, unknown>,
    inputSchema: compactSchema(item.input, 'input', 2),
    output: { example: shallow(item.exampleAnswer), schema: compactSchema(item.output, 'output', 2) },
  });
  if (!bazaar) throw new TypeError('The published extension declared nothing.');
  const { info } = bazaar;
  // A published middleware fills in the method from its route; this offer is built without one.
  return { bazaar: { ...bazaar, info: { ...info, input: { ...info.input, method: 'POST' } } } };
}

/** The plain values of an answer; what is nested stands in the document. */
function shallow(answer: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answer).filter(([, value]) => typeof value !== 'object' && String(value).length < 80),
  );
}
