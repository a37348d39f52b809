import { Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { swaggerPage } from '../../docs-site/index.ts';
import { guardPage } from './guardPage.ts';

/** `/docs/`: Swagger UI over the published openapi.json. */
export function docs(mode: 'sandbox' | 'live'): Router {
  const page = swaggerPage(mode);
  return (
    Router()
      .use(guardPage, ...swaggerUi.serveFiles(undefined, page))
      // The page itself only: by itself it would stand for every file that is not there.
      .get('/', swaggerUi.setup(undefined, page))
  );
}
