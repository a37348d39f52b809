import { catalogue } from '../catalogue.ts';

/** Short instructions for agents that read the document: what to send, what it costs, when to retry. */
export function guidance(): string {
  const calls = catalogue.map(
    ({ path, aliases, priceUsd, summary }) =>
      `POST ${path} (${priceUsd} USD): ${summary}.${aliases.length > 0 ? ` Aliases: ${aliases.join(', ')}.` : ''}`,
  );
  return [
    ...calls,
    'Pay with x402 v2 (scheme exact, USDC): send the JSON body, read the PAYMENT-REQUIRED header of the 402, sign one of accepts[], send the identical request with PAYMENT-SIGNATURE.',
    'On 503 or a lost connection send the same PAYMENT-SIGNATURE again; a new signature is a new payment.',
    'avoid means a proven trap; clear means only that none of the three traps was proven; treat any other verdict as unknown.',
  ].join('\n');
}
