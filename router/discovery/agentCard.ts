import { catalogue, type PaidItem } from '../catalogue.ts';
import { serviceTitle, serviceVersion } from '../service.ts';
import type { PlaceFacts } from './placeFacts.ts';

/** The A2A protocol version whose card this is. */
const protocolVersion = '0.3.0';

/**
 * The A2A agent card. `url` is a path that really answers 402: a card that leads to a front page leads nowhere.
 *
 * Source of the shape: A2A 0.3.0, section 5.5 (AgentCard).
 */
export function agentCard(place: PlaceFacts) {
  const { baseUrl } = place;
  const addresses = catalogue.map(({ path }) => ({ url: baseUrl + path, transport: 'HTTP+JSON' }));
  const [first] = addresses;
  if (!first) throw new TypeError('A service that sells nothing has no card.');
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
    skills: catalogue.map((item) => toSkill(item, place)),
  };
}

function toSkill(item: PaidItem, { baseUrl, freeTrialGroups }: PlaceFacts) {
  const paths = [item.path, ...item.aliases].map((path) => `POST ${baseUrl}${path}`);
  const free = freeTrialGroups.includes(item.trialGroup) ? ' The first call of a wallet is free.' : '';
  return {
    id: item.name,
    name: item.summary,
    description: `${item.description} ${paths.join(', or the same: ')}. Price: ${item.priceUsd} USD in USDC, x402 v2.${free}`,
    tags: [
      'x402',
      'defi',
      'evm',
      item.trialGroup,
      ...item.aliases.map((alias) => alias.slice(alias.lastIndexOf('/') + 1)),
    ],
    examples: [JSON.stringify(item.exampleRequest)],
    inputModes: ['application/json'],
    outputModes: ['application/json'],
  };
}
