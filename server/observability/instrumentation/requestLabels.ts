import { findRoute } from '../../http/routes.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/**
 * One label for each folder: every flat file name matches a route (routes.ts), so clients could create unbounded
 * series.
 */
const fileInFolder = /^\/(docs|guides|assets)\/./;

/**
 * The route label of a request target: the served path, `/docs/*` for any file of a folder, `elsewhere` for unknown
 * paths. The set of labels is fixed, so clients cannot create time series.
 */
export function routeOf(rawTarget = ''): string {
  if (!findRoute(rawTarget)) return 'elsewhere';
  const [path = ''] = rawTarget.split('?');
  const folder = fileInFolder.exec(path)?.[1];
  return folder ? `/${folder}/*` : path;
}

/** The method label; `other` for any method that no route supports. */
export function methodOf(method = ''): string {
  return methods.has(method) ? method : 'other';
}
