/** A shorter text would tear holes into innocent lines. */
const leastLength = 8;

/** How a secret may stand in a text: as it is, in JSON, in a URL, in hexadecimal of another case. */
function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  return /^[0-9a-fA-F]+$/.test(secret) ? [...forms, secret.toLowerCase(), secret.toUpperCase()] : forms;
}

/**
 * Hides secrets in a text, whoever put them there. The longest are hidden first, so that none shows in part beside
 * another.
 *
 * @example
 * const veil = createVeil(secretsOfConfig(config));
 * veil('GET https://node.example/v2/abcdefghijklmnop failed'); // 'GET [hidden] failed'
 */
export function createVeil(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= leastLength)
    .sort((left, right) => right.length - left.length);
  return (text) => hidden.reduce((seen, secret) => seen.replaceAll(secret, '[hidden]'), text);
}
