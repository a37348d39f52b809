import { serviceTitle, serviceVersion } from '../service.ts';
import { type DocumentedCall, documentedCalls } from './documentedCalls.ts';
import type { PlaceFacts } from './placeFacts.ts';

/** The A2A protocol version of the card. */
const protocolVersion = '0.3.0';

/**
 * The A2A agent card of an OpenAPI document. `url` is a path that returns 402.
 *
 * Source of the shape: A2A 0.3.0, section 5.5 (AgentCard).
 */
export function agentCard(document: Record<string, unknown>, { baseUrl }: Pick<PlaceFacts, 'baseUrl'>) {
  const calls = documentedCalls(document);
  const addresses = calls.map(({ path }) => ({ url: baseUrl + path, transport: 'HTTP+JSON' }));
  const [first] = addresses;
  if (!first) throw new TypeError('The OpenAPI document has no paid operation.');
  return {
    protocolVersion,
    name: serviceTitle,
    description:
      'Executable quotes and proven traps for trading agents on EVM DEXes, read from the chain at one block. Plain HTTP: ' +
      `POST JSON to a skill's path, be answered 402, pay in USDC (x402 v2), send it again. How: ${baseUrl}/llms.txt`,
    url: first.url,
    preferredTransport: first.transport,
    additionalInterfaces: addresses,
    version: serviceVersion,
    provider: { organization: serviceTitle, url: `${baseUrl}/` },
    documentationUrl: `${baseUrl}/llms.txt`,
    capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: calls.map((call) => toSkill(call, baseUrl)),
  };
}

function toSkill(call: DocumentedCall, baseUrl: string) {
  const paths = [call.path, ...call.aliases].map((path) => `POST ${baseUrl}${path}`);
  const free = call.hasFreeCall ? ' The first call of a wallet is free.' : '';
  return {
    id: call.name,
    name: call.summary,
    description: `${call.description} ${paths.join(', or the same: ')}. Price: ${call.priceUsd} USD in USDC, x402 v2.${free}`,
    tags: [
      'x402',
      'defi',
      'evm',
      ...call.tags,
      ...call.aliases.map((alias) => alias.slice(alias.lastIndexOf('/') + 1)),
    ],
    examples: [JSON.stringify(call.exampleRequest)],
    inputModes: ['application/json'],
    outputModes: ['application/json'],
  };
}
