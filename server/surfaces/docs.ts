import { type RequestHandler, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { swaggerPage } from '../../docs-site/index.ts';

/** Swagger UI writes inline styles; scripts and requests stay on this origin. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const guard: RequestHandler = (_req, res, next) => {
  res.setHeader('Content-Security-Policy', contentSecurityPolicy);
  res.setHeader('Referrer-Policy', 'no-referrer');
  next();
};

/** `/docs/`: Swagger UI over the published openapi.json. */
export function docs(mode: 'sandbox' | 'live'): Router {
  const page = swaggerPage(mode);
  return Router().use(guard, ...swaggerUi.serveFiles(undefined, page), swaggerUi.setup(undefined, page));
}
