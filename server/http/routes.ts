import { catalogue, type FreeItem, freeCalls, freeDocuments, messagePath, type PaidItem } from '../../router/index.ts';

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

/** A free call with a body, over REST or tRPC. */
interface FreeCallRoute {
  kind: 'free call';
  surface: 'rest' | 'trpc';
  item: FreeItem;
  path: string;
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

/** The page reads Solana through the service. */
interface SolanaReadsRoute {
  kind: 'solana reads';
}

export type Route = PaidRoute | FreeCallRoute | FreeRoute | McpRoute | A2aRoute | SolanaReadsRoute;

const paidRoutes: readonly PaidRoute[] = catalogue.flatMap((item): PaidRoute[] => [
  ...[item.path, ...item.aliases].map(
    (path): PaidRoute => ({ kind: 'paid', surface: 'rest', item, path, endpoint: `POST ${item.path}` }),
  ),
  {
    kind: 'paid',
    surface: 'trpc',
    item,
    path: `/trpc/${item.name}`,
    endpoint: `POST /trpc/${item.name}`,
  },
]);

const freeCallRoutes: readonly FreeCallRoute[] = freeCalls.flatMap((item): FreeCallRoute[] => [
  { kind: 'free call', surface: 'rest', item, path: item.path },
  { kind: 'free call', surface: 'trpc', item, path: `/trpc/${item.name}` },
]);

/** Pages and files of the site; those under a folder match `docsFile`. */
const sitePaths = ['/', '/guides', '/reference', '/docs', '/docs/', '/favicon.ico', '/robots.txt', '/sitemap.xml'];

/** The path at which the page reads Solana, as JSON-RPC: the published x402 client takes a URL of a node. */
const solanaReadsPath = '/rpc/solana';

/** Every served path with its route, except files of the documentation. */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ...[...sitePaths, '/.well-known/security.txt', ...freeDocuments].map((path): [string, Route] => [
    path,
    { kind: 'free' },
  ]),
  ...[...paidRoutes, ...freeCallRoutes].map((route): [string, Route] => [route.path, route]),
  ['/mcp', { kind: 'mcp' }],
  [messagePath, { kind: 'a2a' }],
  [solanaReadsPath, { kind: 'solana reads' }],
]);

/** Files of the documentation: flat names, so a path cannot leave its folder. */
const docsFile = /^\/(?:docs|guides|assets)\/[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * The route of a raw request target. Nothing is decoded or normalised, so only the documented spelling is a paid path.
 * A query is ignored, except on tRPC, where it could request a batch: there it matches no route.
 */
export function findRoute(rawTarget: string): Route | undefined {
  const queryAt = rawTarget.indexOf('?');
  const path = queryAt < 0 ? rawTarget : rawTarget.slice(0, queryAt);
  const route = routes.get(path) ?? (docsFile.test(path) ? { kind: 'free' } : undefined);
  return route && 'surface' in route && route.surface === 'trpc' && queryAt >= 0 ? undefined : route;
}
