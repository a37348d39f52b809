import { findRoute } from '../../http/routes.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Published file names change with their contents: they count as one. */
const files = /^\/(docs|guides|assets)\/./;

/**
 * The served path that a request target means, `/docs/*` for any file of a folder, `elsewhere` for what is not served:
 * as many names as there are paths, whatever is sent.
 */
export function routeOf(rawTarget = ''): string {
  if (!findRoute(rawTarget)) return 'elsewhere';
  const [path = ''] = rawTarget.split('?');
  const folder = files.exec(path)?.[1];
  return folder ? `/${folder}/*` : path;
}

/** The method, or `other`: a client may send any word. */
export function methodOf(method = ''): string {
  return methods.has(method) ? method : 'other';
}
