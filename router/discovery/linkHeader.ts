/** The `Link` header (RFC 8288) for the document's `x-links`. */
export function linkHeader(document: Record<string, unknown>): string {
  const links = document['x-links'] as { href: string; rel: string; type: string }[];
  return links.map(({ href, rel, type }) => `<${href}>; rel="${rel}"; type="${type}"`).join(', ');
}
