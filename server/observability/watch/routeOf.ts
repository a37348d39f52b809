import { findRoute } from '../../http/routes.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Names of published files contain content hashes, so one label covers all. */
const files = /^\/(docs|guides|assets)\/./;

/**
 * The served path of a request target: `/docs/*` for any file of a folder, `elsewhere` for unknown paths. Clients cannot
 * add further names.
 */
export function routeOf(rawTarget = ''): string {
  if (!findRoute(rawTarget)) return 'elsewhere';
  const [path = ''] = rawTarget.split('?');
  const folder = files.exec(path)?.[1];
  return folder ? `/${folder}/*` : path;
}

/** The method, or `other`: a client may send any method. */
export function methodOf(method = ''): string {
  return methods.has(method) ? method : 'other';
}
