import { type RequestHandler, Router } from 'express';
import { swaggerPage } from '../../docs-site/index.ts';
import { RequestError } from '../../router/index.ts';
import { pageHeaders } from './pageHeaders.ts';

/** What its page loads, and under which terms. The package holds more: a page of its own, maps, an OAuth landing. */
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

/** `/docs/`: Swagger UI over the published openapi.json. Its package is loaded with the first visitor. */
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
      .use(pageHeaders, onlyPublished, passOverConditions, ...swaggerUi.serveFiles(undefined, page))
      // The page itself only: by itself it would stand for every file that is not there.
      .get('/', swaggerUi.setup(undefined, page))
  );
}

const onlyPublished: RequestHandler = ({ path }, _res, next) => {
  if (!published.has(path)) throw new RequestError('NOT_FOUND', 'There is no such file.');
  next();
};

/**
 * Nothing else here comes in parts or under a condition, and the file server would throw at what it cannot meet. A range
 * may be passed over (RFC 9110, 14.2), and nobody writes these files, so that a precondition is about nothing.
 */
const passOverConditions: RequestHandler = ({ headers }, _res, next) => {
  for (const name of ['range', 'if-match', 'if-unmodified-since']) delete headers[name];
  next();
};
