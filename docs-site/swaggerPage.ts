import type { SwaggerUiOptions } from 'swagger-ui-express';

const sandboxBanner = `
body::before {
  content: "SANDBOX: local chains, worthless money, real code. GET /sandbox has wallets and tokens to play with.";
  display: block; padding: 10px 16px; background: #7a2e00; color: #fff; font: 600 14px/1.4 sans-serif; text-align: center;
}`;

/** How Swagger UI is dressed. It knows the service through /openapi.json only. */
export function swaggerPage(mode: 'sandbox' | 'live'): SwaggerUiOptions {
  return {
    customSiteTitle: mode === 'sandbox' ? 'truefill API (SANDBOX)' : 'truefill API',
    customCss: `.swagger-ui .topbar { display: none }${mode === 'sandbox' ? sandboxBanner : ''}`,
    swaggerOptions: { url: '/openapi.json', deepLinking: true, displayRequestDuration: true },
  };
}
