import { catalogue } from '../catalogue.ts';
import type { PlaceFacts } from '../discovery/placeFacts.ts';
import { operator } from '../service.ts';

type Json = Record<string, unknown>;

/**
 * The document as one deployment publishes it: with its own address, its contact when it has named one, and whose first
 * call is free there.
 *
 * @param baseUrl without a trailing slash
 */
export function publishDocument(
  document: Json,
  { baseUrl, contactEmail, freeTrialGroups }: Pick<PlaceFacts, 'baseUrl' | 'contactEmail' | 'freeTrialGroups'>,
): Json {
  const contact = { name: operator, url: `${baseUrl}/`, ...(contactEmail !== undefined && { email: contactEmail }) };
  return {
    ...document,
    info: { ...(document.info as Json), contact },
    externalDocs: { ...(document.externalDocs as Json), url: `${baseUrl}/` },
    servers: [{ url: baseUrl }],
    'x-agentcash-guidance': { llmsTxtUrl: `${baseUrl}/llms.txt` },
    paths: sayWhatIsFree(document.paths as Record<string, Json>, freeTrialGroups),
  };
}

const freeCall = 'The first call of a wallet is free: the payment is signed as usual, and nothing is settled.';

function sayWhatIsFree(paths: Record<string, Json>, groups: readonly string[]): Record<string, Json> {
  const free = catalogue.filter(({ trialGroup }) => groups.includes(trialGroup));
  const said = free.flatMap(({ path, aliases }) =>
    [path, ...aliases].map((spelling) => {
      const post = paths[spelling]?.post as Json;
      return [spelling, { ...paths[spelling], post: { ...post, description: `${post.description} ${freeCall}` } }];
    }),
  );
  return { ...paths, ...Object.fromEntries(said) };
}
