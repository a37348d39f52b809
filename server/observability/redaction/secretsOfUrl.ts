/** Path segments of at least this length count as keys; shorter ones are words like `base-mainnet`. */
const minKeyLength = 16;

/**
 * The secret parts of a configured URL: the URL itself, its host (some providers put the key there), and each part that
 * may be a key.
 */
export function secretsOfUrl(url: string): string[] {
  const { host, hostname, pathname, search, searchParams, username, password } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment.length >= minKeyLength);
  return [
    url,
    url.replace(/\/$/, ''),
    // A host of one word is internal. Redacting a word like `database` would also redact it in ordinary text.
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

/** Percent-decodes; returns the text unchanged if it is not valid percent-encoding, because a key may contain any `%`. */
export function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}
