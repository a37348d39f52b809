import { readFileSync } from 'node:fs';
import { type RequestHandler, Router } from 'express';
import {
  agentCard,
  llmsFullText,
  llmsText,
  type PlaceFacts,
  publishDocument,
  wellKnownX402,
  wellKnownX402Items,
} from '../../router/index.ts';
import type { Cashier } from '../payments/index.ts';

/** Generated from the router and committed; a check holds the two together. Parsed once, and not kept. */
const readOpenapi = () => JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));

/** What machines read to find, understand and pay this place. Computed once: nothing of it changes while we run. */
export function discovery(deps: PlaceFacts & { cashier: Cashier; startedAt: number }): RequestHandler {
  const acceptsOf = (paid: string): readonly unknown[] => {
    const { header } = deps.cashier.challenge(paid);
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8')).accepts;
  };
  const json = {
    '/openapi.json': publishDocument(readOpenapi(), deps),
    '/.well-known/agent-card.json': agentCard(deps),
    '/.well-known/x402': wellKnownX402(deps),
    '/.well-known/x402.json': wellKnownX402Items(deps, acceptsOf, deps.startedAt),
  };
  const text = { '/llms.txt': llmsText(deps), '/llms-full.txt': llmsFullText(deps) };

  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, document] of Object.entries(json)) serve(router, path, 'json', JSON.stringify(document));
  for (const [path, words] of Object.entries(text)) serve(router, path, 'txt', words);
  return router;
}

function serve(router: Router, path: string, type: 'json' | 'txt', body: string): void {
  router.get(path, (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=60');
    res.type(type).send(body);
  });
}
