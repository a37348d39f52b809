/**
 * The `Link` header (RFC 8288) for the document's `x-links`.
 * @param rel includes only links of this relation
 */
export function linkHeader(document: Record<string, unknown>, rel?: string): string {
  const links = document['x-links'] as { href: string; rel: string; type: string }[];
  return links
    .filter((link) => rel === undefined || link.rel === rel)
    .map((link) => `<${link.href}>; rel="${link.rel}"; type="${link.type}"`)
    .join(', ');
}
