import { catalogue, freeDocuments, type PaidItem } from '../../router/index.ts';

/** A paid path: one item on one of the two surfaces. */
export interface PaidPlace {
  kind: 'paid';
  surface: 'rest' | 'trpc';
  item: PaidItem;
  /** `POST /v1/quote`: one name for the canonical path and its aliases. */
  route: string;
}

interface FreePlace {
  kind: 'free';
}

/** Where tools are called, over MCP: some are paid for. */
interface McpPlace {
  kind: 'mcp';
}

export type Place = PaidPlace | FreePlace | McpPlace;

const paidPlaces = new Map<string, PaidPlace>(
  catalogue.flatMap((item): [string, PaidPlace][] => [
    ...[item.path, ...item.aliases].map((path): [string, PaidPlace] => [
      path,
      { kind: 'paid', surface: 'rest', item, route: `POST ${item.path}` },
    ]),
    [`/trpc/${item.name}`, { kind: 'paid', surface: 'trpc', item, route: `POST /trpc/${item.name}` }],
  ]),
);

const freePaths = new Set(['/', '/docs', '/docs/', ...freeDocuments]);

/** Files of the documentation: flat names, so no climbing. */
const docsFile = /^\/(?:docs|guides|assets)\/[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * What is served at a request target, compared as it came: no decoding, no folding of case or slashes,
 * so that only the documented spelling is ever a paid path. A query is tolerated, except on tRPC, where
 * it can ask for a batch.
 */
export function findPlace(rawTarget: string): Place | undefined {
  const queryAt = rawTarget.indexOf('?');
  const path = queryAt < 0 ? rawTarget : rawTarget.slice(0, queryAt);
  const paid = paidPlaces.get(path);
  if (path === '/mcp') return { kind: 'mcp' };
  if (paid) return paid.surface === 'trpc' && queryAt >= 0 ? undefined : paid;
  return freePaths.has(path) || docsFile.test(path) ? { kind: 'free' } : undefined;
}
