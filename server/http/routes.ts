import { catalogue, freeDocuments, messagePath, type PaidItem } from '../../router/index.ts';

/** A paid path: one item over REST or tRPC. */
export interface PaidRoute {
  kind: 'paid';
  surface: 'rest' | 'trpc';
  item: PaidItem;
  /** The served path: canonical or an alias. */
  path: string;
  /** For example `POST /v1/quote`. A payment is valid for one endpoint. An alias has the endpoint of its canonical path. */
  endpoint: string;
}

interface FreeRoute {
  kind: 'free';
}

interface McpRoute {
  kind: 'mcp';
}

interface A2aRoute {
  kind: 'a2a';
}

export type Route = PaidRoute | FreeRoute | McpRoute | A2aRoute;

const paidRoutes = new Map<string, PaidRoute>(
  catalogue.flatMap((item): [string, PaidRoute][] => [
    ...[item.path, ...item.aliases].map((path): [string, PaidRoute] => [
      path,
      { kind: 'paid', surface: 'rest', item, path, endpoint: `POST ${item.path}` },
    ]),
    [
      `/trpc/${item.name}`,
      { kind: 'paid', surface: 'trpc', item, path: `/trpc/${item.name}`, endpoint: `POST /trpc/${item.name}` },
    ],
  ]),
);

/** Pages and files of the site; those under a folder match `docsFile`. */
const sitePaths = ['/', '/guides', '/reference', '/docs', '/docs/', '/favicon.ico', '/robots.txt', '/sitemap.xml'];

const freePaths = new Set([...sitePaths, '/.well-known/security.txt', ...freeDocuments]);

/** Files of the documentation: flat names, so a path cannot leave its folder. */
const docsFile = /^\/(?:docs|guides|assets)\/[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * The route of a raw request target. Nothing is decoded or normalised, so only the documented spelling is a paid path.
 * A query is ignored, except on tRPC, where it could request a batch: there it matches no route.
 */
export function findRoute(rawTarget: string): Route | undefined {
  const queryAt = rawTarget.indexOf('?');
  const path = queryAt < 0 ? rawTarget : rawTarget.slice(0, queryAt);
  const paid = paidRoutes.get(path);
  if (path === '/mcp') return { kind: 'mcp' };
  if (path === messagePath) return { kind: 'a2a' };
  if (paid) return paid.surface === 'trpc' && queryAt >= 0 ? undefined : paid;
  return freePaths.has(path) || docsFile.test(path) ? { kind: 'free' } : undefined;
}
