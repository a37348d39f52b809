import { type RequestHandler, Router } from 'express';
import { swaggerPage } from '../../docs-site/index.ts';
import { guardPage } from './guardPage.ts';

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
      .use(guardPage, ...swaggerUi.serveFiles(undefined, page))
      // The page itself only: by itself it would stand for every file that is not there.
      .get('/', swaggerUi.setup(undefined, page))
  );
}
