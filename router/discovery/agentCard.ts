import { quoteExampleRequest } from '../quote/quoteInput.ts';
import { serviceTitle, serviceVersion } from '../service.ts';
import { type DocumentedCall, documentedCalls } from './documentedCalls.ts';
import type { ServiceFacts } from './serviceFacts.ts';

/** The A2A protocol version of the card. */
const protocolVersion = '0.3.0';

/** Base of the HTTP+JSON transport; clients append `/v1/message:send`. */
const transportPath = '/a2a';

/** The path of `message:send`. */
export const messagePath = `${transportPath}/v1/message:send`;

/** A body for `message:send`. */
export const messageExample = {
  message: {
    kind: 'message',
    role: 'user',
    messageId: '5f0c2d3e-8f4e-4a0c-9d39-0d2f3c1c7b52',
    parts: [{ kind: 'data', data: { skill: 'quote', input: quoteExampleRequest } }],
  },
};

/**
 * The A2A agent card of an OpenAPI document.
 *
 * It does not declare the x402 extension for A2A: version 0.2 (google-agentic-commerce/a2a-x402, sections 5.1 and 5.5)
 * links each payment to a stored task by its taskId, and this service stores no tasks.
 *
 * Source of the shape: A2A 0.3.0, section 5.5 (AgentCard).
 */
export function agentCard(document: Record<string, unknown>, { baseUrl }: Pick<ServiceFacts, 'baseUrl'>) {
  const calls = documentedCalls(document);
  const transport = { url: baseUrl + transportPath, transport: 'HTTP+JSON' };
  return {
    protocolVersion,
    name: serviceTitle,
    description:
      'Executable quotes and pretrade checks for trading agents on EVM DEXes, read from the chain at one block. ' +
      `POST ${baseUrl}${messagePath} with one data part {"skill": "<id>", "input": {…}}. The first response is 402: sign one ` +
      'payment option of its PAYMENT-REQUIRED header (x402 v2, USDC) and send the same message with the header PAYMENT-SIGNATURE. ' +
      'The answer is a message. The x402 extension for A2A requires stored tasks; this service stores none and does not support it. ' +
      'Treat any verdict other than avoid and clear as unknown: it proves nothing. ' +
      `For the same skills over plain HTTP see ${baseUrl}/llms.txt`,
    url: transport.url,
    preferredTransport: transport.transport,
    additionalInterfaces: [transport],
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
    description: `${call.description} ${paths.join(', or its alias ')}. Price: ${call.priceUsd} USD in USDC, x402 v2.${free}`,
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
