import { paidOperations } from '../discovery/documentedCalls.ts';
import type { ServiceFacts } from '../discovery/serviceFacts.ts';
import { operator } from '../service.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI document of one deployment: with its own URL, contact, limits and free first calls.
 *
 * @param baseUrl without a trailing slash
 */
export function publishDocument(
  document: Json,
  facts: Pick<ServiceFacts, 'baseUrl' | 'contactEmail' | 'freeTrialGroups' | 'limits' | 'receipts'>,
): Json {
  const { baseUrl, contactEmail, receipts } = facts;
  const contact = { name: operator, url: `${baseUrl}/`, ...(contactEmail !== undefined && { email: contactEmail }) };
  return {
    ...document,
    info: { ...(document.info as Json), contact },
    externalDocs: { ...(document.externalDocs as Json), url: `${baseUrl}/` },
    servers: [{ url: baseUrl }],
    'x-agentcash-guidance': { llmsTxtUrl: `${baseUrl}/llms.txt` },
    ...(receipts && { 'x-receipts': signedReceipts(receipts.keyId, baseUrl) }),
    paths: { ...(document.paths as Json), ...deployedPaths(document, facts) },
  };
}

/** Signed receipts: the x402 extension, the key and the URLs that publish it. */
function signedReceipts(keyId: string, baseUrl: string): Json {
  return {
    extension: 'offer-receipt',
    format: 'jws',
    algorithm: 'EdDSA',
    keyId,
    didDocument: `${baseUrl}/.well-known/did.json`,
    jwks: `${baseUrl}/.well-known/jwks.json`,
  };
}

const freeCall = 'The first call of a wallet is free: sign the payment as usual; nothing is settled.';

function deployedPaths(document: Json, { freeTrialGroups, limits }: Pick<ServiceFacts, 'freeTrialGroups' | 'limits'>) {
  return Object.fromEntries(
    paidOperations(document).map(([path, post]) => {
      const { group } = post['x-free-trial'];
      const enabled = freeTrialGroups.includes(group);
      const deployed = {
        ...post,
        description: enabled ? `${post.description} ${freeCall}` : post.description,
        'x-free-trial': { group, enabled },
        'x-limits': { ...post['x-limits'], ...limits },
      };
      return [path, { post: deployed }];
    }),
  );
}
