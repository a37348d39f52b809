import { type RequestHandler, Router } from 'express';
import {
  agentCard,
  apiCatalog,
  apiCatalogType,
  llmsFullText,
  llmsText,
  type ServiceFacts,
  wellKnownX402,
  wellKnownX402Items,
} from '../../router/index.ts';
import type { PaymentService, ReceiptIssuer } from '../payments/index.ts';
import { sendFile } from './sendFile.ts';

/**
 * Serves the discovery documents, generated once from the OpenAPI document, and the public keys of receipts. The payment
 * options change while the service runs, so their document is generated for each request.
 */
export function discovery(
  document: Record<string, unknown>,
  deps: ServiceFacts & { paymentService: Pick<PaymentService, 'accepts'>; receipts?: ReceiptIssuer },
): RequestHandler {
  const json = {
    '/openapi.json': document,
    '/.well-known/agent-card.json': agentCard(document, deps),
    '/.well-known/x402': wellKnownX402(document, deps),
    ...(deps.receipts && {
      '/.well-known/did.json': deps.receipts.didDocument,
      '/.well-known/jwks.json': deps.receipts.jwks,
    }),
  };
  const text = { '/llms.txt': llmsText(document, deps), '/llms-full.txt': llmsFullText(document, deps) };

  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, document] of Object.entries(json)) serve(router, path, 'json', JSON.stringify(document));
  serve(router, '/.well-known/api-catalog', apiCatalogType, JSON.stringify(apiCatalog(document, deps)));
  router.get('/.well-known/x402.json', (req, res) => {
    const acceptsOf = (procedure: string) => deps.paymentService.accepts(procedure);
    const items = wellKnownX402Items(document, deps, acceptsOf, Date.now());
    return sendFile(req, res, { type: 'json', body: Buffer.from(JSON.stringify(items)) }, 'no-store');
  });
  for (const [path, content] of Object.entries(text)) serve(router, path, 'txt', content);
  return router;
}

function serve(router: Router, path: string, type: string, text: string): void {
  const content = { type, body: Buffer.from(text) };
  router.get(path, (req, res) => sendFile(req, res, content, 'public, max-age=60'));
}
