import { type RequestHandler, Router } from 'express';
import { swaggerPage } from '../../docs-site/index.ts';
import { RequestError } from '../../router/index.ts';
import { pageHeaders } from './pageHeaders.ts';

/** The files that the page loads, and their licences. The package contains more: a demo page, source maps, an OAuth page. */
const published = new Set([
  '/',
  '/swagger-ui.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-bundle.js.LICENSE.txt',
  '/swagger-ui-standalone-preset.js',
  '/swagger-ui-standalone-preset.js.LICENSE.txt',
  '/swagger-ui-init.js',
  '/LICENSE',
  '/NOTICE',
]);

/** `/docs/`: Swagger UI over the published openapi.json. The first request loads the package. */
export function docs(mode: 'sandbox' | 'live'): RequestHandler {
  let loading: Promise<Router> | undefined;
  return async (req, res, next) => {
    loading ??= loadDocs(mode);
    (await loading)(req, res, next);
  };
}

async function loadDocs(mode: 'sandbox' | 'live'): Promise<Router> {
  const { default: swaggerUi } = await import('swagger-ui-express');
  const page = swaggerPage(mode);
  return (
    Router()
      .use(pageHeaders, onlyPublished, ignoreConditions, ...swaggerUi.serveFiles(undefined, page))
      // For `/` only: without a path it would also answer requests for missing files.
      .get('/', swaggerUi.setup(undefined, page))
  );
}

const onlyPublished: RequestHandler = ({ path }, _res, next) => {
  if (!published.has(path)) throw new RequestError('NOT_FOUND', 'There is no such file.');
  next();
};

/**
 * Removes range and precondition headers: the file server throws when it cannot satisfy them. A server may ignore a
 * range (RFC 9110, 14.2), and preconditions serve writes, which these files do not support.
 */
const ignoreConditions: RequestHandler = ({ headers }, _res, next) => {
  for (const name of ['range', 'if-match', 'if-unmodified-since']) delete headers[name];
  next();
};
