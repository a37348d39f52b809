import type { SwaggerUiOptions } from 'swagger-ui-express';

const banner = `
body::before {
  content: "SANDBOX: local chains, worthless money, real code. GET /sandbox has wallets and tokens to play with.";
  display: block; padding: 10px 16px; background: #7a2e00; color: #fff; font: 600 14px/1.4 sans-serif; text-align: center;
}`;

const price = `
.truefill-execute { flex: 1; display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; }
.truefill-execute .execute { flex: 1 1 200px; }
.truefill-price { margin: 0 !important; font-size: 14px; flex: 1 1 100%; }
.swagger-ui .truefill-price select { padding: 4px 28px 4px 8px; font-size: 13px; }
.swagger-ui .answer { background: var(--sheet); padding: 1rem; border: 1px solid var(--line); border-radius: 4px; }`;

interface BrowserSystem {
  SwaggerUIBundle: { plugins: { DownloadUrl(system: unknown): unknown } };
  truefillPlugin(system: unknown): unknown;
  truefillRequest(request: unknown): unknown;
}

/**
 * How Swagger UI is dressed. It knows the service through /openapi.json only; the functions below are sent to the
 * browser as their source, where `browser/swagger.ts` has put what they call.
 */
export function swaggerPage(mode: 'sandbox' | 'live'): SwaggerUiOptions {
  return {
    customSiteTitle: mode === 'sandbox' ? 'truefill API (SANDBOX)' : 'truefill API',
    customCss: `.swagger-ui .topbar { display: none }${mode === 'sandbox' ? banner : ''}${price}`,
    customCssUrl: '/assets/site.css',
    customJs: '/assets/swagger.js',
    customfavIcon: '/assets/mark.svg',
    swaggerOptions: {
      url: '/openapi.json',
      deepLinking: true,
      displayRequestDuration: true,
      plugins: [
        (system: unknown) => (globalThis as unknown as BrowserSystem).SwaggerUIBundle.plugins.DownloadUrl(system),
        (system: unknown) => (globalThis as unknown as BrowserSystem).truefillPlugin(system),
      ],
      requestInterceptor: (request: unknown) => (globalThis as unknown as BrowserSystem).truefillRequest(request),
    },
  };
}
