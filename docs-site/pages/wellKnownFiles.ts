import type { SiteFile } from '../build/buildAssets.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** Renewed with every release; RFC 9116 recommends less than a year. */
const securityTxtDays = 180;

/** robots.txt, the site map and security.txt, by path. */
export function wellKnownFiles(
  { baseUrl, contactEmail, startedAt }: Pick<SiteFacts, 'baseUrl' | 'contactEmail' | 'startedAt'>,
  pagePaths: readonly string[],
): Map<string, SiteFile> {
  const file = (type: string, text: string): SiteFile => ({ type, body: Buffer.from(text), immutable: false });
  const expires = new Date(startedAt + securityTxtDays * 86_400_000).toISOString();
  return new Map([
    ['/robots.txt', file('txt', `User-agent: *\nAllow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`)],
    [
      '/sitemap.xml',
      file(
        'xml',
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${pagePaths.map((path) => `<url><loc>${baseUrl}${path}</loc></url>`).join('\n')}\n</urlset>\n`,
      ),
    ],
    // RFC 9116 requires a contact, so without one there is no file.
    ...(contactEmail === undefined
      ? []
      : ([
          [
            '/.well-known/security.txt',
            file(
              'txt',
              `Contact: mailto:${contactEmail}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${baseUrl}/.well-known/security.txt\nPolicy: ${baseUrl}/guides/threats\n`,
            ),
          ],
        ] as const)),
  ]);
}
