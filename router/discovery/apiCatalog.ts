import { freePaths } from '../openapi/freePath.ts';
import { paidOperations } from './documentedCalls.ts';
import type { ServiceFacts } from './serviceFacts.ts';

/** Media type of the catalog, with the profile of RFC 9727. */
export const apiCatalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

interface CatalogLink {
  href: string;
  type?: string;
}

/** `/.well-known/api-catalog` (RFC 9727): a link set (RFC 9264) of the paid calls, the documents and the status. */
export function apiCatalog(document: Record<string, unknown>, { baseUrl }: Pick<ServiceFacts, 'baseUrl'>) {
  const links = document['x-links'] as { href: string; rel: string; type: string }[];
  const byRelation: Record<string, CatalogLink[]> = {};
  for (const { href, rel, type } of links) {
    const linked = byRelation[rel] ?? [];
    byRelation[rel] = [...linked, { href: baseUrl + href, type }];
  }
  delete byRelation['api-catalog'];
  const health = freePaths.find(({ operationId }) => operationId === 'health');
  return {
    linkset: [
      {
        anchor: `${baseUrl}/.well-known/api-catalog`,
        item: paidOperations(document).map(([path]): CatalogLink => ({ href: baseUrl + path })),
      },
      {
        anchor: `${baseUrl}/`,
        ...byRelation,
        ...(health && { status: [{ href: baseUrl + health.path, type: 'application/json' }] }),
      },
    ],
  };
}
