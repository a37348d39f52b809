/** A path segment so long is a key; shorter ones are words like `base-mainnet`. */
const keyLength = 16;

/**
 * What must stay hidden of a URL that an operator configured: itself, its host (some providers put the key there), and
 * each part that may be a key.
 */
export function secretsOfUrl(url: string): string[] {
  const { host, hostname, pathname, search, searchParams, username, password } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment.length >= keyLength);
  return [
    url,
    url.replace(/\/$/, ''),
    // A name of one word is of the own network, and a word like `database` stands in innocent lines.
    ...(hostname.includes('.') ? [host, hostname] : []),
    pathname.replace(/\/$/, ''),
    search,
    ...segments,
    ...segments.map(decodeLoosely),
    ...searchParams.values(),
    ...[username, password].flatMap((text) => [text, decodeLoosely(text)]),
    ...(username ? [Buffer.from(`${decodeLoosely(username)}:${decodeLoosely(password)}`).toString('base64')] : []),
  ];
}

/** What percent-encoding means; as it is where it means nothing, since any `%` may stand in a key. */
export function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}
