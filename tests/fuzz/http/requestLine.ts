import fc from 'fast-check';
import { hostileText } from '../arbitraries.ts';

export const method = fc.oneof(
  { weight: 24, arbitrary: fc.constant('POST') },
  { weight: 3, arbitrary: fc.constantFrom('GET', 'HEAD', 'OPTIONS') },
  { weight: 2, arbitrary: fc.constantFrom('PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH', 'QUERY') },
  { weight: 1, arbitrary: fc.constantFrom('post', 'FOO', 'GE T', '', 'PRI', '\u0000', 'G'.repeat(300)) },
);

const path = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom('/v1/quote', '/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check') },
  { weight: 4, arbitrary: fc.constantFrom('/trpc/quote', '/trpc/pretradeCheck', '/mcp') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('/', '/health', '/docs', '/docs/', '/openapi.json', '/sandbox', '/llms.txt'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/.well-known/x402',
      '/.well-known/agent-card.json',
      '/guides/errors',
      '/assets/site.css',
      '/docs/swagger-ui.css',
    ),
  },
);
const suffix = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  fc.constantFrom(
    '?',
    '?a=b',
    '?batch=1',
    '?__proto__[x]=1',
    '?%',
    '?%00',
    '?\\',
    '#x',
    '/',
    '//',
    '/..',
    '/../v1/quote',
    '%2f',
    '%00',
    '%',
    '%zz',
    ';a',
    ',quote',
    '\\',
    '.',
  ),
  fc.webPath(),
);
export const target = fc.oneof(
  { weight: 16, arbitrary: fc.tuple(path, suffix).map((parts) => parts.join('')) },
  fc.constantFrom(
    '*',
    '',
    '//',
    '///v1/quote',
    'http://[',
    'http://[::1',
    'http://a:99999/v1/quote',
    'http://x/v1/quote',
    'https://u:p@x/health',
    '/%ff%fe',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/..%5c..',
    'x',
    '?',
    '#',
    '/\u00ff',
    'mailto:a',
    'http:',
    '://',
    '/assets/__proto__',
    '/docs/constructor',
    `/${'a'.repeat(20_000)}`,
  ),
  hostileText.map((text) => `/${text.replace(/[\r\n ]/g, '')}`),
);
